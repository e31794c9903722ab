//! Changes of the number of replicas, spread over the replica sets of a rollout.

use std::cmp::Reverse;
use std::sync::Arc;

use super::Sync;
use super::replica_sets::{Sets, age};
use super::spec::{DESIRED, MOST, count, is_recreate, size, surge, wanted};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

impl Sync<'_> {
    /// Sizes the replica sets to the number of replicas that is wanted now.
    pub(super) fn scale(&mut self, mut sets: Sets) -> Result<Sets, ApiError> {
        let wanted = wanted(&self.deployment);
        let active: Vec<Arc<Object>> = sets.all().filter(|set| size(set) > 0).cloned().collect();
        let only = match active.as_slice() {
            [] => sets.new.clone().or_else(|| sets.old.last().cloned()),
            [only] => Some(Arc::clone(only)),
            _ => None,
        };
        if let Some(only) = only {
            self.resize(&mut sets, &only, wanted)?;
            return Ok(sets);
        }
        if sets.new.as_ref().is_some_and(|new| is_saturated(&self.deployment, new)) {
            for set in sets.old.clone() {
                if size(&set) > 0 {
                    self.resize(&mut sets, &set, 0)?;
                }
            }
            return Ok(sets);
        }
        if !is_recreate(&self.deployment) {
            for (set, replicas) in proportions(&self.deployment, active) {
                self.resize(&mut sets, &set, replicas)?;
            }
        }
        Ok(sets)
    }
}

fn is_saturated(deployment: &Object, set: &Object) -> bool {
    let wanted = wanted(deployment);
    set.annotation(DESIRED) == Some(wanted.to_string().as_str())
        && size(set) == wanted
        && count(set, "availableReplicas") == wanted
}

/// What each of several replica sets gets: as much as before in proportion; what is left over goes to the largest.
fn proportions(deployment: &Object, mut sets: Vec<Arc<Object>>) -> Vec<(Arc<Object>, i64)> {
    let wanted = wanted(deployment);
    let allowed = if wanted > 0 { wanted + surge(deployment) } else { 0 };
    let total: i64 = sets.iter().map(|set| size(set)).sum();
    let to_add = allowed - total;
    sets.sort_by_cached_key(|set| age(set));
    if to_add > 0 {
        sets.reverse();
    }
    sets.sort_by_key(|set| Reverse(size(set)));
    let mut added = 0;
    let mut sizes: Vec<(Arc<Object>, i64)> = Vec::new();
    for set in sets {
        let open = to_add - added;
        let part = fraction(deployment, &set);
        let part = match to_add {
            0 => 0,
            1.. => part.min(open),
            _ => part.max(open),
        };
        added += part;
        let next = size(&set) + part;
        sizes.push((set, next));
    }
    if let Some((_, largest)) = sizes.first_mut().filter(|_| to_add != 0) {
        *largest = (*largest + to_add - added).max(0);
    }
    sizes
}

fn fraction(deployment: &Object, set: &Object) -> i64 {
    if wanted(deployment) == 0 {
        return -size(set);
    }
    let most_before = set
        .annotation(MOST)
        .and_then(|number| number.parse::<i64>().ok())
        .filter(|most| *most != 0)
        .unwrap_or_else(|| deployment.number(&["status", "replicas"]).unwrap_or_default());
    if most_before <= 0 {
        return 0;
    }
    let most = wanted(deployment) + surge(deployment);
    // Rounded half up, in whole numbers.
    (2 * size(set) * most + most_before).div_euclid(2 * most_before) - size(set)
}
