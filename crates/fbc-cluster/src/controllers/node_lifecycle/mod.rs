//! What the control plane makes of nodes: conditions become taints, silent nodes become `Unknown`, and pods of lost
//! nodes are evicted at a rate that depends on how many nodes of the zone are lost.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go`.

mod conditions;
mod known;
mod taint;
#[cfg(test)]
mod tests;
mod zones;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::conditions::{condition_taints, kept_by_conditions, silenced};
use self::known::{Known, Ready};
use self::taint::{remove_taint, swap_taints};
use self::zones::{State, Zones};
use super::events::Recorder;
use super::pods_by_node::PodsByNode;
use super::write::{manager, outcome, update_status};
use crate::api::{ApiServer, Subresource, WriteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::taints::{Effect, NOT_READY, Taint, UNREACHABLE, taints};
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// How often the queues of lost nodes are looked at.
const QUEUE_PERIOD: Milliseconds = 100;
/// The part of names that are not nodes: requests to look at all of them.
const MONITOR: &str = "monitor";

/// How patient the controller is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// So long after its last heartbeat a node is lost.
    pub grace: Milliseconds,
    /// The same for nodes that were never heard of.
    pub startup_grace: Milliseconds,
    /// How often nodes are looked at.
    pub period: Milliseconds,
    /// Nodes per second whose pods are evicted.
    pub rate: f64,
    /// The same in large zones that are partly lost.
    pub secondary_rate: f64,
    /// Zones with more nodes are large.
    pub large_zone: usize,
    /// From this share of lost nodes on a zone is partly lost.
    pub unhealthy: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            grace: 50 * SECOND,
            startup_grace: MINUTE,
            period: 5 * SECOND,
            rate: 0.1,
            secondary_rate: 0.01,
            large_zone: 50,
            unhealthy: 0.55,
        }
    }
}

/// Keeps taints and conditions of nodes.
#[derive(Debug)]
pub struct NodeLifecycle {
    settings: Settings,
    events: Recorder,
    nodes: BTreeMap<String, Known>,
    /// When nodes were last heard of. Stays when a node goes, as in the reference.
    probes: BTreeMap<String, Moment>,
    zones: Zones,
    /// Tainted nodes whose taint is no longer the right one: they change it without waiting.
    swapped: Vec<String>,
    pods: PodsByNode,
    /// Nodes that are gone and of which nothing was said yet.
    gone: Vec<(String, Arc<Object>)>,
}

impl Default for NodeLifecycle {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl NodeLifecycle {
    /// A controller with this patience.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            events: Recorder::new("node-controller"),
            nodes: BTreeMap::new(),
            probes: BTreeMap::new(),
            zones: Zones::default(),
            swapped: Vec::new(),
            pods: PodsByNode::default(),
            gone: Vec::new(),
        }
    }
}

fn monitor() -> ObjectName {
    ObjectName::namespaced(MONITOR, "")
}

impl Controller for NodeLifecycle {
    fn name(&self) -> &'static str {
        "node-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "Pod" {
            return self.pods.follow(&change.key.name, change.after.as_deref());
        }
        let name = &change.key.name.name;
        if self.nodes.is_empty() {
            requests.push(monitor());
        }
        let Some(node) = change.after.as_deref() else {
            if let Some(known) = self.nodes.remove(name) {
                self.zones.forget(&known.zone, name);
            }
            self.gone.extend(change.before.iter().map(|node| (name.clone(), Arc::clone(node))));
            return;
        };
        let is_registered = self.nodes.get(name).is_some_and(|known| known.is_registered);
        self.nodes.insert(name.clone(), Known::read(node, is_registered));
        requests.push(change.key.name.clone());
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if request.namespace == MONITOR {
            return self.monitor(api);
        }
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        outcome(keep_no_schedule(api, &node))
    }
}

