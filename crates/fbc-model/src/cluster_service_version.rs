//! The cluster service version that stands in for one that a bundle only describes.
//!
//! Source: `operator-framework/operator-registry:pkg/api/model_to_api.go` (`csvMetadataToCsv`); the order of the fields is
//! that of `v1alpha1.ClusterServiceVersion` in `operator-framework/api`.

use fbc_go::base64;
use fbc_yaml::{Built, Document, DocumentBuilder, Node};

use crate::blob::{Bundle, Package};
use crate::go_type::{self, GoType};
use crate::go_types::CLUSTER_SERVICE_VERSION;
use crate::render::push_field;

/// The cluster service version that `olm.csv.metadata` describes, with what the bundle and its package add.
#[must_use]
pub fn stand_in(bundle: &Bundle, metadata: Node<'_>, package: Option<&Package>) -> Document {
    let mut builder = DocumentBuilder::in_written_order();
    let mark = builder.open();
    push_text(&mut builder, "kind", "ClusterServiceVersion");
    push_text(&mut builder, "apiVersion", "operators.coreos.com/v1alpha1");
    for field in CLUSTER_SERVICE_VERSION.fields {
        let GoType::Struct(of) = &field.kind else { continue };
        let inner = builder.open();
        let is_spec = field.name == "spec";
        if is_spec {
            push_strategy(&mut builder);
        }
        for field in of.fields {
            match field.name {
                "name" if !is_spec => push_text(&mut builder, "name", &bundle.name),
                "version" => push_version(&mut builder, bundle),
                "icon" => push_icon(&mut builder, package),
                "description" => {
                    let own = metadata.get_str("description").filter(|text| !text.is_empty());
                    let text = own.or_else(|| package.map(|package| package.description.as_str()));
                    if let Some(text) = text.filter(|text| !text.is_empty()) {
                        push_text(&mut builder, "description", text);
                    }
                }
                // These are labels and annotations of the specification, which the metadata do not have.
                "labels" | "annotations" if is_spec => {}
                name => {
                    let source = match name {
                        "customresourcedefinitions" => "crdDescriptions",
                        "apiservicedefinitions" => "apiServiceDefinitions",
                        name => name,
                    };
                    push_field(&mut builder, field, go_type::field(metadata, source));
                }
            }
        }
        if is_spec {
            push_end(&mut builder, bundle);
        }
        let value = builder.close_object(inner);
        builder.push_member(field.name, value);
    }
    let status = with_object(&mut builder, "cleanup", |_| {});
    builder.push_member("status", status);
    let root = builder.close_object(mark);
    builder.finish(root)
}

fn push_text(builder: &mut DocumentBuilder, name: &str, text: &str) {
    let value = builder.string(text);
    builder.push_member(name, value);
}

/// An object with one member, which is an object as well.
fn with_object(builder: &mut DocumentBuilder, name: &str, fill: impl FnOnce(&mut DocumentBuilder)) -> Built {
    let outer = builder.open();
    let inner = builder.open();
    fill(builder);
    let value = builder.close_object(inner);
    builder.push_member(name, value);
    builder.close_object(outer)
}

/// Without a strategy OLM's package server would fail.
fn push_strategy(builder: &mut DocumentBuilder) {
    let mark = builder.open();
    push_text(builder, "strategy", "deployment");
    let inner = builder.open();
    let none = builder.null();
    builder.push_member("deployments", none);
    let spec = builder.close_object(inner);
    builder.push_member("spec", spec);
    let install = builder.close_object(mark);
    builder.push_member("install", install);
}

fn push_version(builder: &mut DocumentBuilder, bundle: &Bundle) {
    let version = bundle.property_values("olm.package").next().and_then(|value| value.get_str("version"));
    push_text(builder, "version", version.unwrap_or_default());
}

fn push_icon(builder: &mut DocumentBuilder, package: Option<&Package>) {
    let Some(icon) = package.and_then(|package| package.icon.as_ref()) else { return };
    let list = builder.open();
    let mark = builder.open();
    push_text(builder, "base64data", &base64::encode(icon.data.as_deref().unwrap_or_default()));
    push_text(builder, "mediatype", &icon.media_type);
    let value = builder.close_object(mark);
    builder.push_item(value);
    let icons = builder.close_array(list);
    builder.push_member("icon", icons);
}

/// What comes last in a specification.
fn push_end(builder: &mut DocumentBuilder, bundle: &Bundle) {
    let mark = builder.open();
    let disabled = builder.boolean(false);
    builder.push_member("enabled", disabled);
    let cleanup = builder.close_object(mark);
    builder.push_member("cleanup", cleanup);
    if bundle.related_images.is_empty() {
        return;
    }
    let list = builder.open();
    for related in &bundle.related_images {
        let mark = builder.open();
        push_text(builder, "name", &related.name);
        push_text(builder, "image", &related.image);
        let value = builder.close_object(mark);
        builder.push_item(value);
    }
    let images = builder.close_array(list);
    builder.push_member("relatedImages", images);
}
