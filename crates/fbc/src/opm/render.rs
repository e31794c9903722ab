//! `opm render`.

use fbc_model::Catalog;
use fbc_model::load::load_tree;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::writer;
use fbc_yaml::go_text::quote;
use std::io::Write as _;

use super::arguments::Invocation;
use super::catalog::{self, Reference};
use super::telling::OpmError;
use crate::failure::Failure;
use crate::terminal;

pub(super) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    let output = invocation.text("output");
    catalog::check_output(output).map_err(OpmError::Log)?;
    let level = match invocation.text("migrate-level") {
        "" if invocation.switch("migrate") => MigrateLevel::ALL,
        "" => MigrateLevel::None,
        name => MigrateLevel::from_name(name)
            .ok_or_else(|| OpmError::Log(format!("unknown migration level {}", quote(name))))?,
    };
    let mut all = Catalog::default();
    for reference in &invocation.positionals {
        let mut catalog = load(reference)?;
        prepare(&mut catalog, level).map_err(|error| OpmError::Log(error.to_string()))?;
        all.append(catalog);
    }
    let format = if output == "yaml" { writer::Format::Yaml } else { writer::Format::Json };
    let mut out = terminal::stdout();
    writer::write(&all, format, &mut out).map_err(|error| match error {
        writer::WriteError::Output(error) => Failure::from(error).into(),
        writer::WriteError::Blob { .. } => OpmError::Log(error.to_string()),
    })?;
    out.flush().map_err(|error| Failure::from(error).into())
}

/// Loads a catalog; the error is the first that opm would meet.
pub(super) fn load(reference: &str) -> Result<Catalog, OpmError> {
    let error = |text: String| OpmError::Log(format!("render reference {}: {text}", quote(reference)));
    let Reference::Catalog(tree) = catalog::find(reference, error)? else {
        return Err(catalog::no_bundles_yet(reference));
    };
    let catalog = load_tree(&tree);
    match catalog.faults.first() {
        Some(fault) => Err(error(fault.message.clone())),
        None => Ok(catalog),
    }
}
