//! The version of a bundle, from its property `olm.package`.

use fbc_go::text::quote;
use fbc_model::go_type::{self, GoType};
use fbc_model::{Bundle, Value, go_types};
use fbc_version::{Release, Version, VersionError, VersionRelease};

/// The type of the property.
pub const PROPERTY_TYPE: &str = "olm.package";

/// Why a bundle has no version, in the words of opm's `render-graph`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleVersionError {
    /// A property does not decode.
    #[error(
        "parse properties for bundle {}: parse property[{index}] of type {}: {message}",
        quote(.bundle), quote(.kind)
    )]
    Property {
        /// The bundle.
        bundle: String,
        /// The number of the property, from 0.
        index: usize,
        /// Its type.
        kind: String,
        /// What is wrong.
        message: String,
    },
    /// There is no property `olm.package`, or more than one; the reference says the same of both.
    #[error("bundle {} has multiple {} properties, expected exactly 1", quote(.bundle), quote(PROPERTY_TYPE))]
    NotOne {
        /// The bundle.
        bundle: String,
    },
    /// The text is not a version.
    #[error("bundle {} has invalid version {}: {error}", quote(.bundle), quote(.version))]
    Version {
        /// The bundle.
        bundle: String,
        /// The version as written.
        version: String,
        /// What is wrong.
        error: VersionError,
    },
}

/// Version and release of a bundle; nothing unless it has exactly one property `olm.package` with a
/// version, and a release where one is given, that can be read.
#[must_use]
pub fn find(bundle: &Bundle) -> Option<VersionRelease> {
    let mut values = bundle.property_values(PROPERTY_TYPE);
    let (value, None) = (values.next()?, values.next()) else { return None };
    let text = |name| go_type::field(value, name).and_then(|node| node.as_str()).unwrap_or_default();
    let release = match text("release") {
        "" => Release::default(),
        release => Release::parse(release).ok()?,
    };
    Some(VersionRelease::new(Version::parse(text("version")).ok()?, release))
}

/// The version of a bundle, as the reference asks for it when it draws: all properties must decode.
///
/// Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/write.go`.
///
/// # Errors
/// The first reason why there is none.
pub fn require(bundle: &Bundle) -> Result<Version, BundleVersionError> {
    let name = || bundle.name.clone();
    let mut versions = Vec::new();
    for (index, property) in bundle.properties.iter().enumerate() {
        let refuse = |message| BundleVersionError::Property {
            bundle: name(),
            index,
            kind: property.kind.clone(),
            message,
        };
        let Some(value) = property.value.as_ref().map(Value::node) else {
            return Err(refuse("unexpected end of JSON input".to_owned()));
        };
        if let Some(known) = go_types::of_property(&property.kind) {
            go_type::check(value, &GoType::Struct(known)).map_err(|error| refuse(error.message))?;
        }
        if property.kind == PROPERTY_TYPE {
            versions.push(go_type::text(value, "version"));
        }
    }
    let [version] = versions.as_slice() else {
        return Err(BundleVersionError::NotOne { bundle: name() });
    };
    Version::parse(version).map_err(|error| BundleVersionError::Version {
        bundle: name(),
        version: version.clone(),
        error,
    })
}
