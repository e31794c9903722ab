//! Templates where catalogs are taken: expanded when they are opened.

use std::path::Path;

use fbc_model::Catalog;
use fbc_model::render::MigrateLevel;
use fbc_model::tree::MemoryTree;
use fbc_model::writer::Format;
use fbc_template::{BundleSource, OpmSemantics, Renderer, TemplateKind};

use crate::command::render::write;
use crate::command::template::{opm_error, refusal};
use crate::failure::Failure;
use crate::image_map::{ImageMap, TemplateBundles};
use crate::registry::Session;

/// What only templates hold.
const SCHEMAS: [&[u8]; 3] = [b"olm.template.basic", b"olm.semver", b"olm.template.substitutes"];

/// The kind of template that a text is; nothing for a catalog. Written in the order of keys, a template has its schema at
/// the end.
pub(crate) fn kind_of(text: &[u8]) -> Option<TemplateKind> {
    let may_be = SCHEMAS.iter().any(|schema| memchr::memmem::find(text, schema).is_some());
    may_be.then(|| fbc_template::detect(text).ok()).flatten()
}

/// What a template is expanded with.
pub(crate) struct Expander<'e> {
    /// Where bundles come from.
    pub(crate) source: &'e dyn BundleSource,
    /// How far they are brought up to date.
    pub(crate) level: MigrateLevel,
    /// Whose rules count.
    pub(crate) semantics: OpmSemantics,
}

impl Expander<'_> {
    /// The catalog of a template.
    pub(crate) fn expand(&self, kind: TemplateKind, path: &Path, text: &[u8]) -> Result<Catalog, Failure> {
        let renderer = Renderer {
            source: self.source,
            validate: &opm_error,
            migrate: self.level,
            semantics: self.semantics,
        };
        fbc_template::render(kind, text, &renderer).map_err(|error| refusal(path, text, &error))
    }
}

/// The files of the catalog that a template expands to, for commands that look at catalogs.
pub(crate) fn tree_of(
    kind: TemplateKind,
    path: &Path,
    text: &[u8],
    session: &Session,
) -> Result<MemoryTree, Failure> {
    let images = ImageMap::from_environment()?;
    let source = TemplateBundles { images: &images, takes_folders: true, session };
    let expander =
        Expander { source: &source, level: MigrateLevel::None, semantics: OpmSemantics::default() };
    let catalog = expander.expand(kind, path, text)?;
    let mut bytes = Vec::new();
    write(&catalog, Format::Yaml, &mut bytes)?;
    Ok([("catalog.yaml", bytes)].into_iter().collect())
}
