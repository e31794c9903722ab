//! A catalog as catalogd stores it: one JSON document a line, and where each lies.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/storage/localdir.go`, `index.go`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use fbc_model::load::BlobDocument;
use fbc_model::meta::Meta;
use fbc_yaml::json_writer;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use super::body;
use super::graphql::{Discovery, GraphqlSchema, SchemaFault};
use super::text::{Piece, Spool, Text};

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

/// How a catalog becomes a store.
#[derive(Debug)]
pub struct Storage {
    /// When the catalog became what it is.
    pub modified: SystemTime,
    /// A file for the lines, which nobody else writes to; without it they stay in memory.
    pub file: Option<File>,
    /// Whether questions in GraphQL are answered, which takes the feature `graphql`.
    pub graphql: bool,
    /// A line for each package; see [`packages::summaries`](super::packages::summaries).
    pub packages: String,
}

/// A catalog as lines of JSON.
#[derive(Debug)]
pub struct Store {
    parts: Vec<Lines>,
    size: usize,
    names: BTreeMap<String, u32>,
    modified: SystemTime,
    entity_tag: String,
    spool: Option<Arc<Spool>>,
    compressed: OnceCell<Vec<Piece>>,
    packages: Text,
    /// Absent where questions in GraphQL are not answered.
    pub(super) graphql: Option<GraphqlSchema>,
}

/// Some lines that follow each other.
#[derive(Debug)]
struct Lines {
    text: Text,
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

/// How many blobs are written together: enough for all threads, few enough that their text is soon out of memory.
const WRITTEN_TOGETHER: usize = 32;

/// Some lines before their names have numbers.
struct Written {
    text: Text,
    /// Where each line ends, and what it is.
    blobs: Vec<(usize, Meta)>,
    digest: [u8; 32],
    discovery: Option<Discovery>,
}

impl Written {
    /// Writes some documents; each is gone once it is written, unless something else shares it.
    fn from_documents(documents: Vec<BlobDocument>, spool: Option<&Arc<Spool>>, graphql: bool) -> Self {
        // A line is about as long as text and entries of its document; a wrong guess costs a copy.
        let room = documents.iter().map(|blob| blob.document.memory()).sum();
        let mut text = String::with_capacity(room);
        let mut blobs = Vec::with_capacity(documents.len());
        let mut discovery = Discovery::if_wanted(graphql);
        for BlobDocument { meta, document } in documents {
            json_writer::write_compact(&mut text, document.root());
            text.push('\n');
            if let Some(discovery) = &mut discovery {
                discovery.add(&meta.schema, document.root());
            }
            blobs.push((text.len(), meta));
        }
        text.shrink_to_fit();
        let digest = Sha256::digest(&text).into();
        Self { text: Text::keep(text.into_bytes(), spool), blobs, digest, discovery }
    }
}

impl Store {
    /// Writes the documents of a catalog, file by file.
    ///
    /// # Errors
    /// The names of two schemas cannot be told apart in GraphQL, where that is wanted.
    pub fn new(files: Vec<Vec<BlobDocument>>, storage: Storage) -> Result<Self, SchemaFault> {
        let spool = storage.file.map(|file| Arc::new(Spool::new(file)));
        let mut documents = files.into_iter().flatten();
        let groups = std::iter::from_fn(|| {
            let group: Vec<BlobDocument> = documents.by_ref().take(WRITTEN_TOGETHER).collect();
            (!group.is_empty()).then_some(group)
        });
        let groups: Vec<Vec<BlobDocument>> = groups.collect();
        let written: Vec<Written> = groups
            .into_par_iter()
            .with_max_len(1)
            .map(|group| Written::from_documents(group, spool.as_ref(), storage.graphql))
            .collect();
        let mut store = Self {
            parts: Vec::with_capacity(written.len()),
            size: 0,
            names: BTreeMap::new(),
            modified: storage.modified,
            entity_tag: String::new(),
            spool,
            compressed: OnceCell::new(),
            packages: Text::keep(storage.packages.into_bytes(), None),
            graphql: None,
        };
        let mut digest = Sha256::new();
        let mut discovery = Discovery::if_wanted(storage.graphql);
        for part in written {
            digest.update(part.digest);
            store.size += part.text.size();
            let blobs = part.blobs.iter().map(|(end, meta)| store.stored(*end, meta)).collect();
            store.parts.push(Lines { text: part.text, blobs });
            if let (Some(discovery), Some(found)) = (&mut discovery, part.discovery) {
                discovery.append(found);
            }
        }
        let digest: String = digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        store.entity_tag = format!("\"{digest}\"");
        store.graphql = discovery.map(GraphqlSchema::new).transpose()?;
        Ok(store)
    }

