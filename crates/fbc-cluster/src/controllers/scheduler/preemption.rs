//! Making room for a pod by removing pods of lower priority.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/preemption/preemption.go`,
//! `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cache::Cache;
use super::filters::{Question, Refusal};
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use crate::api::ApiServer;
use crate::object::{ObjectFields, ObjectName};
use crate::selector::LabelSelector;

/// A node and the pods that would have to go.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) node: String,
    pub(super) victims: Vec<Arc<PodInfo>>,
    violations: usize,
}

/// The node where the least is lost for a pod.
pub(super) fn preempt(
    pod: &PodInfo,
    refusals: &BTreeMap<String, Refusal>,
    cache: &Cache,
    api: &ApiServer,
) -> Result<Candidate, NoCandidate> {
    if !pod.preempts {
        return Err(NoCandidate::Never);
    }
    let makes_room = |other: &Arc<PodInfo>| other.is_terminating && other.priority < pod.priority;
    if cache.node(&pod.nominated).is_some_and(|node| node.pods.values().any(makes_room)) {
        return Err(NoCandidate::Terminating);
    }
    let (mut best, mut tried, mut hopeless) = (None, 0_usize, 0_usize);
    let budgets = Budgets::new(api);
    let mut nodes: Vec<&NodeInfo> = cache.nodes.iter().collect();
    nodes.sort_by(|one, other| one.name.cmp(&other.name));
    for node in nodes {
        if refusals.get(&node.name).is_none_or(|refusal| !refusal.may_change) {
            hopeless += 1;
            continue;
        }
        tried += 1;
        let Some(candidate) = candidate(pod, node, cache, api, &budgets) else { continue };
        if best.as_ref().is_none_or(|best| loss(&candidate) < loss(best)) {
            best = Some(candidate);
        }
    }
    best.ok_or(NoCandidate::Nodes { all: cache.nodes.len(), tried, hopeless })
}

/// Why room cannot be made for a pod, in the words of its condition.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoCandidate {
    #[error("not eligible due to preemptionPolicy=Never.")]
    Never,
    #[error("not eligible due to a terminating pod on the nominated node.")]
    Terminating,
    #[error("0/{all} nodes are available: {}.", counted(*tried, *hopeless))]
    Nodes { all: usize, tried: usize, hopeless: usize },
}

fn counted(tried: usize, hopeless: usize) -> String {
    let counts = [
        (tried, "No preemption victims found for incoming pod"),
        (hopeless, "Preemption is not helpful for scheduling"),
    ];
    let mut reasons: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{count} {text}"))
        .collect();
    reasons.sort();
    reasons.join(", ")
}

/// How much is lost: broken budgets, the highest priority, the sum of priorities, the number, the age.
fn loss(candidate: &Candidate) -> (usize, i64, i64, usize, Reverse<String>) {
    let highest = candidate.victims.iter().map(|pod| pod.priority).max().unwrap_or(i64::MIN);
    // Priorities may be negative: each pod counts for something.
    let sum = candidate.victims.iter().map(|pod| pod.priority + (1 << 31)).sum();
    let oldest =
        candidate.victims.iter().filter(|pod| pod.priority == highest).map(|pod| pod.made.clone()).min();
    (candidate.violations, highest, sum, candidate.victims.len(), Reverse(oldest.unwrap_or_default()))
}

/// The fewest pods that have to leave a node so that the pod may be there.
fn candidate(
    pod: &PodInfo,
    node: &NodeInfo,
    cache: &Cache,
    api: &ApiServer,
    budgets: &Budgets,
) -> Option<Candidate> {
    let mut lower: Vec<Arc<PodInfo>> =
        node.pods.values().filter(|other| other.priority < pod.priority).cloned().collect();
    if lower.is_empty() {
        return None;
    }
    // The most important first: these get their place back first.
    lower.sort_by(|one, other| {
        (Reverse(one.priority), &one.made).cmp(&(Reverse(other.priority), &other.made))
    });
    let mut without: BTreeSet<ObjectName> = lower.iter().map(|pod| pod.name.clone()).collect();
    let mut room = node.clone();
    lower.iter().for_each(|pod| room.remove(&pod.name));
    let fits = |room: &NodeInfo, without: &BTreeSet<ObjectName>| {
        Question::new(pod, cache, without, api).is_ok_and(|question| question.refusal(room).is_none())
    };
    if !fits(&room, &without) {
        return None;
    }
    let (broken, kept): (Vec<_>, Vec<_>) = budgets.split(lower);
    let (mut victims, mut violations) = (Vec::new(), 0);
    let all = broken.into_iter().map(|pod| (pod, true)).chain(kept.into_iter().map(|pod| (pod, false)));
    for (other, breaks) in all {
        room.add(Arc::clone(&other));
        without.remove(&other.name);
        if !fits(&room, &without) {
            room.remove(&other.name);
            without.insert(other.name.clone());
            violations += usize::from(breaks);
            victims.push(other);
        }
    }
    Some(Candidate { node: node.name.clone(), victims, violations })
}

/// What disruption budgets still allow.
struct Budgets(Vec<(String, LabelSelector, i64)>);

impl Budgets {
    fn new(api: &ApiServer) -> Self {
        let budgets = api.all("policy", "PodDisruptionBudget");
        Self(
            budgets
                .filter_map(|budget| {
                    let selector = LabelSelector::of_object(budget.at(&["spec", "selector"])).ok()?;
                    let allowed = budget.number(&["status", "disruptionsAllowed"]).unwrap_or_default();
                    Some((budget.namespace().to_owned(), selector, allowed))
                })
                .collect(),
        )
    }

    /// Pods whose loss would break a budget, and the others.
    fn split(&self, pods: Vec<Arc<PodInfo>>) -> (Vec<Arc<PodInfo>>, Vec<Arc<PodInfo>>) {
        let mut left: Vec<i64> = self.0.iter().map(|(.., allowed)| *allowed).collect();
        pods.into_iter().partition(|pod| {
            let mut breaks = false;
            for ((namespace, selector, _), left) in self.0.iter().zip(&mut left) {
                if *namespace == pod.name.namespace && selector.matches_labels(&pod.labels) {
                    *left -= 1;
                    breaks |= *left < 0;
                }
            }
            breaks
        })
    }
}
