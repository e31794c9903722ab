//! What the agent of the recordings plays: workloads, operators, the kubelet of payload pods.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

/// Its settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) value: Value,
}

impl Settings {
    fn milliseconds(&self, field: &str, default: f64) -> u64 {
        (self.value.get(field).and_then(Value::as_f64).unwrap_or(default) * 1000.0) as u64
    }

    fn holds(&self, operator: &str) -> bool {
        self.value.list(&["hold"]).iter().any(|one| one == operator)
    }
}

pub(super) struct Agent {
    pub(super) settings: Rc<RefCell<Settings>>,
    due: BTreeMap<(Moment, String, ObjectName), ()>,
    seen: BTreeMap<(String, ObjectName), i64>,
    versions: BTreeMap<String, String>,
    pods: BTreeSet<String>,
}

fn caller() -> Caller {
    Caller::administrator("agent")
}

impl Agent {
    pub(super) fn new(settings: Rc<RefCell<Settings>>, api: &ApiServer) -> Self {
        let mut agent = Self {
            settings,
            due: BTreeMap::new(),
            seen: BTreeMap::new(),
            versions: BTreeMap::new(),
            pods: BTreeSet::new(),
        };
        for kind in ["Deployment", "DaemonSet"] {
            for object in api.all("apps", kind) {
                agent.seen.insert((kind.to_owned(), object.object_name()), object.generation());
                if let Some((operator, version)) = operator_version(object) {
                    agent.versions.insert(operator, version);
                }
            }
        }
        for job in api.all("batch", "Job") {
            agent.seen.insert(("Job".to_owned(), job.object_name()), job.generation());
        }
        agent
    }
}

pub(super) fn operator_version(deployment: &Object) -> Option<(String, String)> {
    let operator = deployment.label("operator")?.to_owned();
    let containers = deployment.list(&["spec", "template", "spec", "containers"]);
    let variables = containers.iter().flat_map(|container| container.list(&["env"]));
    let version = variables.into_iter().find(|one| one["name"] == "OPERATOR_VERSION")?;
    Some((operator, version.text(&["value"]).to_owned()))
}

impl Controller for Agent {
    fn name(&self) -> &'static str {
        "agent"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("apps", "Deployment"),
            ("apps", "DaemonSet"),
            ("batch", "Job"),
            ("config.openshift.io", "ClusterOperator"),
            ("", "Pod"),
            ("", "Namespace"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = &change.after else { return };
        let now = api.now();
        let settings = self.settings.borrow();
        let name = change.key.name.clone();
        let mut due = |at: Moment, kind: &str, name: ObjectName| {
            self.due.insert((at, kind.to_owned(), name), ());
        };
        match kind {
            "Deployment" | "DaemonSet" | "Job" => {
                let key = (kind.to_owned(), name.clone());
                if self.seen.get(&key) != Some(&object.generation()) {
                    self.seen.insert(key, object.generation());
                    due(now + settings.milliseconds("workload_delay", 0.5), kind, name);
                }
                let version = operator_version(object).filter(|_| kind == "Deployment");
                let version =
                    version.filter(|(operator, version)| self.versions.get(operator) != Some(version));
                if let Some((operator, version)) = version {
                    self.versions.insert(operator.clone(), version);
                    due(now + settings.milliseconds("delay", 1.0), "operator", ObjectName::cluster(operator));
                }
            }
            "ClusterOperator" if change.before.is_none() => {
                due(now + settings.milliseconds("delay", 1.0), "operator", name);
            }
            "Pod" if object.label("k8s-app").is_some() && self.pods.insert(name.name.clone()) => {
                let delay = settings.value.at(&["pod", "delay"]).and_then(Value::as_f64).unwrap_or(1.0);
                due(now + (delay * 1000.0) as u64, kind, name);
            }
            "Namespace" if object.is_terminating() => {
                due(now + settings.milliseconds("ns_delay", 1.0), kind, name);
            }
            _ => return,
        }
        requests.push(ObjectName::default());
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        while let Some((at, kind, name)) = self.due.keys().next().cloned() {
            if at > api.now() {
                return Outcome::Routinely(at.since(api.now()));
            }
            self.due.remove(&(at, kind.clone(), name.clone()));
            self.act(api, &kind, &name);
        }
        Outcome::Done
    }
}