/// Makes the taints of effect `NoSchedule` follow the conditions and the cordon.
fn keep_no_schedule(api: &mut ApiServer, node: &Arc<Object>) -> Result<(), ApiError> {
    let wanted = condition_taints(node);
    let present: Vec<Taint> = taints(node).into_iter().filter(kept_by_conditions).collect();
    let missing: Vec<Taint> = wanted.iter().filter(|taint| !present.contains(taint)).cloned().collect();
    let surplus: Vec<Taint> = present.into_iter().filter(|taint| !wanted.contains(taint)).collect();
    swap_taints(api, node.name(), &missing, &surplus)
}

impl NodeLifecycle {
    /// Looks at all nodes once a period, and evicts from lost ones whenever the rate allows it.
    fn monitor(&mut self, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        let eviction = if now.0.is_multiple_of(self.settings.period) {
            self.pass(api);
            // The queues are looked at a little later, by somebody else.
            self.next_eviction(now).map(|at| at.max(now + QUEUE_PERIOD))
        } else {
            self.taint_lost(api);
            self.next_eviction(now)
        };
        if self.nodes.is_empty() {
            return Outcome::Done;
        }
        let pass = self.settings.period - now.0 % self.settings.period;
        Outcome::Routinely(eviction.map_or(pass, |at| at.since(now).clamp(1, pass)))
    }

    fn next_eviction(&self, now: Moment) -> Option<Moment> {
        if self.swapped.is_empty() { self.zones.next(now) } else { Some(now) }
    }

    fn pass(&mut self, api: &mut ApiServer) {
        for (name, node) in std::mem::take(&mut self.gone) {
            let text = format!("Node {name} event: Removing Node {name} from Controller");
            self.events.normal(api, &node, "RemovingNode", &text);
        }
        let names: Vec<String> = self.nodes.keys().cloned().collect();
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for name in &names {
            let Some((known, ready)) = self.look_at(api, name) else { continue };
            if known.counts {
                let (well, lost) = counts.entry(known.zone).or_default();
                if ready == Ready::True { *well += 1 } else { *lost += 1 }
            }
        }
        self.judge_zones(api, counts);
    }

    /// Registers a node, notices that it is silent, and plans the eviction of its pods. The answer is what the node
    /// says now.
    fn look_at(&mut self, api: &mut ApiServer, name: &str) -> Option<(Known, Ready)> {
        let (now, settings) = (api.now(), self.settings);
        let known = self.nodes.get_mut(name)?;
        let is_new = !std::mem::replace(&mut known.is_registered, true);
        let known = known.clone();
        if is_new && let Some(node) = api.find("", "Node", &ObjectName::cluster(name)).cloned() {
            let text = format!("Node {name} event: Registered Node {name} in Controller");
            self.events.normal(api, &node, "RegisteredNode", &text);
        }
        // A node that says something is heard of; a silent one is as old as its first word.
        let first = if known.ready == Ready::Unsaid { known.made } else { now };
        let probe = self.probes.entry(name.to_owned()).or_insert(first);
        if is_new && known.ready != Ready::Unsaid {
            *probe = now;
        }
        if let Some(last) = api.heartbeats().last(name, now) {
            *probe = last.max(*probe);
        }
        let grace = if known.ready == Ready::Unsaid { settings.startup_grace } else { settings.grace };
        let mut ready = known.ready;
        if now >= *probe + grace && ready != Ready::Unknown {
            if self.silence(api, name, ready).is_err() {
                return None;
            }
            ready = Ready::Unknown;
        }
        self.plan(api, name, &known, ready);
        Some((known, ready))
    }

    /// Writes that nothing is known of a node any more.
    fn silence(&mut self, api: &mut ApiServer, name: &str, before: Ready) -> Result<(), ApiError> {
        let Some(node) = api.find("", "Node", &ObjectName::cluster(name)).cloned() else { return Ok(()) };
        let mut status = node.get("status").cloned().unwrap_or_default();
        status.set(&["conditions"], silenced(&node, api.now()));
        update_status(api, &node, status)?;
        if before == Ready::True {
            let text = format!("Node {name} status is now: NodeNotReady");
            self.events.normal(api, &node, "NodeNotReady", &text);
            self.mark_pods(api, name);
        }
        Ok(())
    }

