//! The images that the cluster can pull: catalogs and bundles, by tag and by digest, and pulls that fail.
//!
//! An image is a folder with labels. As what it is read (a catalog, a bundle) is decided by who pulls it; it is read
//! once, however many pull it. Nothing is ever forgotten: an image stays reachable by digest when its tag moves on.
//!
//! Source of the texts: `operator-framework/operator-controller:internal/shared/util/image/pull.go`,
//! `containers/image:docker/docker_image_src.go`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use fbc_bundle::manifests::Bundle;
use fbc_model::catalog::Catalog;
use fbc_model::image_reference::{self, ImageReference};
use fbc_model::load::{self, LoadFaultKind};
use fbc_model::tree::{MemoryTree, Tree};
use fbc_resolve::{CatalogIndex, Rules};
use fbc_yaml::go_text::quote;
use sha2::{Digest, Sha256};

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
    /// The catalog's folder, or the bundle's.
    files: Arc<dyn Tree>,
    rules: Rules,
    catalog: OnceLock<CatalogContent>,
    bundle: OnceLock<Result<Arc<Bundle>, String>>,
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Image").field("digest", &self.digest).field("labels", &self.labels).finish()
    }
}

impl Image {
    /// An image with the files of a folder: for a catalog the folder that its label names, for a bundle the root.
    /// The digest follows from files and labels.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn of_files(
        files: Arc<dyn Tree>,
        labels: BTreeMap<String, String>,
        rules: Rules,
    ) -> io::Result<Self> {
        let digest = digest(files.as_ref(), &labels)?;
        Ok(Self { digest, labels, files, rules, catalog: OnceLock::new(), bundle: OnceLock::new() })
    }

    /// The image of a catalog with the label that it needs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn of_catalog(files: Arc<dyn Tree>, rules: Rules) -> io::Result<Self> {
        Self::of_files(files, BTreeMap::from([(CONFIGS_LABEL.into(), "/configs".into())]), rules)
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

    /// The image as a catalog.
    pub fn catalog(&self) -> &CatalogContent {
        self.catalog.get_or_init(|| {
            let catalog = load::load_tree(self.files.as_ref());
            let fault = storage_fault(&catalog);
            CatalogContent { index: Arc::new(CatalogIndex::new(catalog, self.rules)), fault }
        })
    }

    /// The image as a bundle, or why it is none.
    pub fn bundle(&self) -> Result<&Arc<Bundle>, &str> {
        self.bundle
            .get_or_init(|| {
                Bundle::read(self.files.as_ref()).map(Arc::new).map_err(|error| error.to_string())
            })
            .as_ref()
            .map_err(String::as_str)
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
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in files.list(&folder)? {
            let path = folder.join(&entry.name);
            if entry.is_directory {
                folders.push(path);
            } else {
                part(path.to_string_lossy().as_bytes());
                part(&files.read(&path)?);
            }
        }
    }
    Ok(format!("sha256:{}", hexadecimal(&hash.finalize())))
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why an image cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PullError {
    /// The text of the reference.
    pub message: String,
    /// True if another try cannot help.
    pub is_terminal: bool,
}

impl PullError {
    fn retryable(message: impl Into<String>) -> Self {
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
    /// By repository and tag.
    tags: BTreeMap<(String, String), Arc<Image>>,
    /// By repository and digest.
    digests: BTreeMap<(String, String), Arc<Image>>,
    /// Pulls that fail, by repository.
    broken: BTreeMap<String, PullError>,
    /// What was pulled already and is not asked for again, by repository and digest.
    cached: RefCell<BTreeSet<(String, String)>>,
}

/// Images that several controllers pull, and that somebody else pushes.
pub type SharedImages = Rc<RefCell<Images>>;

impl Images {
    /// Makes an image reachable under a reference. A tag moves if it was another image's; a digest is taken as given,
    /// so that the content of a sample can stand for an image whose bytes are not at hand.
    ///
    /// # Errors
    /// The reference cannot be read.
    pub fn push(&mut self, reference: &str, image: Arc<Image>) -> Result<(), PullError> {
        let parsed = parse(reference)?;
        let repository = repository(&parsed);
        self.digests.insert((repository.clone(), image.digest.clone()), Arc::clone(&image));
        if let Some(digest) = parsed.digest {
            self.digests.insert((repository, digest), image);
            return Ok(());
        }
        let tag = parsed.tag.unwrap_or_else(|| "latest".to_owned());
        self.tags.insert((repository, tag), image);
        Ok(())
    }

    /// Lets every pull from a repository fail until it is mended. A terminal error is not tried again.
    pub fn break_repository(
        &mut self,
        repository: impl Into<String>,
        message: impl Into<String>,
        is_terminal: bool,
    ) {
        self.broken.insert(repository.into(), PullError { message: message.into(), is_terminal });
    }

    /// Ends what [`Images::break_repository`] began.
    pub fn mend_repository(&mut self, repository: &str) {
        self.broken.remove(repository);
    }

