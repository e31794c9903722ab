//! Version and release of a bundle as templates compare them.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/declcfg.go`
//! (`Bundle.VersionRelease`).

use fbc_go::text::quote;
use fbc_model::go_type::{self, GoType};
use fbc_model::{Bundle, Value, bundle_object, go_types, render};
use fbc_version::{Release, ReleaseError, Version, VersionError, VersionRelease};
use fbc_yaml::Node;

/// The annotation of bundles that take the place of another one.
const SUBSTITUTES_FOR: &str = "olm.substitutesFor";

/// Why version and release of a bundle cannot be told; the texts are opm's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionFault {
    /// It has several packages.
    #[error("must be exactly one property of type \"olm.package\"")]
    SeveralPackages,
    /// It has no package.
    #[error("no \"olm.package\" property found for bundle {}", quote(.bundle))]
    NoPackage {
        /// The bundle.
        bundle: String,
    },
    /// The property does not decode.
    #[error("unable to unmarshal \"olm.package\" property for bundle {}: {reason}", quote(.bundle))]
    Property {
        /// The bundle.
        bundle: String,
        /// Go's text.
        reason: String,
    },
    /// The version is not one.
    #[error(
        "invalid semver version {} in \"olm.package\" property for bundle {}: {error}",
        quote(.version), quote(.bundle)
    )]
    Version {
        /// The bundle.
        bundle: String,
        /// What it has as its version.
        version: String,
        /// What is wrong with it.
        error: VersionError,
    },
    /// The release is not one.
    #[error(
        "invalid release {} in \"olm.package\" property for bundle {}: {error}",
        quote(.release), quote(.bundle)
    )]
    Release {
        /// The bundle.
        bundle: String,
        /// What it has as its release.
        release: String,
        /// What is wrong with it.
        error: ReleaseError,
    },
    /// The build metadata is not a release.
    #[error("unable to convert build metadata to release for bundle {}: {error}", quote(.bundle))]
    BuildMetadata {
        /// The bundle.
        bundle: String,
        /// What is wrong with it.
        error: ReleaseError,
    },
}

/// Version and release of a bundle. Build metadata counts as the release where there is none and the
/// bundle says that it substitutes for another.
///
/// # Errors
/// [`VersionFault`]
pub(crate) fn version_release(bundle: &Bundle) -> Result<VersionRelease, VersionFault> {
    let name = || bundle.name.clone();
    let mut found = None;
    for property in bundle.properties.iter().filter(|property| property.kind == "olm.package") {
        if found.is_some() {
            return Err(VersionFault::SeveralPackages);
        }
        let unreadable = |reason: &str| VersionFault::Property { bundle: name(), reason: reason.to_owned() };
        let value = property.value.as_ref().map(Value::node);
        let value = value.ok_or_else(|| unreadable("unexpected end of JSON input"))?;
        go_type::check(value, &GoType::Struct(&go_types::PACKAGE_PROPERTY))
            .map_err(|error| unreadable(&error.message))?;
        let text = go_type::text(value, "version");
        let version = Version::parse(&text).map_err(|error| VersionFault::Version {
            bundle: name(),
            version: text.clone(),
            error,
        })?;
        let text = go_type::text(value, "release");
        let release = Release::parse(&text).map_err(|error| VersionFault::Release {
            bundle: name(),
            release: text.clone(),
            error,
        })?;
        found = Some(VersionRelease::new(version, release));
    }
    let found = found.ok_or_else(|| VersionFault::NoPackage { bundle: name() })?;
    if found.release.is_empty() && !found.version.build().is_empty() && substitutes_for_another(bundle) {
        let release = Release::parse(found.version.build())
            .map_err(|error| VersionFault::BuildMetadata { bundle: name(), error })?;
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
