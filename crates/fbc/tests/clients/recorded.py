"""What a real kubectl prints against a simulated cluster, beside what it printed against a real one.

Plays suites of recordings (taints, validation, drains, evictions, definitions, rights, namespaces) by command lines and requests. It runs inside
`fbc cluster run`, with the kubectl that is found first:

    fbc cluster run --nodes 0 --scenario recorded.yaml --without operator-controller --without catalogd -- \\
        python3 recorded.py RECORDINGS [SUITE]...

Prints `suite: N of M` for each suite, and every difference that is not named here with its reason; exits with 1 if there is one.
"""

import base64
import http.client
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit

# Cases that differ, and why.
DIFFERENT = {
    ("09", "timeout-slow-pod"): "while kubectl waits, the grace period of 30 s goes by at once",
    ("10h", "impersonate"): "the user of the case is impersonated already, and nobody can be by two",
}


class Cluster:
    """The cluster of the kubeconfig, by requests and by command lines."""

    def __init__(self):
        view = subprocess.run(["kubectl", "config", "view", "--raw", "-o", "json"], check=True, capture_output=True)
        config = json.loads(view.stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        address = urlsplit(cluster["server"])
        context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
            file.flush()
            context.load_cert_chain(file.name)
        self.connect = lambda: http.client.HTTPSConnection(address.hostname, address.port, context=context)

    def request(self, method, path, body=None, headers=None):
        headers = {"Content-Type": "application/json", **(headers or {})}
        connection = self.connect()
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def must(self, method, path, body=None, headers=None):
        status, answer = self.request(method, path, body, headers)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.get('message', answer)}")
        return answer

    def patch(self, path, body):
        return self.must("PATCH", path, body, {"Content-Type": "application/merge-patch+json"})

    def create(self, path, body):
        return self.must("POST", path, body)

    def namespace(self, name):
        self.create("/api/v1/namespaces", {"metadata": {"name": name}})

    def node(self, name, zone, role, labels=None):
        labels = {
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "topology.kubernetes.io/region": "r1",
            "topology.kubernetes.io/zone": zone,
            f"node-role.kubernetes.io/{role}": "",
            **(labels or {}),
        }
        if any(node["metadata"]["name"] == name for node in self.nodes()):
            self.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})
        else:
            self.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})

    def nodes(self):
        return self.must("GET", "/api/v1/nodes")["items"]


def kubectl(case, *more):
    """Runs the command line of a case."""
    command = ["kubectl", *more, *case["args"]]
    return subprocess.run(command, input=case.get("stdin", ""), capture_output=True, text=True, check=False)


def differences(case, output, plain=str.split):
    """What a command printed that the recording does not have."""
    found = []
    for stream in ["stdout", "stderr"]:
        seen, recorded = plain(getattr(output, stream)), plain(case[stream])
        if seen != recorded:
            found.append(f"{stream}\n    seen     {getattr(output, stream)!r}\n    recorded {case[stream]!r}")
    if output.returncode != case["exit"]:
        found.append(f"exit code {output.returncode}, recorded {case['exit']}")
    return "; ".join(found)


def taints(cluster, recordings):
    """Suite 01: `kubectl taint`, `cordon`, `uncordon` on three nodes."""
    names = [("node1", "z1", "worker"), ("node2", "z1", "worker"), ("node3", "z2", "infra")]
    for name, zone, role in names:
        cluster.node(name, zone, role)

    def states():
        found = {}
        for node in cluster.nodes():
            spec, state = node["spec"], {}
            if spec.get("taints"):
                state["taints"] = [{**one, "timeAdded": "<time>"} if "timeAdded" in one else one for one in spec["taints"]]
            if spec.get("unschedulable"):
                state["unschedulable"] = True
            if state:
                found[node["metadata"]["name"]] = state
        return found

    for case in load(recordings, "01-taint-cli/cases.json"):
        for name, _, _ in names:
            before = case["before"].get(name, {})
            given = [{**one, **({"timeAdded": "2026-01-01T00:00:00Z"} if "timeAdded" in one else {})} for one in before.get("taints", [])]
            spec = {"unschedulable": before.get("unschedulable"), "taints": given or None}
            cluster.patch(f"/api/v1/nodes/{name}", {"spec": spec})
        found = differences(case, kubectl(case))
        after = states()
        if after != case["after"]:
            found += f"; nodes\n    seen     {after}\n    recorded {case['after']}"
        yield case["name"], found


def validation(cluster, recordings):
    """Suite 02: errors of the API server as kubectl prints them."""
    for case in load(recordings, "02-validation/kubectl.json"):
        yield case["name"], differences(case, kubectl(case))


