//! What a cluster may take, and what it has taken: memory, writes and work.

use std::cell::Cell;

use super::service_addresses::is_service;
use super::{ApiServer, Subresource};
use crate::budget::{Budget, Exhausted, MOST_OBJECT_BYTES, SharedWork, Size, TooLarge, WORK_OF_A_STEP};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields};

/// A budget, and what is known of its use.
pub(super) struct Spending {
    budget: Budget,
    /// Whether what is beyond the budget is only refused, and the cluster goes on.
    is_outlived: bool,
    /// The budget that a write would have passed, and with which the cluster ends.
    exhausted: Option<Exhausted>,
    /// What other clusters do counts as well, and how much of the own work is counted there.
    shared_work: Option<(SharedWork, Cell<u64>)>,
    /// The version of the store when the reconciliation began that is going on.
    reconciling_since: u64,
}

/// A reconciliation that has written so often leaves the rest for another one. The controllers of a real cluster make 250 to 500
/// pods at a time, on threads of their own; here all others wait meanwhile, a small part of a second.
const MOST_WRITES_AT_A_TIME: u64 = 200;

impl Spending {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, is_outlived: false, exhausted: None, shared_work: None, reconciling_since: 0 }
    }
}

impl ApiServer {
    /// Limits what the cluster may take from now on.
    pub fn set_budget(&mut self, budget: Budget) {
        self.spending.budget = budget;
    }

    /// What the cluster may take.
    pub fn budget(&self) -> Budget {
        self.spending.budget
    }

    /// From now on the cluster lives on where its budget ends, as one whose disk is full: requests for which there is no room are
    /// refused until there is. Writes and work are counted by whoever serves it.
    pub fn outlive_budget(&mut self) {
        self.spending.is_outlived = true;
        self.spending.exhausted = None;
    }

    /// Counts the work of this cluster, also what it did already, together with that of others.
    pub fn share_work(&mut self, with: SharedWork) {
        self.spending.shared_work = Some((with, Cell::new(0)));
    }

    /// The budget with which the cluster ends, if one is used up. Writes beyond it are refused.
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.spending.is_outlived {
            return None;
        }
        let most = self.spending.budget.work;
        self.spending.exhausted.or_else(|| (self.work() > most).then_some(Exhausted::Work(most)))
    }

    /// The work that counts for the budget.
    fn work(&self) -> u64 {
        let own = self.store.looks();
        match &self.spending.shared_work {
            Some((shared, counted)) => shared.add(own - counted.replace(own)),
            None => own,
        }
    }

    /// Counts one more thing that a controller does.
    pub(crate) fn count_step(&mut self) {
        self.spending.reconciling_since = self.store.revision();
        self.store.look(WORK_OF_A_STEP);
    }

    /// Counts work that a controller does on what is no object of the cluster, such as the bundles of a catalog.
    pub fn count_work(&self, units: u64) {
        self.store.look(units);
    }

    /// Whether the reconciliation that is going on has written so much that it should leave the rest for another one: who makes,
    /// changes or deletes any number of objects asks between them, so that nobody waits for all of them.
    pub fn has_written_much(&self) -> bool {
        self.store.revision() - self.spending.reconciling_since >= MOST_WRITES_AT_A_TIME
    }

    /// The memory of an object that is to be stored, or the refusal of one for which there is no room. What a service was given
    /// for it is taken back then.
    pub(super) fn afford_or_revert(
        &mut self,
        (id, kind): (KindId, &Kind),
        subresource: Subresource,
        before: Option<&Object>,
        object: &Object,
    ) -> Result<u64, ApiError> {
        let afforded = self.afford(id, object, before.is_none());
        if afforded.is_err() && subresource == Subresource::None && is_service(kind) {
            self.addresses.revert(before, object);
        }
        afforded
    }

    /// The memory of an object, or the refusal of one for which there is no room.
    fn afford(&mut self, id: KindId, object: &Object, is_new: bool) -> Result<u64, ApiError> {
        let size = Size::of(object);
        if size.json > MOST_OBJECT_BYTES {
            return Err(TooLarge.into());
        }
        let Spending { budget, is_outlived, .. } = self.spending;
        let passed = match self.lack_of_room(id, object, is_new, size.memory) {
            Some(_) if self.make_room(id, object, is_new, size.memory) => None,
            lack => lack,
        };
        let is_last = !is_outlived && self.store.revision() >= budget.writes;
        let Some(passed) = passed.or_else(|| is_last.then_some(Exhausted::Writes(budget.writes))) else {
            return Ok(size.memory);
        };
        if !is_outlived {
            self.spending.exhausted.get_or_insert(passed);
            return Err(passed.refusal());
        }
        let mut error = passed.refusal();
        if let Exhausted::Objects(_) = passed
            && let Some((most, count)) = self.store.most_common()
            && let Some(kind) = self.registry.get(most)
        {
            error.message = format!("{}; {count} of them are {}", error.message, kind.plural);
        }
        Err(error)
    }

    /// The budget that an object of so much memory would pass.
    fn lack_of_room(&self, id: KindId, object: &Object, is_new: bool, memory: u64) -> Option<Exhausted> {
        let budget = &self.spending.budget;
        if is_new && self.store.len() as u64 >= budget.objects {
            return Some(Exhausted::Objects(budget.objects));
        }
        let has_room = self.store.bytes() + memory <= budget.bytes
            || self.store.has_room(id, &object.object_name(), memory, budget.bytes);
        (!has_room).then_some(Exhausted::Bytes(budget.bytes))
    }

    /// Makes room for an object in place of the oldest events, which a real cluster forgets after an hour. Where time stands still
    /// they would never go, and a user sees few of them.
    fn make_room(&mut self, id: KindId, object: &Object, is_new: bool, memory: u64) -> bool {
        let Some(event) = self.kind_id("", "Event").filter(|event| is_new || *event != id) else {
            return false;
        };
        while self.store.remove_oldest(event) {
            if self.lack_of_room(id, object, is_new, memory).is_none() {
                return true;
            }
        }
        false
    }
}
