//! The controller: what happens when.
//!
//! Source: `openshift/cluster-version-operator:pkg/cvo/cvo.go`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::generation::Generation;
use super::options::{Options, Outside};
use super::process::{ECHO, Process, RESYNC};
use super::sync::{NotLoaded, load_payload};
use super::{GROUP, NAMESPACE, VERSION};

/// How often a process looks for the ClusterVersion that it needs to begin.
const WAIT_FOR_VERSION: Milliseconds = 3 * SECOND;
/// More turns at one moment than any work takes.
const MOST_TURNS: usize = 10_000;

/// The Cluster Version Operator.
pub struct ClusterVersionOperator {
    options: Options,
    outside: Rc<RefCell<Outside>>,
    process: Option<Box<Process>>,
    /// Images whose payloads lie on the node.
    on_disk: BTreeSet<String>,
    is_stopped: bool,
    ended: Option<&'static str>,
    /// When the operator of another image takes over.
    handover_at: Option<Moment>,
    starts: u64,
}

impl ClusterVersionOperator {
    /// An operator that is started as soon as there is a ClusterVersion.
    pub fn new(options: Options, outside: Rc<RefCell<Outside>>) -> Self {
        Self {
            options,
            outside,
            process: None,
            on_disk: BTreeSet::new(),
            is_stopped: false,
            ended: None,
            handover_at: None,
            starts: 0,
        }
    }

    /// Ends the process; what it knew is lost, what it wrote stays.
    pub fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            self.on_disk = process.on_disk;
        }
        self.is_stopped = true;
    }

    /// Ends the process; the node starts it again at once.
    pub fn crash(&mut self) {
        self.stop();
        self.is_stopped = false;
    }

    /// What the process said when it ended by itself. A node would start it again, and it would end again.
    pub fn ended(&self) -> Option<&'static str> {
        self.ended
    }

    /// Starts the process anew, as the container of another release image.
    pub fn restart(&mut self, options: Options) {
        self.stop();
        self.options = options;
        self.is_stopped = false;
    }

    fn start(&mut self, api: &ApiServer) -> Result<(), NotLoaded> {
        let gate = api.find(GROUP, "FeatureGate", &ObjectName::cluster("cluster"));
        let feature_set = gate.map(|gate| gate.text(&["spec", "featureSet"]).to_owned()).unwrap_or_default();
        self.starts += 1;
        let mut process = Process::new(&self.options, feature_set, self.starts);
        let outside = self.outside.borrow();
        // Which gates are on depends on the version, and the version on the payload.
        let load = |process: &Process| {
            load_payload(&outside, &self.options.image, &process.inclusion(&self.options, &process.gates))
        };
        let payload = load(&process)?;
        process.release = payload.release.clone();
        process.generation =
            self.options.generation.unwrap_or_else(|| Generation::of(&process.release.version));
        process.gates = enabled_gates(api, &process.release.version);
        process.own_payload = Rc::new(load(&process)?);
        process.on_disk = std::mem::take(&mut self.on_disk);
        drop(outside);
        process.resync_at = api.now() + RESYNC;
        self.process = Some(Box::new(process));
        Ok(())
    }
}