    /// Writes into the pods of a node that they are not ready.
    fn mark_pods(&mut self, api: &mut ApiServer, node: &str) {
        let pods: Vec<ObjectName> = self.pods.on(node).cloned().collect();
        for name in pods {
            let Some(pod) = api.find("", "Pod", &name).cloned() else { continue };
            let mut object = Object::clone(&pod);
            let now = api.now().to_string();
            let conditions = object.place(&["status", "conditions"]).as_array_mut();
            let mut conditions = conditions.into_iter().flatten();
            let Some(ready) = conditions.find(|condition| condition["type"] == "Ready") else { continue };
            if ready["status"] != "True" {
                continue;
            }
            ready.set(&["status"], "False");
            ready.set(&["lastTransitionTime"], now);
            let written = api.update(&manager(), object, Subresource::Status, WriteOptions::default());
            if written.is_ok() {
                self.events.warning(api, &pod, "NodeNotReady", "Node is not ready");
            }
        }
    }

    /// Plans or cancels the eviction of the pods of a node; one that is tainted already only changes its taint.
    fn plan(&mut self, api: &mut ApiServer, name: &str, known: &Known, ready: Ready) {
        let no_execute = |key: &str| Taint::new(key, Effect::NoExecute);
        match ready.taint() {
            None if ready == Ready::Unsaid => {}
            None => {
                self.zones.forget(&known.zone, name);
                for key in &known.drives_out {
                    // A conflict is seen in the next pass again.
                    let _ = remove_taint(api, name, &no_execute(key));
                }
            }
            Some(key) => {
                let other = known.drives_out.iter().find(|other| **other != key);
                match other {
                    Some(_) => self.swapped.push(name.to_owned()),
                    None if known.drives_out.contains(&key) => {}
                    None => self.zones.add(&known.zone, name, self.settings.rate),
                }
            }
        }
    }

    /// Works out the states of the zones, and what follows when they change.
    fn judge_zones(&mut self, api: &mut ApiServer, counts: BTreeMap<String, (usize, usize)>) {
        let now = api.now();
        let states: BTreeMap<String, (State, usize)> = counts
            .into_iter()
            .map(|(zone, (ready, lost))| {
                (zone, (State::of(ready, lost, self.settings.unhealthy), ready + lost))
            })
            .collect();
        if self.zones.enter(&states, &self.settings, now) {
            // Everything is lost: more likely the control plane itself is cut off.
            let tainted: Vec<(String, Vec<&'static str>)> = self
                .nodes
                .iter()
                .filter(|(_, known)| !known.drives_out.is_empty())
                .map(|(name, known)| (name.clone(), known.drives_out.clone()))
                .collect();
            for (name, keys) in tainted {
                for key in keys {
                    let _ = remove_taint(api, &name, &Taint::new(key, Effect::NoExecute));
                }
            }
            self.zones.forget_all();
        } else if self.zones.has_recovered() {
            self.probes.values_mut().for_each(|probe| *probe = now);
        }
    }

    /// Taints the nodes whose turn it is.
    fn taint_lost(&mut self, api: &mut ApiServer) {
        let now = api.now();
        let mut names = std::mem::take(&mut self.swapped);
        names.extend(self.zones.due(now));
        for name in names {
            let Some(node) = api.find("", "Node", &ObjectName::cluster(&name)).cloned() else { continue };
            let Some(key) = Ready::of(&node).taint() else { continue };
            let opposite = if key == NOT_READY { UNREACHABLE } else { NOT_READY };
            let (new, old) = (Taint::new(key, Effect::NoExecute), Taint::new(opposite, Effect::NoExecute));
            // What fails is planned again in the next pass.
            let _ = swap_taints(api, &name, &[new], &[old]);
        }
    }
}
