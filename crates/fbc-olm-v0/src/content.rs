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
    /// What images held that were pushed, by digest.
    digests: BTreeMap<String, Served>,
    bundles: BTreeMap<String, Arc<dyn Tree>>,
    numbers: u64,
    /// Catalogs as the resolver reads them, by number; few are served at once.
    entries: BTreeMap<u64, Arc<fbc_resolve_v0::Catalog>>,
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
        self.digests.insert(served.digest.clone(), served.clone());
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

    /// What an image holds: that of the digest if it is known, or what its tag names now.
    pub fn catalog_of(&self, image: &str, digest: &str) -> Option<&Served> {
        self.digests.get(digest).or_else(|| self.images.get(image))
    }

    /// Lets something answer at an address, or nothing.
    pub fn set(&mut self, address: &str, served: Option<Served>) {
        match served {
            Some(served) => self.addresses.insert(address.to_owned(), served),
            None => self.addresses.remove(address),
        };
    }

    /// What is served, ready for resolution.
    pub fn entries(&mut self, served: &Served) -> Arc<fbc_resolve_v0::Catalog> {
        let make = || Arc::new(fbc_resolve_v0::Catalog::new(&served.catalog));
        Arc::clone(self.entries.entry(served.number).or_insert_with(make))
    }

    /// What the image of a bundle holds.
    pub fn bundle(&self, image: &str) -> Option<&Arc<dyn Tree>> {
        self.bundles.get(image)
    }
}
