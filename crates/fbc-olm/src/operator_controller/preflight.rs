//! Checks before anything is written: the rights of the service account, and upgrades of definitions.
//!
//! Sources: `operator-framework/operator-controller:internal/operator-controller/authorization/rbac.go`,
//! `…/rukpak/preflights/crdupgradesafety`.

use fbc_bundle::crd_upgrade::{self, Definition, Enforcement};
use fbc_bundle::manifests;
use fbc_bundle::permissions::{Access, Account, Engine, RBAC_GROUP, preauthorization, rbac_files};
use fbc_yaml::{Document, YamlError};
use serde_json::Value;

use crate::Target;
use fbc_cluster::api::ApiServer;
use fbc_cluster::apply::unpacked;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};

/// The group and kind of definitions.
const DEFINITION: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Asks whether the service account of an extension has the rights that installing these objects takes; the report of
/// what is missing, if something is.
pub fn preauthorize(
    extension: &Object,
    objects: &[manifests::Object],
    engine: Engine,
    api: &ApiServer,
) -> Option<String> {
    let account = Account {
        namespace: extension.text(&["spec", "namespace"]).to_owned(),
        name: extension.text(&["spec", "serviceAccount", "name"]).to_owned(),
    };
    preauthorization::preauthorize(objects, &access(api), &account, extension.name(), engine).report()
}

/// The roles and bindings of the cluster.
fn access(api: &ApiServer) -> Access {
    let mut text = String::new();
    for kind in ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"] {
        for object in api.all(RBAC_GROUP, kind) {
            text.push_str(&unpacked(object).to_string());
            text.push('\n');
        }
    }
    let mut access = Access::default();
    // What the API server stored reads without fault.
    let _ = rbac_files::read(&mut access, text.as_bytes(), "");
    access
}

/// What stops definitions from being upgraded, one after another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct UnsafeUpgrade(Vec<String>);

/// Asks whether definitions of a manifest that the cluster has already may become what the manifest says.
///
/// # Errors
/// [`UnsafeUpgrade`]
pub fn definitions(manifest: &[Value], api: &ApiServer, target: Target) -> Result<(), UnsafeUpgrade> {
    let (group, kind) = DEFINITION;
    let mut errors = Vec::new();
    for new in manifest.iter().filter(|object| object.kind() == kind) {
        let Some(old) = api.find(group, kind, &ObjectName::cluster(new.name())) else { continue };
        let documents = document(&unpacked(old)).and_then(|old| Ok((old, document(new)?)));
        let (old, new) = documents.map_err(|error| UnsafeUpgrade(vec![error.message]))?;
        let (old, new) = match (Definition::read(old.root()), Definition::read(new.root())) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(error), _) | (_, Err(error)) => {
                errors.push(error.to_string());
                continue;
            }
        };
        let upgrade = crd_upgrade::compare(&old, &new, target, Enforcement::Strict);
        let is_refused = upgrade.changes.iter().any(|change| change.class == crd_upgrade::Class::Refused);
        if is_refused {
            errors.push(upgrade.error);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(UnsafeUpgrade(errors)) }
}

fn document(value: &Value) -> Result<Document, YamlError> {
    fbc_yaml::stream::read_one(value.to_string().as_bytes())
}
