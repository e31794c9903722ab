//! What the resolver reads out of properties, once for each bundle.

use fbc_version::Version;

use crate::property::{Api, Property, kind, texts};

/// The properties of a bundle that the resolver knows, read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// What `olm.package` says: name, and version if it is one.
    pub(crate) packages: Vec<(String, Option<Version>)>,
    /// What `olm.gvk` says.
    pub(crate) apis: Vec<Api>,
    /// What `olm.label` says.
    pub(crate) labels: Vec<String>,
    /// Whether there is an `olm.deprecated`.
    pub(crate) is_deprecated: bool,
}

impl Facts {
    /// Values that Go would refuse count as absent.
    pub(crate) fn of(properties: &[Property]) -> Self {
        let mut facts = Self::default();
        for property in properties {
            match property.kind.as_str() {
                kind::PACKAGE => {
                    if let Some([name, version]) = texts(&property.value, ["packageName", "version"]) {
                        facts.packages.push((name, Version::parse(&version).ok()));
                    }
                }
                kind::API => {
                    if let Some([group, version, kind]) = texts(&property.value, ["group", "version", "kind"])
                    {
                        facts.apis.push(Api { group, version, kind });
                    }
                }
                kind::LABEL => {
                    if let Some([label]) = texts(&property.value, ["label"]) {
                        facts.labels.push(label);
                    }
                }
                kind::DEPRECATED => facts.is_deprecated = true,
                _ => {}
            }
        }
        facts
    }
}
