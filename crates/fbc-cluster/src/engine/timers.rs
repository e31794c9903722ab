//! What happens at moments of its own, the earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::object::ObjectName;
use crate::time::Moment;

/// Something that happens at a moment of its own.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timer {
    pub(super) at: Moment,
    /// Keeps timers of one moment in the order in which they were set.
    pub(super) number: u64,
    pub(super) controller: usize,
    pub(super) request: ObjectName,
    /// Whether it says nothing about whether the cluster is still.
    pub(super) routine: bool,
}

/// All timers. Routine is kept apart, so that nobody looks through it for something else.
#[derive(Debug, Default)]
pub(super) struct Timers {
    activity: BinaryHeap<Reverse<Timer>>,
    routine: BinaryHeap<Reverse<Timer>>,
}

impl Timers {
    pub(super) fn push(&mut self, timer: Timer) {
        let heap = if timer.routine { &mut self.routine } else { &mut self.activity };
        heap.push(Reverse(timer));
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Option<Moment> {
        let first = |heap: &BinaryHeap<Reverse<Timer>>| heap.peek().map(|Reverse(timer)| timer.at);
        first(&self.activity).into_iter().chain(first(&self.routine)).min()
    }

    /// The next one; of one moment, the one that was set first.
    pub(super) fn pop(&mut self) -> Option<Timer> {
        let is_routine = match (self.activity.peek(), self.routine.peek()) {
            (Some(Reverse(activity)), Some(Reverse(routine))) => routine < activity,
            (None, _) => true,
            (_, None) => false,
        };
        let heap = if is_routine { &mut self.routine } else { &mut self.activity };
        heap.pop().map(|Reverse(timer)| timer)
    }

    /// The next one that is not routine.
    pub(super) fn next_activity(&self) -> Option<&Timer> {
        self.activity.peek().map(|Reverse(timer)| timer)
    }

    /// Drops that one.
    pub(super) fn drop_next_activity(&mut self) {
        self.activity.pop();
    }

    /// All of them, in order.
    pub(super) fn into_sorted(self) -> Vec<Timer> {
        let mut all: Vec<Timer> =
            self.activity.into_iter().chain(self.routine).map(|Reverse(timer)| timer).collect();
        all.sort();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_come_in_the_order_of_their_moments() {
        let mut timers = Timers::default();
        for (number, (at, routine)) in
            [(5, false), (1, true), (5, true), (3, false), (1, false)].into_iter().enumerate()
        {
            let request = ObjectName::cluster(number.to_string());
            timers.push(Timer { at: Moment(at), number: number as u64, controller: 0, request, routine });
        }
        assert_eq!(timers.next(), Some(Moment(1)));
        assert_eq!(timers.next_activity().map(|timer| timer.number), Some(4));
        let order: Vec<u64> = std::iter::from_fn(|| timers.pop()).map(|timer| timer.number).collect();
        assert_eq!(order, [1, 4, 3, 0, 2]);
    }
}
