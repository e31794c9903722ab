//! Edits of documents in their text: a change touches the bytes that it must, and nothing else, so that
//! comments, order and layout stay as their author has them.
//!
//! A [`Change`] has two meanings: on the value of a document (`value`, a few lines and surely right) and
//! on its text (`text`, which knows how lists and objects are written). After each change the text is
//! read again, and what it says must be what the value has become; else the change is refused. So a way of
//! writing that the code does not know leads to an error, never to a wrong file.
//!
//! [`Editor`] holds a whole file.

mod block;
mod editor;
mod flow;
mod lines;
mod text;
mod value;

pub use editor::{Editor, Layout, edited};

use crate::document::Document;
use crate::yaml_writer::WriteError;

/// A change of a document.
#[derive(Clone, Debug)]
pub struct Change {
    /// The list or object that changes, as a JSON pointer. Keys are looked up as they are, else without
    /// regard to upper and lower case, as Go's decoder does.
    pub pointer: String,
    /// What happens to it.
    pub action: Action,
}

/// What happens to a list or object.
#[derive(Clone, Debug)]
pub enum Action {
    /// A list gets an item. Null counts as an empty list.
    Insert {
        /// The number of the new item; at most the length of the list.
        index: usize,
        /// The item.
        item: Document,
    },
    /// A list loses an item.
    Remove {
        /// The number of the item.
        index: usize,
    },
    /// A list gets another item in place of one, which must be a scalar.
    Replace {
        /// The number of the item.
        index: usize,
        /// What takes its place.
        item: Document,
    },
    /// An object gets a member; the value of one that is there already is replaced, which must be a
    /// scalar. What replaces it is written in one line unless it is a scalar.
    Set {
        /// The key.
        key: String,
        /// The value.
        value: Document,
    },
    /// An object that has other members loses one.
    Unset {
        /// The key, as it is written.
        key: String,
    },
    /// A member of an object gets another key, which the object must not have yet.
    Rename {
        /// The key, as it is written.
        key: String,
        /// The new key.
        to: String,
    },
}

impl Change {
    /// A change of the list or object at a JSON pointer.
    #[must_use]
    pub fn new(pointer: impl Into<String>, action: Action) -> Self {
        Self { pointer: pointer.into(), action }
    }
}

/// Why a change cannot be made. Pointers are those of the change, as far as they lead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no such document, or its text cannot be read.
    #[error("there is no document to edit")]
    NoDocument,
    /// There is nothing at the pointer, or it is nothing that can be changed so.
    #[error("there is no list or object at {pointer:?}")]
    NotFound {
        /// The pointer.
        pointer: String,
    },
    /// The value comes from an alias or a merge key: it is written elsewhere.
    #[error("the value at {pointer:?} comes from a YAML alias or merge key and is written elsewhere")]
    FromAlias {
        /// The pointer to the alias, or to the object that merges.
        pointer: String,
    },
    /// The value has an anchor, and aliases of it stand elsewhere: those would change too.
    #[error("the value at {pointer:?} has the anchor &{anchor}, and aliases of it would change with it")]
    Shared {
        /// The pointer to the value with the anchor.
        pointer: String,
        /// The name of the anchor.
        anchor: String,
    },
    /// The new value has no YAML form.
    #[error("{0}")]
    Unwritable(#[from] WriteError),
    /// The text is written in a way that the edit does not know.
    #[error("the text around {pointer:?} is written in a way that cannot be edited safely")]
    Unsupported {
        /// The pointer.
        pointer: String,
    },
    /// The file does not say what it should after all changes.
    #[error("the edited file would not say what it should")]
    Inconsistent,
}

/// The steps of a JSON pointer.
fn steps(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

/// A value of its own, for changes: `build` makes it, members in the order in which it pushes them.
#[must_use]
pub fn document(build: impl FnOnce(&mut crate::DocumentBuilder) -> crate::Built) -> Document {
    let mut builder = crate::DocumentBuilder::in_written_order();
    let root = build(&mut builder);
    builder.finish(root)
}

#[cfg(test)]
mod tests;
