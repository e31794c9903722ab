//! Steps that create or update definitions, and what is checked before.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/step.go`,
//! `operator.go` (`validateExistingCRs`), `pkg/lib/crd/storage.go`, `pkg/controller/operators/internal/alongside`.

use std::collections::BTreeSet;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::schema::Definition;
use serde_json::Value;

use super::execution::Failure;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{
    CLUSTER_SERVICE_VERSION, COPIED_FROM, EXTENSIONS, GROUP, INSTALLED_ALONGSIDE_PREFIX, MANAGED,
};

const DEFINITION: &str = "CustomResourceDefinition";

/// The state of a step that waits for its definition.
///
/// Shows V0-072.
pub(super) fn state(name: &str, api: &ApiServer) -> &'static str {
    let Some(definition) = api.find(EXTENSIONS, DEFINITION, &ObjectName::cluster(name)) else {
        return "NotPresent";
    };
    let is_true = |of: &str| definition.condition_status(of) == "True";
    // The reference gives up here, but a real API server has always served the definition by then.
    if is_true("Established") && is_true("NamesAccepted") { "Created" } else { "WaitingForApi" }
}

/// A step for a definition.
pub(super) struct Step<'s> {
    pub(super) plan: &'s Object,
    pub(super) resolving: &'s str,
    pub(super) recorder: &'s mut Recorder,
}

impl Step<'_> {
    /// Creates the definition, or updates the one that is there if that is safe.
    pub(super) fn run(&mut self, manifest: Value, client: &mut Client<'_>) -> Result<&'static str, Failure> {
        let mut definition = manifest;
        let name = definition.name().to_owned();
        definition.set(&["metadata", "labels", MANAGED], "true");
        let own = format!("{}/{}", self.plan.namespace(), self.resolving);
        alongside(&mut definition, BTreeSet::from([own.clone()]));
        let error = match client.create(definition.clone()) {
            Ok(_) => return Ok("WaitingForApi"),
            Err(error) => error,
        };
        if !error.is_already_exists() {
            return Err(Failure::of("", &error));
        }
        let Some(present) = client.get(EXTENSIONS, DEFINITION, "", &name) else {
            return Err(Failure::of("", &error));
        };
        if let Err(text) = objects_stay_valid(&present, &definition, client.api) {
            // Shows V0-075 and V0-077.
            if definition.text(&["spec", "conversion", "strategy"]) != "Webhook" {
                return Err(Failure::new(format!(
                    "error validating existing CRs against new CRD's schema for {name:?}: {text}"
                )));
            }
            self.recorder.warning(client.api, self.plan, "CRDValidation", &trusted(&name, &text));
        }
        // Shows V0-076.
        for stored in present.list(&["status", "storedVersions"]).iter().filter_map(Value::as_str) {
            let versions = definition.list(&["spec", "versions"]);
            if !versions.iter().any(|version| version.text(&["name"]) == stored) {
                return Err(Failure::new(format!(
                    "risk of data loss updating {name:?}: new CRD removes version {stored} that is listed as a stored version \
                     on the existing CRD"
                )));
            }
        }
        let mut versions = others(&present, &own, client.api);
        versions.insert(own);
        alongside(&mut definition, versions);
        definition.set(&["metadata", "resourceVersion"], present.text(&["metadata", "resourceVersion"]));
        if let Some(status) = present.get("status") {
            definition["status"] = status.clone();
        }
        let updated = client.update(definition);
        updated
            .map(|_| "Present")
            .map_err(|error| Failure::of(&format!("error updating CRD {name:?}"), &error))
    }
}

/// What is said of objects that do not fit, where a webhook will convert them.
fn trusted(name: &str, error: &str) -> String {
    format!(
        "Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the \
         new CRD.\nThe new webhook will only start after the bundle is upgraded, so we must assume that it will successfully \
         convert existing CRs to a format that would have passed validation.\n\nCRD: {name:?}\nValidation Error: {error}\n"
    )
}

/// Whether all objects fit the new schemas of versions that are served before and after.
fn objects_stay_valid(present: &Object, new: &Object, api: &ApiServer) -> Result<(), LookError> {
    let is_served = |definition: &Object, name: &str| {
        let versions = definition.list(&["spec", "versions"]);
        versions.iter().any(|one| one.text(&["name"]) == name && one["served"] == true)
    };
    let definition = Definition::read(new);
    let (group, kind) = (new.text(&["spec", "group"]), new.text(&["spec", "names", "kind"]));
    let Some(id) = api.kind_id(group, kind) else { return Ok(()) };
    for version in new.list(&["spec", "versions"]) {
        let name = version.text(&["name"]);
        if !is_served(present, name) || !is_served(new, name) {
            continue;
        }
        let Some(schema) = definition.version(name) else { continue };
        for object in api.store().of_kind(id) {
            let object = api.in_version(id, object, name);
            let errors: Vec<String> =
                schema.validate(&object, None).iter().map(|error| format!("[].{error}")).collect();
            let text = match errors.as_slice() {
                [] => continue,
                [one] => one.clone(),
                several => format!("[{}]", several.join(", ")),
            };
            return fail(format!(
                "error validating {group}/{name}, Kind={kind} {:?}: updated validation is too restrictive: {text}",
                object.object_name().to_string()
            ));
        }
    }
    Ok(())
}

/// The versions that brought a definition, as far as they are there and no copies.
fn others(definition: &Object, own: &str, api: &ApiServer) -> BTreeSet<String> {
    let annotations = definition.at(&["metadata", "annotations"]).and_then(Value::as_object);
    let values =
        annotations.into_iter().flatten().filter(|(key, _)| key.starts_with(INSTALLED_ALONGSIDE_PREFIX));
    let names = values.filter_map(|(_, value)| value.as_str()).filter(|name| *name != own);
    names
        .filter(|text| {
            let Some((namespace, name)) = text.split_once('/') else { return false };
            let version = api.find(GROUP, CLUSTER_SERVICE_VERSION, &ObjectName::namespaced(namespace, name));
            version.is_some_and(|version| version.label(COPIED_FROM).is_none())
        })
        .map(str::to_owned)
        .collect()
}

/// Notes which versions brought a definition, and no others.
fn alongside(definition: &mut Value, versions: BTreeSet<String>) {
    if let Some(annotations) = definition.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut)
    {
        annotations.retain(|key, _| !key.starts_with(INSTALLED_ALONGSIDE_PREFIX));
    }
    for version in versions {
        let key = format!("{INSTALLED_ALONGSIDE_PREFIX}{:x}", fnv1a(version.as_bytes()));
        definition.set(&["metadata", "annotations", &key], version);
    }
}

/// FNV-1a with 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_hold_a_hash() {
        assert_eq!(format!("{:x}", fnv1a(b"port/lantern.v1.0.0")), "fdeb855bf0380ca4");
        assert_eq!(format!("{:x}", fnv1a(b"port/lantern.v1.1.0")), "687a85bf514eb6b");
    }
}
