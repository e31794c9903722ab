//! A cluster to play recordings in, and what is noticed of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::controllers::behaviour::Behaviour;
use fbc_cluster::controllers::kubelet::KUBELET;
use fbc_cluster::controllers::kubelet::Kubelet;
use fbc_cluster::controllers::node_lifecycle::{NodeLifecycle, Settings};
use fbc_cluster::controllers::set::{Workloads, controllers};
use fbc_cluster::engine::{Cluster, Controller, RunError};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use fbc_kubectl::command_line::parse;
use fbc_kubectl::run::{Session, run};
use serde_json::{Value, json};

use super::compare::Timed;
use crate::{Difference, Verdict};

/// One notification of a watch.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) at: i64,
    pub(super) before: Option<Arc<Object>>,
    pub(super) after: Option<Arc<Object>>,
}

impl Seen {
    /// The object as it is now, or was last.
    pub(super) fn object(&self) -> &Object {
        self.after.as_deref().or(self.before.as_deref()).unwrap_or(&Value::Null)
    }
}

/// What a command line printed, line by line, and its exit code.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) stdout: Vec<Timed<String>>,
    pub(super) stderr: Vec<Timed<String>>,
    pub(super) exit: u8,
}

impl Printed {
    fn add(&mut self, at: i64, stdout: &str, stderr: &str) {
        self.stdout.extend(stdout.lines().map(|line| (at, line.to_owned())));
        self.stderr.extend(stderr.lines().map(|line| (at, line.to_owned())));
    }
}

/// The settings of the control plane of the recordings.
pub(super) fn recorded_settings() -> Settings {
    Settings {
        grace: 8 * SECOND,
        startup_grace: 10 * SECOND,
        period: SECOND,
        rate: 0.2,
        secondary_rate: 0.05,
        ..Settings::default()
    }
}

/// A cluster.
pub(super) struct World {
    pub(super) cluster: Cluster,
    start: Moment,
    revision: u64,
    pub(super) seen: Vec<Seen>,
}

impl World {
    /// A cluster without nodes, with these namespaces.
    pub(super) fn new(settings: Settings, namespaces: &[&str]) -> Self {
        let mut api = control_plane::api_server(namespaces, 1, Moment::START);
        api.heartbeats_mut().set_period(2 * SECOND);
        let mut cluster = Cluster::new(api);
        let workloads = Workloads::Pods { virtual_node: None, behaviours: behaviours(), older_texts: false };
        for controller in controllers(workloads, 1) {
            let is_nodes = controller.name() == NodeLifecycle::default().name();
            cluster.add_controller(if is_nodes {
                Box::new(NodeLifecycle::new(settings))
            } else {
                controller
            });
        }
        if let Some(kubelet) = cluster.controller::<Kubelet>() {
            kubelet.keep_quiet_about_ends();
        }
        let (start, revision) = (cluster.now(), cluster.api.store().revision());
        Self { cluster, start, revision, seen: Vec::new() }
    }

    pub(super) fn api(&mut self) -> &mut ApiServer {
        &mut self.cluster.api
    }

    /// The time of the case so far.
    pub(super) fn at(&self) -> i64 {
        i64::try_from(self.cluster.now().since(self.start)).unwrap_or_default()
    }

    /// Begins the case: time counts from now, when the moment has this rest by a period, and nothing was seen.
    pub(super) fn begin(&mut self, period: Milliseconds, phase: Milliseconds) -> Verdict {
        let (now, period) = (self.cluster.now().0, period.max(1));
        let wait = (phase % period + period - now % period) % period;
        self.pass(wait)?;
        self.start = self.cluster.now();
        self.seen.clear();
        Ok(())
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Milliseconds) -> Verdict {
        let end = self.cluster.now() + time;
        self.run_to_moment(end)
    }

    /// Lets time pass until so many milliseconds after the start of the case.
    pub(super) fn run_to(&mut self, at: i64) -> Verdict {
        let end = self.start + u64::try_from(at).unwrap_or_default();
        self.run_to_moment(end)
    }

    fn run_to_moment(&mut self, end: Moment) -> Verdict {
        self.look();
        while self.cluster.step(end)? {
            self.look();
        }
        self.cluster.api.advance_to(end);
        self.look();
        Ok(())
    }

