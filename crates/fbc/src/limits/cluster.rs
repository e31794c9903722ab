//! What a simulated cluster may take, and what is said when it takes more.

use fbc_cluster::budget::{Budget, Exhausted};

use super::most;
use crate::failure::Failure;

/// The budget of the clusters of this process.
pub(crate) fn settled() -> Budget {
    Budget {
        objects: most("cluster-objects"),
        bytes: most("cluster-bytes"),
        writes: most("cluster-writes"),
        work: most("cluster-work"),
    }
}

/// A budget that is used up.
pub(crate) fn failure(exhausted: Exhausted) -> Failure {
    let name = match exhausted {
        Exhausted::Objects(_) => "cluster-objects",
        Exhausted::Bytes(_) => "cluster-bytes",
        Exhausted::Writes(_) => "cluster-writes",
        Exhausted::Work(_) => "cluster-work",
    };
    super::failure(name, exhausted)
}
