//! What a project wants of its catalogs: from `fbc.toml` and from flags, and its use on what was found.
//!
//! Whoever reports findings takes a [`PolicyChoice`], makes a [`Configuration`] of them, checks
//! each catalog under [`Configuration::policy_for`], shows it to [`Configuration::observe`], and hands all
//! reports to [`Configuration::finish`] before it writes them.

mod apply;
mod choice;
mod file;
mod find;
mod reader;
mod resolve;
mod scope;
mod show;

pub use choice::PolicyChoice;
pub use reader::Fault;
pub use resolve::Configuration;

use std::path::{Path, PathBuf};

use fbc_source::Error;

/// What is wrong with the text of a configuration file, in the order of the places.
pub fn faults(path: &Path, text: &str) -> Vec<Fault> {
    file::ConfigurationFile::parse(path, text).err().unwrap_or_default()
}

/// Refuses the text of a configuration file that has faults.
pub fn check(path: &Path, text: &str) -> Result<(), Error> {
    let faults = faults(path, text);
    if faults.is_empty() { Ok(()) } else { Err(reader::failure(path, text, &faults)) }
}

/// The configuration file that counts in the directory that the command runs in.
pub fn nearest() -> Option<PathBuf> {
    find::around(Path::new("."))
}

/// The configuration file that counts for a catalog; where there is none, the one that would at the root of its repository,
/// or beside the catalog. It is never one within: opm would read that as a part of the catalog.
pub fn file_for(catalog: &Path) -> PathBuf {
    let beside = catalog.parent().unwrap_or(catalog);
    let repository = beside.ancestors().find(|folder| folder.join(".git").exists());
    find::around(catalog).unwrap_or_else(|| repository.unwrap_or(beside).join(find::NAME))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use std::fs;

    use super::file_for;

    #[test]
    fn the_configuration_lies_outside_of_the_catalog() {
        let directory = tempfile::tempdir().unwrap();
        let catalog = directory.path().join("repository/catalogs/v4.18");
        fs::create_dir_all(&catalog).unwrap();
        let beside = directory.path().join("repository/catalogs/fbc.toml");
        assert_eq!(file_for(&catalog), beside);
        fs::create_dir(directory.path().join("repository/.git")).unwrap();
        assert_eq!(file_for(&catalog), directory.path().join("repository/fbc.toml"));
        fs::write(&beside, "").unwrap();
        assert_eq!(file_for(&catalog), beside);
    }
}
