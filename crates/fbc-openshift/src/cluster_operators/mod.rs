//! Cluster operators as behaviours: how long each takes to a new version, what it reports on the way, what goes wrong, and
//! whom it waits for. One actor plays all of them, and the node that payloads are copied to.
//!
//! An operator begins once its Deployments are those of the new release. `machine-config` gives the pools their new
//! configuration then, and reports the version when the pools that updates need have it (MC-29, D-CVO-35, D-CVO-36).

mod behaviour;

use std::collections::BTreeMap;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use crate::cluster_version::{GROUP, NAMESPACE, conditions};
use crate::machine_config::rendered_name::rendered_name;
use crate::machine_config::{self, REQUIRED_FOR_UPGRADE};
use crate::release::Payload;
use crate::release::file_name::runlevel_and_component;
use crate::writer::Writer;

pub use behaviour::{Behaviour, Trouble};

/// The operator that updates nodes.
const NODES: &str = "machine-config";
/// What operators take to be there on a new cluster.
const INSTALLATION: Milliseconds = SECOND;
/// The label of pods that copy payloads.
const RETRIEVES: &str = "retrieve-openshift-release";
/// What it takes to copy a payload to a node.
const RETRIEVAL: Milliseconds = 20 * SECOND;

/// What a release says about an operator.
#[derive(Debug, Clone)]
struct Wanted {
    release: String,
    versions: Value,
    /// Its Deployments: names, images and variables.
    deployments: Vec<(ObjectName, Value)>,
}

/// Where an operator is.
#[derive(Debug, Clone)]
struct UnderWay {
    release: String,
    began: Moment,
    told: bool,
}

/// The actor.
pub struct ClusterOperators {
    writer: Writer,
    behaviours: Vec<Behaviour>,
    /// By operator, oldest release first.
    wanted: BTreeMap<String, Vec<Wanted>>,
    under_way: BTreeMap<String, UnderWay>,
    pods: BTreeMap<ObjectName, Moment>,
}

/// What a Deployment is told by: images and variables of its containers.
fn content(deployment: &Object) -> Value {
    let containers = deployment.list(&["spec", "template", "spec", "containers"]).iter();
    containers.map(|container| json!([container["image"], container["env"]])).collect()
}

impl ClusterOperators {
    /// The operators of some releases, oldest first.
    pub fn new(behaviours: Vec<Behaviour>, payloads: &[&Payload]) -> Self {
        let mut wanted: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
        for payload in payloads {
            let component =
                |file: &str| runlevel_and_component(file).map(|(_, component)| component.to_owned());
            for manifest in payload.manifests.iter().filter(|manifest| manifest.is_cluster_operator()) {
                let own = component(&manifest.file);
                let deployments = payload
                    .manifests
                    .iter()
                    .filter(|one| one.kind() == "Deployment" && own.is_some() && component(&one.file) == own);
                wanted.entry(manifest.object.name().to_owned()).or_default().push(Wanted {
                    release: payload.release.version.clone(),
                    versions: manifest.object.at(&["status", "versions"]).cloned().unwrap_or_default(),
                    deployments: deployments.map(|one| (one.name(), content(&one.object))).collect(),
                });
            }
        }
        let writer = Writer::new("cluster-operators");
        Self { writer, behaviours, wanted, under_way: BTreeMap::new(), pods: BTreeMap::new() }
    }

    fn behaviour(&self, operator: &str) -> Behaviour {
        let of = |name: &str| self.behaviours.iter().find(|one| one.operator == name).cloned();
        of(operator).or_else(|| of("")).unwrap_or_default()
    }

    /// What an operator is to be: the newest release whose Deployments it has.
    fn target(&self, operator: &str, api: &ApiServer) -> Option<Wanted> {
        let version = api.find(GROUP, "ClusterVersion", &ObjectName::cluster("version"))?;
        let desired = version.text(&["status", "desired", "version"]);
        let releases = self.wanted.get(operator)?;
        let fits = |wanted: &&Wanted| match wanted.deployments.as_slice() {
            [] => wanted.release == desired,
            deployments => deployments.iter().all(|(name, wanted)| {
                api.find("apps", "Deployment", name).is_some_and(|live| content(live) == *wanted)
            }),
        };
        // Equal Deployments in two releases: the release that the cluster is to have counts.
        let fitting: Vec<&Wanted> = releases.iter().filter(fits).collect();
        let preferred = fitting.iter().find(|wanted| wanted.release == desired);
        preferred.or(fitting.last()).map(|wanted| Wanted::clone(wanted))
    }

