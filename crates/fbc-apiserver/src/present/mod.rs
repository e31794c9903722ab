//! Objects as clients want to see them: whole, metadata alone, or as a table.

mod encode;
mod negotiate;
mod status;
mod table;
mod watch;

pub(crate) use encode::{Listed, json_bytes, list_bytes, object_bytes};
pub(crate) use negotiate::{Accepted, accepted};
pub(crate) use table::TableShape;
pub(crate) use watch::initial_end;
pub(crate) use watch::{Event, EventKind, WatchStream};

use std::sync::Arc;

/// How a client wants to see objects.
#[derive(Debug, Clone)]
pub enum Presentation {
    /// As they are.
    Whole(TextFormat),
    /// `PartialObjectMetadata`
    Metadata(TextFormat, &'static str),
    /// `Table`
    Table(Arc<TableShape>),
}

/// How text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// JSON
    Json,
    /// YAML
    Yaml,
}
