//! The events of a YAML text, as go-yaml v2 reads it: YAML 1.1 with the rules and the error texts of
//! `readerc.go`, `scannerc.go` and `parserc.go` of `go-yaml/yaml`, branch v2 (a port of an early
//! libyaml), oddities included.
//!
//! [`reader`] walks over the characters, [`scanner`] makes tokens of them, [`parser`] events of
//! those. It gives no meaning to anything: aliases and tags are names here.
//!
//! Any bytes are an input. Time is linear in their number, memory in the depth of nesting and in the
//! longest scalar; nothing recurses. Scalars are borrowed from the text where they stand in it as
//! they are meant.

mod block_scalar;
mod collections;
mod directive;
mod error;
mod fault;
mod parser;
mod plain;
mod quoted;
mod reader;
mod scalar_text;
mod scanner;
mod simple_key;
mod tag;
mod token;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use error::EventError;
pub(crate) use parser::Events;

/// go-yaml's limit on open flow collections, and on open block collections.
const MAX_DEPTH: usize = 10_000;

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The byte, from 0.
    pub(crate) byte: usize,
    /// The line, from 0. At the end of the text it is one that begins there.
    pub(crate) line: usize,
    /// The column in characters, from 0; a byte order mark before the text counts for nothing.
    pub(crate) column: usize,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// A step in the structure of a text, with the range that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event<'t> {
    pub(crate) kind: EventKind<'t>,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventKind<'t> {
    DocumentStart {
        /// Whether it has a `---`.
        explicit: bool,
    },
    DocumentEnd,
    Alias {
        anchor: &'t str,
    },
    Scalar {
        anchor: Option<&'t str>,
        /// The full tag. It is `!`, not missing, where the text has that.
        tag: Option<Cow<'t, str>>,
        value: Cow<'t, str>,
        /// Whether the text decides the type: it has no tag and is plain, or has the tag `!`.
        plain_implicit: bool,
        style: Style,
    },
    SequenceStart {
        anchor: Option<&'t str>,
        tag: Option<Cow<'t, str>>,
    },
    SequenceEnd,
    MappingStart {
        anchor: Option<&'t str>,
        tag: Option<Cow<'t, str>>,
    },
    MappingEnd,
    /// Nothing comes after it but itself.
    StreamEnd,
}

impl EventKind<'_> {
    /// Whether a node begins with it.
    pub(crate) fn begins_node(&self) -> bool {
        matches!(
            self,
            Self::Alias { .. } | Self::Scalar { .. } | Self::SequenceStart { .. } | Self::MappingStart { .. }
        )
    }
}