impl Agent {
    fn act(&self, api: &mut ApiServer, kind: &str, name: &ObjectName) {
        let settings = self.settings.borrow();
        match kind {
            "operator" => {
                let version = self.versions.get(&name.name).cloned().unwrap_or_default();
                if !settings.holds(&name.name) && !version.is_empty() {
                    let mut step = settings
                        .value
                        .at(&["ops", &name.name, "status"])
                        .cloned()
                        .unwrap_or_else(|| json!({}));
                    if step.get("version").is_none() {
                        step.set(&["version"], version);
                    }
                    operator_status(api, &name.name, &step);
                }
            }
            "Deployment" | "DaemonSet" | "Job" => {
                let key = name.to_string();
                let mode = settings.value.at(&["workloads", &key]).and_then(Value::as_str).unwrap_or("ok");
                workload_status(api, kind, name, mode);
            }
            "Pod" => pod_status(api, name, settings.value.text(&["pod", "mode"])),
            "Namespace" => {
                let kinds = ["ConfigMap", "ServiceAccount", "Pod", "Secret"].map(|kind| ("", kind));
                for (group, kind) in kinds.into_iter().chain([("apps", "Deployment"), ("apps", "DaemonSet")])
                {
                    empty(api, group, kind, &name.name);
                }
                if let Some(mut namespace) = api.find("", "Namespace", name).map(|one| Object::clone(one)) {
                    namespace.set(&["spec", "finalizers"], json!([]));
                    let _ = api.update(&caller(), namespace, Subresource::Finalize, WriteOptions::default());
                }
            }
            _ => {}
        }
    }
}

/// Deletes all objects of a kind in a namespace.
fn empty(api: &mut ApiServer, group: &str, kind: &str, namespace: &str) {
    let Some(id) = api.kind_id(group, kind) else { return };
    let inside = api.all(group, kind).filter(|one| one.namespace() == namespace);
    let names: Vec<ObjectName> = inside.map(|one| one.object_name()).collect();
    for name in names {
        let _ = api.delete(&caller(), id, &name, &DeleteOptions::default());
    }
}

/// `operator-status`: what an operator says.
pub(super) fn operator_status(api: &mut ApiServer, name: &str, step: &Value) {
    let found = api.find("config.openshift.io", "ClusterOperator", &ObjectName::cluster(name));
    let Some(mut operator) = found.map(|one| Object::clone(one)) else { return };
    let now = api.now().to_string();
    let mut list = operator.list(&["status", "conditions"]).to_vec();
    for (kind, field, default) in [
        ("Available", "available", "True"),
        ("Progressing", "progressing", "False"),
        ("Degraded", "degraded", "False"),
        ("Upgradeable", "upgradeable", "True"),
    ] {
        if step.list(&["omit"]).iter().any(|one| one == kind) {
            list.retain(|one| one["type"] != kind);
            continue;
        }
        let status = match step.get(field) {
            Some(Value::Null) => {
                list.retain(|one| one["type"] != kind);
                continue;
            }
            Some(status) => status.as_str().unwrap_or(default),
            None => default,
        };
        let text = |map: &str, default: &str| {
            step.at(&[map, kind]).and_then(Value::as_str).unwrap_or(default).to_owned()
        };
        let before = list.iter().position(|one| one["type"] == kind);
        let since = before
            .map(|index| &list[index])
            .filter(|one| one["status"] == status)
            .map_or(now.clone(), |one| one.text(&["lastTransitionTime"]).to_owned());
        let condition = json!({
            "type": kind, "status": status, "reason": text("reasons", "AsExpected"),
            "message": text("messages", "All is well"), "lastTransitionTime": since,
        });
        match before {
            Some(index) => list[index] = condition,
            None => list.push(condition),
        }
    }
    operator.set(&["status", "conditions"], list);
    if let Some(versions) = step.get("versions") {
        operator.set(&["status", "versions"], versions.clone());
    } else if let Some(version) = step.given(&["version"]) {
        operator.set(&["status", "versions"], json!([{"name": "operator", "version": version}]));
    }
    let _ = api.update(&caller(), operator, Subresource::Status, WriteOptions::default());
}

