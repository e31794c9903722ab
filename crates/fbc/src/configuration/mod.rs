//! What a project wants of its catalogs: from `fbc.toml` and from flags, and its use on what was found.
//!
//! Every command that reports findings takes [`PolicyArguments`], makes a [`Configuration`] of them, checks
//! each catalog under [`Configuration::policy_for`], shows it to [`Configuration::observe`], and hands all
//! reports to [`Configuration::finish`] before it writes them.

mod apply;
mod arguments;
mod file;
mod find;
mod reader;
mod resolve;
mod scope;
mod show;

pub(crate) use arguments::{PolicyArguments, version as ocp_version};
pub(crate) use resolve::Configuration;

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use reader::Fault;

/// What is wrong with the text of a configuration file, in the order of the places.
pub(crate) fn faults(path: &Path, text: &str) -> Vec<Fault> {
    file::ConfigurationFile::parse(path, text).err().unwrap_or_default()
}

/// Refuses the text of a configuration file that has faults.
pub(crate) fn check(path: &Path, text: &str) -> Result<(), Failure> {
    let faults = faults(path, text);
    if faults.is_empty() { Ok(()) } else { Err(reader::failure(path, text, &faults)) }
}

/// The configuration file that counts in the directory that the command runs in.
pub(crate) fn nearest() -> Option<PathBuf> {
    find::around(Path::new("."))
}

/// The configuration file that counts for a path; where there is none, the one that would at the root of its repository,
/// or beside the path.
pub(crate) fn file_for(path: &Path) -> PathBuf {
    let beside = path.parent().unwrap_or(path);
    let repository = beside.ancestors().find(|folder| folder.join(".git").exists());
    find::around(beside).unwrap_or_else(|| repository.unwrap_or(beside).join(find::NAME))
}