    /// Pulls an image.
    ///
    /// # Errors
    /// The reference cannot be read, there is no such image, or the repository is broken.
    pub fn pull(&self, reference: &str) -> Result<Pulled, PullError> {
        let parsed = parse(reference)?;
        let repository = repository(&parsed);
        if let Some(digest) = parsed.digest {
            let key = (repository, digest);
            let is_cached = self.cached.borrow().contains(&key);
            if let Some(error) = self.broken.get(&key.0).filter(|_| !is_cached) {
                return Err(error.clone());
            }
            let image = self.digests.get(&key).ok_or_else(|| unknown(&key.1, &key.0))?;
            return Ok(self.pulled(key, image));
        }
        if let Some(error) = self.broken.get(&repository) {
            return Err(error.clone());
        }
        let tag = parsed.tag.unwrap_or_else(|| "latest".to_owned());
        let key = (repository, tag);
        match self.tags.get(&key) {
            Some(image) => Ok(self.pulled((key.0, image.digest.clone()), image)),
            None => Err(unknown(&key.1, &key.0)),
        }
    }

    fn pulled(&self, key: (String, String), image: &Arc<Image>) -> Pulled {
        let canonical = format!("{}@{}", key.0, key.1);
        self.cached.borrow_mut().insert(key);
        Pulled { canonical, image: Arc::clone(image) }
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

fn unknown(tag: &str, repository: &str) -> PullError {
    PullError::retryable(format!(
        "error creating image source: reading manifest {tag} in {repository}: manifest unknown"
    ))
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

/// A folder within a tree, as a tree of its own.
pub struct Subtree {
    /// The tree.
    pub tree: Arc<dyn Tree>,
    /// The folder.
    pub folder: PathBuf,
}

impl Tree for Subtree {
    fn list(&self, directory: &Path) -> io::Result<Vec<fbc_model::tree::TreeEntry>> {
        self.tree.list(&self.folder.join(directory))
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.tree.read(&self.folder.join(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str, labels: &[&str]) -> Arc<Image> {
        let files = MemoryTree::from_iter([("catalog.yaml", text)]);
        let labels = labels.iter().map(|label| ((*label).to_owned(), "/configs".to_owned())).collect();
        Arc::new(Image::of_files(Arc::new(files), labels, Rules::default()).unwrap())
    }

    #[test]
    fn tags_move_and_digests_stay() {
        let mut images = Images::default();
        let (old, new) = (image("schema: a\n", &[CONFIGS_LABEL]), image("schema: b\n", &[CONFIGS_LABEL]));
        assert_ne!(old.digest(), new.digest());
        images.push("registry.example/c:v1", Arc::clone(&old)).unwrap();
        let before = images.pull_catalog("registry.example/c:v1").unwrap().canonical;
        images.push("registry.example/c:v1", new).unwrap();
        assert_ne!(images.pull_catalog("registry.example/c:v1").unwrap().canonical, before);
        assert_eq!(images.pull_catalog(&before).unwrap().image.digest(), old.digest());
        images.break_repository("registry.example/c", "no route", false);
        assert_eq!(images.pull("registry.example/c:v1").unwrap_err().message, "no route");
        assert!(images.pull(&before).is_ok());
        images.mend_repository("registry.example/c");
        assert!(images.pull("registry.example/c:v1").is_ok());
    }

    #[test]
    fn a_digest_is_taken_as_given_and_asked_for_once() {
        let mut images = Images::default();
        let digest = format!("registry.example/b@sha256:{}", "0".repeat(64));
        images.push(&digest, image("schema: a\n", &[])).unwrap();
        images.break_repository("registry.example/b", "no route", false);
        assert_eq!(images.pull(&digest).unwrap_err().message, "no route");
        images.mend_repository("registry.example/b");
        assert_eq!(images.pull(&digest).unwrap().canonical, digest);
        images.break_repository("registry.example/b", "no route", false);
        assert!(images.pull(&digest).is_ok());
        assert!(images.pull("registry.example/b:latest").is_err());
    }

    #[test]
    fn texts_of_failed_pulls() {
        let mut images = Images::default();
        let bare = image("schema: a\n", &[]);
        let by_digest = format!("registry.example/c@{}", bare.digest());
        images.push("registry.example/c:v1", bare).unwrap();
        let label = r#"catalog image is missing the required label "operators.operatorframework.io.index.configs.v1""#;
        for (reference, text, is_terminal) in [
            (
                "registry.example/absent:v1",
                "error creating image source: reading manifest v1 in registry.example/absent: manifest unknown"
                    .to_owned(),
                false,
            ),
            ("registry.example/c:v1", format!("error applying image: {label}"), false),
            (by_digest.as_str(), format!("error applying image: terminal error: {label}"), true),
            (
                "registry.example/C:v1",
                "error parsing image reference \"registry.example/C:v1\": invalid reference format: repository name \
                 must be lowercase"
                    .to_owned(),
                true,
            ),
        ] {
            let error = images.pull_catalog(reference).unwrap_err();
            assert_eq!((error.message, error.is_terminal), (text, is_terminal));
        }
    }

    #[test]
    fn catalogs_that_cannot_be_stored() {
        for (text, fault) in
            [("schema: a\n", false), ("name: a\n", false), ("just text\n", true), ("a: [\n", true)]
        {
            let image = image(text, &[CONFIGS_LABEL]);
            assert_eq!(image.catalog().fault.is_some(), fault, "{text} {:?}", image.catalog().fault);
        }
    }
}
