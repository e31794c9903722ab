//! What a simulated cluster may take.

use fbc_cluster::budget::Budget;

use super::Limits;

impl Limits {
    /// The budget of a simulated cluster.
    #[must_use]
    pub fn cluster(&self) -> Budget {
        Budget {
            objects: self.most("cluster-objects"),
            bytes: self.most("cluster-bytes"),
            writes: self.most("cluster-writes"),
            work: self.most("cluster-work"),
        }
    }
}
