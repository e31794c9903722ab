//! What a cluster may take, and what it has taken: memory, writes and work.

use std::cell::Cell;

use super::service_addresses::is_service;
use super::{ApiServer, Subresource};
use crate::budget::{Budget, Exhausted, MOST_OBJECT_BYTES, SharedWork, Size, WORK_OF_A_STEP};
use crate::error::{ApiError, Reason};
use crate::kind::Kind;
use crate::object::Object;

impl ApiServer {
    /// Limits what the cluster may take from now on.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Counts the work of this cluster, also what it did already, together with that of others.
    pub fn share_work(&mut self, with: SharedWork) {
        self.shared_work = Some((with, Cell::new(0)));
    }

    /// The budget that is used up, if one is. Writes beyond it are refused.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let most = self.budget.work;
        self.exhausted.or_else(|| (self.work() > most).then_some(Exhausted::Work(most)))
    }

    /// The work that counts for the budget.
    fn work(&self) -> u64 {
        let own = self.store.looks();
        match &self.shared_work {
            Some((shared, counted)) => shared.add(own - counted.replace(own)),
            None => own,
        }
    }

    /// Counts one more thing that a controller does.
    pub(crate) fn count_step(&self) {
        self.store.look(WORK_OF_A_STEP);
    }

    /// Counts work that a controller does on what is no object of the cluster, such as the bundles of a catalog.
    pub fn count_work(&self, units: u64) {
        self.store.look(units);
    }

    /// The memory of an object that is to be stored, or the refusal of one for which there is no room. What a service was given
    /// for it is taken back then.
    pub(super) fn afford_or_revert(
        &mut self,
        kind: &Kind,
        subresource: Subresource,
        before: Option<&Object>,
        object: &Object,
    ) -> Result<u64, ApiError> {
        let afforded = self.afford(object, before.is_none());
        if afforded.is_err() && subresource == Subresource::None && is_service(kind) {
            self.addresses.revert(before, object);
        }
        afforded
    }

    /// The memory of an object, or the refusal of one for which there is no room.
    fn afford(&mut self, object: &Object, is_new: bool) -> Result<u64, ApiError> {
        let size = Size::of(object);
        if size.json > MOST_OBJECT_BYTES {
            return Err(ApiError::other(Reason::InternalError, "etcdserver: request is too large"));
        }
        let budget = &self.budget;
        let passed = if is_new && self.store.len() as u64 >= budget.objects {
            Exhausted::Objects(budget.objects)
        } else if self.store.bytes() + size.memory > budget.bytes {
            Exhausted::Bytes(budget.bytes)
        } else if self.store.revision() >= budget.writes {
            Exhausted::Writes(budget.writes)
        } else {
            return Ok(size.memory);
        };
        self.exhausted.get_or_insert(passed);
        Err(ApiError::other(Reason::InternalError, "etcdserver: mvcc: database space exceeded"))
    }
}
