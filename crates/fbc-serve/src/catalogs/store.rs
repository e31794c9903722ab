//! A catalog as catalogd stores it: one JSON document a line, and where each lies.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/storage/localdir.go`, `index.go`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use fbc_model::load::BlobDocument;
use fbc_model::meta::Meta;
use fbc_yaml::json_writer;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;
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
    files: Vec<Lines>,
    size: usize,
    names: BTreeMap<String, u32>,
    modified: SystemTime,
    entity_tag: String,
    compressed: OnceLock<Bytes>,
}

/// The lines of a file.
#[derive(Debug)]
struct Lines {
    text: Bytes,
    blobs: Vec<Stored>,
}

/// A line: where it ends in the text, and what it is, as numbers of names.
#[derive(Debug, Clone, Copy)]
struct Stored {
    end: usize,
    schema: u32,
    package: u32,
    name: u32,
}

/// The lines of a file before their names have numbers.
struct Written {
    text: String,
    /// Where each line ends, and what it is.
    blobs: Vec<(usize, Meta)>,
    digest: [u8; 32],
}

impl Written {
    /// Writes the documents of a file; each is gone once it is written, unless something else shares it.
    fn from_documents(documents: Vec<BlobDocument>) -> Self {
        // A line is about as long as text and entries of its document; a wrong guess costs a copy.
        let room = documents.iter().map(|blob| blob.document.memory()).sum();
        let mut text = String::with_capacity(room);
        let mut blobs = Vec::with_capacity(documents.len());
        for BlobDocument { meta, document } in documents {
            json_writer::write_compact(&mut text, document.root());
            text.push('\n');
            blobs.push((text.len(), meta));
        }
        text.shrink_to_fit();
        let digest = Sha256::digest(&text).into();
        Self { text, blobs, digest }
    }
}

impl Store {
    /// Writes the documents of a catalog, file by file; `modified` is when it became what it is.
    #[must_use]
    pub fn new(files: Vec<Vec<BlobDocument>>, modified: SystemTime) -> Self {
        let written: Vec<Written> =
            files.into_par_iter().with_max_len(1).map(Written::from_documents).collect();
        let mut store = Self {
            files: Vec::with_capacity(written.len()),
            size: 0,
            names: BTreeMap::new(),
            modified,
            entity_tag: String::new(),
            compressed: OnceLock::new(),
        };
        let mut digest = Sha256::new();
        for file in written {
            digest.update(file.digest);
            store.size += file.text.len();
            let blobs = file.blobs.iter().map(|(end, meta)| store.number_all(*end, meta)).collect();
            store.files.push(Lines { text: Bytes::from(file.text), blobs });
        }
        let digest: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        store.entity_tag = format!("\"{digest}\"");
        store
    }

    fn number_all(&mut self, end: usize, meta: &Meta) -> Stored {
        let [schema, package, name] = [&meta.schema, &meta.package, &meta.name].map(|name| self.number(name));
        Stored { end, schema, package, name }
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

    /// The bytes of all lines.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// All lines, file by file.
    #[must_use]
    pub fn all(&self) -> Vec<Bytes> {
        self.files.iter().map(|file| file.text.clone()).collect()
    }

    /// A stretch of all lines.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Vec<Bytes> {
        let mut begin = 0;
        let mut parts = Vec::new();
        for Lines { text, .. } in &self.files {
            let within = |place: usize| place.saturating_sub(begin).min(text.len());
            let (from, to) = (within(range.start), within(range.end));
            if from < to {
                parts.push(text.slice(from..to));
            }
            begin += text.len();
        }
        parts
    }

    /// All lines, packed with gzip; packed once, when somebody asks first.
    #[must_use]
    pub fn all_compressed(&self) -> Bytes {
        self.compressed.get_or_init(|| gzip(&self.all())).clone()
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
        let fits = |asked: Option<u32>, number: u32| asked.is_none_or(|asked| asked == number);
        let wanted =
            |blob: &Stored| fits(schema, blob.schema) && fits(package, blob.package) && fits(name, blob.name);
        self.files.iter().flat_map(|file| file.select(&wanted)).collect()
    }
}

impl Lines {
    /// The lines of some blobs; neighbours are in one piece.
    fn select(&self, wanted: &impl Fn(&Stored) -> bool) -> Vec<Bytes> {
        let mut begin = 0;
        let mut found: Vec<Range<usize>> = Vec::new();
        for blob in &self.blobs {
            if wanted(blob) {
                match found.last_mut() {
                    Some(last) if last.end == begin => last.end = blob.end,
                    _ => found.push(begin..blob.end),
                }
            }
            begin = blob.end;
        }
        found.into_iter().map(|range| self.text.slice(range)).collect()
    }
}

/// Packs bytes with gzip.
pub(super) fn gzip(parts: &[Bytes]) -> Bytes {
    let size: usize = parts.iter().map(Bytes::len).sum();
    let mut encoder = GzEncoder::new(Vec::with_capacity(size / 4), Compression::new(6));
    for part in parts {
        // Writing to memory does not fail.
        let _ = encoder.write_all(part);
    }
    Bytes::from(encoder.finish().unwrap_or_default())
}
