//! The images that the cluster can pull: catalogs and bundles, by tag and by digest, and pulls that fail.
//!
//! An image is a directory with labels. As what it is read (a catalog, a bundle) is decided by who pulls it; it is read
//! once, however many pull it. Nothing is ever forgotten: an image stays reachable by digest when its tag moves on.
//!
//! Source of the texts: `operator-framework/operator-controller:internal/shared/util/image/pull.go`,
//! `containers/image:docker/docker_image_src.go`.

mod outside;
mod repositories;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use fbc_bundle::manifests::{Bundle, ReadError};
use fbc_go::text::quote;
use fbc_model::catalog::Catalog;
use fbc_model::image_reference::{self, ImageReference};
use fbc_model::load::{self, LoadFaultKind};
use fbc_model::tree::{self, MemoryTree, Tree};
use fbc_resolve::{CatalogIndex, Rules};
use sha2::{Digest, Sha256};

use self::outside::Outsiders;
pub use self::outside::{ImageContent, Outside};
pub use self::repositories::Repositories;
use super::mirrors::{self, Mirror, Place};
use super::names::CONFIGS_LABEL;

/// What a catalog's image holds.
#[derive(Debug, Clone)]
pub struct CatalogContent {
    /// The packages, ready for resolution.
    pub index: Arc<CatalogIndex>,
    /// Why catalogd cannot store it, if so.
    pub fault: Option<String>,
}

/// An image.
pub struct Image {
    digest: String,
    labels: BTreeMap<String, String>,
    /// The catalog's directory, or the bundle's.
    files: Arc<dyn Tree>,
    rules: Rules,
    catalog: OnceLock<CatalogContent>,
    blobs: OnceLock<Arc<Catalog>>,
    bundle: OnceLock<Result<Arc<Bundle>, ReadError>>,
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Image").field("digest", &self.digest).field("labels", &self.labels).finish()
    }
}

impl Image {
    /// An image with the files of a directory: for a catalog the directory that its label names, for a bundle the root.
    /// The digest follows from files and labels.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn of_files(
        files: Arc<dyn Tree>,
        labels: BTreeMap<String, String>,
        rules: Rules,
    ) -> io::Result<Self> {
        let digest = digest(files.as_ref(), &labels)?;
        Ok(Self {
            digest,
            labels,
            files,
            rules,
            catalog: OnceLock::new(),
            blobs: OnceLock::new(),
            bundle: OnceLock::new(),
        })
    }

    /// The image of a catalog with the label that it needs.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn of_catalog(files: Arc<dyn Tree>, rules: Rules) -> io::Result<Self> {
        Self::of_files(files, BTreeMap::from([(CONFIGS_LABEL.into(), "/configs".into())]), rules)
    }

    /// The image of a catalog whose files were loaded already, without a fault.
    #[must_use]
    pub fn with_index(self, index: Arc<CatalogIndex>) -> Self {
        Self { catalog: OnceLock::from(CatalogContent { index, fault: None }), ..self }
    }

    /// The image of a catalog that is loaded already. The digest follows from the name given.
    pub fn of_index(name: &str, index: Arc<CatalogIndex>, rules: Rules) -> Self {
        let content = CatalogContent { index, fault: None };
        Self {
            digest: format!("sha256:{}", hexadecimal(&Sha256::digest(name))),
            labels: BTreeMap::from([(CONFIGS_LABEL.into(), "/configs".into())]),
            files: Arc::new(MemoryTree::default()),
            rules,
            catalog: OnceLock::from(content),
            blobs: OnceLock::new(),
            bundle: OnceLock::new(),
        }
    }

    /// `sha256:…`
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The labels of the image.
    pub fn labels(&self) -> &BTreeMap<String, String> {
        &self.labels
    }

    /// The files.
    pub fn files(&self) -> &dyn Tree {
        self.files.as_ref()
    }

    /// The files, to be kept.
    pub fn shared_files(&self) -> Arc<dyn Tree> {
        Arc::clone(&self.files)
    }

    /// The image as a catalog, blob by blob.
    pub fn blobs(&self) -> &Arc<Catalog> {
        self.blobs.get_or_init(|| Arc::new(load::load_tree(self.files.as_ref())))
    }

    /// The image as a catalog, ready for resolution.
    pub fn catalog(&self) -> &CatalogContent {
        self.catalog.get_or_init(|| {
            let catalog = load::load_tree(self.files.as_ref());
            let fault = storage_fault(&catalog);
            CatalogContent { index: Arc::new(CatalogIndex::new(catalog, self.rules)), fault }
        })
    }

    /// The image as a bundle, or why it is none.
    pub fn bundle(&self) -> Result<&Arc<Bundle>, &ReadError> {
        self.bundle.get_or_init(|| Bundle::read(self.files.as_ref()).map(Arc::new)).as_ref()
    }
}

