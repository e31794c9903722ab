//! What of a text is a blob.

use fbc_model::go_type;
use fbc_yaml::Document;

/// Whether a document is a blob, or a template: it has a schema.
pub(crate) fn is_blob(document: &Document) -> bool {
    go_type::field(document.root(), "schema").is_some()
}
