//! From a template to a catalog: the one entry point, and where bundles come from.

use std::collections::HashSet;
use std::path::Path;

use fbc_go::allowance::Allowance;
use fbc_model::load::{self, FaultPlace};
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::{Bundle, Catalog};
use fbc_yaml::json_writer;

use crate::document::place_of;
use crate::error::{BundleFault, SourceError, TemplateError, TemplateFault, TemplatePlace};
use crate::kind::TemplateKind;
use crate::{OpmSemantics, basic, semver, stream, substitutes};

/// Where templates get the bundles that they name.
pub trait BundleSource {
    /// The bundle of an image reference, with the reference as its image and among its related images.
    /// It should still carry its manifests: package icons and descriptions come from them.
    ///
    /// # Errors
    /// Why there is none, without the reference, which the error of the template adds.
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError>;
}

/// What rendering needs beside the template.
#[derive(Clone, Copy)]
pub struct Renderer<'a> {
    /// Where bundles come from. It is asked once for each reference of a template, in the order of the
    /// template.
    pub source: &'a dyn BundleSource,
    /// Judges a whole catalog as opm does when it converts one to its model: what opm objects to, in its words.
    /// Only substitutes templates ask.
    pub validate: &'a dyn Fn(&Catalog) -> Option<String>,
    /// How far the bundles of the source are brought up to date.
    pub migrate: MigrateLevel,
    /// Whose expansion of semver templates counts.
    pub semantics: OpmSemantics,
}

/// Expands a template.
///
/// The catalog comes in the order of the template; writing it brings it in opm's order. Blobs that
/// were entries of the template have the number of their entry as the document of their origin.
///
/// # Errors
/// The first thing that is wrong, as opm finds it.
pub fn render(kind: TemplateKind, text: &[u8], renderer: &Renderer<'_>) -> Result<Catalog, TemplateError> {
    match kind {
        TemplateKind::Basic => basic::render(text, renderer),
        TemplateKind::Semver => semver::render(text, renderer),
        TemplateKind::Substitutes => substitutes::render(text, renderer),
        TemplateKind::Raw => raw(text),
        TemplateKind::Stream => stream::render(text, renderer),
    }
}

/// Loads a catalog to rewrite it.
fn raw(text: &[u8]) -> Result<Catalog, TemplateError> {
    let mut catalog = load::load_bytes(Path::new(""), text);
    let Some(fault) = std::mem::take(&mut catalog.faults).into_iter().next() else {
        return Ok(catalog);
    };
    let document = fault.origin.and_then(|origin| catalog.document(origin));
    let place = match (fault.place, document) {
        (FaultPlace::Byte(byte), _) => Some(TemplatePlace { pointer: None, bytes: byte..byte }),
        (FaultPlace::Pointer(pointer), Some(document)) => {
            Some(place_of(text, &document.range, document.syntax, &pointer))
        }
        _ => None,
    };
    Err(TemplateError::new(TemplateFault::Entry { message: fault.message }).at(place))
}

/// A bundle as the template takes it.
pub(crate) struct RenderedBundle {
    /// The bundle in opm's order and at the level that is asked for.
    pub(crate) bundle: Bundle,
    /// The bundle with what migration takes away.
    pub(crate) original: Bundle,
}

/// The bundles that a template has named: one that it names again takes memory again, though the template hardly grows.
#[derive(Default)]
pub(crate) struct Named {
    references: HashSet<String>,
    allowance: Allowance,
}

impl Named {
    /// Charges a bundle that was named before.
    pub(crate) fn charge(&mut self, reference: &str, bundle: &Bundle) -> Result<(), TemplateError> {
        if self.references.insert(reference.to_owned()) {
            return Ok(());
        }
        let values = bundle.properties.iter().filter_map(|property| property.value.as_ref());
        let mut text = String::new();
        let bytes = values.fold(size_of::<Bundle>(), |bytes, value| {
            text.clear();
            json_writer::write_compact(&mut text, value.node());
            bytes + text.len()
        });
        self.allowance.bytes(bytes).map_err(|exceeded| TemplateError::new(TemplateFault::TooLarge(exceeded)))
    }
}

impl Renderer<'_> {
    /// Gets a bundle and prepares it as `opm render` does.
    pub(crate) fn bundle(&self, reference: &str) -> Result<RenderedBundle, BundleFault> {
        let original = self
            .source
            .bundle(reference)
            .map_err(|error| BundleFault::Source { reference: reference.to_owned(), error })?;
        let mut catalog = Catalog { bundles: vec![original.clone()], ..Catalog::default() };
        prepare(&mut catalog, self.migrate).map_err(|error| BundleFault::Migration {
            reference: reference.to_owned(),
            message: error.to_string(),
        })?;
        let bundle = catalog.bundles.pop().unwrap_or_else(|| original.clone());
        Ok(RenderedBundle { bundle, original })
    }
}