impl Controller for ClusterVersionOperator {
    fn name(&self) -> &'static str {
        "cluster-version-operator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, "ClusterVersion"),
            (GROUP, "ClusterOperator"),
            (GROUP, "FeatureGate"),
            ("", "ConfigMap"),
            ("", "Pod"),
            ("apps", "Deployment"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        let request = ObjectName::cluster(VERSION);
        let Some(process) = &mut self.process else {
            if kind == "ClusterVersion" {
                requests.push(request);
            }
            return;
        };
        let is_needed = match kind {
            "ClusterVersion" if name.name == VERSION => {
                let generation =
                    |object: &Option<_>| object.as_ref().map(|one: &Arc<Object>| one.generation());
                if generation(&change.before) == generation(&change.after) {
                    let at = api.now() + ECHO;
                    process.echo_at = Some(process.echo_at.map_or(at, |earlier| earlier.min(at)));
                } else {
                    process.is_status_due = true;
                    process.retry_at = None;
                }
                process.updates_at = change.after.as_ref().map(|_| api.now()).or(process.updates_at);
                true
            }
            "ClusterOperator" => {
                if let (Some(before), Some(after)) = (&change.before, &change.after) {
                    let told = |operator: &Object| {
                        let condition = |kind| match operator.condition_status(kind) {
                            "" => "Unknown".to_owned(),
                            status => status.to_owned(),
                        };
                        let versions = operator.list(&["status", "versions"]).iter();
                        let version = versions
                            .filter(|one| one["name"] == "operator")
                            .map(|one| one["version"].clone())
                            .next();
                        (version.unwrap_or_else(|| json!("")), condition("Available"), condition("Degraded"))
                    };
                    process.is_notified |= told(before) != told(after);
                }
                process.is_notified
            }
            "FeatureGate" => {
                let gates = enabled_gates(api, &process.release.version);
                let changes = gates != process.gates;
                process.gates = gates;
                process.is_status_due |= changes;
                changes
            }
            "Pod" => process.retrieval.as_ref().is_some_and(|retrieval| retrieval.pod == *name),
            "Deployment" => name.namespace == NAMESPACE && name.name == "cluster-version-operator",
            _ => false,
        };
        if is_needed {
            requests.push(request);
        }
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        if self.is_stopped {
            return Outcome::Done;
        }
        self.follow_deployment(api);
        if self.process.is_none() {
            if api.find(GROUP, "ClusterVersion", &ObjectName::cluster(VERSION)).is_none() {
                return Outcome::Routinely(WAIT_FOR_VERSION);
            }
            if let Err(error) = self.start(api) {
                return Outcome::Failed(format!(
                    "the local release contents are invalid - no current version can be determined from disk: {error}"
                ));
            }
        }
        let Some(process) = &mut self.process else { return Outcome::Done };
        let outside = Rc::clone(&self.outside);
        let outside = outside.borrow();
        for _ in 0..MOST_TURNS {
            let has_more = process.turn(api, &outside, &self.options);
            if let Some(ended) = process.ended {
                self.ended = Some(ended.0);
                self.stop();
                return Outcome::Done;
            }
            if !has_more {
                break;
            }
        }
        let next = [process.next(api.now()), self.handover_at].into_iter().flatten().min();
        let wait = next.map(|at| at.since(api.now()).max(1));
        match wait {
            Some(wait) if process.is_busy() => Outcome::After(wait),
            Some(wait) => Outcome::Routinely(wait),
            None => Outcome::Done,
        }
    }
}

impl ClusterVersionOperator {
    /// A Deployment of the operator with another release image starts the operator of that image in its place.
    fn follow_deployment(&mut self, api: &ApiServer) {
        const FLAG: &str = "--release-image=";
        let name = ObjectName::namespaced(NAMESPACE, "cluster-version-operator");
        let Some(deployment) = api.find("apps", "Deployment", &name) else { return };
        let containers = deployment.list(&["spec", "template", "spec", "containers"]).iter();
        let arguments = containers.flat_map(|container| container.list(&["args"]));
        let image = arguments.filter_map(Value::as_str).find_map(|argument| argument.strip_prefix(FLAG));
        let known = image.filter(|image| {
            *image != self.options.image && self.outside.borrow().payloads.contains_key(*image)
        });
        let Some(image) = known.filter(|_| self.process.is_some()) else {
            self.handover_at = None;
            return;
        };
        let at = *self.handover_at.get_or_insert(api.now() + self.options.handover_duration);
        if at <= api.now() {
            self.handover_at = None;
            self.restart(Options { image: image.to_owned(), ..self.options.clone() });
        }
    }
}

fn enabled_gates(api: &ApiServer, version: &str) -> BTreeSet<String> {
    let Some(gate) = api.find(GROUP, "FeatureGate", &ObjectName::cluster("cluster")) else {
        return BTreeSet::new();
    };
    let of_version = gate.list(&["status", "featureGates"]).iter().find(|one| one["version"] == version);
    let enabled = of_version.map(|one| one.list(&["enabled"])).unwrap_or_default();
    enabled.iter().map(|one| one.text(&["name"]).to_owned()).collect()
}
