//! A bundle directory as an `olm.bundle` blob, as opm renders it.
//!
//! Sources of the behaviour: `operator-framework/operator-registry:pkg/registry/registry_to_model.go`,
//! `pkg/registry/bundle.go`, `pkg/registry/csv.go` and `alpha/action/render.go`.

use std::collections::BTreeSet;

use fbc_go::base64;
use fbc_kubernetes::types::Named;

use fbc_go::json::escape_html;
use fbc_go::text::{push_general_number, quote};
use fbc_model::go_type::{self, GoStruct, GoType, TypeError};
use fbc_model::kubernetes_json::{self, JsonMisfit, Keys};
use fbc_model::{Bundle, Origin, Property, RelatedImage, Value, bundle_object, go_types};
use fbc_yaml::{Kind, Node, json_reader, json_writer};

use crate::apis::{self, Api, ApiFault};
use crate::folder::{BundleError, BundleFolder};
use crate::image_template::ImageTemplate;
use crate::metadata::RawProperty;

/// What of the spec tells the images of deployments (`pkg/registry/csv.go`, `GetOperatorImages`).
const INSTALLATION: Named = Named::new("registry", "csvSpec");

const ANNOTATION_PROPERTIES: GoType =
    GoType::List("[]registry.Property", &GoType::Struct(&go_types::PROPERTY));
const RELATED_IMAGES: GoType =
    GoType::List("[]declcfg.RelatedImage", &GoType::Struct(&go_types::RELATED_IMAGE));

