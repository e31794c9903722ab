//! Templates where catalogs are taken: expanded when they are opened.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_model::render::{CSV_METADATA, MigrateLevel};
use fbc_model::tree::MemoryTree;
use fbc_model::writer::{self, Format};
use fbc_model::{Bundle, Catalog};
use fbc_repository::adjust::renamed;
use fbc_template::{BundleSource, OpmSemantics, Renderer, SourceError, TemplateKind};

use crate::confinement::{confining_directory, repository_around};
use crate::error::Error;
use crate::reading::Reading;
use crate::session::Session;
use crate::template_bundles::{TemplateBundles, TemplateFolders};
use crate::template_error::{opm_error, refusal};

/// What only templates hold.
const SCHEMAS: [&[u8]; 3] = [b"olm.template.basic", b"olm.semver", b"olm.template.substitutes"];

/// The kind of template that a text is; nothing for a catalog. Written in the order of keys, a template has its schema at
/// the end.
pub fn kind_of(text: &[u8]) -> Option<TemplateKind> {
    let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    // In a stream, bundles have nothing but an image.
    let may_be_stream = || has(b"olm.bundle") && !has(b"properties");
    let may_be = SCHEMAS.into_iter().any(has) || may_be_stream();
    may_be.then(|| fbc_template::kind_of(text)).flatten()
}

/// The kind of template that a file is.
///
/// # Errors
/// It is not a template, or cannot be read.
pub fn required_kind(path: &Path, text: &[u8]) -> Result<TemplateKind, Error> {
    match kind_of(text) {
        Some(kind) => Ok(kind),
        None => fbc_template::detect(text).map_err(|error| refusal(path, text, &error)),
    }
}

/// What a template is expanded with.
pub struct Expander<'e> {
    /// Where bundles come from.
    pub source: &'e dyn BundleSource,
    /// How far they are brought up to date.
    pub level: MigrateLevel,
    /// Whose rules count.
    pub semantics: OpmSemantics,
}

impl Expander<'_> {
    /// The catalog of a template.
    pub fn expand(&self, kind: TemplateKind, path: &Path, text: &[u8]) -> Result<Catalog, Error> {
        let renderer = Renderer {
            source: self.source,
            validate: &opm_error,
            migrate: self.level,
            semantics: self.semantics,
        };
        fbc_template::render(kind, text, &renderer).map_err(|error| refusal(path, text, &error))
    }
}

/// The files of the catalog that a template expands to, for commands that look at catalogs. `folder` is where it lies;
/// directories that it names are those of the revision, if there is one.
pub fn tree_of(
    kind: TemplateKind,
    (path, folder): (&Path, &Path),
    text: &[u8],
    revision: Option<&str>,
    session: &Session,
    wanted: Manifests,
) -> Result<MemoryTree, Error> {
    let images = session.image_map()?;
    let reach = confining_directory(folder);
    let folders = match revision {
        None => TemplateFolders::Within(&reach),
        Some(revision) => TemplateFolders::InRevision(revision, &reach),
    };
    let others = TemplateBundles { images: &images, folders, session };
    let source = RepositoryBundles::new(folder, &others, wanted);
    let expander =
        Expander { source: &source, level: MigrateLevel::None, semantics: OpmSemantics::default() };
    tree_with(&expander.expand(kind, path, text)?, session.reading())
}

/// A catalog as a file.
pub fn tree_with(catalog: &Catalog, reading: &Reading) -> Result<MemoryTree, Error> {
    let mut bytes = Vec::new();
    writer::write_within(catalog, Format::Yaml, reading.layout_bytes, &mut bytes)?;
    Ok([("catalog.yaml", bytes)].into_iter().collect())
}

/// Whether bundles must have their manifests, or may have `olm.csv.metadata` in their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manifests {
    /// They are better, if there is a choice.
    #[default]
    Preferred,
    /// OpenShift before 4.17 reads nothing else.
    Required,
}

impl Manifests {
    /// What a level of migration wants.
    pub fn from_level(level: MigrateLevel) -> Self {
        if level > MigrateLevel::None { Self::Preferred } else { Self::Required }
    }

