//! Loading catalogs within the budgets of this process: one that is used up is not a fault of the catalog, but a
//! reason why the command cannot run.

mod reference;

use fbc_model::Catalog;
use fbc_model::tree::Tree;

use crate::failure::Failure;
use crate::limits;
use crate::reading::reading;

pub(crate) use reference::{Loaded, load, load_any, load_mapped, tell_faults};

/// Loads a catalog.
pub(crate) fn load_tree(tree: &dyn Tree) -> Result<Catalog, Failure> {
    Ok(reading().load(tree)?)
}

/// Loads a catalog so that every rule can do its work on it.
pub(crate) fn load_for_rules(tree: &dyn Tree) -> Result<Catalog, Failure> {
    Ok(fbc_lint::load_within(tree, limits::reading())?)
}
