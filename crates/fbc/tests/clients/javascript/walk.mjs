// The walk with `@kubernetes/client-node`, with informers over watches.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as k8s from "@kubernetes/client-node";

const config = new k8s.KubeConfig();
config.loadFromDefault();
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);

const directory = process.argv[2];
const manifests = readdirSync(directory)
  .sort()
  .flatMap((name) => k8s.loadAllYaml(readFileSync(join(directory, name), "utf8")));

/** Resolves as soon as an informer says so; fails after a minute. Informers end with the process. */
function informed(path, list, holds) {
  return new Promise((resolve, reject) => {
    const informer = k8s.makeInformer(config, path, list);
    const late = setTimeout(() => reject(new Error(`nothing happens at ${path}`)), 60_000);
    const look = (object) => {
      if (!holds(object, informer)) return;
      clearTimeout(late);
      resolve();
    };
    for (const event of ["add", "update", "delete"]) informer.on(event, look);
    informer.on("error", reject);
    // There may be nothing to tell.
    informer.start().then(() => look(), reject);
  });
}

/** Asks until something holds; fails after a minute. */
async function until(holds) {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("nothing happens");
}

const extension = { group: "olm.operatorframework.io", version: "v1", plural: "clusterextensions" };
const installed = (version) =>
  informed(
    `/apis/${extension.group}/v1/${extension.plural}`,
    () => custom.listClusterCustomObject(extension),
    (object) => object?.status?.install?.bundle?.version === version,
  ).then(() => version);
const ready = () =>
  informed(
    "/apis/apps/v1/namespaces/default/deployments",
    () => apps.listNamespacedDeployment({ namespace: "default" }),
    (object) => object?.metadata.name === "web" && object.status?.readyReplicas === 4,
  );

for (const manifest of manifests) {
  await objects.patch(manifest, undefined, undefined, "walk", true, k8s.PatchStrategy.ServerSideApply);
}
await ready();
console.log("applied");

console.log("installed", await installed("1.0.0"));
await custom.patchClusterCustomObject(
  { ...extension, name: "ferry", body: { spec: { source: { catalog: { version: "1.1.0" } } } } },
  k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch),
);
console.log("updated", await installed("1.1.0"));

await core.patchNode(
  { name: "node-1", body: { spec: { unschedulable: true } } },
  k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.StrategicMergePatch),
);
const onNode = () => core.listPodForAllNamespaces({ fieldSelector: "spec.nodeName=node-1" });
for (const { metadata } of (await onNode()).items) {
  const { name, namespace } = metadata;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  await core.createNamespacedPodEviction({ name, namespace, body });
}
await until(async () => (await onNode()).items.length === 0);
await ready();
console.log("drained");

const gone = informed(
  "/api/v1/namespaces/default/pods",
  () => core.listNamespacedPod({ namespace: "default" }),
  (_, informer) => informer.list().length === 0,
);
// What lies in the namespace `sea` goes with it.
const own = manifests.filter(({ metadata }) => metadata.namespace !== "sea");
for (const manifest of own.toReversed()) await objects.delete(manifest);
await gone;
await until(async () => (await custom.listClusterCustomObject(extension)).items.length === 0);
console.log("deleted");
process.exit(0);