    fn advance(&mut self, operator: &str, api: &mut ApiServer) -> Outcome {
        let name = ObjectName::cluster(operator);
        let Some(live) = api.find(GROUP, "ClusterOperator", &name) else { return Outcome::Done };
        let has_reported = live.condition("Available").is_some();
        let reported = live.at(&["status", "versions"]).cloned().unwrap_or_default();
        let Some(wanted) = self.target(operator, api) else { return Outcome::Done };
        if reported == wanted.versions && has_reported {
            self.under_way.remove(operator);
            return Outcome::Done;
        }
        let behaviour = self.behaviour(operator);
        let waits = behaviour.after.iter().any(|other| {
            let other = api.find(GROUP, "ClusterOperator", &ObjectName::cluster(other.as_str()));
            other.is_some_and(|other| {
                !other
                    .list(&["status", "versions"])
                    .iter()
                    .any(|one| one["version"] == wanted.release.as_str())
            })
        });
        if waits && has_reported {
            return Outcome::Routinely(10 * SECOND);
        }
        let now = api.now();
        let takes = if has_reported { behaviour.takes } else { INSTALLATION };
        let known = self.under_way.get(operator).filter(|one| one.release == wanted.release).cloned();
        let Some(under_way) = known else {
            let under_way = UnderWay { release: wanted.release.clone(), began: now, told: false };
            self.under_way.insert(operator.to_owned(), under_way);
            if has_reported {
                self.report(api, operator, &behaviour, &wanted, false, None);
            }
            if operator == NODES {
                self.render(api, &wanted.release, has_reported);
            }
            return Outcome::After(takes);
        };
        if now < under_way.began + takes {
            return Outcome::After((under_way.began + takes).since(now));
        }
        if let Some(trouble) = behaviour.trouble.as_ref().filter(|_| has_reported) {
            let ends = trouble.lasts.map(|lasts| under_way.began + takes + lasts);
            if ends.is_none_or(|ends| now < ends) {
                if !under_way.told {
                    self.under_way.insert(operator.to_owned(), UnderWay { told: true, ..under_way });
                    self.report(api, operator, &behaviour, &wanted, false, Some(trouble));
                }
                return ends.map_or(Outcome::Done, |ends| Outcome::After(ends.since(now)));
            }
        }
        if operator == NODES && has_reported && !required_pools_are_updated(api) {
            return Outcome::Routinely(5 * SECOND);
        }
        self.report(api, operator, &behaviour, &wanted, true, None);
        self.under_way.remove(operator);
        // Others may wait for this one.
        Outcome::Done
    }

    /// Writes what an operator says about itself.
    fn report(
        &self,
        api: &mut ApiServer,
        operator: &str,
        behaviour: &Behaviour,
        wanted: &Wanted,
        is_done: bool,
        trouble: Option<&Trouble>,
    ) {
        let now = api.now().to_string();
        let release = &wanted.release;
        let change = |object: &mut Object| {
            let before = object.list(&["status", "conditions"]).to_vec();
            let mut conditions = Vec::new();
            let mut set = |kind: &str, status: &str, reason: &str, message: &str| {
                let last = before.iter().find(|one| one["type"] == kind && one["status"] == status);
                let since = last.map_or(now.as_str(), |one| one.text(&["lastTransitionTime"]));
                conditions.push(json!({
                    "type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since,
                }));
            };
            let of = |condition: &str| trouble.filter(|trouble| trouble.condition == condition);
            match of("Available") {
                Some(trouble) => set("Available", "False", "NotAvailable", &trouble.message),
                None => set("Available", "True", "AsExpected", ""),
            }
            match is_done {
                true => set("Progressing", "False", "AsExpected", ""),
                false => set("Progressing", "True", "Updating", &format!("Working towards {release}")),
            }
            match of("Degraded") {
                Some(trouble) => set("Degraded", "True", "Trouble", &trouble.message),
                None => set("Degraded", "False", "AsExpected", ""),
            }
            if let Some((reason, message)) = &behaviour.not_upgradeable {
                set("Upgradeable", "False", reason, message);
            }
            // Another controller of the operator may say whether it can be updated.
            if behaviour.not_upgradeable.is_none() {
                let known = before.iter().find(|one| one["type"] == "Upgradeable").cloned();
                conditions.push(known.unwrap_or_else(|| {
                    json!({
                        "type": "Upgradeable", "status": "True", "reason": "AsExpected", "message": "",
                        "lastTransitionTime": now,
                    })
                }));
            }
            object.set(&["status", "conditions"], conditions);
            if is_done {
                object.set(&["status", "versions"], wanted.versions.clone());
            }
        };
        // Whoever deleted the object in between gets it back from the next pass.
        let _ =
            self.writer.change_status(api, GROUP, "ClusterOperator", &ObjectName::cluster(operator), change);
    }

    /// Gives all pools the configuration of a release; pools of a new cluster have it already.
    fn render(&self, api: &mut ApiServer, release: &str, is_update: bool) {
        let pools: Vec<ObjectName> =
            api.all(machine_config::GROUP, "MachineConfigPool").map(|pool| pool.object_name()).collect();
        for name in pools.iter().filter(|_| is_update) {
            let config = rendered_name(&name.name, release);
            // It is there already if the operator was interrupted.
            let _ = self.writer.create(api, rendered_config(&config, release));
            let change = |pool: &mut Object| pool.set(&["spec", "configuration", "name"], config.as_str());
            let _ = self.writer.change(api, machine_config::GROUP, "MachineConfigPool", name, change);
        }
    }