/// What keeps catalogd from storing a catalog. It looks at schema, package and name of a blob only.
fn storage_fault(catalog: &Catalog) -> Option<String> {
    use LoadFaultKind::{BundleObject, FieldType, NoSchema};
    let hurts = |kind| !matches!(kind, NoSchema | FieldType | BundleObject);
    let fault = catalog.faults.iter().find(|fault| hurts(fault.kind))?;
    Some(format!("error walking FBC root: {}", fault.message))
}

/// A digest of files and labels.
fn digest(files: &dyn Tree, labels: &BTreeMap<String, String>) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    for (label, value) in labels {
        part(label.as_bytes());
        part(value.as_bytes());
    }
    for path in tree::files(files)? {
        part(path.to_string_lossy().as_bytes());
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("open {}: {error}", path.display()));
        part(&files.read(&path).map_err(named)?);
    }
    Ok(format!("sha256:{}", hexadecimal(&hash.finalize())))
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why an image cannot be pulled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PullError {
    /// The text of the reference.
    pub message: String,
    /// True if another try cannot help.
    pub is_terminal: bool,
}

impl PullError {
    /// An error that may go away by itself.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_terminal: false }
    }
}

/// An image that was pulled.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// `name@sha256:…`
    pub canonical: String,
    /// The image.
    pub image: Arc<Image>,
}

/// The images of all registries.
#[derive(Debug, Default)]
pub struct Images {
    pushed: Repositories,
    /// What lies there from the start, shared by all clusters that have it; what is pushed comes before it.
    shared: Arc<Repositories>,
    /// Pulls that fail, by repository.
    broken: BTreeMap<String, PullError>,
    /// What was pulled already and is not asked for again, by repository and digest.
    cached: RefCell<BTreeMap<(String, String), Arc<Image>>>,
    /// Where images lie besides.
    mirrors: Vec<Mirror>,
    outsiders: Outsiders,
}

/// Images that several controllers pull, and that somebody else pushes.
pub type SharedImages = Rc<RefCell<Images>>;

impl Images {
    /// As [`Repositories::push`].
    ///
    /// # Errors
    /// The reference cannot be read.
    pub fn push(&mut self, reference: &str, image: Arc<Image>) -> Result<(), PullError> {
        self.pushed.push(reference, image)
    }

    /// Says what lies in repositories besides what is pushed.
    pub fn set_shared(&mut self, shared: Arc<Repositories>) {
        self.shared = shared;
    }

    /// Lets every pull from a repository fail until it is fixed. A terminal error is not tried again.
    pub fn break_repository(
        &mut self,
        repository: impl Into<String>,
        message: impl Into<String>,
        is_terminal: bool,
    ) {
        self.broken.insert(repository.into(), PullError { message: message.into(), is_terminal });
    }

    /// Ends what [`Images::break_repository`] began.
    pub fn fix_repository(&mut self, repository: &str) {
        self.broken.remove(repository);
    }

    /// Pulls an image.
    ///
    /// # Errors
    /// The reference cannot be read, there is no such image, or the repository is broken.
    pub fn pull(&self, reference: &str) -> Result<Pulled, PullError> {
        let parsed = parse(reference)?;
        let source = repository(&parsed);
        if let Some(digest) = &parsed.digest
            && let Some(image) = self.cached.borrow().get(&(source.clone(), digest.clone()))
        {
            return Ok(pulled(&source, digest, image));
        }
        let mut failures = Vec::new();
        for place in mirrors::places(&self.mirrors, &source, parsed.digest.is_some()) {
            match self.pull_from(&place, &parsed) {
                Ok((digest, image)) => {
                    let found = pulled(&source, &digest, &image);
                    self.cached.borrow_mut().insert((source, digest), image);
                    return Ok(found);
                }
                Err(error) => failures.push((reference_to(&place.repository, &parsed), error)),
            }
        }
        Err(failure(failures))
    }

    /// The image of a digest, if it is here: pushed, or pulled before. No registry outside is asked.
    pub fn pulled(&self, canonical: &str) -> Option<Pulled> {
        let parsed = parse(canonical).ok()?;
        let (source, digest) = (repository(&parsed), parsed.digest?);
        let key = (source, digest);
        let image = self.cached.borrow().get(&key).or_else(|| self.with_digest(&key)).cloned()?;
        Some(pulled(&key.0, &key.1, &image))
    }