    /// Notes what changed.
    fn look(&mut self) {
        let at = self.at();
        let store = self.cluster.api.store();
        if let Some(changes) = store.changes_since(self.revision) {
            let seen = |change: &fbc_cluster::store::Change| Seen {
                at,
                before: change.before.clone(),
                after: change.after.clone(),
            };
            self.seen.extend(changes.map(seen));
        }
        self.revision = store.revision();
    }

    pub(super) fn create(&mut self, object: Object) -> Result<Arc<Object>, Difference> {
        let created = self.cluster.api.create(&administrator(), object, WriteOptions::default());
        created.map_err(Difference::Api)
    }

    /// Runs until something holds, at most for so long. True if it came to hold.
    pub(super) fn run_until(
        &mut self,
        longest: Milliseconds,
        holds: &dyn Fn(&Self) -> bool,
    ) -> Result<bool, RunError> {
        let end = self.cluster.now() + longest;
        loop {
            self.look();
            if holds(self) {
                return Ok(true);
            }
            if !self.cluster.step(end)? {
                return Ok(false);
            }
        }
    }

    /// Patches an object of the core group, as a merge.
    pub(super) fn patch(&mut self, kind: &str, name: &ObjectName, patch: Value, status: bool) -> Verdict {
        let id = self.cluster.api.kind_id("", kind).ok_or("no such kind")?;
        let part = if status { Subresource::Status } else { Subresource::None };
        let (caller, patch) = (administrator(), Patch::Merge(patch));
        let patched = self.cluster.api.patch(&caller, id, name, &patch, part, WriteOptions::default());
        patched.map(drop).map_err(Difference::Api)
    }

    pub(super) fn patch_node(&mut self, name: &str, patch: Value) -> Verdict {
        self.patch("Node", &ObjectName::cluster(name), patch, false)
    }

    pub(super) fn delete(&mut self, kind: (&str, &str), name: &ObjectName) -> Verdict {
        let id = self.cluster.api.kind_id(kind.0, kind.1).ok_or("no such kind")?;
        let deleted = self.cluster.api.delete(&administrator(), id, name, &Default::default());
        deleted.map(drop).map_err(Difference::Api)
    }

    /// Stops the kubelet of a node, or lets it go on.
    pub(super) fn silence(&mut self, node: &str, is_silent: bool) -> Verdict {
        let value = if is_silent { json!("stopped") } else { Value::Null };
        self.patch_node(node, json!({"metadata": {"annotations": {KUBELET: value}}}))
    }

    /// What a node says of one condition; new conditions come first.
    pub(super) fn say(&mut self, node: &str, condition: (&str, &str, &str, &str)) -> Verdict {
        let (name, status, reason, message) = condition;
        let node = self.node(node)?;
        let mut conditions = node.list(&["status", "conditions"]).to_vec();
        let value = json!({
            "type": name, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": self.cluster.now().to_string(),
        });
        match conditions.iter_mut().find(|condition| condition["type"] == name) {
            Some(place) => *place = value,
            None => conditions.insert(0, value),
        }
        let name = node.object_name();
        self.patch("Node", &name, json!({"status": {"conditions": conditions}}), true)
    }

    pub(super) fn node(&self, name: &str) -> Result<Arc<Object>, Difference> {
        let node = self.cluster.api.find("", "Node", &ObjectName::cluster(name));
        node.cloned().ok_or_else(|| Difference::NoNode(name.to_owned()))
    }

    pub(super) fn pod(&self, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.cluster.api.find("", "Pod", &ObjectName::namespaced(namespace, name)).cloned()
    }

    /// What was seen of objects of a kind.
    pub(super) fn seen_of<'w>(&'w self, kind: &'w str) -> impl Iterator<Item = &'w Seen> {
        self.seen.iter().filter(move |seen| seen.object().kind() == kind)
    }

    /// The events of the case: when, about what, type, reason, message.
    pub(super) fn events(&self) -> Vec<Timed<String>> {
        let events = self.seen_of("Event").filter_map(|seen| Some((seen.at, seen.after.as_deref()?)));
        events
            .map(|(at, event)| {
                let about = &event["involvedObject"];
                let text = |field: &str| event.text(&[field]).to_owned();
                (
                    at,
                    format!(
                        "{}/{} {} {} {}",
                        about.text(&["kind"]),
                        about.text(&["name"]),
                        text("type"),
                        text("reason"),
                        text("message")
                    ),
                )
            })
            .collect()
    }

