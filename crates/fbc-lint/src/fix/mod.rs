//! Fixes: what would put a finding right, as data.
//!
//! A [`Fix`] is a title and edits by document and JSON pointer. [`resolve()`] turns the edits into replacements in the
//! text of files; [`all::fix_all`] applies the fixes of a whole run and keeps those that bring no new error.

use std::path::Path;

use fbc_model::Origin;
use fbc_yaml::Document;
use fbc_yaml::edit::document;

use crate::finding::Finding;

pub mod all;
mod lines;
pub mod rename;
pub mod resolve;
pub mod version;

pub use all::{Fixed, fix_all};
pub use resolve::{
    FileEdit, FixError, LineReplacement, PlacedEdit, Replacement, ResolvedFix, Source, resolve, resolve_all,
};

/// Whether a fix may change what the author means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// It says what was meant, or what was ignored anyway.
    Safe,
    /// It is the likely repair, and somebody should look at it.
    Unsafe,
}

impl Safety {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// What would put a finding right.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What it does, as an instruction: `remove the second entry`.
    pub title: String,
    /// Whether it may change what the author means.
    pub safety: Safety,
    /// The edits, made one after another.
    pub edits: Vec<Edit>,
}

/// A change of one document.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The document.
    pub origin: Origin,
    /// What happens to it.
    pub operation: Operation,
}

/// What happens to a document. Pointers are JSON pointers.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A value is put at the pointer: a new member of an object, or in place of a scalar.
    Set {
        /// Where.
        pointer: String,
        /// The value.
        value: Document,
    },
    /// A list gets one more item at its end; an object that lacks the list gets it.
    Append {
        /// The list.
        pointer: String,
        /// The item.
        item: Document,
    },
    /// A list gets an item at its beginning.
    Prepend {
        /// The list.
        pointer: String,
        /// The item.
        item: Document,
    },
    /// An item of a list or a member of an object goes.
    Remove {
        /// Which.
        pointer: String,
    },
    /// A member of an object gets another key.
    Rename {
        /// The member.
        pointer: String,
        /// The new key.
        key: String,
    },
    /// A number or boolean becomes the text that it is written as.
    Quote {
        /// The scalar.
        pointer: String,
    },
    /// A number becomes the semantic version that it is the beginning of.
    Version {
        /// The scalar.
        pointer: String,
    },
    /// The document goes.
    RemoveDocument,
    /// Bytes of the file give way to others.
    Replace(Replacement),
}

impl Operation {
    /// The word for it in output for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set",
            Self::Append { .. } => "append",
            Self::Prepend { .. } => "prepend",
            Self::Remove { .. } => "remove",
            Self::Rename { .. } => "rename",
            Self::Quote { .. } => "quote",
            Self::Version { .. } => "version",
            Self::RemoveDocument => "remove-document",
            Self::Replace(_) => "replace",
        }
    }

    /// Where in the document it is made.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Set { pointer, .. }
            | Self::Append { pointer, .. }
            | Self::Prepend { pointer, .. }
            | Self::Remove { pointer }
            | Self::Rename { pointer, .. }
            | Self::Quote { pointer }
            | Self::Version { pointer } => Some(pointer),
            Self::RemoveDocument | Self::Replace(_) => None,
        }
    }

    /// The pointer to the member of an object that there is afterwards, if the operation makes one or gives it a value.
    #[must_use]
    pub fn member(&self) -> Option<String> {
        match self {
            Self::Set { pointer, .. } => Some(pointer.clone()),
            Self::Rename { pointer, key } => {
                let (holder, _) = pointer.rsplit_once('/')?;
                Some(format!("{holder}/{}", key.replace('~', "~0").replace('/', "~1")))
            }
            _ => None,
        }
    }

    /// The value that is put there.
    #[must_use]
    pub fn value(&self) -> Option<&Document> {
        match self {
            Self::Set { value, .. } => Some(value),
            Self::Append { item, .. } | Self::Prepend { item, .. } => Some(item),
            _ => None,
        }
    }
}

impl Fix {
    /// A fix that says what was meant; its edits are added one by one.
    #[must_use]
    pub fn safe(title: impl Into<String>) -> Self {
        Self { title: title.into(), safety: Safety::Safe, edits: Vec::new() }
    }

    /// A fix that somebody should look at; its edits are added one by one.
    #[must_use]
    pub fn risky(title: impl Into<String>) -> Self {
        Self { safety: Safety::Unsafe, ..Self::safe(title) }
    }

    /// A fix that is safe only if something holds.
    #[must_use]
    pub fn safe_if(is_safe: bool, title: impl Into<String>) -> Self {
        if is_safe { Self::safe(title) } else { Self::risky(title) }
    }

    /// Adds an edit.
    #[must_use]
    pub fn edit(mut self, origin: Origin, operation: Operation) -> Self {
        self.edits.push(Edit { origin, operation });
        self
    }

    /// Puts a text at a pointer.
    #[must_use]
    pub fn set(self, origin: Origin, pointer: impl Into<String>, text: &str) -> Self {
        self.edit(origin, Operation::Set { pointer: pointer.into(), value: text_value(text) })
    }

    /// Adds a value to a list.
    #[must_use]
    pub fn append(self, origin: Origin, pointer: impl Into<String>, item: Document) -> Self {
        self.edit(origin, Operation::Append { pointer: pointer.into(), item })
    }

    /// Removes an item or a member.
    #[must_use]
    pub fn remove(self, origin: Origin, pointer: impl Into<String>) -> Self {
        self.edit(origin, Operation::Remove { pointer: pointer.into() })
    }

    /// Gives a member another key.
    #[must_use]
    pub fn rename(self, origin: Origin, pointer: impl Into<String>, key: &str) -> Self {
        self.edit(origin, Operation::Rename { pointer: pointer.into(), key: key.to_owned() })
    }

    /// Puts a number or boolean into quotes.
    #[must_use]
    pub fn quote(self, origin: Origin, pointer: impl Into<String>) -> Self {
        self.edit(origin, Operation::Quote { pointer: pointer.into() })
    }

    /// Writes a number as a semantic version.
    #[must_use]
    pub fn version(self, origin: Origin, pointer: impl Into<String>) -> Self {
        self.edit(origin, Operation::Version { pointer: pointer.into() })
    }

    /// Removes a document.
    #[must_use]
    pub fn remove_document(self, origin: Origin) -> Self {
        self.edit(origin, Operation::RemoveDocument)
    }

    /// Replaces bytes of a file.
    #[must_use]
    pub fn replace(self, origin: Origin, bytes: std::ops::Range<usize>, text: impl Into<String>) -> Self {
        self.edit(origin, Operation::Replace(Replacement { bytes, text: text.into() }))
    }
}

impl Finding {
    /// Adds a fix; the best comes first.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Adds a fix, if there is one.
    #[must_use]
    pub fn fix_if(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }
}

/// A text as the value of an edit.
#[must_use]
pub fn text_value(text: &str) -> Document {
    document(|builder| builder.string(text))
}

/// An object of texts as the value of an edit.
#[must_use]
pub fn object_value(members: &[(&str, &str)]) -> Document {
    document(|builder| {
        let mark = builder.open();
        for (key, text) in members {
            let text = builder.string(text);
            builder.push_member(key, text);
        }
        builder.close_object(mark)
    })
}

/// The place of a file as messages name it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
