//! A question while it is answered: the blobs that it reads, and what it may cost.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_yaml::document::NodeHandle;
use fbc_yaml::{Document, Kind, Node, json_reader};

use crate::catalogs::store::{Selection, Store};

/// The most bytes that a question may read and be answered with.
const BUDGET: usize = 128 << 20;

/// Why a field has no value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    /// The question needs more than it may, which ends it.
    #[error("the query needs more than {} MiB; ask for fewer objects with limit, or for fewer fields", BUDGET >> 20)]
    TooLarge,
    /// The field alone has no value.
    #[error("{0}")]
    Failed(String),
}

/// What a value costs besides its text.
const VALUE: usize = 64;

/// A question to a catalog.
#[derive(Debug)]
pub(super) struct Question<'s> {
    store: &'s Store,
    spent: Cell<usize>,
}

impl<'s> Question<'s> {
    pub(super) fn new(store: &'s Store) -> Self {
        Self { store, spent: Cell::new(0) }
    }

    /// Counts a value of so many bytes.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), Fault> {
        let spent = self.spent.get();
        self.spent.set(spent.saturating_add(VALUE + bytes));
        if spent < BUDGET { Ok(()) } else { Err(Fault::TooLarge) }
    }

    /// Some blobs of a schema.
    pub(super) fn blobs(&self, schema: &str, offset: usize, limit: usize) -> Result<Vec<Place>, Fault> {
        let selection = Selection { schema: schema.to_owned(), ..Selection::default() };
        let lines = self.store.lines(&selection);
        let wanted = lines.into_iter().skip(offset).take(limit);
        wanted
            .map(|line| {
                self.spend(line.range.len())?;
                let bytes = line.read().map_err(|error| Fault::Failed(error.to_string()))?;
                let (document, _) = json_reader::read_value(&bytes, 0)
                    .map_err(|_| Fault::Failed(format!("a blob of schema {schema} cannot be read")))?;
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
