//! A loaded catalog: blobs by kind in load order, the files that they came from, and what was
//! refused on the way.

use std::ops::Range;
use std::path::PathBuf;

use fbc_yaml::stream::Syntax;

use crate::blob::{Blob, Bundle, Channel, Deprecation, Origin, Other, Package};
use crate::load::LoadFault;

/// A catalog in the order in which it was loaded.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Packages.
    pub packages: Vec<Package>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Bundles.
    pub bundles: Vec<Bundle>,
    /// Deprecations.
    pub deprecations: Vec<Deprecation>,
    /// Blobs of other schemas.
    pub others: Vec<Other>,
    /// The files, in the order of the walk.
    pub files: Vec<CatalogFile>,
    /// Files that an `.indexignore` leaves out, in the order of the walk.
    pub ignored: Vec<PathBuf>,
    /// What the reference refuses to load.
    pub faults: Vec<LoadFault>,
}

/// A file of a catalog.
#[derive(Clone, Debug)]
pub struct CatalogFile {
    /// The path, relative to the root of the tree.
    pub path: PathBuf,
    /// Its documents in their order, good and bad.
    pub documents: Vec<DocumentInfo>,
}

/// What is known of a document without its value.
#[derive(Clone, Debug)]
pub struct DocumentInfo {
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// How it is written.
    pub syntax: Syntax,
    /// Whether an object in it gives a key twice.
    pub has_duplicate_keys: bool,
    /// Whether a blob of opm's own schemas has a key that its type does not have, or spells in
    /// another case. Values of properties do not count.
    pub has_odd_keys: bool,
    /// Whether whoever loaded the catalog wants a closer look at it; see
    /// [`load_inspected`](crate::load::load_inspected).
    pub is_marked: bool,
}

impl Catalog {
    /// Adds a blob that lies at the given place.
    pub fn push(&mut self, blob: Blob, origin: Origin) {
        match blob {
            Blob::Package(package) => self.packages.push(Package { origin, ..package }),
            Blob::Channel(channel) => self.channels.push(Channel { origin, ..channel }),
            Blob::Bundle(bundle) => self.bundles.push(Bundle { origin, ..bundle }),
            Blob::Deprecation(deprecation) => self.deprecations.push(Deprecation { origin, ..deprecation }),
            Blob::Other(other) => self.others.push(Other { origin, ..other }),
        }
    }

    /// Appends another catalog; its files come after those of this one.
    pub fn append(&mut self, mut other: Self) {
        let files = self.files.len() as u32;
        let move_origin = |origin: &mut Origin| origin.file += files;
        other.packages.iter_mut().for_each(|blob| move_origin(&mut blob.origin));
        other.channels.iter_mut().for_each(|blob| move_origin(&mut blob.origin));
        other.bundles.iter_mut().for_each(|blob| move_origin(&mut blob.origin));
        other.deprecations.iter_mut().for_each(|blob| move_origin(&mut blob.origin));
        other.others.iter_mut().for_each(|blob| move_origin(&mut blob.origin));
        other.faults.iter_mut().filter_map(|fault| fault.origin.as_mut()).for_each(move_origin);
        self.packages.append(&mut other.packages);
        self.channels.append(&mut other.channels);
        self.bundles.append(&mut other.bundles);
        self.deprecations.append(&mut other.deprecations);
        self.others.append(&mut other.others);
        self.files.append(&mut other.files);
        self.ignored.append(&mut other.ignored);
        self.faults.append(&mut other.faults);
    }

    /// The file of a blob.
    #[must_use]
    pub fn file(&self, origin: Origin) -> Option<&CatalogFile> {
        self.files.get(origin.file as usize)
    }

    /// The document of a blob.
    #[must_use]
    pub fn document(&self, origin: Origin) -> Option<&DocumentInfo> {
        self.file(origin)?.documents.get(origin.document as usize)
    }
}