    fn allow(self, bundle: &Bundle) -> bool {
        self == Self::Preferred || !is_migrated(bundle)
    }
}

/// Bundles that a template names by digest and a catalog of the repository around it holds; others come from elsewhere.
pub struct RepositoryBundles<'b> {
    folder: PathBuf,
    others: &'b TemplateBundles<'b>,
    wanted: Manifests,
    /// By image, once somebody asks.
    held: OnceCell<BTreeMap<String, Bundle>>,
}

impl<'b> RepositoryBundles<'b> {
    /// The bundles for a template in a directory.
    pub fn new(folder: &Path, others: &'b TemplateBundles<'b>, wanted: Manifests) -> Self {
        Self { folder: folder.to_path_buf(), others, wanted, held: OnceCell::new() }
    }

    fn held(&self) -> &BTreeMap<String, Bundle> {
        self.held.get_or_init(|| {
            let Some(root) = repository_around(&self.folder) else { return BTreeMap::new() };
            let mut held: BTreeMap<String, Bundle> = BTreeMap::new();
            let bundles = catalogs_of(&root, self.others.session.reading())
                .into_iter()
                .flat_map(|catalog| catalog.bundles);
            for bundle in bundles.filter(|bundle| self.wanted.allow(bundle)) {
                // What has its manifests can be brought up to date, and not the other way round.
                let is_better =
                    held.get(&bundle.image).is_none_or(|known| is_migrated(known) || !is_migrated(&bundle));
                if is_better {
                    held.insert(bundle.image.clone(), bundle);
                }
            }
            held
        })
    }
}

impl BundleSource for RepositoryBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        let may_be_held = reference.contains("@sha256:") && self.others.images.folder(reference).is_none();
        match may_be_held.then(|| self.held().get(reference)).flatten() {
            Some(bundle) => Ok(bundle.clone()),
            None => self.others.bundle(reference),
        }
    }
}

/// Bundles that a template names by digest, from catalogs that hold them already; others come from elsewhere.
pub struct CommittedBundles<'b> {
    /// Those of the catalog that the template expands to; nothing if all bundles are pulled.
    pub own: Option<&'b [Bundle]>,
    /// The catalogs to look in next.
    pub catalogs: &'b dyn Fn() -> &'b Vec<Catalog>,
    /// The repositories that catalogs name in the places of others.
    pub mirrors: &'b BTreeMap<String, String>,
    /// What bundles must have.
    pub wanted: Manifests,
    /// The first digest that the template names and the catalog that it expands to does not hold.
    pub not_held: &'b OnceCell<String>,
    /// Where all other bundles come from.
    pub others: TemplateBundles<'b>,
}

impl BundleSource for CommittedBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
        let name = renamed(reference, self.mirrors).unwrap_or_else(|| reference.to_owned());
        let fits = |bundle: &&Bundle| bundle.image == name && self.wanted.allow(bundle);
        let own = self.own.filter(|_| reference.contains("@sha256:"));
        if own.is_some_and(|own| own.iter().all(|bundle| bundle.image != name)) {
            self.not_held.get_or_init(|| reference.to_owned());
        }
        let elsewhere = || own.and_then(|_| (self.catalogs)().iter().flat_map(|one| &one.bundles).find(fits));
        match own.and_then(|own| own.iter().find(fits)).or_else(elsewhere) {
            Some(bundle) => Ok(bundle.clone()),
            None => self.others.bundle(reference),
        }
    }
}

/// Whether a bundle has its metadata in the place of its manifests, which it cannot get back.
fn is_migrated(bundle: &Bundle) -> bool {
    bundle.properties.iter().any(|property| property.kind == CSV_METADATA)
}

/// The directory that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// All catalogs of a repository that can be loaded.
pub fn catalogs_of(root: &Path, reading: &Reading) -> Vec<Catalog> {
    let found = fbc_repository::find(reading.disk_tree(root).as_ref()).unwrap_or_default();
    let places = found.catalogs.into_iter();
    let trees = places.map(|place| root.join(place.path)).filter(|path| path.is_dir());
    trees.filter_map(|path| reading.load(reading.disk_tree(&path).as_ref()).ok()).collect()
}