    /// Runs a command line to its end, as time goes by; `meanwhile` is called whenever something may have happened.
    pub(super) fn command(
        &mut self,
        arguments: &[&str],
        stdin: &str,
        namespace: &str,
        meanwhile: &mut dyn FnMut(&mut Self) -> Verdict,
    ) -> Result<Printed, Difference> {
        let words: Vec<String> =
            std::iter::once("kubectl").chain(arguments.iter().copied()).map(str::to_owned).collect();
        let mut printed = Printed::default();
        let command = match parse(&words) {
            Ok(command) => command,
            Err(error) => {
                printed.add(self.at(), "", &error.text);
                printed.exit = 1;
                return Ok(printed);
            }
        };
        let mut session = Session { namespace: namespace.to_owned(), ..Session::default() };
        let read = |path: &str| (path == "-").then(|| stdin.as_bytes().to_vec());
        let outcome = run(&command, &mut session, &mut self.cluster.api, &read);
        self.look();
        printed.add(self.at(), &outcome.stdout, &outcome.stderr);
        printed.exit = outcome.exit_code;
        let Some(mut waiting) = outcome.waiting else { return Ok(printed) };
        let end = self.cluster.now() + 10 * MINUTE;
        loop {
            let poll = waiting.poll(&mut self.cluster.api);
            self.look();
            printed.add(self.at(), &poll.stdout, &poll.stderr);
            if let Some(exit) = poll.exit_code {
                printed.exit = printed.exit.max(exit);
                return Ok(printed);
            }
            if self.cluster.now() >= end {
                return Err(Difference::Missing("the command does not end"));
            }
            let next = waiting.next_poll().map_or(end, |next| next.min(end));
            self.run_to_moment(next.min(self.cluster.now() + 100).max(self.cluster.now() + 1))?;
            meanwhile(self)?;
        }
    }
}

/// A node as the agent of the recordings registered them.
pub(super) fn node(name: &str, zone: &str, role: &str) -> Object {
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": zone,
    });
    labels.set(&[&format!("node-role.kubernetes.io/{role}")], "");
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {}})
}

pub(super) fn administrator() -> Caller {
    Caller::administrator("kubectl")
}

/// What the annotations mean that steer the agent of the recordings.
fn behaviours() -> Vec<Behaviour> {
    let mut all = vec![json!({"annotations": {"fake/ready": "never"}, "outcome": "neverReady"})];
    for tenths in 1..=100_u64 {
        let text = if tenths % 10 == 0 {
            format!("{}", tenths / 10)
        } else {
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        let after = tenths * 100;
        for (name, outcome) in
            [("ready-after", "ready"), ("complete-after", "complete"), ("fail-after", "fail")]
        {
            let annotation = BTreeMap::from([(format!("fake/{name}"), text.clone())]);
            all.push(json!({"annotations": annotation, "outcome": outcome, "after": after}));
        }
    }
    // Jobs of the recordings run until they are told otherwise.
    all.push(json!({"outcome": "ready"}));
    all.iter().filter_map(|value| Behaviour::read(value).ok()).collect()
}

/// The name of an object without what was generated at random.
pub(super) fn plain_name(object: &Object) -> String {
    let prefix = object.text(&["metadata", "generateName"]);
    match object.name().strip_prefix(prefix) {
        Some(_) if !prefix.is_empty() => format!("{prefix}<r>"),
        _ => object.name().to_owned(),
    }
}

/// How long after the start of a simulation a node has to begin with its heartbeats, which come every two seconds, so
/// that it is found to be lost when it was in the recording: it went silent at `stop`, and was lost at `lost`, in a case
/// that begins at this rest of two seconds.
pub(super) fn first_heartbeat(phase: u64, stop: i64, lost: i64) -> u64 {
    let phase = i64::try_from(phase % 2000).unwrap_or_default();
    let age = (8500 - (lost - stop)).clamp(0, 1900);
    u64::try_from((phase + stop - age).rem_euclid(2000)).unwrap_or_default()
}
