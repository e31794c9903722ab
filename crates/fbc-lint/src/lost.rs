//! What refused documents may have held, so that their absence is not reported on top.
//!
//! A package blob with a typing mistake is refused when it is loaded; to say of all its channels and
//! bundles that their package does not exist would bury the one message that helps. Rules about
//! things that are missing ask here first.

use std::collections::HashSet;
use std::path::Path;

use fbc_model::Catalog;
use fbc_model::blob::schema;
use fbc_model::load::{LoadFault, LoadFaultKind};
use fbc_model::tree::Tree;

const SCHEMAS: [&str; 4] = [schema::PACKAGE, schema::CHANNEL, schema::BUNDLE, schema::DEPRECATIONS];

/// A refused document larger than this may hold anything; collecting its words would cost more than
/// they tell.
const LARGE_DOCUMENT_BYTES: usize = 64 << 20;
/// No name of a package, channel or bundle is longer.
const LONGEST_NAME_BYTES: usize = 1024;

/// The words of the documents that could not be loaded, by the schemas that they mention.
#[derive(Debug, Default)]
pub struct LostBlobs {
    /// A file that should be in the catalog could not be read at all.
    everything: bool,
    words: [HashSet<Box<[u8]>>; SCHEMAS.len()],
}

impl LostBlobs {
    /// Looks over the faults of a catalog. Costs nothing where there are none.
    #[must_use]
    pub fn find(catalog: &Catalog, tree: &dyn Tree) -> Self {
        let mut lost = Self::default();
        // Faults of one file stand side by side, so it is read once.
        for faults in catalog.faults.chunk_by(|a, b| a.path == b.path) {
            let Some(first) = faults.first() else { continue };
            if first.origin.is_none() {
                let is_directory = catalog.files.iter().all(|file| file.path != first.path);
                lost.everything |=
                    first.kind == LoadFaultKind::Unreadable && (is_directory || is_catalog_file(&first.path));
            } else if is_catalog_file(&first.path) {
                match tree.read(&first.path) {
                    Ok(file) => faults.iter().for_each(|fault| lost.note(catalog, &file, fault)),
                    Err(_) => lost.everything = true,
                }
            }
        }
        lost
    }

    /// Whether a refused document may be the blob of that schema and name. Never true without a name.
    #[must_use]
    pub fn may_hold(&self, schema: &str, name: &str) -> bool {
        if name.is_empty() {
            return false;
        }
        let place = SCHEMAS.iter().position(|known| *known == schema);
        let words = place.and_then(|place| self.words.get(place));
        self.everything || words.is_some_and(|words| words.contains(name.as_bytes()))
    }

    fn note(&mut self, catalog: &Catalog, file: &[u8], fault: &LoadFault) {
        // A bundle whose manifests cannot be read is there all the same.
        if fault.kind == LoadFaultKind::BundleObject {
            return;
        }
        let Some(document) = fault.origin.and_then(|origin| catalog.document(origin)) else { return };
        let text = file.get(document.range.clone()).unwrap_or_default();
        if text.len() > LARGE_DOCUMENT_BYTES {
            self.everything = true;
            return;
        }
        let mentions = SCHEMAS.map(|schema| memchr::memmem::find(text, schema.as_bytes()).is_some());
        let mentions_none = mentions.iter().all(|mentions| !mentions);
        for (words, mentions) in self.words.iter_mut().zip(mentions) {
            if mentions || mentions_none {
                let is_name = |word: &&[u8]| (1..=LONGEST_NAME_BYTES).contains(&word.len());
                let found = text.split(|byte| !is_word(*byte)).filter(is_name);
                words.extend(found.map(|word| word.strip_suffix(b":").unwrap_or(word).into()));
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+' | b'/' | b':') || byte >= 0x80
}

/// Whether a file looks by its name as if it were meant to be part of a catalog. opm reads the
/// others too.
#[must_use]
pub fn is_catalog_file(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("yaml" | "yml" | "json"))
}
