//! A template that is edited: what it expands to before and after, with the bundles that it names got once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_lint::Report;
use fbc_lint::policy::Policy;
use fbc_model::catalog::CatalogFile;
use fbc_model::edit::EntryPlace;
use fbc_model::overlay_tree::FileVersions;
use fbc_model::render::MigrateLevel;
use fbc_model::tree::MemoryTree;
use fbc_model::{Bundle, Catalog};
use fbc_rules::lint_under;
use fbc_source::Error;
use fbc_source::confinement::confining_directory;
use fbc_source::expansion::{Expander, Manifests, RepositoryBundles, tree_with};
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::{CatalogSource, Session};
use fbc_template::{BundleSource, OpmSemantics, SourceError, TemplateKind, entry_places};

use super::folder_of;
use crate::loading::load_for_rules;
use crate::settings::Settings;

/// A template that is edited.
pub struct EditedTemplate {
    kind: TemplateKind,
    path: PathBuf,
    text: Vec<u8>,
    /// The bundles that it names, by their images, and what is to be added.
    known: RefCell<BTreeMap<String, Bundle>>,
}

impl EditedTemplate {
    /// Expands a template. The origins of the catalog count entries of the template.
    pub(super) fn open(
        kind: TemplateKind,
        path: &Path,
        text: Vec<u8>,
        session: &Session,
    ) -> Result<(Self, CatalogSource, Catalog), Error> {
        let images = session.image_map()?;
        let reach = confining_directory(folder_of(path));
        let others = TemplateBundles { images: &images, folders: TemplateFolders::Within(&reach), session };
        let template = Self { kind, path: path.to_path_buf(), text, known: RefCell::default() };
        let held = RepositoryBundles::new(folder_of(path), &others, Manifests::Preferred);
        let source = Remembering { known: &template.known, others: &held };
        let mut catalog = template.expand(&template.text, &source)?;
        let name = PathBuf::from(path.file_name().unwrap_or(path.as_os_str()));
        let tree: MemoryTree = [(name.clone(), template.text.clone())].into_iter().collect();
        catalog.files = vec![CatalogFile { path: name, documents: Vec::new() }];
        Ok((template, CatalogSource::of_file(Box::new(tree), path), catalog))
    }

    /// Whether its channels follow from versions.
    pub fn is_semver(&self) -> bool {
        self.kind == TemplateKind::Semver
    }

    /// Whether bundles take the places of others in it.
    pub fn is_substitutes(&self) -> bool {
        self.kind == TemplateKind::Substitutes
    }

    /// Its bytes.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The name of its file among those of an edit.
    pub fn name(&self) -> PathBuf {
        PathBuf::from(self.path.file_name().unwrap_or(self.path.as_os_str()))
    }

    /// Where its entries are written.
    pub(super) fn entries(&self) -> Option<Vec<EntryPlace>> {
        entry_places(&self.text)
    }

    /// Makes a bundle known that the edited template will name.
    pub fn add_bundle(&self, bundle: &Bundle) {
        self.known.borrow_mut().insert(bundle.image.clone(), bundle.clone());
    }

    /// What the text expands to with the bundles that are known.
    pub fn catalog_of(&self, text: &[u8]) -> Result<Catalog, Error> {
        self.expand(text, &Remembering { known: &self.known, others: &NoBundles })
    }

    fn expand(&self, text: &[u8], source: &dyn BundleSource) -> Result<Catalog, Error> {
        let expander = Expander { source, level: MigrateLevel::None, semantics: OpmSemantics::default() };
        expander.expand(self.kind, &self.path, text)
    }

    /// The catalog that the edited template expands to.
    pub(super) fn expanded(
        &self,
        files: &FileVersions,
        settings: &Settings,
    ) -> Result<(CatalogSource, Catalog), Error> {
        let text = files.values().next().and_then(Option::as_deref).unwrap_or(&self.text);
        self.loaded(&self.catalog_of(text)?, settings)
    }

    /// The findings in what it expands to today.
    pub(super) fn report(
        &self,
        catalog: &Catalog,
        policy: &Policy,
        settings: &Settings,
    ) -> Result<Report, Error> {
        let (source, catalog) = self.loaded(catalog, settings)?;
        Ok(lint_under(&catalog, source.tree.as_ref(), policy))
    }

    fn loaded(&self, catalog: &Catalog, settings: &Settings) -> Result<(CatalogSource, Catalog), Error> {
        let shown = PathBuf::from(format!("{} (expanded)", self.path.display()));
        let source = CatalogSource::of_file(Box::new(tree_with(catalog, &settings.reading())?), &shown);
        let catalog = load_for_rules(source.tree.as_ref(), settings)?;
        Ok((source, catalog))
    }
}

/// Bundles that are got once.
struct Remembering<'r> {
    known: &'r RefCell<BTreeMap<String, Bundle>>,
    others: &'r dyn BundleSource,
}

impl BundleSource for Remembering<'_> {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        if let Some(bundle) = self.known.borrow().get(reference) {
            return Ok(bundle.clone());
        }
        let bundle = self.others.bundle(reference)?;
        self.known.borrow_mut().insert(reference.to_owned(), bundle.clone());
        Ok(bundle)
    }
}

/// The source of an expansion whose bundles are all known.
struct NoBundles;

impl BundleSource for NoBundles {
    fn bundle(&self, _: &str) -> Result<Bundle, SourceError> {
        Err(SourceError::Unusable("the template did not name it before".to_owned()))
    }
}
