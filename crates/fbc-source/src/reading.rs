//! How what references name is read: the budgets, the links that are followed, and where there is room.

use std::path::{Path, PathBuf};

use fbc_model::Catalog;
use fbc_model::confined_tree::ConfinedTree;
use fbc_model::tree::{DiskTree, Tree};
use fbc_staging::StagedDirectory;
use fbc_yaml::limits::Limits;

use crate::error::Error;
use crate::git::GitLimits;

/// How catalogs are read, whatever names them.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Whether links that lead out of a catalog are followed.
    pub follows_links: bool,
    /// Whether templates are taken for the catalogs that they expand to. opm takes them for files with a blob of a schema
    /// that nobody knows.
    pub expands_templates: bool,
    /// The budgets for documents.
    pub limits: Limits,
    /// What answers of git may take.
    pub git: GitLimits,
    /// How many bytes the text of a catalog may take in memory.
    pub layout_bytes: u64,
    /// The file that says which directories stand for images, where no flag names one.
    pub image_map: Option<PathBuf>,
    /// Where directories lie that are needed for a while.
    pub scratch: PathBuf,
}

impl Reading {
    /// The files below a directory that somebody else may have filled.
    #[must_use]
    pub fn disk_tree(&self, root: &Path) -> Box<dyn Tree> {
        disk_tree(root, self.follows_links)
    }

    /// Loads a catalog.
    ///
    /// # Errors
    /// If a budget is used up.
    pub fn load(&self, tree: &dyn Tree) -> Result<Catalog, Error> {
        Ok(fbc_model::load::load_within(tree, &|_, _| false, self.limits)?)
    }

    /// A new directory among temporary files. It is removed when this is dropped, or when a signal ends the process.
    ///
    /// # Errors
    /// If the system does not give one.
    pub fn scratch_directory(&self) -> Result<StagedDirectory, Error> {
        scratch_directory(&self.scratch)
    }
}

/// The files below a directory that somebody else may have filled; links that lead out of it are followed only if that is
/// wanted.
#[must_use]
pub fn disk_tree(root: &Path, follows_links: bool) -> Box<dyn Tree> {
    match follows_links {
        true => Box::new(DiskTree { root: root.to_path_buf() }),
        false => Box::new(ConfinedTree::new(root, fbc_staging::PREFIX)),
    }
}

/// A new directory in a directory for temporary files. It is removed when this is dropped, or when a signal ends the
/// process.
///
/// # Errors
/// If the system does not give one.
pub fn scratch_directory(place: &Path) -> Result<StagedDirectory, Error> {
    StagedDirectory::scratch(place).map_err(|error| {
        Error::io("write to", place, &error).help("TMPDIR names the directory for temporary files")
    })
}
