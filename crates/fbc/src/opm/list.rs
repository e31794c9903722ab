//! `opm alpha list`.

use fbc_lint::Profile;
use fbc_model::load::load_tree;
use fbc_yaml::go_text::quote;

use super::arguments::Invocation;
use super::catalog::{self, Reference};
use super::print;
use super::telling::OpmError;
use crate::listing::{Listing, list};

pub(super) fn run(invocation: &Invocation, listing: Listing) -> Result<(), OpmError> {
    let reference = invocation.positionals.first().map(String::as_str).unwrap_or_default();
    let package = invocation.positionals.get(1).map(String::as_str).filter(|package| !package.is_empty());
    let session = invocation.session(OpmError::Fatal)?;
    let Reference::Catalog(files) = catalog::find(reference, &session, OpmError::Fatal)? else {
        return Err(OpmError::Fatal(format!("cannot list non-index {}", quote(reference))));
    };
    let tree = &files.tree;
    let catalog = load_tree(tree);
    if let Some(error) = fbc_lint::lint(&catalog, tree, Profile::Opm).opm_error {
        return Err(OpmError::Fatal(error));
    }
    match list(&catalog, listing, package) {
        Some(table) => print(&table.text()),
        None => Err(OpmError::Fatal(format!("package {} not found", quote(package.unwrap_or_default())))),
    }
}