def definitions(cluster, recordings):
    """Suite 10f: custom resources that a definition refuses."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    cluster.create(path, load(recordings, "10f-crd/widget-crd.json"))
    for case in load(recordings, "10f-crd/kubectl.json"):
        case["stdin"] = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n" + case["stdin"]
        # The order of several errors is random.
        yield case["name"], differences(case, kubectl(case), plain=lambda text: sorted(text.split()))


def rights(cluster, recordings):
    """Suite 10h: what users may do, by command lines and by requests."""
    recording = load(recordings, "10h-rbac/cases.json")
    roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/rbac"
    for name in ["rbac", "other"]:
        cluster.namespace(name)
    for role in recording["setup"]["roles"]:
        cluster.create(f"{roles}/roles", role)
    for binding in recording["setup"]["bindings"]:
        cluster.create(f"{roles}/rolebindings", binding)
    for case in recording["cases"]:
        groups = case.get("groups", ["dev"])
        if case["name"] == "bind-with-bind-verb":
            # From here on the recordings had other rules.
            role = cluster.must("GET", f"{roles}/roles/role-admin")
            role["rules"][0]["verbs"] += ["bind", "escalate"]
            cluster.must("PUT", f"{roles}/roles/role-admin", role)
        if "request" in case:
            method, path = case["request"].split(" ")
            headers = {"Impersonate-User": case["user"], "Impersonate-Group": groups[0]}
            if method == "PATCH":
                headers["Content-Type"] = "application/merge-patch+json"
            status, answer = cluster.request(method, path, case.get("body"), headers)
            result = case["result"]
            seen = {"code": status, "reason": answer.get("reason"), "message": answer.get("message")}
            wanted = {key: result[key] for key in seen if key in result}
            yield case["name"], "" if {key: seen[key] for key in wanted} == wanted else f"\n    seen     {seen}\n    recorded {wanted}"
            continue
        identity = ["--as", case["user"], *[word for group in groups for word in ("--as-group", group)]]
        yield case["name"], differences(case, kubectl(case, *identity, "-n", case["namespace"]))


def namespaces(cluster, recordings):
    """Suite 10i: namespaces that are not deleted, and names that are none."""
    requests = {
        "delete-default": ("DELETE", "/api/v1/namespaces/default", None),
        "create-in-missing-namespace": ("POST", "/api/v1/namespaces/nosuch/configmaps", {"metadata": {"name": "a"}}),
        "delete-missing": ("DELETE", "/api/v1/namespaces/nosuch", None),
        "bad-name": ("POST", "/api/v1/namespaces", {"metadata": {"name": "Bad_Name"}}),
    }
    for case in load(recordings, "10i-namespaces/errors.json"):
        status, answer = cluster.request(*requests[case["name"]])
        seen, wanted = (status, answer.get("message")), (case["code"], case["message"])
        yield case["name"], "" if seen == wanted else f"\n    seen     {seen}\n    recorded {wanted}"


def workload(owner, name, nodes, spec):
    """The object that stands behind pods of a recording: where it is created, and what it is."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec}
    metadata, selector = {"name": name, "labels": labels}, {"matchLabels": labels}
    if owner == "ReplicaSet":
        return "/apis/apps/v1/namespaces/{}/deployments", {"metadata": metadata, "spec": {"replicas": len(nodes), "selector": selector, "template": template}}
    if owner == "StatefulSet":
        more = {"replicas": len(nodes), "selector": selector, "template": template, "serviceName": name}
        return "/apis/apps/v1/namespaces/{}/statefulsets", {"metadata": metadata, "spec": more}
    if owner == "DaemonSet":
        return "/apis/apps/v1/namespaces/{}/daemonsets", {"metadata": metadata, "spec": {"selector": selector, "template": template}}
    if owner == "Job":
        return "/apis/batch/v1/namespaces/{}/jobs", {"metadata": metadata, "spec": {"template": template}}
    if name == "static":
        metadata["annotations"] = {"kubernetes.io/config.mirror": "abc"}
    return "/api/v1/namespaces/{}/pods", {"metadata": metadata, "spec": {**spec, "nodeName": nodes[0]}}