/// What keeps a part of a bundle from being rendered.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("parse property[{index}] of type {}: {reason}", quote(.kind))]
    Property { index: usize, kind: String, reason: String },
    #[error("json: cannot unmarshal {} into Go value of type string", .0.go_name())]
    NoText(Kind),
    #[error("release field must be a string or number")]
    NoRelease,
    #[error("get version: {0}")]
    Version(Box<Self>),
    #[error("get release: {0}")]
    Release(Box<Self>),
    #[error("get required apis: {0}")]
    RequiredApis(ApiFault),
    #[error(transparent)]
    Type(#[from] TypeError),
    #[error(transparent)]
    Installation(#[from] JsonMisfit),
}

/// Renders a bundle; with a template its image is named, else it stays without.
///
/// # Errors
/// What keeps the reference from rendering it.
pub fn render(folder: &BundleFolder, template: Option<&ImageTemplate>) -> Result<Bundle, BundleError> {
    let version = folder.cluster_service_version().ok_or(BundleError::NoClusterServiceVersion)?;
    let name = apis::name(version);
    let name = name.as_str();
    // Reading the directory has made sure of it.
    let spec = version.get("spec").ok_or(BundleError::NoClusterServiceVersion)?;
    let provided =
        apis::provided(&folder.manifests).map_err(|fault| BundleError::Content(fault.to_string()))?;
    let package = &folder.annotations.package;
    let listed = listed_properties(folder, version, spec, &provided)
        .map_err(|error| BundleError::Content(format!("failed to derive properties: {error}")))?;
    let in_bundle =
        |error: String| BundleError::Content(format!("get properties for bundle {}: {error}", quote(name)));
    let mut properties =
        merged_properties(folder, &listed, spec, &provided).map_err(|fault| in_bundle(fault.to_string()))?;
    for manifest in &folder.manifests {
        let json = escape_html(&json_writer::compact_with_integers(manifest.root()));
        let value = format!("{{\"data\":\"{}\"}}", base64::encode(json.as_bytes()));
        properties.push(RawProperty { kind: bundle_object::PROPERTY_TYPE.to_owned(), value });
    }
    properties.sort_by(|a, b| (&a.kind, &a.value).cmp(&(&b.kind, &b.value)));
    let image = match template {
        Some(template) => {
            let first = listed.iter().find(|property| property.kind == "olm.package");
            let of_version =
                first.and_then(|property| json_text(&property.value, "version")).unwrap_or_default();
            template.fill(package, name, &of_version).map_err(BundleError::ImageTemplate)?
        }
        None => String::new(),
    };
    let related_images = related_images(spec, &image).map_err(|error| {
        BundleError::Content(format!("get related images for bundle {}: {error}", quote(name)))
    })?;
    let properties = properties
        .into_iter()
        .map(|property| {
            // Go writes a value that is not there as null.
            let text = if property.value.is_empty() { "null" } else { &property.value };
            let value = Value::from_json(text).map_err(|error| {
                in_bundle(format!("value of {}: {}", quote(&property.kind), error.message))
            })?;
            Ok(Property { kind: property.kind, value: Some(value) })
        })
        .collect::<Result<Vec<_>, BundleError>>()?;
    Ok(Bundle {
        origin: Origin::default(),
        name: name.to_owned(),
        package: package.clone(),
        image,
        properties,
        related_images,
    })
}

fn json_text(json: &str, key: &str) -> Option<String> {
    let (document, _) = json_reader::read_value(json.as_bytes(), 0).ok()?;
    Some(go_type::text(document.root(), key))
}

/// The properties that the directory lists, then those that follow from it; none twice.
fn listed_properties(
    folder: &BundleFolder,
    version: Node<'_>,
    spec: Node<'_>,
    provided: &BTreeSet<Api>,
) -> Result<Vec<RawProperty>, Fault> {
    let mut listed = folder.properties.clone();
    let package = &folder.annotations.package;
    if !package.is_empty() {
        let number = spec_text(spec, "version")?;
        let release = release_of(spec)?;
        listed.push(RawProperty {
            kind: "olm.package".to_owned(),
            value: escape_html(&package_json(package, &number, &release)),
        });
    }
    let annotations =
        go_type::field(version, "metadata").and_then(|meta| go_type::field(meta, "annotations"));
    if let Some(text) = annotations.and_then(|annotations| annotations.get_str("olm.properties")) {
        listed.extend(properties_of_annotation(text));
    }
    listed.extend(
        provided
            .iter()
            .map(|api| RawProperty { kind: "olm.gvk".to_owned(), value: escape_html(&gvk_json(api)) }),
    );
    let mut seen = BTreeSet::new();
    listed.retain(|property| seen.insert((property.kind.clone(), property.value.clone())));
    Ok(listed)
}

/// The list in the annotation `olm.properties`; what is no such list is ignored.
pub(crate) fn properties_of_annotation(text: &str) -> Vec<RawProperty> {
    let Ok((document, end)) = json_reader::read_value(text.as_bytes(), 0) else { return Vec::new() };
    if json_reader::skip_space(text.as_bytes(), end) != text.len() {
        return Vec::new();
    }
    if go_type::check(document.root(), &ANNOTATION_PROPERTIES).is_err() {
        return Vec::new();
    }
    let ranges =
        fbc_yaml::locate::Locator::new(text.as_bytes(), 0..text.len(), fbc_yaml::stream::Syntax::Json);
    (0..document.root().len())
        .filter_map(|index| {
            let item = document.root().item(index)?;
            let found = ranges.find(&format!("/{index}/value"));
            let value = if found.is_exact { text.get(found.value).unwrap_or_default() } else { "" };
            Some(RawProperty { kind: go_type::text(item, "type"), value: fbc_go::json::compact(value) })
        })
        .collect()
}

/// What the blob gets: one package, provided and required APIs, required packages, the rest.
fn merged_properties(
    folder: &BundleFolder,
    listed: &[RawProperty],
    spec: Node<'_>,
    provided: &BTreeSet<Api>,
) -> Result<Vec<RawProperty>, Fault> {
    let mut gvks: BTreeSet<String> = provided.iter().map(gvk_json).collect();
    let mut required = BTreeSet::new();
    let mut package = None;
    let mut merged = Vec::new();
    for (index, property) in listed.iter().enumerate() {
        match property.kind.as_str() {
            "olm.gvk" => drop(gvks.insert(gvk_of(property, index)?)),
            "olm.package" => {
                let document = decoded(property, index, &go_types::PACKAGE_PROPERTY)?;
                let text = |name| go_type::text(document.root(), name);
                package = Some(package_json(&text("packageName"), &text("version"), &text("release")));
            }
            _ => merged.push(property.clone()),
        }
    }
    for (index, dependency) in folder.dependencies.iter().enumerate() {
        match dependency.kind.as_str() {
            "olm.gvk" => drop(required.insert(gvk_of(dependency, index)?)),
            "olm.package" => {
                let document = decoded(dependency, index, &go_types::PACKAGE_PROPERTY)?;
                let text = |name| string_json(&go_type::text(document.root(), name));
                let value = format!(
                    "{{\"packageName\":{},\"versionRange\":{}}}",
                    text("packageName"),
                    text("version")
                );
                merged.push(RawProperty { kind: "olm.package.required".to_owned(), value });
            }
            _ => merged.push(dependency.clone()),
        }
    }
    let number = spec_text(spec, "version").map_err(|fault| Fault::Version(Box::new(fault)))?;
    let release = release_of(spec).map_err(|fault| Fault::Release(Box::new(fault)))?;
    required.extend(apis::required(spec).map_err(Fault::RequiredApis)?.iter().map(gvk_json));
    let package = package.unwrap_or_else(|| package_json(&folder.annotations.package, &number, &release));
    merged.push(RawProperty { kind: "olm.package".to_owned(), value: package });
    merged.extend(gvks.into_iter().map(|value| RawProperty { kind: "olm.gvk".to_owned(), value }));
    merged
        .extend(required.into_iter().map(|value| RawProperty { kind: "olm.gvk.required".to_owned(), value }));
    Ok(merged)
}

fn decoded(property: &RawProperty, index: usize, of: &'static GoStruct) -> Result<fbc_yaml::Document, Fault> {
    let in_property =
        |reason: &str| Fault::Property { index, kind: property.kind.clone(), reason: reason.to_owned() };
    if property.value.is_empty() {
        return Err(in_property("unexpected end of JSON input"));
    }
    let (document, _) =
        json_reader::read_value(property.value.as_bytes(), 0).map_err(|error| in_property(&error.message))?;
    go_type::check(document.root(), &GoType::Struct(of)).map_err(|error| in_property(&error.message))?;
    Ok(document)
}

fn gvk_of(property: &RawProperty, index: usize) -> Result<String, Fault> {
    let document = decoded(property, index, &go_types::GVK_PROPERTY)?;
    let text = |name| go_type::text(document.root(), name);
    Ok(gvk_json(&Api {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
        plural: String::new(),
    }))
}

fn string_json(text: &str) -> String {
    let mut json = String::new();
    json_writer::write_string(&mut json, text);
    json
}

fn gvk_json(api: &Api) -> String {
    format!(
        "{{\"group\":{},\"kind\":{},\"version\":{}}}",
        string_json(&api.group),
        string_json(&api.kind),
        string_json(&api.version)
    )
}

fn package_json(package: &str, version: &str, release: &str) -> String {
    let release =
        if release.is_empty() { String::new() } else { format!(",\"release\":{}", string_json(release)) };
    format!("{{\"packageName\":{},\"version\":{}{release}}}", string_json(package), string_json(version))
}

/// A text of the spec; empty where absent.
fn spec_text(spec: Node<'_>, key: &str) -> Result<String, Fault> {
    match spec.get(key).filter(|value| !value.is_null()) {
        None => Ok(String::new()),
        Some(value) => value.as_str().map(str::to_owned).ok_or(Fault::NoText(value.kind())),
    }
}

/// The release of the spec, which may be written as a number.
fn release_of(spec: Node<'_>) -> Result<String, Fault> {
    let Some(value) = spec.get("release").filter(|value| !value.is_null()) else {
        return Ok(String::new());
    };
    if let Some(text) = value.as_str() {
        return Ok(text.to_owned());
    }
    let number = value.as_f64().ok_or(Fault::NoRelease)?;
    if number == (number as i64) as f64 {
        return Ok((number as i64).to_string());
    }
    let mut text = String::new();
    push_general_number(&mut text, number);
    Ok(text)
}

/// The images that the cluster service version lists, the bundle's own, and those of its deployments.
fn related_images(spec: Node<'_>, image: &str) -> Result<Vec<RelatedImage>, Fault> {
    let mut related = Vec::new();
    if let Some(list) = spec.get("relatedImages").filter(|list| !list.is_null()) {
        go_type::check(list, &RELATED_IMAGES)?;
        related.extend(list.items().map(|item| RelatedImage {
            name: go_type::text(item, "name"),
            image: go_type::text(item, "image"),
        }));
    }
    kubernetes_json::check(spec, INSTALLATION, Keys::Folded, "v1")?;
    let mut known: BTreeSet<String> = related.iter().map(|image| image.image.clone()).collect();
    let own = (!image.is_empty()).then(|| image.to_owned());
    for image in own.into_iter().chain(operator_images(spec)) {
        if known.insert(image.clone()) {
            related.push(RelatedImage { name: String::new(), image });
        }
    }
    Ok(related)
}

/// The images of the containers of all deployments.
fn operator_images(spec: Node<'_>) -> BTreeSet<String> {
    let Some(install) = go_type::field(spec, "install") else { return BTreeSet::new() };
    if go_type::text(install, "strategy") != "deployment" {
        return BTreeSet::new();
    }
    let deployments = go_type::field(install, "spec").and_then(|spec| go_type::field(spec, "deployments"));
    deployments
        .into_iter()
        .flat_map(Node::items)
        .filter_map(|deployment| {
            let template = go_type::field(go_type::field(deployment, "spec")?, "template")?;
            go_type::field(template, "spec")
        })
        .flat_map(|pod| {
            ["containers", "initContainers"].into_iter().filter_map(move |key| go_type::field(pod, key))
        })
        .flat_map(Node::items)
        .map(|container| go_type::text(container, "image"))
        .collect()
}

#[cfg(test)]
mod tests;
