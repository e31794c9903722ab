//! The tokens between scanner and parser.

use std::borrow::Cow;

use super::{Mark, Style};

#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

#[derive(Clone, Debug)]
pub(super) enum TokenKind<'t> {
    StreamEnd,
    /// `%YAML`, with major and minor version.
    Version(u8, u8),
    /// `%TAG`.
    TagDirective {
        handle: &'t str,
        prefix: Cow<'t, str>,
    },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    /// The handle is empty where the suffix is the whole tag.
    Tag {
        handle: &'t str,
        suffix: Cow<'t, str>,
    },
    Scalar {
        value: Cow<'t, str>,
        style: Style,
    },
}
