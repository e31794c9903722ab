//! A bundle folder as an `olm.bundle` blob, as opm renders it.
//!
//! Sources of the behaviour: `operator-framework/operator-registry:pkg/registry/registry_to_model.go`,
//! `pkg/registry/bundle.go`, `pkg/registry/csv.go` and `alpha/action/render.go`.

use std::collections::BTreeSet;

use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_model::{Bundle, Origin, Property, RelatedImage, Value, bundle_object, go_types};
use fbc_yaml::go_text::{push_general_number, quote};
use fbc_yaml::{Kind, Node, base64, json_reader, json_text, json_writer};

use crate::folder::{BundleError, BundleFolder, RawProperty, escape_html};
use crate::image_template::ImageTemplate;

/// An API that a bundle provides or requires.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Api {
    group: String,
    version: String,
    kind: String,
    plural: String,
}

static DEFINITION_KEY: GoStruct = GoStruct {
    name: "registry.DefinitionKey",
    fields: &[
        GoField { name: "group", kind: STRING, omit_empty: false },
        GoField { name: "kind", kind: STRING, omit_empty: false },
        GoField { name: "name", kind: STRING, omit_empty: false },
        GoField { name: "version", kind: STRING, omit_empty: false },
    ],
};

const DEFINITION_KEYS: GoType = GoType::List("[]*registry.DefinitionKey", &GoType::Struct(&DEFINITION_KEY));

static DEFINITIONS: GoStruct = GoStruct {
    name: "struct",
    fields: &[
        GoField { name: "owned", kind: DEFINITION_KEYS, omit_empty: false },
        GoField { name: "required", kind: DEFINITION_KEYS, omit_empty: false },
    ],
};

const ANNOTATION_PROPERTIES: GoType =
    GoType::List("[]registry.Property", &GoType::Struct(&go_types::PROPERTY));
const RELATED_IMAGES: GoType =
    GoType::List("[]declcfg.RelatedImage", &GoType::Struct(&go_types::RELATED_IMAGE));

