//! `olm.maxOpenShiftVersion`: the last minor version of OpenShift that an operator works on.

use fbc_go::text::quote;
use fbc_model::Bundle;
use fbc_version::OpenShiftRelease;
use fbc_yaml::{Kind, json_reader, json_writer};

use crate::render::properties_of_annotation;

/// The type of the property that names it.
const MAX_OPENSHIFT_VERSION: &str = "olm.maxOpenShiftVersion";

/// How far clusters may be updated while a bundle is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The bundle names none.
    None,
    /// Up to that version.
    Until(OpenShiftRelease),
    /// What the bundle says cannot be understood; every update is blocked. The text is the reference's.
    Invalid(String),
}

impl Limit {
    /// Whether the installed bundle keeps a cluster from the next minor version.
    #[must_use]
    pub fn blocks_update_from(&self, current: OpenShiftRelease) -> bool {
        match self {
            Self::None => false,
            Self::Until(last) => last.counted() <= current.counted(),
            Self::Invalid(_) => true,
        }
    }

    /// Whether the bundle may be installed on a release.
    #[must_use]
    pub fn allows(&self, release: OpenShiftRelease) -> bool {
        match self {
            Self::None => true,
            Self::Until(last) => last.counted() >= release.counted(),
            Self::Invalid(_) => false,
        }
    }

    /// Whether the bundle does not work on a release.
    #[must_use]
    pub fn excludes(&self, release: OpenShiftRelease) -> bool {
        match self {
            Self::Until(last) => last.counted() < release.counted(),
            Self::None | Self::Invalid(_) => false,
        }
    }
}

/// The limit in the annotation `olm.properties`, a JSON array.
#[must_use]
pub fn limit_of(properties: Option<&str>) -> Limit {
    let properties = properties.map(properties_of_annotation).unwrap_or_default();
    let limits = properties.iter().filter(|property| property.kind == MAX_OPENSHIFT_VERSION);
    limit_of_values(limits.map(|property| property.value.as_str()))
}

/// The limit in the properties of a bundle in a catalog.
#[must_use]
pub fn limit_of_bundle(bundle: &Bundle) -> Limit {
    let properties = bundle.properties.iter().filter(|property| property.kind == MAX_OPENSHIFT_VERSION);
    let values = properties.filter_map(|property| {
        let value = property.value.as_ref()?;
        Some(value.json().map_or_else(|| json_writer::compact(value.node()), str::to_owned))
    });
    let values: Vec<String> = values.collect();
    limit_of_values(values.iter().map(String::as_str))
}

/// The limit in the values of the properties that name one, each as JSON.
fn limit_of_values<'v>(mut values: impl Iterator<Item = &'v str>) -> Limit {
    match (values.next(), values.next()) {
        (None, _) => Limit::None,
        (Some(_), Some(_)) => {
            Limit::Invalid("more than one olm.maxOpenShiftVersion found in bundle".to_owned())
        }
        (Some(only), None) => {
            let raw = only.trim();
            match version(raw) {
                Ok(last) => Limit::Until(last),
                Err(fault) => {
                    Limit::Invalid(format!("error converting to semver for version {raw}: {fault}"))
                }
            }
        }
    }
}

/// Why a value is not a version of OpenShift.
#[derive(Debug, thiserror::Error)]
enum VersionFault {
    #[error("invalid version format")]
    Format,
    #[error("invalid semver format {}: expected <major>.<minor>", quote(.0))]
    Parts(String),
    #[error("invalid type {found} for olm.maxOpenshiftVersion: {raw}")]
    Type { found: &'static str, raw: String },
}

fn version(raw: &str) -> Result<OpenShiftRelease, VersionFault> {
    let (document, _) = json_reader::read_value(raw.as_bytes(), 0).map_err(|_| VersionFault::Format)?;
    let root = document.root();
    let found = match root.kind() {
        // The text of the number counts: 4.10 is not 4.1.
        Kind::Number => {
            return OpenShiftRelease::parse(raw)
                .filter(|release| release.major > 0)
                .ok_or(VersionFault::Format);
        }
        Kind::String => {
            let text = root.as_str().unwrap_or_default();
            if text.starts_with('v') || text.matches('.').count() != 1 {
                return Err(VersionFault::Parts(text.to_owned()));
            }
            return OpenShiftRelease::parse(text).ok_or(VersionFault::Format);
        }
        Kind::Null => "<nil>",
        Kind::Bool => "bool",
        Kind::Array => "[]interface {}",
        Kind::Object => "map[string]interface {}",
    };
    Err(VersionFault::Type { found, raw: raw.to_owned() })
}
