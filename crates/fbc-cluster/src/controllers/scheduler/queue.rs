//! Pods that wait for a node: those that are to be tried, and those that wait for something to change.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/backend/queue/scheduling_queue.go`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::filters::{Plugin, shortage};
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use crate::object::ObjectName;
use crate::taints::keeps_out;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// The wait after a first failure that no filter is the cause of; every further one doubles it.
const FIRST_BACK_OFF: Milliseconds = SECOND;
const LONGEST_BACK_OFF: Milliseconds = 10 * SECOND;
/// How often waits that are over are noticed.
const TICK: Milliseconds = SECOND;
/// So long a pod waits for a change at most.
const LONGEST_WAIT: Milliseconds = 5 * MINUTE;

/// Something that may let a pod be placed that was not.
pub(super) enum Event<'e> {
    /// A node is new (without a state before), or says something else.
    Node(Option<&'e NodeInfo>, &'e NodeInfo),
    /// A pod on a node is new there, or has other labels.
    Placed(&'e PodInfo),
    /// A pod is gone from this node.
    Gone(&'e NodeInfo),
    /// A claim or a volume changed.
    Volume,
}

#[derive(Debug, Clone)]
struct Parked {
    pod: Arc<PodInfo>,
    plugins: BTreeSet<Plugin>,
    since: Moment,
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// By priority, then in the order in which they came.
    active: BTreeSet<(Reverse<i64>, u64, ObjectName)>,
    places: HashMap<ObjectName, (Reverse<i64>, u64)>,
    parked: BTreeMap<ObjectName, Parked>,
    /// Pods that are tried again at a moment.
    delayed: BTreeMap<ObjectName, (Moment, i64)>,
    failures: HashMap<ObjectName, u32>,
    number: u64,
}

impl Queue {
    /// Puts a pod among those that are to be tried.
    pub(super) fn add(&mut self, name: &ObjectName, priority: i64) {
        self.parked.remove(name);
        self.delayed.remove(name);
        if self.places.contains_key(name) {
            return;
        }
        self.number += 1;
        let place = (Reverse(priority), self.number);
        self.places.insert(name.clone(), place);
        self.active.insert((place.0, place.1, name.clone()));
    }

    /// Forgets a pod.
    pub(super) fn remove(&mut self, name: &ObjectName) {
        if let Some((priority, number)) = self.places.remove(name) {
            self.active.remove(&(priority, number, name.clone()));
        }
        self.parked.remove(name);
        self.delayed.remove(name);
        self.failures.remove(name);
    }

    /// The pod to try next.
    pub(super) fn take(&mut self) -> Option<ObjectName> {
        let (.., name) = self.active.pop_first()?;
        self.places.remove(&name);
        Some(name)
    }

    pub(super) fn has_active(&self) -> bool {
        !self.active.is_empty()
    }

    /// Lets a pod wait until something changes that these filters look at.
    pub(super) fn park(&mut self, pod: Arc<PodInfo>, plugins: BTreeSet<Plugin>, now: Moment) {
        self.parked.insert(pod.name.clone(), Parked { pod, plugins, since: now });
    }

    /// Lets a pod wait for a while, longer each time.
    pub(super) fn delay(&mut self, pod: &PodInfo, now: Moment) {
        let failures = self.failures.entry(pod.name.clone()).or_default();
        let wait = (FIRST_BACK_OFF << (*failures).min(8)).min(LONGEST_BACK_OFF);
        *failures += 1;
        // The first tick behind the end of the wait.
        let at = Moment(((now.0 + wait) / TICK + 1) * TICK);
        self.delayed.insert(pod.name.clone(), (at, pod.priority));
    }

    /// Puts those back among the ones to be tried whose wait is over.
    pub(super) fn flush(&mut self, now: Moment) {
        let over = |(name, (at, priority)): (&ObjectName, &(Moment, i64))| {
            (*at <= now).then(|| (name.clone(), *priority))
        };
        let due: Vec<(ObjectName, i64)> = self.delayed.iter().filter_map(over).collect();
        let parked = self.parked.values().filter(|parked| parked.since + LONGEST_WAIT <= now);
        let parked: Vec<(ObjectName, i64)> =
            parked.map(|parked| (parked.pod.name.clone(), parked.pod.priority)).collect();
        for (name, priority) in due.into_iter().chain(parked) {
            self.add(&name, priority);
        }
    }

    /// When the next wait is over, and whether it is that of a pod that waits for a change.
    pub(super) fn next(&self) -> Option<(Moment, bool)> {
        let delayed = self.delayed.values().map(|(at, _)| (*at, false)).min();
        let parked = self.parked.values().map(|parked| (parked.since + LONGEST_WAIT, true)).min();
        delayed.into_iter().chain(parked).min()
    }

    /// Puts those back among the ones to be tried whom an event may help.
    pub(super) fn tell(&mut self, event: &Event<'_>) {
        let helped: Vec<(ObjectName, i64)> = self
            .parked
            .values()
            .filter(|parked| parked.plugins.iter().any(|plugin| helps(*plugin, &parked.pod, event)))
            .map(|parked| (parked.pod.name.clone(), parked.pod.priority))
            .collect();
        for (name, priority) in helped {
            self.add(&name, priority);
        }
    }
}

/// True if an event may turn the refusal of a filter.
fn helps(plugin: Plugin, pod: &PodInfo, event: &Event<'_>) -> bool {
    match event {
        Event::Node(before, node) => node_helps(plugin, pod, *before, node),
        Event::Placed(other) => match plugin {
            Plugin::Spread => {
                let mut constraints = pod.spread.iter();
                constraints.any(|constraint| constraint.selector.matches_labels(&other.labels))
            }
            Plugin::Neighbours => pod.near.iter().any(|term| term.selector.matches_labels(&other.labels)),
            _ => false,
        },
        Event::Gone(node) => match plugin {
            Plugin::Resources => shortage(pod, node).is_none(),
            Plugin::Ports | Plugin::Spread | Plugin::Neighbours => true,
            _ => false,
        },
        Event::Volume => plugin == Plugin::Volumes,
    }
}

fn node_helps(plugin: Plugin, pod: &PodInfo, before: Option<&NodeInfo>, node: &NodeInfo) -> bool {
    let tolerated = |node: &NodeInfo| keeps_out(&node.hard, &pod.tolerations).is_none();
    let selected = |node: &NodeInfo| pod.selection.accepts(&node.name, &node.labels);
    match plugin {
        Plugin::Unschedulable => {
            !node.is_unschedulable && before.is_none_or(|before| before.is_unschedulable)
        }
        Plugin::Taints => tolerated(node) && before.is_none_or(|before| !tolerated(before)),
        Plugin::Selection => selected(node) && before.is_none_or(|before| !selected(before)),
        Plugin::Resources => before.is_none_or(|before| {
            let is_larger = before.allocatable != node.allocatable || before.most_pods != node.most_pods;
            // Nodes with taints were not looked at for room before.
            is_larger && shortage(pod, node).is_none() || before.hard != node.hard
        }),
        Plugin::Name | Plugin::Ports => before.is_none(),
        Plugin::Volumes | Plugin::Spread | Plugin::Neighbours => {
            before.is_none_or(|before| before.labels != node.labels)
        }
    }
}
