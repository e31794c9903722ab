//! What a catalog says about a bundle that concerns updates of clusters.

use fbc_bundle::readiness::{Limit, limit_of_bundle};
use fbc_kubernetes::removed_apis::removed_api;
use fbc_model::bundle_object;
use fbc_model::render::CSV_METADATA;
use fbc_resolve::IndexedBundle;
use fbc_version::OpenShiftRelease;
use fbc_version::Version;
use fbc_yaml::{Document, Node};

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
        let blob = &bundle.blob;
        let objects: Vec<Document> = bundle_object::manifests(blob).collect();
        let objects = || objects.iter().map(Document::root);
        let operators = objects().filter(|object| object.get_str("kind") == Some("ClusterServiceVersion"));
        let mut specs =
            blob.property_values(CSV_METADATA).chain(operators.filter_map(|object| object.get("spec")));
        let minimum = specs.find_map(|spec| {
            let text = spec.get_str("minKubeVersion")?;
            Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
        });
        let required = blob.property_values("olm.gvk.required").filter_map(required);
        Some(Self {
            version,
            minimum,
            needed: required.chain(objects().filter_map(kind_of)).collect(),
            limit: limit_of_bundle(blob),
        })
    }

    /// The Kubernetes that the bundle needs, if a release has an older one.
    pub(super) fn unmet(&self, release: OpenShiftRelease) -> Option<String> {
        let (needed, present) = (self.minimum.as_ref()?, release.kubernetes()?);
        let is_met = (needed.major(), needed.minor()) <= (1, u64::from(present));
        (!is_met).then(|| {
            let (version, major, minor) = (&self.version, needed.major(), needed.minor());
            format!("{version} needs Kubernetes {major}.{minor}, and OpenShift {release} has 1.{present}")
        })
    }

    /// An API that the bundle needs and a version of the cluster does not have.
    pub(super) fn gone_in(
        &self,
        lost: &[LostApi],
        to: &str,
        release: Option<OpenShiftRelease>,
    ) -> Option<String> {
        let kubernetes = release.and_then(OpenShiftRelease::kubernetes).map(u64::from);
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

/// The kind that a property requires.
fn required(value: Node<'_>) -> Option<Kind> {
    let text = |key: &str| value.get_str(key).map(str::to_owned);
    Some((text("group")?, text("version")?, text("kind")?))
}

fn kind_of(object: Node<'_>) -> Option<Kind> {
    let api_version = object.get_str("apiVersion")?;
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Some((group.to_owned(), version.to_owned(), object.get_str("kind")?.to_owned()))
}
