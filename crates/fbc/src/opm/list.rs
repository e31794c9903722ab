//! `opm alpha list`.

use std::io::{BufWriter, Write as _};

use fbc_app::listing::{DisplayNames, Listing, list};
use fbc_go::text::quote;
use fbc_lint::Profile;
use fbc_model::load::load_tree;
use fbc_model::render::{MigrateLevel, prepare};

use super::arguments::Invocation;
use super::catalog::{self, Reference};
use super::error::OpmError;
use crate::settings::Settings;
use crate::terminal;

pub(super) fn run(invocation: &Invocation, listing: Listing, settings: &Settings) -> Result<(), OpmError> {
    let reference = invocation.positionals.first().map(String::as_str).unwrap_or_default();
    let package = invocation.positionals.get(1).map(String::as_str).filter(|package| !package.is_empty());
    let session = invocation.session(OpmError::Fatal, settings)?;
    let in_reference =
        |text: String| OpmError::Fatal(format!("render reference {}: {text}", quote(reference)));
    let Reference::Catalog(files) = catalog::find(reference, &session, in_reference)? else {
        return Err(OpmError::Fatal(format!("cannot list non-index {}", quote(reference))));
    };
    let tree = &files.tree;
    let mut catalog = load_tree(tree);
    if let Some(fault) = catalog.faults.first() {
        return Err(in_reference(fault.message.clone()));
    }
    // opm renders before it converts, so errors count properties and images as `render` orders them.
    prepare(&mut catalog, MigrateLevel::None).map_err(|error| OpmError::Fatal(error.to_string()))?;
    if let Some(error) = fbc_rules::lint(&catalog, tree, Profile::Opm).opm_error {
        return Err(OpmError::Fatal(error));
    }
    match list(&catalog, listing, package, DisplayNames::AsOpm) {
        Some(table) => {
            let mut out = BufWriter::new(terminal::stdout());
            Ok(table.write(usize::MAX, &mut out).and_then(|()| out.flush())?)
        }
        None => Err(OpmError::Fatal(format!("package {} not found", quote(package.unwrap_or_default())))),
    }
}
