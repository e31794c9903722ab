//! What the resolver sees of a cluster for one namespace.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/{step_resolver,source_csvs}.go`.

use std::fmt;
use std::sync::Arc;

use fbc_version::Version;
use serde_json::Value;

use crate::catalog::Catalog;
use crate::property::{ANNOTATION, Api};

/// A catalog by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceKey {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// In identifiers the name comes first: `shelf/olm`.
impl fmt::Display for SourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.namespace)
    }
}

/// A namespace with everything that its resolution depends on.
#[derive(Clone, Debug, Default)]
pub struct Namespace {
    /// The name.
    pub name: String,
    /// All CatalogSources of the namespace and, unless its OperatorGroup excludes them, of the global one, needed or not.
    pub catalogs: Vec<CatalogSource>,
    /// The Subscriptions, in any order: they are resolved in that of their names.
    pub subscriptions: Vec<Subscription>,
    /// The ClusterServiceVersions, copied ones too, in any order.
    pub operators: Vec<InstalledOperator>,
    /// Whether `upgradeStrategy` of the OperatorGroup is `TechPreviewUnsafeFailForward`.
    pub fails_forward: bool,
}

/// A CatalogSource with what it serves.
#[derive(Clone, Debug)]
pub struct CatalogSource {
    /// Its name and namespace.
    pub key: SourceKey,
    /// `spec.priority`; the higher one wins.
    pub priority: i64,
    /// What it serves.
    pub content: Content,
}

/// What a catalog answers when its bundles are listed.
#[derive(Clone, Debug)]
pub enum Content {
    /// Its bundles.
    Served(Arc<Catalog>),
    /// An error, such as `failed to list bundles: rpc error: …`. It fails every resolution that sees the catalog.
    Failed(String),
}

/// A Subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    /// The name.
    pub name: String,
    /// `spec.name`
    pub package: String,
    /// `spec.source` and `spec.sourceNamespace`
    pub source: SourceKey,
    /// `spec.channel`; empty for all.
    pub channel: String,
    /// `spec.startingCSV`; empty where there is none.
    pub starting_csv: String,
    /// Whether `spec.installPlanApproval` is exactly `Manual`.
    pub is_manual: bool,
    /// `status.installedCSV`; empty where there is none.
    pub installed_csv: String,
    /// `status.currentCSV`; empty where there is none.
    pub current_csv: String,
}

/// A ClusterServiceVersion.
#[derive(Clone, Debug)]
pub struct InstalledOperator {
    /// The name.
    pub name: String,
    /// `spec.version`; `0.0.0` where there is none.
    pub version: Version,
    /// `spec.replaces`; empty where there is none.
    pub replaces: String,
    /// `status.phase`; empty before the first one.
    pub phase: String,
    /// Whether it is a copy of one of another namespace.
    pub is_copied: bool,
    /// The APIs that it owns.
    pub owned: Result<Vec<Api>, WithoutGroup>,
    /// The APIs that it requires.
    pub required: Result<Vec<Api>, WithoutGroup>,
    /// The annotation [`ANNOTATION`], if it has it.
    pub properties: Option<String>,
}

/// A definition whose name has no group, by which OLM cannot read a whole ClusterServiceVersion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error parsing crd name: {0}")]
pub struct WithoutGroup(
    /// The name of the definition.
    pub String,
);

/// The text behind a path of field names, or an empty one.
fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    let place = path.iter().try_fold(value, |place, name| place.get(name));
    place.and_then(Value::as_str).unwrap_or_default()
}

/// The list behind a path of field names, or an empty one.
fn list<'v>(value: &'v Value, path: &[&str]) -> &'v [Value] {
    let place = path.iter().try_fold(value, |place, name| place.get(name));
    place.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl Subscription {
    /// Reads the object of a Subscription. Absent and mistyped fields read as empty.
    #[must_use]
    pub fn from_object(object: &Value) -> Self {
        let owned = |path: &[&str]| text(object, path).to_owned();
        Self {
            name: owned(&["metadata", "name"]),
            package: owned(&["spec", "name"]),
            source: SourceKey {
                namespace: owned(&["spec", "sourceNamespace"]),
                name: owned(&["spec", "source"]),
            },
            channel: owned(&["spec", "channel"]),
            starting_csv: owned(&["spec", "startingCSV"]),
            is_manual: text(object, &["spec", "installPlanApproval"]) == "Manual",
            installed_csv: owned(&["status", "installedCSV"]),
            current_csv: owned(&["status", "currentCSV"]),
        }
    }
}

