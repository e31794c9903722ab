//! What is seen of an update: bars of operators, pools and nodes, and what ClusterVersion said.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Moment;

use crate::cluster_version::GROUP;
use crate::machine_config::annotation;
use crate::machine_config::node_state::is_unavailable;

/// What a bar is about, in the order in which they are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarKind {
    /// A cluster operator.
    Operator,
    /// A pool of nodes.
    Pool,
    /// A node.
    Node,
}

/// A span of time in which something updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// What it is about.
    pub kind: BarKind,
    /// The name of the object.
    pub name: String,
    /// The runlevel of an operator, the pool of a node.
    pub group: String,
    /// Its begin.
    pub from: Moment,
    /// Its end; none while it goes on.
    pub to: Option<Moment>,
}

/// What was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) bars: Vec<Bar>,
    /// Each new message of `Progressing`, `Failing` and `ReleaseAccepted`.
    pub(super) told: Vec<(Moment, String)>,
    last: BTreeMap<&'static str, String>,
    /// The largest number of unavailable nodes of each pool.
    pub(super) most_unavailable: BTreeMap<String, usize>,
    unavailable: BTreeMap<String, usize>,
}

/// Watches, and writes nothing.
pub(super) struct Observer {
    pub(super) seen: Rc<RefCell<Seen>>,
    /// Runlevels of operators.
    pub(super) runlevels: BTreeMap<String, String>,
}

fn pool_of(node: &Object) -> String {
    const ROLE: &str = "node-role.kubernetes.io/";
    let labels = node.at(&["metadata", "labels"]).and_then(serde_json::Value::as_object);
    let roles = labels.into_iter().flatten().filter_map(|(name, _)| name.strip_prefix(ROLE));
    let mut roles: Vec<&str> = roles.filter(|role| *role != "control-plane").collect();
    // A pool of its own counts before the pool of all workers.
    roles.sort_by_key(|role| (*role == "worker", *role));
    roles.first().map(|role| (*role).to_owned()).unwrap_or_default()
}

impl Observer {
    fn bar(&self, kind: BarKind, name: &str, group: &str, is_updating: bool, now: Moment) {
        let mut seen = self.seen.borrow_mut();
        let open =
            seen.bars.iter_mut().rev().find(|bar| bar.kind == kind && bar.name == name && bar.to.is_none());
        match (open, is_updating) {
            (None, true) => seen.bars.push(Bar {
                kind,
                name: name.to_owned(),
                group: group.to_owned(),
                from: now,
                to: None,
            }),
            (Some(bar), false) => bar.to = Some(now),
            _ => {}
        }
    }

    fn version(&self, version: &Object, now: Moment) {
        let mut seen = self.seen.borrow_mut();
        for kind in ["ReleaseAccepted", "Failing", "Progressing"] {
            let Some(condition) = version.condition(kind) else { continue };
            let message = condition.text(&["message"]);
            // How far a pass is changes all the time.
            let message = match message.split_once(" done (") {
                Some((before, rest)) if before.starts_with("Working towards") => {
                    let waiting = rest.split_once("), ").map(|(_, waiting)| waiting);
                    let target = before.split(':').next().unwrap_or_default();
                    waiting.map_or_else(|| target.to_owned(), |waiting| format!("{target}: {waiting}"))
                }
                _ => message.to_owned(),
            };
            let text = format!("{kind}={} {message}", condition.text(&["status"]));
            if seen.last.get(kind) != Some(&text) {
                seen.last.insert(kind, text.clone());
                seen.told.push((now, text.trim().to_owned()));
            }
        }
    }
}

impl Controller for Observer {
    fn name(&self) -> &'static str {
        "observer"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, "ClusterVersion"),
            (GROUP, "ClusterOperator"),
            ("machineconfiguration.openshift.io", "MachineConfigPool"),
            ("", "Node"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        api: &ApiServer,
        _: &mut Vec<ObjectName>,
    ) {
        let Some(object) = &change.after else { return };
        let (name, now) = (object.name(), api.now());
        match kind {
            "ClusterVersion" => self.version(object, now),
            "ClusterOperator" => {
                let runlevel = self.runlevels.get(name).cloned().unwrap_or_default();
                let is_updating = object.condition_status("Progressing") == "True";
                self.bar(BarKind::Operator, name, &runlevel, is_updating, now);
            }
            "MachineConfigPool" => {
                self.bar(BarKind::Pool, name, "", object.condition_status("Updating") == "True", now);
            }
            _ => {
                let pool = pool_of(object);
                let text = |key| object.annotation(key).unwrap_or_default();
                let is_updating = !text(annotation::CURRENT_CONFIG).is_empty()
                    && (text(annotation::CURRENT_CONFIG) != text(annotation::DESIRED_CONFIG)
                        || text(annotation::STATE) != "Done");
                self.bar(BarKind::Node, name, &pool, is_updating, now);
                let was = change.before.as_ref().is_some_and(|before| counts(before));
                let is = counts(object);
                let mut seen = self.seen.borrow_mut();
                let count = seen.unavailable.entry(pool.clone()).or_default();
                *count = (*count + usize::from(is)).saturating_sub(usize::from(was));
                let count = *count;
                let most = seen.most_unavailable.entry(pool).or_default();
                *most = (*most).max(count);
            }
        }
    }

    fn reconcile(&mut self, _: &ObjectName, _: &mut ApiServer) -> Outcome {
        Outcome::Done
    }
}

/// Whether a node that the daemon has taken up is unavailable.
fn counts(node: &Object) -> bool {
    node.annotation(annotation::CURRENT_CONFIG).is_some() && is_unavailable(node)
}
