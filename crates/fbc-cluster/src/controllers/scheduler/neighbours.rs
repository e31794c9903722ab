//! Pods that pods want near, or away: affinity between pods.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/plugins/interpodaffinity`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cache::Cache;
use super::filters::Reason;
use super::node_info::NodeInfo;
use super::node_selection::Labels;
use super::pod_info::{PodInfo, PodTerm};
use crate::object::ObjectName;

/// What a required term weighs where nodes are compared.
const REQUIRED: i64 = 1;

/// How many pods there are in each value of each topology label.
type Counts<'c> = BTreeMap<(&'c str, String), i64>;

/// What is known of the neighbours of one pod.
#[derive(Debug, Default)]
pub(super) struct Neighbours<'c> {
    near: &'c [PodTerm],
    away: &'c [PodTerm],
    /// The pod itself is what it wants near it.
    suits_itself: bool,
    near_counts: Vec<Counts<'c>>,
    away_counts: Counts<'c>,
    /// Where pods are that do not want this one.
    guarded: Counts<'c>,
    scores: Counts<'c>,
}

impl<'c> Neighbours<'c> {
    pub(super) fn new(
        pod: &'c PodInfo,
        cache: &'c Cache,
        without: &BTreeSet<ObjectName>,
        namespaces: &dyn Fn(&str) -> Labels,
    ) -> Self {
        let mut found = Self { near: &pod.near, away: &pod.away, ..Self::default() };
        for other in cache.guarded.values().filter(|other| !without.contains(&other.name)) {
            for term in other.away.iter().filter(|term| term.means(pod, namespaces)) {
                add(&mut found.guarded, cache, other, &term.topology, 1);
            }
        }
        for other in cache.attached.values() {
            let required = other.near.iter().map(|term| (REQUIRED, term));
            let preferred = other.preferred.iter().map(|(weight, term)| (*weight, term));
            for (weight, term) in required.chain(preferred).filter(|(_, term)| term.means(pod, namespaces)) {
                add(&mut found.scores, cache, other, &term.topology, weight);
            }
        }
        if pod.near.is_empty() && pod.away.is_empty() && pod.preferred.is_empty() {
            return found;
        }
        found.suits_itself = pod.near.iter().all(|term| term.means(pod, namespaces));
        found.near_counts = pod.near.iter().map(|_| Counts::new()).collect();
        let counts = |other: &&Arc<PodInfo>| !other.node.is_empty() && !without.contains(&other.name);
        for other in cache.pods.values().filter(counts) {
            // A pod counts for the terms of affinity only if it is what all of them mean.
            if !pod.near.is_empty() && pod.near.iter().all(|term| term.means(other, namespaces)) {
                for (term, counts) in pod.near.iter().zip(&mut found.near_counts) {
                    add(counts, cache, other, &term.topology, 1);
                }
            }
            for term in pod.away.iter().filter(|term| term.means(other, namespaces)) {
                add(&mut found.away_counts, cache, other, &term.topology, 1);
            }
            for (weight, term) in pod.preferred.iter().filter(|(_, term)| term.means(other, namespaces)) {
                add(&mut found.scores, cache, other, &term.topology, *weight);
            }
        }
        found
    }

    /// True if no node is refused.
    pub(super) fn refuses_nothing(&self) -> bool {
        self.near.is_empty() && self.away.is_empty() && self.guarded.is_empty()
    }

    pub(super) fn refusal(&self, node: &NodeInfo) -> Option<Reason> {
        if !self.near.is_empty() && !self.has_all_near(node) {
            return Some(Reason::NotNear);
        }
        let has = |counts: &Counts<'_>, topology: &str| {
            let value = node.labels.get(topology);
            value.is_some_and(|value| counts.get(&(topology, value.clone())).is_some_and(|count| *count > 0))
        };
        if self.away.iter().any(|term| has(&self.away_counts, &term.topology)) {
            return Some(Reason::NotAway);
        }
        let mut guarded = self.guarded.iter().filter(|(_, count)| **count > 0);
        guarded
            .any(|((topology, value), _)| node.labels.get(*topology) == Some(value))
            .then_some(Reason::Guarded)
    }

    fn has_all_near(&self, node: &NodeInfo) -> bool {
        let value = |term: &PodTerm| node.labels.get(&term.topology).cloned();
        let Some(values) = self.near.iter().map(value).collect::<Option<Vec<String>>>() else { return false };
        // The first of its kind may begin anywhere.
        if self.suits_itself && self.near_counts.iter().all(BTreeMap::is_empty) {
            return true;
        }
        let counts = |((term, value), counts): ((&PodTerm, String), &Counts<'_>)| {
            counts.get(&(term.topology.as_str(), value)).is_some_and(|count| *count > 0)
        };
        self.near.iter().zip(values).zip(&self.near_counts).all(counts)
    }

    /// True if preferences tell nodes apart.
    pub(super) fn scores_anything(&self) -> bool {
        !self.scores.is_empty()
    }

    /// The sum of the weights of what is near the node.
    pub(super) fn score(&self, node: &NodeInfo) -> i64 {
        let is_here =
            |topology: &str, value: &String| node.labels.get(topology).is_some_and(|own| own == value);
        let scores = self.scores.iter().filter(|((topology, value), _)| is_here(topology, value));
        scores.map(|(_, weight)| *weight).sum()
    }
}

fn add<'c>(counts: &mut Counts<'c>, cache: &Cache, pod: &PodInfo, topology: &'c str, weight: i64) {
    let value = cache.node(&pod.node).and_then(|node| node.labels.get(topology));
    if let Some(value) = value {
        *counts.entry((topology, value.clone())).or_default() += weight;
    }
}
