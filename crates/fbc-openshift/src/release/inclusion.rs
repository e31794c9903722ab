//! Which manifests of a payload a cluster takes.
//!
//! Source: `openshift/library-go:pkg/manifest/manifest.go` (`IncludeAllowUnknownCapabilities`).

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::capabilities;

/// The profile of a cluster that is not told otherwise.
pub const DEFAULT_PROFILE: &str = "self-managed-high-availability";

const INCLUDE: &str = "include.release.openshift.io/";
const FEATURE_SET: &str = "release.openshift.io/feature-set";
const FEATURE_GATE: &str = "release.openshift.io/feature-gate";
const MAJOR_VERSION: &str = "release.openshift.io/major-version";
const FEATURE_SETS: [&str; 5] =
    ["CustomNoUpgrade", "Default", "DevPreviewNoUpgrade", "OKD", "TechPreviewNoUpgrade"];

/// What a cluster is like, as far as manifests ask for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// The cluster profile.
    pub profile: String,
    /// The feature set; empty means `Default`.
    pub feature_set: String,
    /// The feature gates that are on.
    pub gates: BTreeSet<String>,
    /// The identifier in `exclude.release.openshift.io/IDENTIFIER`.
    pub exclude: String,
    /// The major version of the payload.
    pub major: Option<u64>,
    /// All capabilities that exist; `None` where nobody asks for them.
    pub known: Option<BTreeSet<String>>,
    /// The capabilities that are on; `None` at load, where being known is enough.
    pub enabled: Option<BTreeSet<String>>,
}

impl Default for Inclusion {
    fn default() -> Self {
        Self {
            profile: DEFAULT_PROFILE.to_owned(),
            feature_set: String::new(),
            gates: BTreeSet::new(),
            exclude: String::new(),
            major: None,
            known: None,
            enabled: None,
        }
    }
}

impl Inclusion {
    /// Why a manifest is left out; nothing if it is taken.
    pub fn refusal(&self, object: &Object) -> Option<String> {
        let annotations = object.at(&["metadata", "annotations"]).and_then(Value::as_object);
        let Some(annotations) = annotations.filter(|map| !map.is_empty()) else {
            return Some("no annotations".to_owned());
        };
        let value = |key: &str| annotations.get(key).and_then(Value::as_str);
        let exclude = format!("exclude.release.openshift.io/{}", self.exclude);
        if value(&exclude) == Some("true") {
            return Some(format!("{exclude}=true"));
        }
        if value(FEATURE_SET).is_some() && value(FEATURE_GATE).is_some() {
            return Some(
                "both feature set and feature gate annotations are present: manifests may specify either a feature \
                 set or a feature gate, but not both"
                    .to_owned(),
            );
        }
        self.feature_set_refusal(value(FEATURE_SET))
            .or_else(|| self.gate_refusal(value(FEATURE_GATE)))
            .or_else(|| self.major_refusal(object, value(MAJOR_VERSION)))
            .or_else(|| {
                let key = format!("{INCLUDE}{}", self.profile);
                match value(&key) {
                    Some("true") => None,
                    Some(other) => Some(format!("unrecognized value {key}={other}")),
                    None => Some(format!("{key} unset")),
                }
            })
            .or_else(|| self.capability_refusal(object))
    }

    /// As [`Inclusion::refusal`], of what may change after a payload was loaded: feature gates and capabilities.
    pub fn changeable_refusal(&self, object: &Object) -> Option<String> {
        let gate = object.annotation(FEATURE_GATE);
        self.gate_refusal(gate).or_else(|| self.capability_refusal(object))
    }

    fn feature_set_refusal(&self, value: Option<&str>) -> Option<String> {
        let value = value?;
        let sets: BTreeSet<&str> = value.split(',').collect();
        if let Some(unknown) = value.split(',').find(|set| !FEATURE_SETS.contains(set)) {
            let known = FEATURE_SETS.join(",");
            return Some(format!(
                "unrecognized value {unknown:?} in {FEATURE_SET}={value}; known values are: {known}"
            ));
        }
        let wanted = if self.feature_set.is_empty() { "Default" } else { &self.feature_set };
        let listed: Vec<&str> = sets.iter().copied().collect();
        (!sets.contains(wanted))
            .then(|| format!("{wanted:?} is required, and {FEATURE_SET}={}", listed.join(",")))
    }

