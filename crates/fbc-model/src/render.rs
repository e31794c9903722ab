//! What `opm render` does to a loaded catalog before it writes it: one order of properties and
//! related images, and migrations.
//!
//! Sources of the behaviour: `operator-framework/operator-registry:alpha/action/render.go` and
//! `operator-framework/operator-registry:alpha/action/migrations`.

use std::sync::Arc;

use fbc_go::sort;
use fbc_kubernetes::types::named::CLUSTER_SERVICE_VERSION;
use fbc_yaml::{Built, Document, DocumentBuilder, Node};
use rayon::prelude::*;

use crate::blob::{Bundle, Property, Value};
use crate::bundle_object;
use crate::catalog::Catalog;
use crate::go_type::{self, GoField, GoStruct, GoType};
use crate::go_types;
use crate::kubernetes_json::{self, JsonMisfit, Keys};

/// The property that replaces manifests in newer catalogs.
pub const CSV_METADATA: &str = "olm.csv.metadata";

/// How far a catalog is brought up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MigrateLevel {
    /// Not at all.
    #[default]
    None,
    /// `olm.bundle.object` properties give way to one `olm.csv.metadata`.
    BundleObjectToCsvMetadata,
}

impl MigrateLevel {
    /// Everything.
    pub const ALL: Self = Self::BundleObjectToCsvMetadata;

    /// The names of the levels, as the command line has them, lowest first.
    pub const NAMES: [&'static str; 3] = ["none", "bundle-object-to-csv-metadata", "all"];

    /// The level of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "bundle-object-to-csv-metadata" => Some(Self::BundleObjectToCsvMetadata),
            "all" => Some(Self::ALL),
            _ => None,
        }
    }
}

/// A bundle that cannot be brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("migrate: {error}")]
pub struct MigrateError {
    /// The bundle.
    pub bundle: String,
    /// What its cluster service version lacks.
    pub error: JsonMisfit,
}

/// Prepares a catalog as `opm render` does.
///
/// # Errors
/// The first bundle, in load order, whose cluster service version does not decode.
pub fn prepare(catalog: &mut Catalog, level: MigrateLevel) -> Result<(), MigrateError> {
    let outcomes: Vec<Result<(), MigrateError>> = catalog
        .bundles
        .par_iter_mut()
        .with_max_len(16)
        .map(|bundle| {
            order(bundle);
            if level >= MigrateLevel::BundleObjectToCsvMetadata { migrate(bundle) } else { Ok(()) }
        })
        .collect();
    outcomes.into_iter().collect()
}

/// Manifests and metadata go behind the other properties; related images are sorted.
fn order(bundle: &mut Bundle) {
    let is_last =
        |property: &Property| matches!(property.kind.as_str(), bundle_object::PROPERTY_TYPE | CSV_METADATA);
    bundle.properties.sort_by_key(is_last);
    sort::sort(&mut bundle.related_images, |a, b| a.image < b.image);
}

fn migrate(bundle: &mut Bundle) -> Result<(), MigrateError> {
    if bundle.image.is_empty() || bundle.properties.iter().any(|property| property.kind == CSV_METADATA) {
        return Ok(());
    }
    let Some(version) = bundle_object::cluster_service_version(bundle) else { return Ok(()) };
    kubernetes_json::check(version.root(), CLUSTER_SERVICE_VERSION, Keys::Folded, "v1")
        .map_err(|error| MigrateError { bundle: bundle.name.clone(), error })?;
    bundle.properties.retain(|property| property.kind != bundle_object::PROPERTY_TYPE);
    let metadata = csv_metadata(version.root());
    bundle
        .properties
        .push(Property { kind: CSV_METADATA.to_owned(), value: Some(Value::whole(Arc::new(metadata))) });
    Ok(())
}

/// The value of `olm.csv.metadata` that describes a cluster service version.
#[must_use]
pub fn csv_metadata(version: Node<'_>) -> Document {
    let mut builder = DocumentBuilder::in_written_order();
    let mark = builder.open();
    for field in go_types::CSV_METADATA_PROPERTY.fields {
        let (parent, name) = match field.name {
            "annotations" | "labels" => ("metadata", field.name),
            "apiServiceDefinitions" => ("spec", "apiservicedefinitions"),
            "crdDescriptions" => ("spec", "customresourcedefinitions"),
            name => ("spec", name),
        };
        let value = go_type::field(version, parent).and_then(|parent| go_type::field(parent, name));
        push_field(&mut builder, field, value);
    }
    let root = builder.close_object(mark);
    builder.finish(root)
}

/// Writes a field as Go's encoder does for a decoded value.
pub(crate) fn push_field(builder: &mut DocumentBuilder, field: &GoField, value: Option<Node<'_>>) {
    if field.omit_empty && is_empty(&field.kind, value) {
        return;
    }
    let value = encode(builder, &field.kind, value);
    builder.push_member(field.name, value);
}

/// Whether Go's `omitempty` leaves the value out; a struct never is.
fn is_empty(kind: &GoType, value: Option<Node<'_>>) -> bool {
    match kind {
        GoType::Struct(_) => false,
        GoType::Raw => value.is_none(),
        GoType::String(_) => value.and_then(Node::as_str).unwrap_or_default().is_empty(),
        GoType::Bool => value.and_then(Node::as_bool) != Some(true),
        GoType::Int32 => value.and_then(Node::as_f64).unwrap_or_default() == 0.0,
        GoType::Bytes | GoType::StringMap | GoType::List(..) => value.is_none_or(Node::is_empty),
    }
}

fn encode(builder: &mut DocumentBuilder, kind: &GoType, value: Option<Node<'_>>) -> Built {
    let value = value.filter(|value| !value.is_null());
    match (kind, value) {
        (GoType::Struct(of), value) => encode_struct(builder, of, value),
        (GoType::String(_), value) => builder.string(value.and_then(Node::as_str).unwrap_or_default()),
        (GoType::Bool, value) => builder.boolean(value.and_then(Node::as_bool).unwrap_or_default()),
        (GoType::Int32, value) => builder.number(value.and_then(Node::as_f64).unwrap_or_default()),
        (_, None) => builder.null(),
        (GoType::List(_, item), Some(value)) => {
            let mark = builder.open();
            for node in value.items() {
                let value = encode(builder, item, Some(node));
                builder.push_item(value);
            }
            builder.close_array(mark)
        }
        (GoType::StringMap, Some(value)) => {
            let mark = builder.open();
            for (key, text) in value.members() {
                let text = builder.string(text.as_str().unwrap_or_default());
                builder.push_member(key, text);
            }
            builder.close_object(mark)
        }
        (GoType::Raw | GoType::Bytes, Some(value)) => builder.copy(value),
    }
}

fn encode_struct(builder: &mut DocumentBuilder, of: &GoStruct, value: Option<Node<'_>>) -> Built {
    let mark = builder.open();
    for field in of.fields {
        push_field(builder, field, value.and_then(|value| go_type::field(value, field.name)));
    }
    builder.close_object(mark)
}
