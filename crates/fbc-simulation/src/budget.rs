//! What a simulated cluster may take, and what is said when it takes more.

use fbc_cluster::budget::{Budget, Exhausted};
use fbc_source::Error;

/// A budget that is used up.
#[must_use]
pub fn failure(exhausted: Exhausted) -> Error {
    Error::budget(exhausted.limit(), exhausted)
}

/// The parts of a budget, by the names that users know.
#[must_use]
pub fn named(budget: Budget) -> [(&'static str, u64); 4] {
    let Budget { objects, bytes, writes, work } = budget;
    let of = |part: Exhausted, most| (part.limit(), most);
    [
        of(Exhausted::Objects(objects), objects),
        of(Exhausted::Bytes(bytes), bytes),
        of(Exhausted::Writes(writes), writes),
        of(Exhausted::Work(work), work),
    ]
}
