"""The walk with the Python client `kubernetes`."""

import pathlib
import sys
import time

import yaml
from kubernetes import client, config, dynamic, watch

config.load_kube_config()
cluster = dynamic.DynamicClient(client.ApiClient())
core, apps = client.CoreV1Api(), client.AppsV1Api()


def manifests():
    """The objects of a directory, in the order of its files, each with its resource."""
    for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        for manifest in yaml.safe_load_all(path.read_text()):
            yield cluster.resources.get(api_version=manifest["apiVersion"], kind=manifest["kind"]), manifest


def until(condition):
    """Asks until something holds; time runs while nobody writes."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("nothing happens")


for resource, manifest in manifests():
    namespace = manifest["metadata"].get("namespace")
    # Old versions of the client take text only.
    name, text = manifest["metadata"]["name"], yaml.safe_dump(manifest)
    resource.server_side_apply(name=name, body=text, namespace=namespace, field_manager="walk")
until(lambda: apps.read_namespaced_deployment("web", "default").status.ready_replicas == 4)
print("applied")

extensions = cluster.resources.get(api_version="olm.operatorframework.io/v1", kind="ClusterExtension")


def installed(version):
    """Watches the extension until a version of its operator is installed."""
    for event in extensions.watch(field_selector="metadata.name=ferry", timeout=60):
        status = event["raw_object"].get("status", {})
        if status.get("install", {}).get("bundle", {}).get("version") == version:
            return version
    sys.exit(f"{version} is not installed")


print("installed", installed("1.0.0"))
change = {"spec": {"source": {"catalog": {"version": "1.1.0"}}}}
extensions.patch(name="ferry", body=change, content_type="application/merge-patch+json")
print("updated", installed("1.1.0"))

core.patch_node("node-1", {"spec": {"unschedulable": True}})
on_node = lambda: core.list_pod_for_all_namespaces(field_selector="spec.nodeName=node-1").items
for pod in on_node():
    name, namespace = pod.metadata.name, pod.metadata.namespace
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
    core.create_namespaced_pod_eviction(name, namespace, eviction)
until(lambda: not on_node())
until(lambda: apps.read_namespaced_deployment("web", "default").status.ready_replicas == 4)
print("drained")

version = core.list_namespaced_pod("default").metadata.resource_version
for resource, manifest in reversed(list(manifests())):
    metadata = manifest["metadata"]
    if metadata.get("namespace") != "sea":  # That goes with its namespace.
        resource.delete(name=metadata["name"], namespace=metadata.get("namespace"))
for event in watch.Watch().stream(core.list_namespaced_pod, "default", resource_version=version, timeout_seconds=60):
    if event["type"] == "DELETED" and not core.list_namespaced_pod("default").items:
        break
until(lambda: not extensions.get().items)
print("deleted")
