//! Findings that do not count, and why.

use crate::report::Located;

/// A finding that is not reported.
#[derive(Debug)]
pub struct SetAside {
    /// The finding, at the severity that it would have.
    pub located: Located,
    /// Why it is not reported.
    pub cause: Cause,
}

/// Why a finding is not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A waiver covers it.
    Waived {
        /// The reason that the waiver gives.
        reason: String,
    },
    /// It was there when the baseline was written.
    Baselined,
}