/// Renders a bundle; with a template its image is named, else it stays without.
///
/// # Errors
/// What keeps the reference from rendering it.
pub fn render(folder: &BundleFolder, template: Option<&ImageTemplate>) -> Result<Bundle, BundleError> {
    let version = folder.cluster_service_version().ok_or(BundleError::NoClusterServiceVersion)?;
    let name = version.get("metadata").and_then(|meta| meta.get_str("name")).unwrap_or_default();
    let spec = version.get("spec");
    let provided = provided_apis(folder, spec)?;
    check_owned(name, spec, &provided)?;
    let package = &folder.annotations.package;
    let listed = listed_properties(folder, version, spec, &provided)?;
    let in_bundle =
        |error: String| BundleError::Content(format!("get properties for bundle {}: {error}", quote(name)));
    let mut properties = merged_properties(folder, &listed, spec, &provided).map_err(in_bundle)?;
    for manifest in &folder.manifests {
        let json = escape_html(&json_writer::compact(manifest.root()));
        let value = format!("{{\"data\":\"{}\"}}", base64::encode(json.as_bytes()));
        properties.push(RawProperty { kind: bundle_object::PROPERTY_TYPE.to_owned(), value });
    }
    properties.sort_by(|a, b| (&a.kind, &a.value).cmp(&(&b.kind, &b.value)));
    let image = match template {
        Some(template) => {
            let first = listed.iter().find(|property| property.kind == "olm.package");
            let of_version =
                first.and_then(|property| json_text(&property.value, "version")).unwrap_or_default();
            template.fill(package, name, &of_version)
        }
        None => String::new(),
    };
    let related_images = related_images(spec, &image).map_err(|error| {
        BundleError::Content(format!("get related images for bundle {}: {error}", quote(name)))
    })?;
    let properties = properties
        .into_iter()
        .map(|property| {
            let value = Value::from_json(&property.value).map_err(|error| {
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

/// The properties that the folder lists, then those that follow from it; none twice.
fn listed_properties(
    folder: &BundleFolder,
    version: Node<'_>,
    spec: Option<Node<'_>>,
    provided: &BTreeSet<Api>,
) -> Result<Vec<RawProperty>, BundleError> {
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
    let annotations = version.get("metadata").and_then(|meta| meta.get("annotations"));
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
            Some(RawProperty { kind: go_type::text(item, "type"), value: json_text::compact(value) })
        })
        .collect()
}

/// What the blob gets: one package, provided and required APIs, required packages, the rest.
fn merged_properties(
    folder: &BundleFolder,
    listed: &[RawProperty],
    spec: Option<Node<'_>>,
    provided: &BTreeSet<Api>,
) -> Result<Vec<RawProperty>, String> {
    let mut gvks: BTreeSet<String> = provided.iter().map(gvk_json).collect();
    let mut required: BTreeSet<String> = required_apis(spec)?.iter().map(gvk_json).collect();
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
    let package = match package {
        Some(package) => package,
        None => {
            let number = spec_text(spec, "version").map_err(|error| format!("get version: {error}"))?;
            let release = release_of(spec).map_err(|error| format!("get release: {error}"))?;
            package_json(&folder.annotations.package, &number, &release)
        }
    };
    merged.push(RawProperty { kind: "olm.package".to_owned(), value: package });
    merged.extend(gvks.into_iter().map(|value| RawProperty { kind: "olm.gvk".to_owned(), value }));
    merged
        .extend(required.into_iter().map(|value| RawProperty { kind: "olm.gvk.required".to_owned(), value }));
    Ok(merged)
}

fn decoded(
    property: &RawProperty,
    index: usize,
    of: &'static GoStruct,
) -> Result<fbc_yaml::Document, String> {
    let in_property =
        |message: &str| format!("parse property[{index}] of type {}: {message}", quote(&property.kind));
    if property.value.is_empty() {
        return Err(in_property("unexpected end of JSON input"));
    }
    let (document, _) =
        json_reader::read_value(property.value.as_bytes(), 0).map_err(|error| in_property(&error.message))?;
    go_type::check(document.root(), &GoType::Struct(of)).map_err(|error| in_property(&error.message))?;
    Ok(document)
}

fn gvk_of(property: &RawProperty, index: usize) -> Result<String, String> {
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
fn spec_text(spec: Option<Node<'_>>, key: &str) -> Result<String, BundleError> {
    match spec.and_then(|spec| spec.get(key)).filter(|value| !value.is_null()) {
        None => Ok(String::new()),
        Some(value) => value.as_str().map(str::to_owned).ok_or_else(|| {
            let kind = value.kind().go_name();
            BundleError::Content(format!("json: cannot unmarshal {kind} into Go value of type string"))
        }),
    }
}

/// The release of the spec, which may be written as a number.
fn release_of(spec: Option<Node<'_>>) -> Result<String, BundleError> {
    let Some(value) = spec.and_then(|spec| spec.get("release")).filter(|value| !value.is_null()) else {
        return Ok(String::new());
    };
    if let Some(text) = value.as_str() {
        return Ok(text.to_owned());
    }
    let Some(number) = value.as_f64() else {
        return Err(BundleError::Content(
            "failed to derive properties: release field must be a string or number".to_owned(),
        ));
    };
    if number == (number as i64) as f64 {
        return Ok((number as i64).to_string());
    }
    let mut text = String::new();
    push_general_number(&mut text, number);
    Ok(text)
}

/// The APIs of all custom resource definitions in the bundle, and the owned API services.
fn provided_apis(folder: &BundleFolder, spec: Option<Node<'_>>) -> Result<BTreeSet<Api>, BundleError> {
    let mut provided = BTreeSet::new();
    for manifest in &folder.manifests {
        let root = manifest.root();
        let api_version = root.get_str("apiVersion").unwrap_or_default();
        let version = api_version.rsplit('/').next().unwrap_or_default();
        if manifest.kind() != "CustomResourceDefinition" || !matches!(version, "v1" | "v1beta1") {
            continue;
        }
        let Some(crd) = root.get("spec") else { continue };
        if crd.kind() != Kind::Object {
            return Err(BundleError::Content(format!(
                "error decoding {version} CRD: json: cannot unmarshal {} into Go struct field CustomResourceDefinition.spec of type {version}.CustomResourceDefinitionSpec",
                crd.kind().go_name()
            )));
        }
        let names = crd.get("names");
        let name = |key: &str| names.and_then(|names| names.get_str(key)).unwrap_or_default().to_owned();
        let mut add = |version: &str| {
            provided.insert(Api {
                group: crd.get_str("group").unwrap_or_default().to_owned(),
                version: version.to_owned(),
                kind: name("kind"),
                plural: name("plural"),
            });
        };
        for served in crd.get("versions").into_iter().flat_map(Node::items) {
            add(served.get_str("name").unwrap_or_default());
        }
        if let ("v1beta1", Some(single)) = (version, crd.get_str("version").filter(|text| !text.is_empty())) {
            add(single);
        }
    }
    let services = definitions(spec, "apiservicedefinitions", "owned")
        .map_err(|error| BundleError::Content(format!("error getting apiservice definitions: {error}")))?;
    provided.extend(services.into_iter().map(|(api, name)| Api { plural: name, ..api }));
    Ok(provided)
}

/// The APIs that the cluster service version asks for.
fn required_apis(spec: Option<Node<'_>>) -> Result<BTreeSet<Api>, String> {
    let mut required = BTreeSet::new();
    for (api, name) in definitions(spec, "customresourcedefinitions", "required")? {
        required.insert(with_group_of_name(api, &name)?);
    }
    required.extend(definitions(spec, "apiservicedefinitions", "required")?.into_iter().map(|(api, _)| api));
    Ok(required)
}

/// The name of a custom resource definition is `plural.group`.
fn with_group_of_name(api: Api, name: &str) -> Result<Api, String> {
    match name.split_once('.') {
        Some((plural, group)) => Ok(Api { group: group.to_owned(), plural: plural.to_owned(), ..api }),
        None => Err(format!("couldn't parse plural.group from crd name: {name}")),
    }
}

fn definitions(spec: Option<Node<'_>>, section: &str, list: &str) -> Result<Vec<(Api, String)>, String> {
    let Some(spec) = spec else {
        return Err("error unmarshaling into object map: unexpected end of JSON input".to_owned());
    };
    let Some(section) = spec.get(section).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    go_type::check(section, &GoType::Struct(&DEFINITIONS)).map_err(|error| error.message)?;
    let items = go_type::field(section, list).into_iter().flat_map(Node::items);
    Ok(items
        .map(|item| {
            let text = |name| go_type::text(item, name);
            let api = Api {
                group: text("group"),
                version: text("version"),
                kind: text("kind"),
                plural: String::new(),
            };
            (api, text("name"))
        })
        .collect())
}

/// Every custom resource definition that the cluster service version owns must be in the bundle.
fn check_owned(name: &str, spec: Option<Node<'_>>, provided: &BTreeSet<Api>) -> Result<(), BundleError> {
    let in_bundle = |error: String| {
        BundleError::Content(format!("error checking provided apis in bundle {name}: {error}"))
    };
    let mut owned = BTreeSet::new();
    for (api, crd) in definitions(spec, "customresourcedefinitions", "owned").map_err(in_bundle)? {
        owned.insert(with_group_of_name(api, &crd).map_err(in_bundle)?);
    }
    let shown = |api: &Api| format!("{}/{}/{} ({})", api.group, api.version, api.kind, api.plural);
    match owned.iter().find(|api| !provided.contains(api)) {
        None => Ok(()),
        Some(missing) => {
            let found: Vec<String> = provided.iter().map(|api| format!("{}:{{}}", shown(api))).collect();
            Err(in_bundle(format!(
                "couldn't find {} in bundle. found: map[{}]",
                shown(missing),
                found.join(" ")
            )))
        }
    }
}

/// The images that the cluster service version lists, the bundle's own, and those of its deployments.
fn related_images(spec: Option<Node<'_>>, image: &str) -> Result<Vec<RelatedImage>, String> {
    let mut related = Vec::new();
    if let Some(list) = spec.and_then(|spec| spec.get("relatedImages")).filter(|list| !list.is_null()) {
        go_type::check(list, &RELATED_IMAGES).map_err(|error| error.message)?;
        related.extend(list.items().map(|item| RelatedImage {
            name: go_type::text(item, "name"),
            image: go_type::text(item, "image"),
        }));
    }
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
fn operator_images(spec: Option<Node<'_>>) -> BTreeSet<String> {
    let Some(install) = spec.and_then(|spec| go_type::field(spec, "install")) else { return BTreeSet::new() };
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
