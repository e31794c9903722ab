//! Repositories that ask for more than they may be expanded to.

use std::fmt;
use std::path::{Path, PathBuf};

use fbc_go::allowance::Exceeded;

/// A repository, or a file of one, that expands to more than an allowance takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RepositoryTooLarge {
    /// Where the repository lies on the disk; nothing if that is not known.
    pub root: Option<PathBuf>,
    /// What is too much of it; nothing if that is no single file.
    pub part: Option<LargePart>,
    /// The limit that is reached.
    pub exceeded: Exceeded,
}

/// A file of a repository that is too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargePart {
    /// The file, from the root of the repository.
    pub path: PathBuf,
    /// The line that is too much, from 1, where one alone is.
    pub line: Option<usize>,
    /// What grows, such as `` `ARG NAME` ``.
    pub what: String,
}

impl RepositoryTooLarge {
    /// About a file.
    pub(crate) fn of_file(path: &Path, line: Option<usize>, what: &str, exceeded: Exceeded) -> Self {
        let part = LargePart { path: path.to_path_buf(), line, what: what.to_owned() };
        Self { root: None, part: Some(part), exceeded }
    }

    /// About so many directories, catalogs and templates together.
    pub(crate) fn of_all(exceeded: Exceeded) -> Self {
        Self { root: None, part: None, exceeded }
    }
}

impl fmt::Display for RepositoryTooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.as_deref();
        match &self.part {
            Some(LargePart { path, line, what }) => {
                let root = root.filter(|root| *root != Path::new(".")).unwrap_or(Path::new(""));
                write!(formatter, "{}:", root.join(path).display())?;
                line.iter().try_for_each(|line| write!(formatter, "{line}:"))?;
                write!(formatter, " {what} {}", self.exceeded)
            }
            None => {
                let root =
                    root.map_or_else(|| "the repository".to_owned(), |root| root.display().to_string());
                write!(formatter, "finding the catalogs of {root} {}", self.exceeded)
            }
        }
    }
}
