//! Who owns what: owner references, and labels where references cannot reach.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/lib/ownerutil/util.go`.

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use serde_json::{Map, Value, json};

use crate::names::{CLUSTER_SERVICE_VERSION, MANAGED, OWNER, OWNER_KIND, OWNER_NAMESPACE};

/// A reference that does not hold up the deletion of the owner.
pub fn reference(owner: &Object, is_controller: bool) -> Value {
    json!({
        "apiVersion": owner.api_version(), "kind": owner.kind(), "name": owner.name(), "uid": owner.uid(),
        "controller": is_controller, "blockOwnerDeletion": false,
    })
}

/// The labels that name an owner.
pub fn labels(owner: &Object) -> Map<String, Value> {
    let pairs = [(OWNER, owner.name()), (OWNER_NAMESPACE, owner.namespace()), (OWNER_KIND, owner.kind())];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

/// The same, and the label of what OLM creates.
pub fn managed_labels(owner: &Object) -> Map<String, Value> {
    let mut labels = labels(owner);
    labels.insert(MANAGED.to_owned(), "true".into());
    labels
}

/// What selects the objects whose labels name an owner.
pub fn selector(owner: &Object) -> LabelSelector {
    LabelSelector::of_map(Some(&Value::Object(labels(owner))))
}

/// Whether an object names the uid of another as an owner.
pub fn is_owned_by(object: &Object, owner: &Object) -> bool {
    object.owner_references().iter().any(|reference| reference.text(&["uid"]) == owner.uid())
}

/// Whether the labels of an object name another as its owner.
pub fn is_labelled_by(object: &Object, owner: &Object) -> bool {
    owner.kind() == object.label(OWNER_KIND).unwrap_or_default()
        && object.label(OWNER) == Some(owner.name())
        && object.label(OWNER_NAMESPACE) == Some(owner.namespace())
}

/// The ClusterServiceVersion that the labels of an object name.
pub fn labelled_version(object: &Object) -> Option<ObjectName> {
    if object.label(OWNER_KIND) != Some(CLUSTER_SERVICE_VERSION) {
        return None;
    }
    Some(ObjectName::namespaced(object.label(OWNER_NAMESPACE)?, object.label(OWNER)?))
}

/// The ClusterServiceVersions that the references of an object name.
pub fn referenced_versions(object: &Object) -> impl Iterator<Item = ObjectName> {
    let owners = object.owner_references().iter();
    let versions = owners.filter(|owner| owner.kind() == CLUSTER_SERVICE_VERSION);
    versions.map(|owner| ObjectName::namespaced(object.namespace(), owner.text(&["name"])))
}

/// Whether OLM made the object, or took it over: its informers see no others.
pub fn is_managed(object: &Object) -> bool {
    object.label(MANAGED) == Some("true")
}