    /// The node has a payload some time after its pod was made.
    fn retrieve(&mut self, pod: &ObjectName, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        let Some(live) = api.find("", "Pod", pod) else {
            self.pods.remove(pod);
            return Outcome::Done;
        };
        if live.text(&["status", "phase"]) == "Succeeded" {
            return Outcome::Done;
        }
        let due = *self.pods.entry(pod.clone()).or_insert(now + RETRIEVAL);
        if now < due {
            return Outcome::After(due.since(now));
        }
        let change = |pod: &mut Object| complete(pod, now);
        let _ = self.writer.change_status(api, "", "Pod", pod, change);
        Outcome::Done
    }
}

/// A pod whose containers have ended, as a kubelet reports it.
fn complete(pod: &mut Object, now: Moment) {
    pod.set(&["status", "phase"], "Succeeded");
    for (field, specifications, is_ready) in
        [("initContainerStatuses", "initContainers", true), ("containerStatuses", "containers", false)]
    {
        let known = pod.list(&["status", field]).to_vec();
        let ended = |container: &Value| {
            let known = known.iter().find(|status| status["name"] == container["name"]);
            let mut status = known.cloned().unwrap_or_else(|| {
                json!({"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0})
            });
            if status.at(&["state", "terminated"]).is_none() {
                let since = status.text(&["state", "running", "startedAt"]).to_owned();
                let since = if since.is_empty() { now.to_string() } else { since };
                status.set(
                    &["state"],
                    json!({"terminated": {
                        "exitCode": 0, "reason": "Completed", "startedAt": since, "finishedAt": now.to_string(),
                    }}),
                );
            }
            status.set(&["ready"], is_ready);
            status.set(&["started"], false);
            status
        };
        let statuses: Vec<Value> = pod.list(&["spec", specifications]).iter().map(ended).collect();
        if !statuses.is_empty() {
            pod.set(&["status", field], statuses);
        }
    }
    let mut conditions = pod.list(&["status", "conditions"]).to_vec();
    for (condition, status, reason) in [
        ("PodReadyToStartContainers", "False", ""),
        ("Initialized", "True", "PodCompleted"),
        ("Ready", "False", "PodCompleted"),
        ("ContainersReady", "False", "PodCompleted"),
    ] {
        conditions::set(&mut conditions, condition, status, reason, "", now);
    }
    pod.set(&["status", "conditions"], conditions);
}

/// The configuration that a pool gets with a release.
pub(crate) fn rendered_config(name: &str, release: &str) -> Object {
    json!({
        "apiVersion": format!("{}/v1", machine_config::GROUP), "kind": "MachineConfig",
        "metadata": {
            "name": name,
            "annotations": {"machineconfiguration.openshift.io/release-image-version": release},
        },
        "spec": {},
    })
}

fn required_pools_are_updated(api: &ApiServer) -> bool {
    api.all(machine_config::GROUP, "MachineConfigPool")
        .filter(|pool| pool.label(REQUIRED_FOR_UPGRADE).is_some())
        .all(|pool| {
            pool.text(&["spec", "configuration", "name"]) == pool.text(&["status", "configuration", "name"])
                && pool.condition_status("Updated") == "True"
        })
}

impl Controller for ClusterOperators {
    fn name(&self) -> &'static str {
        "cluster-operators"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "ClusterOperator"), (GROUP, "ClusterVersion"), ("apps", "Deployment"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        _: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        match kind {
            "ClusterOperator" => {
                requests.push(name.clone());
                let waits = self.behaviours.iter().filter(|one| one.after.contains(&name.name));
                requests.extend(waits.map(|one| ObjectName::cluster(one.operator.as_str())));
            }
            "ClusterVersion" => {
                let desired = |object: &Option<std::sync::Arc<Object>>| {
                    object.as_ref().map(|object| object.text(&["status", "desired", "version"]).to_owned())
                };
                if desired(&change.before) != desired(&change.after) {
                    requests
                        .extend(self.wanted.keys().map(|operator| ObjectName::cluster(operator.as_str())));
                }
            }
            "Deployment" => {
                let has =
                    |wanted: &Wanted| wanted.deployments.iter().any(|(deployment, _)| deployment == name);
                let owners = self.wanted.iter().filter(|(_, releases)| releases.iter().any(has));
                requests.extend(owners.map(|(operator, _)| ObjectName::cluster(operator.as_str())));
            }
            "Pod" if name.namespace == NAMESPACE => {
                // Other pods of the namespace are the operator's own.
                let is_retrieval = |pod: &std::sync::Arc<Object>| pod.label("k8s-app") == Some(RETRIEVES);
                requests.extend(change.after.as_ref().filter(|pod| is_retrieval(pod)).map(|_| name.clone()));
            }
            _ => {}
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if request.namespace.is_empty() {
            self.advance(&request.name, api)
        } else {
            self.retrieve(request, api)
        }
    }
}
