//! Spreading pods over zones, nodes and other domains.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/plugins/podtopologyspread`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cache::Cache;
use super::filters::Reason;
use super::node_info::NodeInfo;
use super::pod_info::{PodInfo, SpreadConstraint};
use crate::object::ObjectName;
use crate::taints::keeps_out;

/// The label that tells nodes apart.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// One constraint with the pods that are there already.
#[derive(Debug)]
struct Counted<'c> {
    constraint: &'c SpreadConstraint,
    by_domain: BTreeMap<&'c str, i64>,
    fewest: i64,
    counts_itself: i64,
}

/// How one pod is to be spread.
#[derive(Debug, Default)]
pub(super) struct Spread<'c> {
    hard: Vec<Counted<'c>>,
    soft: Vec<Counted<'c>>,
}

impl<'c> Spread<'c> {
    pub(super) fn new(pod: &'c PodInfo, cache: &'c Cache, without: &BTreeSet<ObjectName>) -> Self {
        let counted = |constraints| count(constraints, pod, cache, without);
        Self { hard: counted(&pod.spread), soft: counted(&pod.spread_softly) }
    }

    pub(super) fn refusal(&self, node: &NodeInfo) -> Option<Reason> {
        self.hard.iter().find_map(|counted| {
            let Some(domain) = node.labels.get(&counted.constraint.topology) else {
                return Some(Reason::NoDomain);
            };
            let present = counted.by_domain.get(domain.as_str()).copied().unwrap_or_default();
            let skew = present + counted.counts_itself - counted.fewest;
            (skew > counted.constraint.max_skew).then_some(Reason::Skew)
        })
    }

    /// True if no node is refused.
    pub(super) fn refuses_nothing(&self) -> bool {
        self.hard.is_empty()
    }

    /// True if preferences tell nodes apart.
    pub(super) fn scores_anything(&self) -> bool {
        !self.soft.is_empty()
    }

    /// How full the domains of a node are; `None` for nodes outside of the domains.
    pub(super) fn crowd(&self, node: &NodeInfo, nodes: usize) -> Option<f64> {
        let mut sum = 0.0;
        for counted in &self.soft {
            let domain = node.labels.get(&counted.constraint.topology)?;
            let present = counted.by_domain.get(domain.as_str()).copied().unwrap_or_default();
            let domains =
                if counted.constraint.topology == HOSTNAME { nodes } else { counted.by_domain.len() };
            sum += crowd_of(present, domains, counted.constraint.max_skew);
        }
        Some(sum)
    }
}

/// What the pods of a domain weigh: more where there are fewer domains, so that all constraints count alike.
pub(super) fn crowd_of(present: i64, domains: usize, max_skew: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of pods and nodes are far below 2^52")]
    let (present, weight, slack) = (present as f64, ((domains + 2) as f64).ln(), (max_skew - 1) as f64);
    present * weight + slack
}

fn count<'c>(
    constraints: &'c [SpreadConstraint],
    pod: &PodInfo,
    cache: &'c Cache,
    without: &BTreeSet<ObjectName>,
) -> Vec<Counted<'c>> {
    let has_all = |node: &NodeInfo| constraints.iter().all(|one| node.labels.contains_key(&one.topology));
    let counted = |constraint: &'c SpreadConstraint| {
        let counts = |node: &NodeInfo| {
            (!constraint.honors_selection || pod.selection.accepts(&node.name, &node.labels))
                && (!constraint.honors_taints || keeps_out(&node.hard, &pod.tolerations).is_none())
        };
        let mut by_domain: BTreeMap<&str, i64> = BTreeMap::new();
        for node in cache.nodes.iter().filter(|node| has_all(node) && counts(node)) {
            if let Some(domain) = node.labels.get(&constraint.topology) {
                by_domain.entry(domain).or_default();
            }
        }
        let same = |other: &&Arc<PodInfo>| {
            !other.node.is_empty()
                && !other.is_terminating
                && other.name != pod.name
                && !without.contains(&other.name)
                && constraint.selector.matches_labels(&other.labels)
        };
        for other in cache.in_namespace(&pod.name.namespace).filter(same) {
            let node = cache.node(&other.node).filter(|node| has_all(node) && counts(node));
            let domain = node.and_then(|node| node.labels.get(&constraint.topology));
            if let Some(count) = domain.and_then(|domain| by_domain.get_mut(domain.as_str())) {
                *count += 1;
            }
        }
        let is_short = i64::try_from(by_domain.len()).unwrap_or(i64::MAX) < constraint.min_domains;
        let fewest = if is_short { 0 } else { by_domain.values().copied().min().unwrap_or_default() };
        let counts_itself = i64::from(constraint.selector.matches_labels(&pod.labels));
        Counted { constraint, by_domain, fewest, counts_itself }
    };
    constraints.iter().map(counted).collect()
}
