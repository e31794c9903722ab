//! `opm render`.

use std::path::Path;

use fbc_bundle::{BundleError, BundleFolder, ImageTemplate};
use fbc_go::text::quote;
use fbc_model::Catalog;
use fbc_model::load::load_tree;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::tree::DiskTree;
use fbc_source::Session;
use fbc_source::template_bundles::render_bundle_image;

use super::arguments::Invocation;
use super::catalog::{self, Reference};
use super::error::OpmError;
use crate::settings::Settings;

pub(super) fn run(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let output = invocation.text("output");
    catalog::check_output(output).map_err(|error| OpmError::Log(error.to_string()))?;
    let session = invocation.session(OpmError::Log, settings)?;
    let template = match invocation.text("alpha-image-ref-template") {
        "" => None,
        text => Some(
            ImageTemplate::parse(text)
                .map_err(|error| OpmError::Log(format!("invalid image reference template: {error}")))?,
        ),
    };
    let level = match invocation.text("migrate-level") {
        "" if invocation.switch("migrate") => MigrateLevel::ALL,
        "" => MigrateLevel::None,
        name => MigrateLevel::from_name(name)
            .ok_or_else(|| OpmError::Log(format!("unknown migration level {}", quote(name))))?,
    };
    let mut all = Catalog::default();
    for reference in &invocation.positionals {
        let mut catalog = match find(reference, &session)? {
            Reference::Catalog(files) => load_catalog(reference, &files.tree)?,
            Reference::Bundle(files) => render_bundle(reference, &files.tree, template.as_ref())?,
            Reference::BundleImage(files) => {
                let bundle = render_bundle_image(reference, &files.tree, Path::new(reference))
                    .map_err(|error| in_reference(reference, &error.to_string()))?;
                Catalog { bundles: vec![bundle], ..Catalog::default() }
            }
        };
        prepare(&mut catalog, level).map_err(|error| OpmError::Log(error.to_string()))?;
        all.append(catalog);
    }
    catalog::write(&all, output, OpmError::Log)
}

fn in_reference(reference: &str, text: &str) -> OpmError {
    OpmError::Log(format!("render reference {}: {text}", quote(reference)))
}

fn find(reference: &str, session: &Session) -> Result<Reference, OpmError> {
    catalog::find(reference, session, |text| in_reference(reference, &text))
}

/// Loads a catalog; the error is the first that opm would meet.
pub(super) fn load(reference: &str, session: &Session) -> Result<Catalog, OpmError> {
    match find(reference, session)? {
        Reference::Catalog(files) => load_catalog(reference, &files.tree),
        Reference::Bundle(_) => {
            let text = format!("cannot render bundle directory {}: not allowed", quote(reference));
            Err(in_reference(reference, &text))
        }
        Reference::BundleImage(_) => Err(in_reference(reference, "cannot render bundle image: not allowed")),
    }
}

fn load_catalog(reference: &str, tree: &DiskTree) -> Result<Catalog, OpmError> {
    let catalog = load_tree(tree);
    match catalog.faults.first() {
        Some(fault) => Err(in_reference(reference, &fault.message)),
        None => Ok(catalog),
    }
}

fn render_bundle(
    reference: &str,
    tree: &DiskTree,
    template: Option<&ImageTemplate>,
) -> Result<Catalog, OpmError> {
    let folder = BundleFolder::read(tree);
    let bundle = folder.and_then(|folder| fbc_bundle::render::render(&folder, template));
    let bundle = bundle.map_err(|error| match error {
        BundleError::ImageTemplate(error) => {
            let folder = quote(reference);
            in_reference(
                reference,
                &format!("failed templating image reference from bundle for {folder}: {error}"),
            )
        }
        error => in_reference(reference, &error.to_string()),
    })?;
    Ok(Catalog { bundles: vec![bundle], ..Catalog::default() })
}
