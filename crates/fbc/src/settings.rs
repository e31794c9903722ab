//! What global flags say: how much is reported, how catalogs are read, and the budgets. Commands pass it on; there is no
//! global state.

use std::path::Path;

use fbc_model::tree::Tree;
use fbc_source::Reading;

use crate::arguments::Global;
use crate::image_map;
use crate::limits::{Budgets, LimitArgument};

/// What holds for everything that a command does.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Say only what is wrong.
    pub(crate) quiet: bool,
    /// Say more on standard error.
    pub(crate) verbose: bool,
    /// Whether links that lead out of a catalog are followed.
    pub(crate) follows_links: bool,
    /// Whether files are written through such links, too: only where the user says so.
    pub(crate) trusts_links: bool,
    /// Whether a template is loaded as the catalog that it expands to; opm loads it as a blob of an unknown schema.
    pub(crate) expands_templates: bool,
    /// What a run may take.
    pub(crate) budgets: Budgets,
}

/// Those of a command line without flags.
impl Default for Settings {
    fn default() -> Self {
        Self {
            quiet: false,
            verbose: false,
            follows_links: false,
            trusts_links: false,
            expands_templates: true,
            budgets: Budgets::default(),
        }
    }
}

impl Settings {
    /// What flags say.
    pub(crate) fn from_flags(global: Global, limits: Vec<LimitArgument>) -> Self {
        Self {
            quiet: global.quiet,
            verbose: global.verbose,
            follows_links: global.follow_links,
            trusts_links: global.follow_links,
            budgets: Budgets::new(limits),
            ..Self::default()
        }
    }

    /// What opm does: it follows links, and knows no templates among catalogs.
    pub(crate) fn like_opm() -> Self {
        Self { follows_links: true, expands_templates: false, ..Self::default() }
    }

    /// How catalogs are read.
    pub(crate) fn reading(&self) -> Reading {
        Reading {
            follows_links: self.follows_links,
            expands_templates: self.expands_templates,
            limits: self.budgets.reading(),
            git: self.budgets.git(),
            layout_bytes: self.budgets.most("layout-bytes"),
            image_map: image_map::path_of_environment(),
            scratch: std::env::temp_dir(),
        }
    }

    /// The files below a directory that somebody else may have filled.
    pub(crate) fn disk_tree(&self, root: &Path) -> Box<dyn Tree> {
        fbc_source::reading::disk_tree(root, self.follows_links)
    }
}
