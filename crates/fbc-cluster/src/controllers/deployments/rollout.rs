//! From one revision to the next: step by step, or all at once.

use super::Sync;
use super::replica_sets::Sets;
use super::spec::{count, is_recreate, may_lack, size, surge, wanted};
use crate::controllers::claims::owned;
use crate::controllers::pods::is_finished;
use crate::engine::Outcome;
use crate::error::ApiError;
use crate::object::Object;

/// How many pods the new replica set may want, given how many all want now and it does.
pub(super) fn size_of_new(deployment: &Object, total: i64, present: i64) -> i64 {
    let wanted = wanted(deployment);
    if is_recreate(deployment) {
        return wanted;
    }
    let room = wanted + surge(deployment) - total;
    if room <= 0 { present } else { present + room.min(wanted - present) }
}

impl Sync<'_> {
    /// New pods come and old ones go within the limits of the strategy.
    pub(super) fn roll(&mut self, mut sets: Sets) -> Result<Outcome, ApiError> {
        if sets.new.is_none() {
            sets = self.sets(sets.old, true)?;
        }
        let scaled = self.grow_new(&mut sets)? || self.shrink_old(&mut sets)?;
        if !scaled && self.is_complete(&self.deployment["status"]) {
            self.clean_up(&sets)?;
        }
        self.write_progress(&sets)
    }

    /// New pods come once all old ones are gone.
    pub(super) fn recreate(&mut self, mut sets: Sets) -> Result<Outcome, ApiError> {
        let mut scaled = false;
        for set in sets.old.clone() {
            scaled |= size(&set) > 0 && self.resize(&mut sets, &set, 0)?;
        }
        if scaled || self.old_pods_run(&sets) {
            return self.write_progress(&sets);
        }
        if sets.new.is_none() {
            sets = self.sets(sets.old, true)?;
        }
        if let Some(new) = sets.new.clone() {
            self.resize(&mut sets, &new, wanted(&self.deployment))?;
        }
        if self.is_complete(&self.deployment["status"]) {
            self.clean_up(&sets)?;
        }
        self.write_progress(&sets)
    }

    fn old_pods_run(&self, sets: &Sets) -> bool {
        let Some(kind) = self.api.kind_id("", "Pod") else { return false };
        sets.old.iter().any(|set| {
            count(set, "replicas") > 0 || owned(self.api, set, kind).iter().any(|pod| !is_finished(pod))
        })
    }

    fn grow_new(&mut self, sets: &mut Sets) -> Result<bool, ApiError> {
        let Some(new) = sets.new.clone() else { return Ok(false) };
        let (present, wanted) = (size(&new), wanted(&self.deployment));
        if present == wanted {
            return Ok(false);
        }
        let next =
            if present > wanted { wanted } else { size_of_new(&self.deployment, sets.total(), present) };
        self.resize(sets, &new, next)
    }

    fn shrink_old(&mut self, sets: &mut Sets) -> Result<bool, ApiError> {
        let Some(new) = sets.new.clone() else { return Ok(false) };
        if sets.old.iter().all(|set| size(set) == 0) {
            return Ok(false);
        }
        let least = wanted(&self.deployment) - may_lack(&self.deployment);
        let new_unavailable = size(&new) - count(&new, "availableReplicas");
        let most = sets.total() - least - new_unavailable;
        if most <= 0 {
            return Ok(false);
        }
        let removed = self.shrink_unhealthy(sets, most)?;
        let spare = sets.sum("availableReplicas") - least;
        Ok(self.shrink_by(sets, spare)? + removed > 0)
    }

    /// Pods of old revisions that do not serve go first: else they would block the rollout.
    fn shrink_unhealthy(&mut self, sets: &mut Sets, most: i64) -> Result<i64, ApiError> {
        let mut removed = 0;
        for set in sets.old.clone() {
            let unhealthy = size(&set) - count(&set, "availableReplicas");
            let part = unhealthy.min(most - removed);
            if size(&set) > 0 && part > 0 {
                self.resize(sets, &set, size(&set) - part)?;
                removed += part;
            }
        }
        Ok(removed)
    }

    fn shrink_by(&mut self, sets: &mut Sets, most: i64) -> Result<i64, ApiError> {
        let mut removed = 0;
        for set in sets.old.clone() {
            let part = size(&set).min(most - removed);
            if part > 0 {
                self.resize(sets, &set, size(&set) - part)?;
                removed += part;
            }
        }
        Ok(removed)
    }
}
