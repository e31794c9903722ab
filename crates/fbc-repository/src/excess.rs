//! Files of a repository that ask for more than they may be expanded to.

use std::fmt;
use std::path::PathBuf;

use fbc_go::allowance::Exceeded;

/// A file that expands to more than an allowance takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Excess {
    /// The file.
    pub path: PathBuf,
    /// The line that is too much, from 1, where one alone is.
    pub line: Option<usize>,
    /// What grows, such as `` `ARG NAME` ``.
    pub what: String,
    /// The budget that is used up.
    pub exceeded: Exceeded,
}

impl fmt::Display for Excess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.path.display())?;
        self.line.iter().try_for_each(|line| write!(formatter, "{line}:"))?;
        write!(formatter, " {} {}", self.what, self.exceeded)
    }
}
