//! A catalog as catalogd stores it: one JSON document a line, and where each lies.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/storage/localdir.go`, `index.go`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use fbc_model::load::{LoadFault, map_blobs};
use fbc_model::tree::Tree;
use fbc_yaml::json_writer;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// What a request for blobs asks for; an empty text asks for any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The schema.
    pub schema: String,
    /// The package that a blob names; a package itself names none.
    pub package: String,
    /// The name.
    pub name: String,
}

impl Selection {
    /// True if it asks for everything.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.schema.is_empty() && self.package.is_empty() && self.name.is_empty()
    }
}

/// A catalog as lines of JSON.
#[derive(Debug)]
pub struct Store {
    lines: Bytes,
    blobs: Vec<Stored>,
    names: BTreeMap<String, u32>,
    modified: SystemTime,
    entity_tag: String,
    compressed: OnceLock<Bytes>,
}

/// A line: where it ends, and what it is, as numbers of names.
#[derive(Debug, Clone, Copy)]
struct Stored {
    end: usize,
    schema: u32,
    package: u32,
    name: u32,
}

impl Store {
    /// Reads a catalog, in the order of its files and of the blobs in these; `modified` is when it became what it is.
    ///
    /// # Errors
    /// The first thing that catalogd refuses.
    pub fn read(tree: &dyn Tree, modified: SystemTime) -> Result<Self, LoadFault> {
        let written = map_blobs(tree, &|root, meta| {
            let mut line = String::new();
            json_writer::write_compact(&mut line, root);
            line.push('\n');
            (line, meta.clone())
        })?;
        let mut lines = String::with_capacity(written.iter().map(|(line, _)| line.len()).sum());
        let mut store = Self {
            lines: Bytes::new(),
            blobs: Vec::with_capacity(written.len()),
            names: BTreeMap::new(),
            modified,
            entity_tag: String::new(),
            compressed: OnceLock::new(),
        };
        for (line, meta) in written {
            lines.push_str(&line);
            let [schema, package, name] =
                [&meta.schema, &meta.package, &meta.name].map(|name| store.number(name));
            store.blobs.push(Stored { end: lines.len(), schema, package, name });
        }
        store.lines = Bytes::from(lines);
        let digest = Sha256::digest(&store.lines);
        let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        store.entity_tag = format!("\"{digest}\"");
        Ok(store)
    }

    /// The number that stands for a name.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        // Names take bytes, of which a catalog has fewer than there are numbers.
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), number);
        number
    }

    /// When the catalog became what it is.
    #[must_use]
    pub fn modified(&self) -> SystemTime {
        self.modified
    }

    /// What tells this content from other content, in quotes.
    #[must_use]
    pub fn entity_tag(&self) -> &str {
        &self.entity_tag
    }

    /// All lines.
    #[must_use]
    pub fn all(&self) -> Bytes {
        self.lines.clone()
    }

    /// All lines, packed with gzip; packed once, when somebody asks first.
    #[must_use]
    pub fn all_compressed(&self) -> Bytes {
        self.compressed.get_or_init(|| gzip(&self.lines)).clone()
    }

    /// The lines that were asked for, in order.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> Vec<Bytes> {
        let number = |text: &str| {
            if text.is_empty() { Some(None) } else { self.names.get(text).map(|number| Some(*number)) }
        };
        let (Some(schema), Some(package), Some(name)) =
            (number(&selection.schema), number(&selection.package), number(&selection.name))
        else {
            return Vec::new();
        };
        let fits = |wanted: Option<u32>, number: u32| wanted.is_none_or(|wanted| wanted == number);
        let mut begin = 0;
        let mut found: Vec<Range<usize>> = Vec::new();
        for blob in &self.blobs {
            if fits(schema, blob.schema) && fits(package, blob.package) && fits(name, blob.name) {
                match found.last_mut() {
                    Some(last) if last.end == begin => last.end = blob.end,
                    _ => found.push(begin..blob.end),
                }
            }
            begin = blob.end;
        }
        found.into_iter().map(|range| self.lines.slice(range)).collect()
    }
}

/// Packs bytes with gzip.
pub(super) fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(6));
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    Bytes::from(encoder.finish().unwrap_or_default())
}
