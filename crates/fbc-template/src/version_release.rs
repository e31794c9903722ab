//! Version and release of a bundle as templates compare them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/declcfg.go`
//! (`Bundle.VersionRelease`).

use fbc_go::text::quote;
use fbc_model::go_type::{self, GoType};
use fbc_model::{Bundle, Value, bundle_object, go_types, render};
use fbc_version::{Release, Version, VersionRelease};
use fbc_yaml::Node;

/// The annotation of bundles that take the place of another one.
const SUBSTITUTES_FOR: &str = "olm.substitutesFor";

/// Version and release of a bundle. Build metadata counts as the release where there is none and the
/// bundle says that it substitutes for another.
///
/// # Errors
/// opm's text.
pub(crate) fn version_release(bundle: &Bundle) -> Result<VersionRelease, String> {
    let name = || quote(&bundle.name);
    let mut found = None;
    for property in bundle.properties.iter().filter(|property| property.kind == "olm.package") {
        if found.is_some() {
            return Err("must be exactly one property of type \"olm.package\"".to_owned());
        }
        let unreadable = |message: &str| {
            format!("unable to unmarshal \"olm.package\" property for bundle {}: {message}", name())
        };
        let value = property.value.as_ref().map(Value::node);
        let value = value.ok_or_else(|| unreadable("unexpected end of JSON input"))?;
        go_type::check(value, &GoType::Struct(&go_types::PACKAGE_PROPERTY))
            .map_err(|error| unreadable(&error.message))?;
        let invalid = |what: &str, text: &str, error: String| {
            format!(
                "invalid {what} {} in \"olm.package\" property for bundle {}: {error}",
                quote(text),
                name()
            )
        };
        let text = go_type::text(value, "version");
        let version =
            Version::parse(&text).map_err(|error| invalid("semver version", &text, error.to_string()))?;
        let text = go_type::text(value, "release");
        let release = Release::parse(&text).map_err(|error| invalid("release", &text, error.to_string()))?;
        found = Some(VersionRelease::new(version, release));
    }
    let found = found.ok_or_else(|| format!("no \"olm.package\" property found for bundle {}", name()))?;
    if found.release.is_empty() && !found.version.build().is_empty() && substitutes_for_another(bundle) {
        let release = Release::parse(found.version.build()).map_err(|error| {
            format!("unable to convert build metadata to release for bundle {}: {error}", name())
        })?;
        return Ok(VersionRelease::new(found.version.without_build(), release));
    }
    Ok(found)
}

/// Whether the bundle has the annotation: in its cluster service version, else in its metadata.
fn substitutes_for_another(bundle: &Bundle) -> bool {
    let is_set = |annotations: Option<Node<'_>>| {
        annotations
            .and_then(|annotations| annotations.get_str(SUBSTITUTES_FOR))
            .is_some_and(|text| !text.is_empty())
    };
    match bundle_object::cluster_service_version(bundle) {
        Some(version) => {
            is_set(version.root().get("metadata").and_then(|metadata| metadata.get("annotations")))
        }
        None => bundle
            .property_values(render::CSV_METADATA)
            .any(|metadata| is_set(go_type::field(metadata, "annotations"))),
    }
}