def drains(cluster, recordings):
    """Suite 09: `kubectl drain`. Lines of different pods and kinds of warnings come in any order, and names of pods end at random."""
    for name in ["w1", "w2", "w3"]:
        cluster.node(name, "zw", "worker", {} if name == "w3" else {"pool": "a"})

    def plain(text):
        # Until 1.35, kubectl says it twice.
        text = text.replace("cannot delete cannot delete", "cannot delete")
        text = re.sub(r"<r\d\d>", "<r>", text)
        text = re.sub(r"\b(\w+)-[a-z0-9]{8,10}-(<r>|[a-z0-9]{5})(?![a-z0-9<])", r"\1-<r>", text)
        text = re.sub(r"\b(ds|agent|work|web|slow|a|b|c)-[a-z0-9]{5}(?![a-z0-9-])", r"\1-<r>", text)
        return sorted(" ".join(sorted(re.split(r"[][,;\s]+", line))) for line in text.splitlines())

    for number, case in enumerate(load(recordings, "09-drain/cases.json")):
        namespace = f"drain-{number}"
        cluster.namespace(namespace)
        owned = {}
        for pod in case["pods_before"]:
            parts = {"ReplicaSet": 2, "": 0}.get(pod["owner"] or "", 1)
            base = pod["name"].rsplit("-", parts)[0] if parts else pod["name"]
            owned.setdefault((pod["owner"] or "", base), []).append(pod["node"])
        for (owner, name), nodes in owned.items():
            spec = {"terminationGracePeriodSeconds": 30 if name == "slow" else 1, "containers": [{"name": "c", "image": "registry.example/app:1"}]}
            if name == "cache" or (name == "solo" and "emptydir" in case["name"]):
                spec["volumes"] = [{"name": "data", "emptyDir": {}}]
            if name in ("done", "work"):
                spec["restartPolicy"] = "Never"
            for node in ["w1", "w2", "w3"]:
                cluster.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": not (node in nodes or owner == "DaemonSet")}})
            path, body = workload(owner, name, nodes, spec)
            cluster.create(path.format(namespace), body)
            if name == "done" and owner == "":
                phase = {"status": {"phase": "Succeeded"}}
                cluster.patch(f"/api/v1/namespaces/{namespace}/pods/done/status", phase)
        for node in ["w1", "w2", "w3"]:
            cluster.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": None}})
        budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
        for budget in case["budgets_before"]:
            cluster.create(budgets, {"metadata": {"name": budget["name"]}, "spec": budget["spec"]})
        found = ""
        for command in case["commands"]:
            with subprocess.Popen(["kubectl", *command["args"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                if (case["note"] or "").startswith("the budget is deleted"):
                    time.sleep(3)
                    for budget in case["budgets_before"]:
                        cluster.must("DELETE", f"{budgets}/{budget['name']}")
                try:
                    stdout, stderr = process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    stdout, stderr = process.communicate()
                    stderr += "did not end\n"
            output = subprocess.CompletedProcess(command["args"], process.returncode, *[text.replace(namespace, "drain") for text in (stdout, stderr)])
            found += differences(command, output, plain)
        cluster.must("DELETE", f"/api/v1/namespaces/{namespace}")
        yield case["name"], found


def evictions(cluster, recordings):
    """Suite 09b: answers to evictions of pods that are at rest; which pod of a Deployment is evicted does not count."""
    for name in ["w1", "w2", "w3"]:
        cluster.node(name, "zw", "worker")
    paths = {
        "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
        "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
        "Pod": "/api/v1/namespaces/{}/pods",
    }
    for number, case in enumerate(load(recordings, "09b-eviction-api/cases.json")):
        if "result" in case or sum(step["do"].startswith("evict") for step in case["steps"]) != 1:
            # Those with several evictions depend on what happens between them.
            continue
        if any(step["do"].startswith(("DELETE", "create")) for step in case["steps"]):
            continue
        namespace = f"evapi-{number}"
        cluster.namespace(namespace)
        for body in case["objects"]:
            body["metadata"]["namespace"] = namespace
            cluster.create(paths[body["kind"]].format(namespace), body)
        step = case["steps"][-1]
        pods = cluster.must("GET", f"/api/v1/namespaces/{namespace}/pods")["items"]
        recorded = step["do"].removeprefix("evict ")
        name = recorded
        if "<r" in recorded:
            name = next(pod["metadata"]["name"] for pod in pods if pod["metadata"]["name"].startswith(recorded.split("<")[0]))
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **step.get("options", {})}
        status, answer = cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods/{name}/eviction", body)

        def tidy(text):
            text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", text).replace(namespace, "evapi")
            return re.sub(r"a-[a-z0-9]{9,10}-(<r\d\d>|[a-z0-9]{5})", "a-<r>", text)

        seen = (status, tidy(json.dumps(answer, sort_keys=True)))
        wanted = (step["response"]["code"], tidy(json.dumps(step["response"]["body"], sort_keys=True)))
        yield case["name"], "" if seen == wanted else f"\n    seen     {seen}\n    recorded {wanted}"


def load(recordings, name):
    with open(os.path.join(recordings, name), encoding="utf-8") as file:
        return json.load(file)


SUITES = {
    "01": taints,
    "02": validation,
    "09": drains,
    "09b": evictions,
    "10f": definitions,
    "10h": rights,
    "10i": namespaces,
}


def main():
    recordings, *wanted = sys.argv[1:]
    cluster, unexplained = Cluster(), 0
    for name in wanted or SUITES:
        for node in cluster.nodes():
            cluster.must("DELETE", f"/api/v1/nodes/{node['metadata']['name']}")
        cases = list(SUITES[name](cluster, recordings))
        print(f"{name}: {sum(not found for _, found in cases)} of {len(cases)}")
        for case, found in cases:
            reason = DIFFERENT.get((name, case))
            if found and reason:
                print(f"  {case}: {reason}")
            elif found:
                unexplained += 1
                print(f"  {case}: {found}")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