/// `workload-status`: how a workload is.
pub(super) fn workload_status(api: &mut ApiServer, kind: &str, name: &ObjectName, mode: &str) {
    let group = if kind == "Job" { "batch" } else { "apps" };
    let Some(mut object) = api.find(group, kind, name).map(|one| Object::clone(one)) else { return };
    let (generation, now) = (object.generation(), api.now().to_string());
    let replicas = object.number(&["spec", "replicas"]).unwrap_or(1);
    let condition = |kind: &str, status: &str, reason: &str, message: &str| json!({"type": kind, "status": status, "reason": reason, "message": message, "lastUpdateTime": now, "lastTransitionTime": now});
    let status = match (kind, mode) {
        (_, "none") => return,
        ("Deployment", _) => {
            let has = condition(
                "Available",
                "True",
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.",
            );
            let lacks = condition(
                "Available",
                "False",
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            );
            let title = format!("{}-5d4f8c7b9d", name.name);
            let done = condition(
                "Progressing",
                "True",
                "NewReplicaSetAvailable",
                &format!("ReplicaSet \"{title}\" has successfully progressed."),
            );
            let late = condition(
                "Progressing",
                "False",
                "ProgressDeadlineExceeded",
                &format!("ReplicaSet \"{title}\" has timed out progressing."),
            );
            let going = condition("Progressing", "True", "ReplicaSetUpdated", "progressing");
            let conditions = match mode {
                "unavailable" => json!([lacks, going]),
                "deadline" => json!([lacks, late]),
                "deadline-available" => json!([has, late]),
                "replicafailure" => json!([
                    has,
                    done,
                    condition(
                        "ReplicaFailure",
                        "True",
                        "FailedCreate",
                        "pods \"x\" is forbidden: exceeded quota"
                    )
                ]),
                _ => json!([has, done]),
            };
            json!({
                "observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas,
                "readyReplicas": replicas, "availableReplicas": replicas, "conditions": conditions,
            })
        }
        ("DaemonSet", _) => json!({
            "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 1, "numberMisscheduled": 0,
            "observedGeneration": generation, "updatedNumberScheduled": 1, "numberAvailable": 1,
        }),
        ("Job", "failed" | "deadline") => {
            let (reason, message) = match mode {
                "failed" => ("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
                _ => ("DeadlineExceeded", "Job was active longer than specified deadline"),
            };
            json!({
                "startTime": now, "failed": 1,
                "conditions": [
                    {"type": "FailureTarget", "status": "True", "reason": reason, "message": message, "lastProbeTime": now, "lastTransitionTime": now},
                    {"type": "Failed", "status": "True", "reason": reason, "message": message, "lastProbeTime": now, "lastTransitionTime": now},
                ],
            })
        }
        _ => json!({
            "startTime": now, "completionTime": now, "succeeded": 1,
            "conditions": [
                {"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods", "lastProbeTime": now, "lastTransitionTime": now},
                {"type": "Complete", "status": "True", "reason": "CompletionsReached", "message": "Reached expected number of succeeded pods", "lastProbeTime": now, "lastTransitionTime": now},
            ],
        }),
    };
    object.set(&["status"], status);
    // What is refused shows as a difference.
    let _ = api.update(&caller(), object, Subresource::Status, WriteOptions::default());
}

fn pod_status(api: &mut ApiServer, name: &ObjectName, mode: &str) {
    let Some(mut pod) = api.find("", "Pod", name).map(|one| Object::clone(one)) else { return };
    let image = pod["spec"]["initContainers"][0].text(&["image"]).to_owned();
    match mode {
        "none" => return,
        "failed" => {
            pod.set(&["status", "phase"], "Failed");
            pod.set(&["status", "reason"], "DeadlineExceeded");
            pod.set(&["status", "message"], "Pod was active on the node longer than the specified deadline");
        }
        "imagepull" => {
            pod.set(&["status", "phase"], "Pending");
            let (repository, digest) = image.split_once('@').unwrap_or_default();
            let message = format!(
                "rpc error: code = Unknown desc = initializing source docker://{image}: reading manifest {digest} in {repository}: manifest unknown"
            );
            let state = json!({"waiting": {"reason": "ErrImagePull", "message": message}});
            let status = json!([{"name": "cleanup", "image": image, "imageID": "", "ready": false, "restartCount": 0, "state": state}]);
            pod.set(&["status", "initContainerStatuses"], status);
        }
        _ => pod.set(&["status", "phase"], "Succeeded"),
    }
    // What is refused shows as a difference.
    let _ = api.update(&caller(), pod, Subresource::Status, WriteOptions::default());
}
