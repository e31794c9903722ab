//! Checks before anything is written: the rights of the service account, and upgrades of definitions.
//!
//! Sources: `operator-framework/operator-controller:internal/operator-controller/authorization/rbac.go`,
//! `…/rukpak/preflights/crdupgradesafety`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_bundle::crd_upgrade::{self, Definition, Enforcement};
use fbc_bundle::manifests;
use fbc_bundle::permissions::{Applier, preauthorization, rbac_files};
use fbc_cluster::api::ApiServer;
use fbc_cluster::apply::unpacked;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_kubernetes::rbac::{Access, Account, RBAC_GROUP};
use fbc_yaml::{Document, YamlError};
use serde_json::Value;

use crate::Target;

/// The group and kind of definitions.
const DEFINITION: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// The report of the rights that a service account lacks.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MissingRights(String);

/// Asks whether the service account of an extension has the rights that installing these objects takes.
///
/// # Errors
/// [`MissingRights`]
pub fn preauthorize(
    extension: &Object,
    objects: &[manifests::Object],
    engine: Applier,
    api: &ApiServer,
) -> Result<(), MissingRights> {
    let account = Account {
        namespace: extension.text(&["spec", "namespace"]).to_owned(),
        name: extension.text(&["spec", "serviceAccount", "name"]).to_owned(),
    };
    let answer = preauthorization::preauthorize(objects, &access(api), &account, extension.name(), engine);
    answer.report().map_or(Ok(()), |report| Err(MissingRights(report)))
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

/// Judges whether definitions may become what manifests say, and remembers: a refused upgrade is tried again and again.
#[derive(Debug, Default)]
pub struct DefinitionUpgrades {
    judged: RefCell<BTreeMap<String, Judged>>,
}

/// The last judgment of a definition.
#[derive(Debug)]
struct Judged {
    old: Arc<Object>,
    new: Value,
    refusal: Option<String>,
}

impl DefinitionUpgrades {
    /// Asks whether definitions of a manifest that the cluster has already may become what the manifest says.
    ///
    /// # Errors
    /// [`UnsafeUpgrade`]
    pub fn check<'m>(
        &self,
        manifest: impl IntoIterator<Item = &'m Object>,
        api: &ApiServer,
        target: Target,
    ) -> Result<(), UnsafeUpgrade> {
        let (group, kind) = DEFINITION;
        let mut errors = Vec::new();
        for new in manifest.into_iter().filter(|object| object.kind() == kind) {
            let Some(old) = api.find(group, kind, &ObjectName::cluster(new.name())) else { continue };
            let refusal = self.refusal(old, new, target);
            errors.extend(refusal.map_err(|error| UnsafeUpgrade(vec![error.message]))?);
        }
        if errors.is_empty() { Ok(()) } else { Err(UnsafeUpgrade(errors)) }
    }

    fn refusal(&self, old: &Arc<Object>, new: &Value, target: Target) -> Result<Option<String>, YamlError> {
        let mut judged = self.judged.borrow_mut();
        if let Some(known) = judged.get(new.name())
            && Arc::ptr_eq(&known.old, old)
            && known.new == *new
        {
            return Ok(known.refusal.clone());
        }
        let refusal = refusal(old, new, target)?;
        let known = Judged { old: Arc::clone(old), new: new.clone(), refusal: refusal.clone() };
        judged.insert(new.name().to_owned(), known);
        Ok(refusal)
    }
}

/// What keeps a definition from becoming another.
fn refusal(old: &Arc<Object>, new: &Value, target: Target) -> Result<Option<String>, YamlError> {
    let (old, new) = (document(&unpacked(old))?, document(new)?);
    let (old, new) = match (Definition::read(old.root()), Definition::read(new.root())) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return Ok(Some(error.to_string())),
    };
    let upgrade = crd_upgrade::compare(&old, &new, target, Enforcement::Strict);
    let is_refused = upgrade.changes.iter().any(|change| change.class == crd_upgrade::Class::Refused);
    Ok(is_refused.then_some(upgrade.error))
}

fn document(value: &Value) -> Result<Document, YamlError> {
    fbc_yaml::stream::read_one(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use fbc_cluster::api::{Caller, Subresource, WriteOptions};
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::time::Moment;
    use serde_json::json;

    use super::*;

    fn definition(properties: &Value) -> Value {
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}});
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ferries.sea.example"},
            "spec": {
                "group": "sea.example", "scope": "Namespaced", "names": {"plural": "ferries", "kind": "Ferry"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
            },
        })
    }

    #[test]
    fn definitions_are_judged_anew_when_either_side_changes() {
        let mut api = api_server(&[], 1, Moment::START);
        let caller = Caller::administrator("test");
        let two = definition(&json!({"deck": {"type": "string"}, "speed": {"type": "integer"}}));
        let one = definition(&json!({"deck": {"type": "string"}}));
        let upgrades = DefinitionUpgrades::default();
        let check =
            |api: &ApiServer, new: &Value| upgrades.check(std::slice::from_ref(new), api, Target::Latest);
        // Nothing is there yet.
        assert_eq!(check(&api, &one), Ok(()));
        api.create(&caller, two.clone(), WriteOptions::default()).unwrap();
        assert_eq!(check(&api, &two), Ok(()));
        let refused = check(&api, &one).unwrap_err();
        assert!(refused.to_string().contains("existingFieldRemoval"), "{refused}");
        assert_eq!(check(&api, &one), Err(refused));
        assert_eq!(upgrades.judged.borrow().len(), 1);
        let changed = definition(&json!({"deck": {"type": "string"}, "speed": {"type": "string"}}));
        assert!(check(&api, &changed).unwrap_err().to_string().contains("type"));
        let wider = definition(&json!({
            "deck": {"type": "string"}, "speed": {"type": "integer"}, "crew": {"type": "integer"},
        }));
        assert_eq!(check(&api, &wider), Ok(()));
        // What is refused is another thing once the cluster has another definition.
        assert!(check(&api, &one).is_err());
        api.update(&caller, one.clone(), Subresource::None, WriteOptions::default()).unwrap();
        assert_eq!(check(&api, &one), Ok(()));
    }
}
