//! The version of a bundle as the resolver sees it, and of what is installed.
//!
//! Source of the behaviour:
//! `operator-framework/operator-controller:internal/operator-controller/bundleutil/bundle.go`.

use fbc_go::text::quote;
use fbc_model::go_type::{self, GoType};
use fbc_model::go_types::PACKAGE_PROPERTY;
use fbc_model::{Bundle, Value};
use fbc_version::{Release, ReleaseError, Version, VersionError, VersionRelease};

use crate::rules::Rules;

/// The property that holds the version.
const PROPERTY_TYPE: &str = "olm.package";

/// Why a bundle has no version, in the words of the reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleVersionError {
    /// No property has the type `olm.package`.
    #[error("no package property found in bundle {}", quote(.bundle))]
    NoProperty {
        /// The bundle.
        bundle: String,
    },
    /// The property does not decode; the text is that of Go's decoder.
    #[error("error unmarshalling package property: {0}")]
    Malformed(String),
    /// The version is none.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The version beside a release of its own is none.
    #[error("error parsing version {}: {error}", quote(.version))]
    ExplicitVersion {
        /// The version as written.
        version: String,
        /// What is wrong.
        error: VersionError,
    },
    /// The release is none.
    #[error("error parsing release {}: {error}", quote(.release))]
    ExplicitRelease {
        /// The release as written.
        release: String,
        /// What is wrong.
        error: ReleaseError,
    },
}

/// Version and release from the first property `olm.package` of a bundle.
///
/// # Errors
/// There is no such property, or it holds no version.
pub fn of_bundle(bundle: &Bundle, rules: Rules) -> Result<VersionRelease, BundleVersionError> {
    let Some(property) = bundle.properties.iter().find(|property| property.kind == PROPERTY_TYPE) else {
        return Err(BundleVersionError::NoProperty { bundle: bundle.name.clone() });
    };
    let malformed = |text: &str| BundleVersionError::Malformed(text.to_owned());
    let Some(value) = property.value.as_ref().map(Value::node) else {
        return Err(malformed("unexpected end of JSON input"));
    };
    go_type::check(value, &GoType::Struct(&PACKAGE_PROPERTY)).map_err(|error| malformed(&error.message))?;
    let version = go_type::field(value, "version").and_then(|node| node.as_str()).unwrap_or_default();
    let release = go_type::field(value, "release").and_then(|node| node.as_str());
    match release {
        Some(release) if rules.knows_releases() && rules.bundle_release_support => {
            with_release(version, release)
        }
        _ => Ok(from_text(version, rules)?),
    }
}

/// A version whose release, where releases exist, lies in its build metadata.
pub(crate) fn from_text(text: &str, rules: Rules) -> Result<VersionRelease, VersionError> {
    let version = Version::parse(text)?;
    Ok(if rules.knows_releases() {
        VersionRelease::from_build_metadata(version)
    } else {
        VersionRelease::new(version, Release::default())
    })
}

/// A version that keeps its build metadata, and a release beside it.
pub(crate) fn with_release(version: &str, release: &str) -> Result<VersionRelease, BundleVersionError> {
    let parsed = Version::parse(version)
        .map_err(|error| BundleVersionError::ExplicitVersion { version: version.to_owned(), error })?;
    let release = Release::parse(release)
        .map_err(|error| BundleVersionError::ExplicitRelease { release: release.to_owned(), error })?;
    Ok(VersionRelease::new(parsed, release))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fbc_model::load::load_bytes;
    use fbc_version::Target;

    use super::*;

    fn version(properties: &str, rules: Rules) -> String {
        let blob =
            format!(r#"{{"schema": "olm.bundle", "package": "p", "name": "b", "properties": {properties}}}"#);
        let catalog = load_bytes(Path::new("p.json"), blob.as_bytes());
        match of_bundle(&catalog.bundles[0], rules) {
            Ok(found) => format!("{}|{}", found.version, found.release),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn releases_by_target_and_gate() {
        let latest = Rules::default();
        let gate = Rules { bundle_release_support: true, ..latest };
        let older = Rules::from_target(Target::Ocp419);
        let property = |value: &str| format!(r#"[{{"type": "olm.package", "value": {value}}}]"#);
        for (value, with_latest, with_gate, with_older) in [
            (r#"{"version": "1.0.0+2"}"#, "1.0.0|2", "1.0.0|2", "1.0.0+2|"),
            (r#"{"version": "1.0.0+02"}"#, "1.0.0+02|", "1.0.0+02|", "1.0.0+02|"),
            (r#"{"version": "1.0.0+2", "release": "a"}"#, "1.0.0|2", "1.0.0+2|a", "1.0.0+2|"),
            (r#"{"version": "1.0.0+2", "release": ""}"#, "1.0.0|2", "1.0.0+2|", "1.0.0+2|"),
            (r#"{"version": "1.0.0+2", "release": null}"#, "1.0.0|2", "1.0.0|2", "1.0.0+2|"),
        ] {
            assert_eq!(version(&property(value), latest), with_latest, "{value}");
            assert_eq!(version(&property(value), gate), with_gate, "{value}");
            assert_eq!(version(&property(value), older), with_older, "{value}");
        }
    }

    #[test]
    fn refusals_have_the_known_texts() {
        let gate = Rules { bundle_release_support: true, ..Rules::default() };
        for (properties, text) in [
            ("[]", r#"no package property found in bundle "b""#),
            (
                r#"[{"type": "olm.package", "value": {"version": 1}}]"#,
                "error unmarshalling package property: json: cannot unmarshal number into Go struct field \
                 Package.version of type string",
            ),
            (
                r#"[{"type": "olm.package", "value": {"version": "1.0"}}]"#,
                "No Major.Minor.Patch elements found",
            ),
            (
                r#"[{"type": "olm.package", "value": {"version": "1.0", "release": "1"}}]"#,
                r#"error parsing version "1.0": No Major.Minor.Patch elements found"#,
            ),
            (
                r#"[{"type": "olm.package", "value": {"version": "1.0.0", "release": "123456789.123456789.1"}}]"#,
                "error parsing release \"123456789.123456789.1\": invalid release \"123456789.123456789.1\": \
                 exceeds maximum length of 20 characters",
            ),
            // Only the first property counts.
            (
                r#"[{"type": "olm.package", "value": {"version": "x"}},
                    {"type": "olm.package", "value": {"version": "1.0.0"}}]"#,
                "No Major.Minor.Patch elements found",
            ),
        ] {
            assert_eq!(version(properties, gate), text);
        }
    }
}
