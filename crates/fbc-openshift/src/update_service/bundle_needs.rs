//! What a catalog says about a bundle that concerns updates of clusters.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_bundle::readiness::{Limit, MAX_OPENSHIFT_VERSION, Release, limit_of_values};
use fbc_kubernetes::removed_apis::removed_api;
use fbc_resolve::IndexedBundle;
use fbc_version::Version;
use serde_json::{Value, json};

use crate::release::difference::LostApi;

/// Group, version and kind of objects.
type Kind = (String, String, String);

/// What is known of a bundle.
#[derive(Debug)]
pub(super) struct BundleNeeds {
    pub(super) version: Version,
    /// The last release that it allows.
    pub(super) limit: Limit,
    /// The oldest Kubernetes that it runs on.
    minimum: Option<Version>,
    /// What it brings or needs.
    needed: Vec<Kind>,
}

impl BundleNeeds {
    /// What the properties of a bundle say; nothing if it has no version.
    pub(super) fn from_bundle(bundle: &IndexedBundle) -> Option<Self> {
        let version = bundle.version.as_ref().ok()?.version.clone();
        let properties = bundle.blob.properties.iter().map(|property| {
            let value = property.value.as_ref().map(|value| value.node().to_json());
            json!({"type": property.kind, "value": value})
        });
        let properties: Vec<Value> = properties.collect();
        let of_kind = |kind: &'static str| {
            properties.iter().filter(move |one| one["type"] == kind).map(|one| &one["value"])
        };
        let objects: Vec<Value> = of_kind("olm.bundle.object").filter_map(object).collect();
        let operators = objects.iter().filter(|object| object["kind"] == "ClusterServiceVersion");
        let minimum = of_kind("olm.csv.metadata").chain(operators.map(|one| &one["spec"]));
        let minimum = minimum.filter_map(|spec| spec["minKubeVersion"].as_str());
        let limits: Vec<String> = of_kind(MAX_OPENSHIFT_VERSION).map(Value::to_string).collect();
        let required = of_kind("olm.gvk.required").filter_map(required);
        Some(Self {
            version,
            minimum: minimum.filter_map(|text| Version::parse(text.trim_start_matches('v')).ok()).next(),
            needed: required.chain(objects.iter().filter_map(kind_of)).collect(),
            limit: limit_of_values(limits.iter().map(String::as_str)),
        })
    }

    /// The Kubernetes that the bundle needs, if a release has an older one.
    pub(super) fn unmet(&self, release: Release) -> Option<String> {
        let (needed, present) = (self.minimum.as_ref()?, release.kubernetes()?);
        let is_met = (needed.major(), needed.minor()) <= (1, u64::from(present));
        (!is_met).then(|| {
            let (version, major, minor) = (&self.version, needed.major(), needed.minor());
            format!("{version} needs Kubernetes {major}.{minor}, and OpenShift {release} has 1.{present}")
        })
    }

    /// An API that the bundle needs and a version of the cluster does not have.
    pub(super) fn gone_in(&self, lost: &[LostApi], to: &str, release: Option<Release>) -> Option<String> {
        let kubernetes = release.and_then(Release::kubernetes).map(u64::from);
        self.needed.iter().find_map(|(group, version, kind)| {
            let name = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
            let of_payload =
                lost.iter().any(|api| api.group == *group && api.version == *version && api.kind == *kind);
            if of_payload {
                return Some(format!("{kind} of {name}, which {to} no longer serves"));
            }
            let (since, minor) = (removed_api(group, version, kind)?.since, kubernetes?);
            (minor >= since).then(|| {
                format!("{kind} of {name}, which is gone since Kubernetes 1.{since}, and {to} has 1.{minor}")
            })
        })
    }
}

/// The object in a property.
fn object(value: &Value) -> Option<Value> {
    serde_json::from_slice(&STANDARD.decode(value["data"].as_str()?).ok()?).ok()
}

/// The kind that a property requires.
fn required(value: &Value) -> Option<Kind> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    Some((text("group")?, text("version")?, text("kind")?))
}

fn kind_of(object: &Value) -> Option<Kind> {
    let api_version = object["apiVersion"].as_str()?;
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Some((group.to_owned(), version.to_owned(), object["kind"].as_str()?.to_owned()))
}
