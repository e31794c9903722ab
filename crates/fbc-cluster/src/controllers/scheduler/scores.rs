//! Which of the nodes that a pod may be on is best: each view gives up to 100 points, and has a weight.
//!
//! Source: `kubernetes/kubernetes:pkg/scheduler/framework/plugins`, weights of the default profile.

use super::cache::Cache;
use super::filters::Question;
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use super::spread::crowd_of;
use crate::taints::{Effect, Toleration};

const BEST: i64 = 100;

const TAINTS: i64 = 3;
const SELECTION: i64 = 2;
const SPREAD: i64 = 2;
const NEIGHBOURS: i64 = 2;
const LEAST_ALLOCATED: i64 = 1;
const BALANCE: i64 = 1;

/// How uneven replicas of one owner may be over zones and nodes before it counts, without constraints of their own.
const ZONE_SKEW: i64 = 5;
const NODE_SKEW: i64 = 3;

/// The best of some nodes; of equal ones the first by name.
pub(super) fn best<'n>(
    question: &Question<'_>,
    nodes: &[&'n NodeInfo],
    cache: &Cache,
) -> Option<&'n NodeInfo> {
    if let [only] = nodes {
        return Some(only);
    }
    let mut scores = vec![0_i64; nodes.len()];
    let pod = question.pod;
    add_taints(pod, nodes, &mut scores);
    add_selection(pod, nodes, &mut scores);
    add_spread(question, nodes, cache, &mut scores);
    add_neighbours(question, nodes, &mut scores);
    for (score, node) in scores.iter_mut().zip(nodes) {
        *score += LEAST_ALLOCATED * least_allocated(pod, node) + BALANCE * balance(pod, node);
    }
    let ranked = nodes.iter().zip(scores);
    let (node, _) = ranked
        .max_by(|(one, first), (other, second)| first.cmp(second).then_with(|| other.name.cmp(&one.name)))?;
    Some(node)
}

/// Fewer taints that the pod would rather not have.
fn add_taints(pod: &PodInfo, nodes: &[&NodeInfo], scores: &mut [i64]) {
    if nodes.iter().all(|node| node.soft.is_empty()) {
        scores.iter_mut().for_each(|score| *score += TAINTS * BEST);
        return;
    }
    let tolerations: Vec<&Toleration> =
        pod.tolerations.iter().filter(|one| one.is_for(Effect::PreferNoSchedule)).collect();
    let disliked = |node: &NodeInfo| {
        let taints = node.soft.iter();
        let count = taints.filter(|taint| !tolerations.iter().any(|one| one.tolerates(taint))).count();
        i64::try_from(count).unwrap_or_default()
    };
    let counts: Vec<i64> = nodes.iter().map(|node| disliked(node)).collect();
    let most = counts.iter().copied().max().unwrap_or_default();
    for (score, count) in scores.iter_mut().zip(counts) {
        *score += TAINTS * if most == 0 { BEST } else { BEST - BEST * count / most };
    }
}

/// More of the preferred labels.
fn add_selection(pod: &PodInfo, nodes: &[&NodeInfo], scores: &mut [i64]) {
    let preferred = &pod.selection.preferred;
    if preferred.is_empty() {
        return;
    }
    let liked = |node: &NodeInfo| -> i64 {
        let terms = preferred.iter().filter(|(_, term)| term.accepts(&node.name, &node.labels));
        terms.map(|(weight, _)| *weight).sum()
    };
    let sums: Vec<i64> = nodes.iter().map(|node| liked(node)).collect();
    let most = sums.iter().copied().max().unwrap_or_default();
    for (score, sum) in scores.iter_mut().zip(sums).filter(|_| most > 0) {
        *score += SELECTION * (BEST * sum / most);
    }
}

/// Fewer pods of the same kind in the same domain.
fn add_spread(question: &Question<'_>, nodes: &[&NodeInfo], cache: &Cache, scores: &mut [i64]) {
    let crowds: Vec<Option<f64>> = if question.spread.scores_anything() {
        nodes.iter().map(|node| question.spread.crowd(node, nodes.len())).collect()
    } else if let Some(counts) = cache.of_owner(question.pod) {
        let of = |counts: &std::collections::BTreeMap<String, i64>, key: &String| {
            counts.get(key).copied().unwrap_or_default()
        };
        let crowd = |node: &&NodeInfo| {
            let in_zone = crowd_of(of(&counts.by_zone, &node.zone), cache.zones.len(), ZONE_SKEW);
            Some(in_zone + crowd_of(of(&counts.by_node, &node.name), nodes.len(), NODE_SKEW))
        };
        nodes.iter().map(crowd).collect()
    } else {
        return;
    };
    #[expect(clippy::cast_possible_truncation, reason = "sums of small numbers")]
    let crowds: Vec<Option<i64>> =
        crowds.into_iter().map(|crowd| crowd.map(|crowd| crowd.round() as i64)).collect();
    let least = crowds.iter().flatten().copied().min().unwrap_or_default();
    let most = crowds.iter().flatten().copied().max().unwrap_or_default();
    for (score, crowd) in scores.iter_mut().zip(crowds) {
        *score += SPREAD
            * match crowd {
                None => 0,
                Some(_) if most == 0 => BEST,
                Some(crowd) => BEST * (most + least - crowd) / most,
            };
    }
}

/// More pods that are preferred near, fewer that are preferred away.
fn add_neighbours(question: &Question<'_>, nodes: &[&NodeInfo], scores: &mut [i64]) {
    if !question.neighbours.scores_anything() {
        return;
    }
    let sums: Vec<i64> = nodes.iter().map(|node| question.neighbours.score(node)).collect();
    let (least, most) =
        (sums.iter().copied().min().unwrap_or_default(), sums.iter().copied().max().unwrap_or_default());
    for (score, sum) in scores.iter_mut().zip(sums).filter(|_| most > least) {
        *score += NEIGHBOURS * (BEST * (sum - least) / (most - least));
    }
}

/// More room that is left.
fn least_allocated(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let Some(all) = &node.allocatable else { return BEST };
    let left = |all: i64, used: i64| if all <= 0 || used > all { 0 } else { (all - used) * BEST / all };
    let cpu = left(all.cpu, node.compared.0 + pod.compared.0);
    let memory = left(all.memory, node.compared.1 + pod.compared.1);
    i64::midpoint(cpu, memory)
}

/// Processors and memory used to the same part.
fn balance(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let Some(all) = &node.allocatable else { return BEST };
    if pod.requests.cpu == 0 && pod.requests.memory == 0 {
        return 0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share is an approximation")]
    let part = |used: i64, all: i64| if all <= 0 { 1.0 } else { (used as f64 / all as f64).min(1.0) };
    let cpu = part(node.used.cpu + pod.requests.cpu, all.cpu);
    let memory = part(node.used.memory + pod.requests.memory, all.memory);
    #[expect(clippy::cast_possible_truncation, reason = "at most a hundred")]
    let points = ((1.0 - (cpu - memory).abs() / 2.0) * 100.0) as i64;
    points
}
