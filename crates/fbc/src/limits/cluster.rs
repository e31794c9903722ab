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
    let name = match exhausted {
        Exhausted::Objects(_) => "cluster-objects",
        Exhausted::Bytes(_) => "cluster-bytes",
        Exhausted::Writes(_) => "cluster-writes",
        Exhausted::Work(_) => "cluster-work",
    };
    super::failure(name, exhausted)
}
