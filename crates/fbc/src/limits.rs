//! The budgets of a run, and the failure of one that is used up.

pub use fbc_limits::all;
#[cfg(feature = "query")]
pub(crate) use fbc_limits::usual;
pub(crate) use fbc_limits::{LimitArgument, Limits, raisable};
use fbc_source::Error;
use fbc_yaml::limits::LimitExceeded;

use crate::failure::Failure;

/// The failure of a budget that is used up: what is too much, and of which budget.
pub(crate) fn failure(name: &'static str, message: impl std::fmt::Display) -> Failure {
    Error::budget(name, message).into()
}

impl From<LimitExceeded> for Failure {
    fn from(exceeded: LimitExceeded) -> Self {
        Error::from(exceeded).into()
    }
}
