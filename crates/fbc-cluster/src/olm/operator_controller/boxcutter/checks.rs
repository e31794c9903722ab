//! Checks before a revision is made.

use std::sync::Arc;

use fbc_bundle::crd_upgrade::{Class, Definition, Enforcement, Target, compare};
use fbc_bundle::manifests;
use fbc_bundle::permissions::preauthorization::preauthorize;
use fbc_bundle::permissions::{Access, Account, Engine, rbac_files};
use fbc_yaml::{Document, stream};

use crate::api::ApiServer;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::olm::go_json;

/// The group of custom resource definitions.
const DEFINITIONS: &str = "apiextensions.k8s.io";

/// Refuses definitions that would break objects of the definitions in the cluster.
///
/// Source: `operator-framework/operator-controller:internal/operator-controller/rukpak/preflights/crdupgradesafety`.
pub(super) fn crd_upgrade_safety(
    extension: &Object,
    revision: &Object,
    api: &ApiServer,
) -> Result<(), String> {
    let enforcement = ["spec", "install", "preflight", "crdUpgradeSafety", "enforcement"];
    if extension.text(&enforcement) == "None" {
        return Ok(());
    }
    let mut errors = Vec::new();
    let objects = revision.list(&["spec", "phases"]).iter().flat_map(|phase| phase.list(&["objects"]));
    for new in objects.map(|entry| &entry["object"]) {
        if new.api_version() != "apiextensions.k8s.io/v1" || new.kind() != "CustomResourceDefinition" {
            continue;
        }
        let name = ObjectName::cluster(new.name());
        let Some(old) = api.find(DEFINITIONS, "CustomResourceDefinition", &name) else { continue };
        let (old, new) = (document(old)?, document(new)?);
        let read = |document| Definition::read(document).map_err(|error| error.to_string());
        let (old, new) = (read(old.root())?, read(new.root())?);
        let upgrade = compare(&old, &new, Target::Latest, Enforcement::Strict);
        if upgrade.changes.iter().any(|change| change.class == Class::Refused) {
            errors.push(upgrade.error);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Refuses a revision for which the service account lacks rights.
pub(super) fn preauthorization(
    extension: &Object,
    revision: i64,
    objects: &[manifests::Object],
    api: &ApiServer,
) -> Result<(), String> {
    let account = Account {
        namespace: extension.text(&["spec", "namespace"]).to_owned(),
        name: extension.text(&["spec", "serviceAccount", "name"]).to_owned(),
    };
    let engine = Engine::Boxcutter { revision };
    let answer = preauthorize(objects, &access(api)?, &account, extension.name(), engine);
    answer.report().map_or(Ok(()), Err)
}

/// All roles, bindings and service accounts of the cluster.
fn access(api: &ApiServer) -> Result<Access, String> {
    const KINDS: [(&str, &str); 5] = [
        ("rbac.authorization.k8s.io", "ClusterRole"),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
        ("rbac.authorization.k8s.io", "Role"),
        ("rbac.authorization.k8s.io", "RoleBinding"),
        ("", "ServiceAccount"),
    ];
    let objects = KINDS.iter().flat_map(|(group, kind)| api.all(group, kind));
    let texts: Vec<String> = objects.map(|object: &Arc<Object>| go_json::encode(object)).collect();
    let mut access = Access::default();
    rbac_files::read(&mut access, texts.join("\n").as_bytes(), "").map_err(|errors| {
        let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
        messages.join("\n")
    })?;
    Ok(access)
}

fn document(object: &Object) -> Result<Document, String> {
    let text = go_json::encode(object);
    stream::read_one(text.as_bytes())
}
