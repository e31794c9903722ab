//! The shape of blobs: the JSON Schemas of `schemas/`, and what of a blob does not fit them.
//!
//! The schemas say what the CUE of the product documents says, which is stricter than opm. They
//! are about shape only: what a value means (versions, ranges, edges) is for the rules.
//!
//! `schemas/catalog.json` is for editors and takes any document. Here the schema of a blob, and of
//! each property of a bundle, is picked by hand, which is many times faster than a chain of `if`;
//! a test sees to it that both give the same answer.

mod files;
mod node;
mod paths;
mod validators;
mod words;

use fbc_yaml::{Kind, Node};

pub use files::{Schema, all, by_name, for_property};

/// The schema of blobs that say until when versions are supported.
///
/// Source: `release-engineering/fbc-update-planner:docs/FBC_SCHEMA.md`.
pub const LIFECYCLE: &str = "io.openshift.operators.lifecycles.v1alpha1";

/// Which schema a blob has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlobKind {
    /// `olm.package`
    Package,
    /// `olm.channel`
    Channel,
    /// `olm.bundle`
    Bundle,
    /// `olm.deprecations`
    Deprecations,
    /// `io.openshift.operators.lifecycles.v1alpha1`
    Lifecycle,
    /// A schema that begins with `olm.` and that OLM does not define.
    Reserved,
    /// Any other, also none at all.
    Other,
}

impl BlobKind {
    /// The kind of a blob with that `schema`.
    #[must_use]
    pub fn of_schema(schema: &str) -> Self {
        match schema {
            fbc_model::blob::schema::PACKAGE => Self::Package,
            fbc_model::blob::schema::CHANNEL => Self::Channel,
            fbc_model::blob::schema::BUNDLE => Self::Bundle,
            fbc_model::blob::schema::DEPRECATIONS => Self::Deprecations,
            LIFECYCLE => Self::Lifecycle,
            _ if schema.starts_with("olm.") => Self::Reserved,
            _ => Self::Other,
        }
    }

    /// The kind of a blob by its member `schema`.
    #[must_use]
    pub fn from_blob(blob: Node<'_>) -> Self {
        blob.get_str("schema").map_or(Self::Other, Self::of_schema)
    }

    /// The schema that blobs of the kind have to fit.
    #[must_use]
    pub fn schema(self) -> &'static Schema {
        match self {
            Self::Package => &files::PACKAGE,
            Self::Channel => &files::CHANNEL,
            Self::Bundle => &files::BUNDLE,
            Self::Deprecations => &files::DEPRECATIONS,
            Self::Lifecycle => &files::LIFECYCLE,
            Self::Reserved => &files::RESERVED,
            Self::Other => &files::META,
        }
    }
}

/// In what way a value does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaRule {
    /// A value of another kind: a number where text is asked for.
    WrongType,
    /// Null where something is asked for. (In a YAML file: often a key with nothing behind it.)
    Null,
    /// Empty text.
    Empty,
    /// A list with too few items.
    TooFew,
    /// A text that is too long.
    TooLong,
    /// A field that is required is not there.
    Missing,
    /// A field that the schema does not have. opm ignores it.
    UnknownField,
    /// A field that may not be there together with its neighbours.
    NotAllowed,
    /// None of the values that are possible.
    WrongValue,
    /// The wrong form.
    WrongForm,
}

/// Something in a blob that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaViolation {
    /// Where, as a JSON pointer into the blob. For a field that is missing: what it is missing in.
    pub pointer: String,
    /// In what way.
    pub rule: SchemaRule,
    /// What is wrong, for a maintainer of the catalog; begins with the path of the value.
    pub message: String,
    /// What would fit, such as `a string`; empty where the message says all there is to say.
    pub expected: String,
    /// A hint on what was meant, such as a field of nearly the same name; may be empty.
    pub help: String,
    /// The field that is missing; empty for every other violation.
    pub missing: String,
    /// The name of the schema that says so; see [`by_name`].
    pub schema: &'static str,
}

/// Whether a blob fits its schema: the same as no [`violations`], and much faster.
#[must_use]
pub fn is_valid(blob: Node<'_>, kind: BlobKind) -> bool {
    kind.schema().validator().is_valid(blob)
        && (kind != BlobKind::Bundle
            || typed_values(blob).all(|(_, _, schema, value)| schema.validator().is_valid(value)))
}

/// What of a blob does not fit its schema, in the order of the pointers.
#[must_use]
pub fn violations(blob: Node<'_>, kind: BlobKind) -> Vec<SchemaViolation> {
    let mut found = Vec::new();
    let schema = kind.schema();
    collect(schema, blob, &words::Context { blob, prefix: "", property: None }, &mut found);
    if kind == BlobKind::Bundle {
        for (index, property_type, schema, value) in typed_values(blob) {
            let prefix = format!("/properties/{index}/value");
            let context = words::Context { blob, prefix: &prefix, property: Some(property_type) };
            collect(schema, value, &context, &mut found);
        }
    }
    words::sort(&mut found);
    found
}

fn collect(
    schema: &'static Schema,
    value: Node<'_>,
    context: &words::Context<'_>,
    found: &mut Vec<SchemaViolation>,
) {
    for error in schema.validator().iter_errors(value) {
        words::describe(schema, &error, context, found);
    }
}

/// The values of a bundle's properties whose type has a schema: index, type, schema, value. Null
/// is left to the schema of the bundle, which allows it for no type.
fn typed_values<'d>(bundle: Node<'d>) -> impl Iterator<Item = (usize, &'d str, &'static Schema, Node<'d>)> {
    bundle.get("properties").into_iter().flat_map(Node::items).enumerate().filter_map(|(index, property)| {
        let property_type = property.get_str("type")?;
        let value = property.get("value").filter(|value| value.kind() != Kind::Null)?;
        Some((index, property_type, for_property(property_type)?, value))
    })
}
