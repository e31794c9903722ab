//! How this process reads catalogs: whether it follows links and expands templates, and within which budgets.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fbc_model::tree::Tree;
use fbc_source::{CatalogSource, Reading, Session};

use crate::failure::Failure;
use crate::{image_map, layout, limits};

/// Whether links that lead out of a catalog are followed.
static FOLLOWS_LINKS: AtomicBool = AtomicBool::new(false);

/// Settles for the process whether links that lead out of a catalog are followed.
pub(crate) fn settle_links(follows: bool) {
    FOLLOWS_LINKS.store(follows, Ordering::Relaxed);
}

/// Whether templates are taken for the catalogs that they expand to.
static EXPANDS_TEMPLATES: AtomicBool = AtomicBool::new(true);

/// Takes templates for what they are: files with a blob of a schema that nobody knows, as opm does.
pub(crate) fn settle_without_templates() {
    EXPANDS_TEMPLATES.store(false, Ordering::Relaxed);
}

/// How this process reads.
pub(crate) fn reading() -> Reading {
    Reading {
        follows_links: FOLLOWS_LINKS.load(Ordering::Relaxed),
        expands_templates: EXPANDS_TEMPLATES.load(Ordering::Relaxed),
        limits: limits::reading(),
        layout_bytes: limits::most("layout-bytes"),
        image_map: image_map::path_of_environment(),
        scratch: std::env::temp_dir(),
    }
}

/// The files below a directory that somebody else may have filled.
pub(crate) fn disk_tree(root: &Path) -> Box<dyn Tree> {
    fbc_source::reading::disk_tree(root, FOLLOWS_LINKS.load(Ordering::Relaxed))
}

/// Opens what a reference names, for commands that look at one catalog: a directory of several is taken as one, of which
/// the user is warned.
pub(crate) fn open_as_one(reference: &Path, session: &Session) -> Result<CatalogSource, Failure> {
    let source = CatalogSource::open(reference, session)?;
    // The root of a repository is refused by whoever loads it.
    if !source.has_repository()
        && let Some(places) = layout::catalogs_of_source(&source)
    {
        let names = layout::described(&places);
        Failure::new(format!("{} holds the catalogs {names}; they are taken as one", reference.display()))
            .help("name one of them")
            .warn();
    }
    Ok(source)
}
