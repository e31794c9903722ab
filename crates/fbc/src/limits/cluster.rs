//! What a simulated cluster may take, and what is said when it takes more.

use fbc_cluster::budget::{Budget, Exhausted};

use super::Budgets;
use crate::failure::Failure;

impl Budgets {
    /// The budget of a simulated cluster.
    pub(crate) fn cluster(&self) -> Budget {
        Budget {
            objects: self.most("cluster-objects"),
            bytes: self.most("cluster-bytes"),
            writes: self.most("cluster-writes"),
            work: self.most("cluster-work"),
        }
    }
}

/// A budget that is used up.
pub(crate) fn failure(exhausted: Exhausted) -> Failure {
    super::failure(exhausted.limit(), exhausted)
}

/// The parts of a budget, by the names that users know.
pub(crate) fn named(budget: Budget) -> [(&'static str, u64); 4] {
    let Budget { objects, bytes, writes, work } = budget;
    let of = |part: Exhausted, most| (part.limit(), most);
    [
        of(Exhausted::Objects(objects), objects),
        of(Exhausted::Bytes(bytes), bytes),
        of(Exhausted::Writes(writes), writes),
        of(Exhausted::Work(work), work),
    ]
}