    fn stored(&mut self, end: usize, meta: &Meta) -> Stored {
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

    /// A line for each package.
    pub(super) fn packages(&self) -> &Text {
        &self.packages
    }

    /// All lines, file by file.
    pub(super) fn all(&self) -> Vec<Piece> {
        self.parts.iter().map(|part| Piece::whole(&part.text)).collect()
    }

    /// A stretch of all lines, in bytes.
    pub(super) fn slice(&self, wanted: &Range<u64>) -> Vec<Piece> {
        let mut begin = 0;
        let mut pieces = Vec::new();
        for Lines { text, .. } in &self.parts {
            let within = |place: u64| {
                usize::try_from(place).unwrap_or(usize::MAX).saturating_sub(begin).min(text.size())
            };
            let range = within(wanted.start)..within(wanted.end);
            if !range.is_empty() {
                pieces.push(Piece { text: text.clone(), range });
            }
            begin += text.size();
        }
        pieces
    }

    /// All lines, packed with gzip; packed once, when somebody asks first.
    ///
    /// # Errors
    /// The lines cannot be read.
    pub(super) async fn all_compressed(&self) -> io::Result<&[Piece]> {
        let pack = || packed(self.all(), self.spool.clone());
        self.compressed.get_or_try_init(pack).await.map(Vec::as_slice)
    }

    /// The lines that were asked for, in order; neighbours are one piece.
    pub(super) fn select(&self, selection: &Selection) -> Vec<Piece> {
        let mut found: Vec<Piece> = Vec::new();
        self.visit(selection, |text, range| match found.last_mut() {
            Some(last) if last.text.is(text) && last.range.end == range.start => last.range.end = range.end,
            _ => found.push(Piece { text: text.clone(), range }),
        });
        found
    }

    /// The lines that were asked for, one by one.
    pub(super) fn lines(&self, selection: &Selection) -> Vec<Piece> {
        let mut found = Vec::new();
        self.visit(selection, |text, range| found.push(Piece { text: text.clone(), range }));
        found
    }

    fn visit(&self, selection: &Selection, mut take: impl FnMut(&Text, Range<usize>)) {
        let number = |text: &str| {
            if text.is_empty() { Some(None) } else { self.names.get(text).map(|number| Some(*number)) }
        };
        let (Some(schema), Some(package), Some(name)) =
            (number(&selection.schema), number(&selection.package), number(&selection.name))
        else {
            return;
        };
        let fits = |asked: Option<u32>, number: u32| asked.is_none_or(|asked| asked == number);
        for part in &self.parts {
            let mut begin = 0;
            for blob in &part.blobs {
                if fits(schema, blob.schema) && fits(package, blob.package) && fits(name, blob.name) {
                    take(&part.text, begin..blob.end);
                }
                begin = blob.end;
            }
        }
    }
}

/// Packs lines beside the threads that serve others.
async fn packed(lines: Vec<Piece>, spool: Option<Arc<Spool>>) -> io::Result<Vec<Piece>> {
    let pack = move || -> io::Result<Vec<Piece>> {
        let keep = |bytes: Bytes| Piece::whole(&Text::keep(bytes.to_vec(), spool.as_ref()));
        body::gzip(lines).map(|bytes| bytes.map(keep)).collect()
    };
    tokio::task::spawn_blocking(pack).await.map_err(io::Error::other)?
}