    /// The image in one of the places where it may lie, with its digest.
    fn pull_from(&self, place: &Place, wanted: &ImageReference) -> Result<(String, Arc<Image>), PullError> {
        let repository = &place.repository;
        if let Some(source) = &place.blocked_by {
            return Err(PullError::retryable(format!(
                "{NO_SOURCE}registry {source} is blocked in /etc/containers/registries.conf or \
                 /etc/containers/registries.conf.d"
            )));
        }
        if let Some(error) = self.broken.get(repository) {
            return Err(error.clone());
        }
        let tag = wanted.tag.as_deref().unwrap_or("latest");
        let key = |name: &str| (repository.clone(), name.to_owned());
        let found = match &wanted.digest {
            Some(digest) => self.with_digest(&key(digest)).map(|image| (digest.clone(), image)),
            None => self.tagged(&key(tag)).map(|image| (image.digest.clone(), image)),
        };
        if let Some((digest, image)) = found {
            return Ok((digest, Arc::clone(image)));
        }
        match self.outsiders.pull(repository, wanted.tag.as_deref(), wanted.digest.as_deref()) {
            Some(pulled) => {
                pulled.map_err(|error| PullError { message: format!("{NO_SOURCE}{error}"), ..error })
            }
            None => Err(unknown(wanted.digest.as_deref().unwrap_or(tag), repository)),
        }
    }

    fn tagged(&self, repository_and_tag: &(String, String)) -> Option<&Arc<Image>> {
        self.pushed.tagged(repository_and_tag).or_else(|| self.shared.tagged(repository_and_tag))
    }

    fn with_digest(&self, repository_and_digest: &(String, String)) -> Option<&Arc<Image>> {
        let pushed = self.pushed.with_digest(repository_and_digest);
        pushed.or_else(|| self.shared.with_digest(repository_and_digest))
    }

    /// Asks registries outside for what nobody pushed.
    pub fn set_outside(&mut self, outside: Box<dyn Outside>, rules: Rules) {
        self.outsiders = Outsiders::new(outside, rules);
    }

    /// Says where images lie besides the places that their references name.
    pub fn set_mirrors(&mut self, mirrors: Vec<Mirror>) {
        self.mirrors = mirrors;
    }

    /// Pulls the image of a catalog: it needs a label that says where the catalog lies.
    ///
    /// # Errors
    /// As [`Images::pull`], or the label is missing, which is terminal if the reference has a digest.
    pub fn pull_catalog(&self, reference: &str) -> Result<Pulled, PullError> {
        let pulled = self.pull(reference)?;
        if pulled.image.labels.contains_key(CONFIGS_LABEL) {
            return Ok(pulled);
        }
        let is_terminal = parse(reference)?.digest.is_some();
        let terminal = if is_terminal { "terminal error: " } else { "" };
        let label = quote(CONFIGS_LABEL);
        Err(PullError {
            message: format!(
                "error applying image: {terminal}catalog image is missing the required label {label}"
            ),
            is_terminal,
        })
    }
}

/// How texts of pulls that fail begin.
const NO_SOURCE: &str = "error creating image source: ";

fn pulled(repository: &str, digest: &str, image: &Arc<Image>) -> Pulled {
    Pulled { canonical: format!("{repository}@{digest}"), image: Arc::clone(image) }
}

/// The image that is wanted, in another repository.
fn reference_to(repository: &str, wanted: &ImageReference) -> String {
    match &wanted.digest {
        Some(digest) => format!("{repository}@{digest}"),
        None => format!("{repository}:{}", wanted.tag.as_deref().unwrap_or("latest")),
    }
}

/// Why an image cannot be pulled from any place; the last is the one that its reference names.
fn failure(mut failures: Vec<(String, PullError)>) -> PullError {
    let Some((reference, last)) = failures.pop() else { return unknown("latest", "") };
    if failures.is_empty() {
        return last;
    }
    let bare = |error: &PullError| error.message.strip_prefix(NO_SOURCE).unwrap_or(&error.message).to_owned();
    let others: Vec<String> =
        failures.iter().map(|(mirror, error)| format!("[{mirror}: {}]", bare(error))).collect();
    let message =
        format!("{NO_SOURCE}(Mirrors also failed: {}): {reference}: {}", others.join("\n"), bare(&last));
    PullError { message, ..last }
}

fn unknown(tag: &str, repository: &str) -> PullError {
    PullError::retryable(format!("{NO_SOURCE}reading manifest {tag} in {repository}: manifest unknown"))
}

fn parse(reference: &str) -> Result<ImageReference, PullError> {
    image_reference::parse(reference).map_err(|error| PullError {
        message: format!("error parsing image reference {}: {error}", quote(reference)),
        is_terminal: true,
    })
}

fn repository(reference: &ImageReference) -> String {
    format!("{}/{}", reference.domain, reference.path)
}