    fn gate_refusal(&self, value: Option<&str>) -> Option<String> {
        let gates = &self.gates;
        value?.split(',').map(str::trim).filter(|gate| !gate.is_empty()).find_map(|gate| {
            match gate.strip_prefix('-') {
                Some(gate) => gates.contains(gate).then(|| {
                    format!("feature gate {gate} is enabled but manifest requires it to be disabled")
                }),
                None => (!gates.contains(gate))
                    .then(|| format!("feature gate {gate} is required but not enabled")),
            }
        })
    }

    fn major_refusal(&self, object: &Object, value: Option<&str>) -> Option<String> {
        let (major, value) = (self.major?, value?);
        let group = object.api_version().split('/').next().unwrap_or_default();
        if !matches!(
            (group, object.kind()),
            ("config.openshift.io", "FeatureGate") | ("apiextensions.k8s.io", "CustomResourceDefinition")
        ) {
            return Some(
                "major version filtering is only supported for feature gates and custom resources".to_owned(),
            );
        }
        let (mut included, mut excluded) = (BTreeSet::new(), BTreeSet::new());
        for requirement in value.split(',').map(str::trim).filter(|one| !one.is_empty()) {
            let (set, word, number) = match requirement.strip_prefix('-') {
                Some(number) => (&mut excluded, "excluded", number),
                None => (&mut included, "included", requirement),
            };
            match number.parse::<u64>() {
                Ok(number) => set.insert(number),
                Err(_) => {
                    return Some(format!(
                        "invalid {word} major version {number:?} in annotation: strconv.ParseUint: parsing {number:?}: \
                         invalid syntax"
                    ));
                }
            };
        }
        let both: Vec<String> = included.intersection(&excluded).map(u64::to_string).collect();
        if !both.is_empty() {
            return Some(format!("inclusion and exclusion requirements overlap: [{}]", both.join(" ")));
        }
        if included.contains(&major) {
            return None;
        }
        if excluded.contains(&major) {
            return Some(format!("major version {major} matches excluded version {major}"));
        }
        (!included.is_empty()).then(|| format!("major version {major} does not match any required versions"))
    }

    fn capability_refusal(&self, object: &Object) -> Option<String> {
        let known = self.known.as_ref()?;
        let names = capabilities_of(object);
        let unknown: Vec<&str> = names.iter().copied().filter(|name| !known.contains(*name)).collect();
        if !unknown.is_empty() {
            return Some(format!("unrecognized capability names: {}", unknown.join(", ")));
        }
        let enabled = self.enabled.as_ref()?;
        let disabled: Vec<&str> = names.into_iter().filter(|name| !enabled.contains(*name)).collect();
        (!disabled.is_empty()).then(|| format!("disabled capabilities: {}", disabled.join(", ")))
    }
}

/// The profiles that take a manifest.
pub fn profiles_of(object: &Object) -> impl Iterator<Item = &str> {
    let annotations = object.at(&["metadata", "annotations"]).and_then(Value::as_object);
    annotations
        .into_iter()
        .flatten()
        .filter(|(_, value)| *value == "true")
        .filter_map(|(key, _)| key.strip_prefix(INCLUDE).filter(|profile| !profile.is_empty()))
}

/// The capabilities that a manifest belongs to.
pub fn capabilities_of(object: &Object) -> Vec<&str> {
    let names = object.annotation(capabilities::ANNOTATION).unwrap_or_default();
    if names.is_empty() { Vec::new() } else { names.split('+').collect() }
}

/// Whether an entry of `spec.overrides` takes a manifest out of the operator's hands.
pub fn is_overridden(object: &Object, overrides: &[Value]) -> bool {
    let group = object.api_version().split_once('/').map_or("", |(group, _)| group);
    let namespace = object.namespace();
    overrides
        .iter()
        .find(|one| {
            one.text(&["group"]) == group
                && one.text(&["kind"]) == object.kind()
                && one.text(&["name"]) == object.name()
                && (namespace.is_empty() || one.text(&["namespace"]) == namespace)
        })
        .is_some_and(|one| one["unmanaged"] == true)
}
