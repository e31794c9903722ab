//! What a simulated cluster may take, and what is said when it takes more.

use fbc_cluster::budget::{Budget, Exhausted};

use crate::failure::Failure;
use crate::limits;

/// The budget of the clusters of this process.
pub(super) fn settled() -> Budget {
    Budget {
        objects: limits::most("cluster-objects"),
        bytes: limits::most("cluster-bytes"),
        writes: limits::most("cluster-writes"),
        work: limits::most("cluster-work"),
    }
}

/// A budget that is used up.
pub(super) fn failure(exhausted: Exhausted) -> Failure {
    let name = match exhausted {
        Exhausted::Objects(_) => "cluster-objects",
        Exhausted::Bytes(_) => "cluster-bytes",
        Exhausted::Writes(_) => "cluster-writes",
        Exhausted::Work(_) => "cluster-work",
    };
    limits::failure(name, exhausted)
}
