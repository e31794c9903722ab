//! A question while it is answered: the blobs that it reads, and what it may cost.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_graphql::Error;
use async_graphql::dynamic::ResolverContext;
use fbc_yaml::document::NodeHandle;
use fbc_yaml::{Document, Kind, Node, json_reader};

use crate::catalogs::store::{Selection, Store};

/// The most bytes that a question may read and be answered with.
const BUDGET: usize = 128 << 20;

/// Why a field has no value. It travels with the error, so that the answer can be made by what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// The element is null, which makes it null in the answer; no client reads this.
    #[error("null")]
    NoObject,
    /// The question needs more than it may.
    #[error("the query needs more than {} MiB; ask for fewer objects with limit, or for fewer fields", BUDGET >> 20)]
    TooLarge,
}

impl Fault {
    pub(super) fn error(self) -> Error {
        Error::new_with_source(self)
    }
}

/// What a value costs besides its text.
const VALUE: usize = 64;

/// A question to a catalog.
pub(super) struct Question {
    store: Arc<Store>,
    spent: AtomicUsize,
}

impl Question {
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, spent: AtomicUsize::new(0) }
    }

    /// The question that a field belongs to.
    pub(super) fn of<'c>(context: &'c ResolverContext<'_>) -> Result<&'c Self, Error> {
        context.data::<Self>()
    }

    /// Counts a value of so many bytes.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), Error> {
        match self.spent.fetch_add(VALUE + bytes, Ordering::Relaxed) {
            spent if spent < BUDGET => Ok(()),
            _ => Err(Fault::TooLarge.error()),
        }
    }

    /// Some blobs of a schema.
    pub(super) fn blobs(&self, schema: &str, offset: usize, limit: usize) -> Result<Vec<Place>, Error> {
        let selection = Selection { schema: schema.to_owned(), ..Selection::default() };
        let lines = self.store.lines(&selection);
        let wanted = lines.into_iter().skip(offset).take(limit);
        wanted
            .map(|line| {
                self.spend(line.range.len())?;
                let bytes = line.read()?;
                let (document, _) = json_reader::read_value(&bytes, 0)
                    .map_err(|_| Error::new(format!("a blob of schema {schema} cannot be read")))?;
                let handle = document.root().handle();
                Ok(Place { document: Arc::new(document), handle })
            })
            .collect()
    }
}

/// An object in a blob.
#[derive(Debug)]
pub(super) struct Place {
    document: Arc<Document>,
    handle: NodeHandle,
}

impl Place {
    /// The member of a name: the key of the same name, or else the first that has it in GraphQL.
    pub(super) fn member(&self, name: &str, keys: &BTreeSet<String>) -> Option<Node<'_>> {
        let object = self.document.node(self.handle);
        object.get(name).or_else(|| keys.iter().find_map(|key| object.get(key)))
    }

    /// The items of a list of objects; what is null among them has no place.
    pub(super) fn items(&self, name: &str, keys: &BTreeSet<String>) -> Option<Vec<Option<Self>>> {
        let list = self.member(name, keys).filter(|list| list.kind() == Kind::Array)?;
        let place = |item: Node<'_>| {
            (!item.is_null()).then(|| Self { document: Arc::clone(&self.document), handle: item.handle() })
        };
        Some(list.items().map(place).collect())
    }
}
