//! The end of a ClusterServiceVersion: what its finalizer takes along, and what follows its deletion.
//!
//! Cluster-wide objects without labels of an owner, such as roles that came with the bundle, stay (V0-156).
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`processFinalizer`, `handleClusterServiceVersionDeletion`).

use fbc_cluster::api::Propagation;
use fbc_cluster::engine::Requeue;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::super::owners::{is_labelled_by, is_managed};
use super::super::{COPIED, OPERATOR_GROUPS};
use super::object::{api_services, has_copy_label, is_copied, originals, replaces, webhooks};
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{
    API_REGISTRATION, CSV_CLEANUP, EXTENSIONS, GROUP, OPERATOR_GROUP, OPERATOR_GROUP_ANNOTATION,
    OPERATOR_NAMESPACE, RBAC, TARGET_NAMESPACES,
};

const ADMISSION: &str = "admissionregistration.k8s.io";
/// What a finalizer deletes by labels, and for which kinds it waits.
const CLEANED: [(&str, &str, Option<&str>); 4] = [
    (RBAC, "ClusterRoleBinding", Some("waiting for ClusterRoleBindings to delete")),
    (RBAC, "ClusterRole", Some("waiting for ClusterRoles to delete")),
    (ADMISSION, "MutatingWebhookConfiguration", None),
    (ADMISSION, "ValidatingWebhookConfiguration", None),
];

/// Deletes what owner references cannot reach, and lets go of the ClusterServiceVersion. Shows V0-114.
///
/// # Errors
/// Something is still there.
pub fn finalize(client: &mut Client<'_>, version: &Object) -> Result<(), LookError> {
    let mut errors = Vec::new();
    for (group, kind, _) in CLEANED {
        let all: Vec<_> =
            client.api.all(group, kind).filter(|one| is_labelled_by(one, version)).cloned().collect();
        for object in all {
            if let Err(error) = client.delete(&object, Propagation::Background) {
                errors.push(error.message);
            }
        }
    }
    for (group, kind, waiting) in CLEANED {
        let mut left =
            client.api.all(group, kind).filter(|one| is_managed(one) && is_labelled_by(one, version));
        if let Some(text) = waiting.filter(|_| left.next().is_some()) {
            errors.push(text.to_owned());
        }
    }
    if !errors.is_empty() {
        return Err(errors.join(", ").into());
    }
    let mut object = version.clone();
    if let Value::Array(finalizers) = object.place(&["metadata", "finalizers"]) {
        finalizers.retain(|one| one != CSV_CLEANUP);
    }
    match super::object::update(client, object) {
        Err(error) if !error.is_not_found() => Err(error.message.into()),
        _ => Ok(()),
    }
}

/// Does what follows a deletion, and tells who is to look: copies, and the groups of the namespace.
pub fn after_deletion(client: &mut Client<'_>, version: &Object) -> Vec<Requeue> {
    if is_copied(version) {
        return Vec::new();
    }
    let namespace = version.namespace();
    let mut requeues = Vec::new();
    let annotation = |key| version.annotation(key);
    if let (Some(targets), Some(own), Some(_)) =
        (annotation(TARGET_NAMESPACES), annotation(OPERATOR_NAMESPACE), annotation(OPERATOR_GROUP_ANNOTATION))
    {
        let namespaces: Vec<String> = match targets {
            "" => client.api.all("", "Namespace").map(|one| one.name().to_owned()).collect(),
            some => some.split(',').map(str::to_owned).collect(),
        };
        let others = namespaces.into_iter().filter(|namespace| namespace != own);
        requeues.extend(
            others.map(|namespace| Requeue::now(COPIED, ObjectName::namespaced(namespace, version.name()))),
        );
        delete_api_services(client, version);
        stop_conversions(client, version);
    }
    let groups = client.api.all(GROUP, OPERATOR_GROUP).filter(|group| group.namespace() == namespace);
    requeues.extend(groups.map(|group| Requeue::now(OPERATOR_GROUPS, group.object_name())));
    requeues
}

fn delete_api_services(client: &mut Client<'_>, version: &Object) {
    for (name, _) in api_services(version, &["owned"]) {
        let found = client.get(API_REGISTRATION, "APIService", "", &name);
        if let Some(service) = found.filter(|service| is_labelled_by(service, version)) {
            // What remains is found when the APIService is looked at.
            let _ = client.delete(&service, Propagation::Background);
        }
    }
}

/// Converts nothing any more by webhooks that are gone, unless a newer version goes on with them.
fn stop_conversions(client: &mut Client<'_>, version: &Object) {
    let others = originals(client.api, version.namespace());
    if others.iter().any(|other| !has_copy_label(other) && replaces(other) == version.name()) {
        return;
    }
    let names: Vec<String> = webhooks(version)
        .iter()
        .filter(|webhook| webhook["type"] == "ConversionWebhook")
        .flat_map(|webhook| webhook.list(&["conversionCRDs"]))
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    for name in names {
        let Some(found) = client.get(EXTENSIONS, "CustomResourceDefinition", "", &name) else { continue };
        let mut object = Object::clone(&found);
        object.set(&["spec", "conversion"], json!({"strategy": "None"}));
        // The reference only notes a refusal in its log.
        let _ = client.update(object);
    }
}
