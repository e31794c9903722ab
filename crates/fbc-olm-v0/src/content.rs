//! What catalogs serve, by address and by image, and the images of bundles.
//!
//! A catalog is read once, however many CatalogSources name it. Whoever changes what is served says so to the controllers with
//! [`crate::catalog_operator::content_changed`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fbc_model::Catalog;
use fbc_model::tree::Tree;

/// What answers at an address, or lies in an image.
#[derive(Debug, Clone)]
pub struct Served {
    /// The blobs.
    pub catalog: Arc<Catalog>,
    /// Which content it is: another number, another content or another process.
    pub number: u64,
    /// The digest of the image, `sha256:…`; empty where there is none.
    pub digest: String,
}

/// All that is served.
#[derive(Default)]
pub struct Content {
    addresses: BTreeMap<String, Served>,
    images: BTreeMap<String, Served>,
    bundles: BTreeMap<String, Arc<dyn Tree>>,
    numbers: u64,
}

/// Content that several controllers read, and that somebody else changes.
pub type SharedContent = Rc<RefCell<Content>>;

impl Content {
    /// Starts a server at an address, `HOST:PORT`, with a catalog, in place of the one that is there.
    pub fn serve(&mut self, address: impl Into<String>, catalog: Arc<Catalog>) {
        self.numbers += 1;
        let served = Served { catalog, number: self.numbers, digest: String::new() };
        self.addresses.insert(address.into(), served);
    }

    /// Stops the server at an address.
    pub fn stop(&mut self, address: &str) {
        self.addresses.remove(address);
    }

    /// Says what the image of a catalog holds from now on.
    pub fn push_catalog(
        &mut self,
        image: impl Into<String>,
        digest: impl Into<String>,
        catalog: Arc<Catalog>,
    ) {
        self.numbers += 1;
        let served = Served { catalog, number: self.numbers, digest: digest.into() };
        self.images.insert(image.into(), served);
    }

    /// Says what the image of a bundle holds from now on.
    pub fn push_bundle(&mut self, image: impl Into<String>, files: Arc<dyn Tree>) {
        self.bundles.insert(image.into(), files);
    }

    /// What answers at an address, if anything does.
    pub fn at(&self, address: &str) -> Option<&Served> {
        self.addresses.get(address)
    }

    /// What the image of a catalog holds.
    pub fn catalog_image(&self, image: &str) -> Option<&Served> {
        self.images.get(image)
    }

    /// What the image of a bundle holds.
    pub fn bundle(&self, image: &str) -> Option<&Arc<dyn Tree>> {
        self.bundles.get(image)
    }
}