impl InstalledOperator {
    /// Reads the object of a ClusterServiceVersion. Absent and mistyped fields read as empty; nothing comes of one whose
    /// version is not a version, since OLM cannot read it either.
    #[must_use]
    pub fn from_object(object: &Value) -> Option<Self> {
        let version = match text(object, &["spec", "version"]) {
            "" => Version::new(0, 0, 0),
            version => Version::parse(version).ok()?,
        };
        Some(Self {
            name: text(object, &["metadata", "name"]).to_owned(),
            version,
            replaces: text(object, &["spec", "replaces"]).to_owned(),
            phase: text(object, &["status", "phase"]).to_owned(),
            is_copied: is_copied(object),
            owned: apis(object, "owned"),
            required: apis(object, "required"),
            properties: object
                .get("metadata")
                .and_then(|metadata| metadata.get("annotations")?.get(ANNOTATION)?.as_str())
                .map(str::to_owned),
        })
    }
}

/// Source: `operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion.go` (`IsCopied`).
fn is_copied(object: &Value) -> bool {
    let namespace = text(object, &["metadata", "namespace"]);
    let elsewhere = |path: &[&str]| !text(object, path).is_empty() && text(object, path) != namespace;
    text(object, &["status", "reason"]) == "Copied"
        || elsewhere(&["metadata", "annotations", "olm.operatorNamespace"])
        || elsewhere(&["metadata", "labels", "olm.copiedFrom"])
}

/// The APIs that a ClusterServiceVersion owns or requires. The group of a definition is what its name has behind the first
/// dot.
fn apis(object: &Value, which: &str) -> Result<Vec<Api>, WithoutGroup> {
    let mut apis = Vec::new();
    for definition in list(object, &["spec", "customresourcedefinitions", which]) {
        let name = text(definition, &["name"]);
        let (_, group) = name.split_once('.').ok_or_else(|| WithoutGroup(name.to_owned()))?;
        apis.push(api(definition, group));
    }
    for service in list(object, &["spec", "apiservicedefinitions", which]) {
        apis.push(api(service, text(service, &["group"])));
    }
    apis.sort();
    apis.dedup();
    Ok(apis)
}

fn api(value: &Value, group: &str) -> Api {
    Api {
        group: group.to_owned(),
        version: text(value, &["version"]).to_owned(),
        kind: text(value, &["kind"]).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_subscription_is_read() {
        let object = json!({
            "metadata": {"name": "lantern"},
            "spec": {
                "name": "lantern", "source": "shelf", "sourceNamespace": "olm", "channel": "stable",
                "installPlanApproval": "manual",
            },
            "status": {"installedCSV": "lantern.v1"},
        });
        let subscription = Subscription::from_object(&object);
        assert_eq!(subscription.source.to_string(), "shelf/olm");
        assert_eq!(subscription.installed_csv, "lantern.v1");
        // V0-006
        assert!(!subscription.is_manual);
    }

    #[test]
    fn an_operator_is_read() {
        let object = json!({
            "metadata": {"name": "lantern.v1", "namespace": "port", "labels": {"olm.copiedFrom": "olm"}},
            "spec": {
                "version": "1.0.0",
                "customresourcedefinitions": {"owned": [{"name": "lanterns.example.com", "version": "v1", "kind": "Lantern"}]},
                "apiservicedefinitions": {"owned": [{"name": "glows", "group": "a.b", "version": "v1", "kind": "Glow"}]},
            },
        });
        let operator = InstalledOperator::from_object(&object).unwrap();
        let owned: Vec<String> = operator.owned.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(owned, ["Glow (a.b/v1)", "Lantern (example.com/v1)"]);
        assert!(operator.is_copied);

        let object = json!({"spec": {"customresourcedefinitions": {"required": [{"name": "lanterns"}]}}});
        let operator = InstalledOperator::from_object(&object).unwrap();
        assert_eq!(operator.required, Err(WithoutGroup("lanterns".to_owned())));
        assert!(!operator.is_copied);
        assert!(InstalledOperator::from_object(&json!({"spec": {"version": "x"}})).is_none());
    }
}
