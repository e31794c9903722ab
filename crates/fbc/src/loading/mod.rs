//! Loading catalogs within budgets: one that is used up is not a fault of the catalog, but a
//! reason why the command cannot run.

pub(crate) mod open;
mod reference;

use fbc_model::Catalog;
use fbc_model::tree::Tree;

use crate::failure::Failure;
use crate::settings::Settings;

pub(crate) use reference::{Loaded, cannot_name_image, load, load_any, load_mapped, load_one, tell_faults};

/// Loads a catalog.
pub(crate) fn load_tree(tree: &dyn Tree, settings: &Settings) -> Result<Catalog, Failure> {
    Ok(settings.reading().load(tree)?)
}

/// Loads a catalog so that every rule can do its work on it.
pub(crate) fn load_for_rules(tree: &dyn Tree, settings: &Settings) -> Result<Catalog, Failure> {
    Ok(fbc_lint::load_within(tree, settings.budgets.reading())?)
}
