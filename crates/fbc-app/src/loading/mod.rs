//! Loading catalogs within budgets: one that is used up is not a fault of the catalog, but a
//! reason why the command cannot run.

mod open;
mod reference;

use fbc_model::Catalog;
use fbc_model::tree::Tree;
use fbc_source::Error;

use crate::settings::Settings;

pub use open::open_as_one;
pub use reference::{Loaded, Loader, cannot_name_image, tell_faults};

/// Loads a catalog.
///
/// # Errors
/// If a budget is used up.
pub fn load_tree(tree: &dyn Tree, settings: &Settings) -> Result<Catalog, Error> {
    settings.reading().load(tree)
}

/// Loads a catalog so that every rule can do its work on it.
///
/// # Errors
/// If a budget is used up.
pub fn load_for_rules(tree: &dyn Tree, settings: &Settings) -> Result<Catalog, Error> {
    Ok(fbc_lint::load_within(tree, settings.budgets.reading)?)
}
