//! What a ClusterServiceVersion needs before it is installed: a version of the server, definitions, APIs.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/requirements.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_version::Version;
use serde_json::{Value, json};

use super::object::{api_services, deployments, original, replaces};
use super::permissions;
use crate::look_error::{LookError, fail};
use crate::names::{API_REGISTRATION, EXTENSIONS, INSTALLED_ALONGSIDE_PREFIX, V1ALPHA1};

/// Whether everything is there, and what the status says of each part.
#[derive(Debug, Default)]
pub struct Requirements {
    /// Whether everything is there.
    pub are_met: bool,
    /// The entries of `status.requirementStatus`.
    pub statuses: Vec<Value>,
}

impl Requirements {
    fn add(&mut self, is_met: bool, status: Value) {
        self.are_met &= is_met;
        self.statuses.push(status);
    }
}

/// Looks at everything that a ClusterServiceVersion needs.
///
/// # Errors
/// Its strategy or one of its rules is not valid.
pub fn check(api: &ApiServer, version: &Object) -> Result<Requirements, LookError> {
    check_strategy(version)?;
    let mut all = Requirements { are_met: true, statuses: Vec::new() };
    check_server(api, version, &mut all);
    check_definitions(api, version, &mut all);
    check_api_services(api, version, &mut all);
    check_native_apis(api, version, &mut all);
    let (are_met, statuses) = permissions::check(api, version, version.namespace())?;
    all.are_met &= are_met;
    all.statuses.extend(statuses);
    Ok(all)
}

/// Refuses a strategy other than Deployments (V0-094).
///
/// # Errors
/// The text of the reference.
pub fn check_strategy(version: &Object) -> Result<(), LookError> {
    match version.text(&["spec", "install", "strategy"]) {
        "deployment" => Ok(()),
        _ => fail("unrecognized install strategy"),
    }
}

fn entry(api_version: &str, kind: &str, name: &str, status: &str, message: &str) -> Value {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    json!({
        "group": group, "version": version, "kind": kind, "name": name, "status": status, "message": message,
    })
}

/// Shows V0-096.
fn check_server(api: &ApiServer, version: &Object, all: &mut Requirements) {
    let least = version.text(&["spec", "minKubeVersion"]);
    if least.is_empty() {
        return;
    }
    let full = api.kubernetes().to_string();
    let server = full.trim_start_matches('v');
    let (is_met, status, message) =
        match (Version::parse(least.trim_start_matches('v')), Version::parse(server)) {
            (_, Err(_)) => (false, "PresentNotSatisfied", "Server version parsing error".to_owned()),
            (Err(_), _) => (false, "PresentNotSatisfied", "CSV version parsing error".to_owned()),
            (Ok(wanted), Ok(found)) if wanted.compare_precedence(&found).is_gt() => {
                let text = format!(
                    "CSV version requirement not met: minKubeVersion ({least}) > server version ({server})"
                );
                (false, "PresentNotSatisfied", text)
            }
            _ => (true, "Present", format!("CSV minKubeVersion ({least}) less than server version ({full})")),
        };
    all.add(is_met, entry(V1ALPHA1, "ClusterServiceVersion", version.name(), status, &message));
}

fn check_definitions(api: &ApiServer, version: &Object, all: &mut Requirements) {
    let mut described: BTreeMap<&str, (&Value, bool)> = BTreeMap::new();
    for (list, is_owned) in [("required", false), ("owned", true)] {
        for one in version.list(&["spec", "customresourcedefinitions", list]) {
            described.insert(one.text(&["name"]), (one, is_owned));
        }
    }
    for (name, (description, is_owned)) in described {
        let found = api.find(EXTENSIONS, "CustomResourceDefinition", &ObjectName::cluster(name));
        let (status, message) = match found {
            None => ("NotPresent", "CRD is not present".to_owned()),
            Some(definition) => definition_status(api, version, definition, description, is_owned),
        };
        let mut line = entry("apiextensions.k8s.io/v1", "CustomResourceDefinition", name, status, &message);
        if let Some(definition) = found.filter(|_| status == "Present") {
            line.set(&["uuid"], definition.uid());
        }
        all.add(status == "Present", line);
    }
}

/// The state of a definition that is there. Shows V0-097.
fn definition_status(
    api: &ApiServer,
    version: &Object,
    definition: &Object,
    description: &Value,
    is_owned: bool,
) -> (&'static str, String) {
    let others = others_installed_alongside(api, version, definition);
    if is_owned && !others.is_empty() {
        let others = others.into_iter().collect::<Vec<_>>().join(", ");
        return ("PresentNotSatisfied", format!("CRD installed alongside other CSV(s): {others}"));
    }
    let versions = definition.list(&["spec", "versions"]).iter();
    let named = versions.into_iter().find(|one| one["name"] == description["version"]);
    if named.is_none_or(|one| one["served"] != true) {
        return ("NotPresent", "CRD version not served".to_owned());
    }
    if ["Established", "NamesAccepted"]
        .iter()
        .all(|condition| definition.condition_status(condition) == "True")
    {
        return ("Present", "CRD is present and Established condition is true".to_owned());
    }
    (
        "PresentNotAvailable",
        "CRD is present but the Established condition is False (not available)".to_owned(),
    )
}

/// The ClusterServiceVersions that brought a definition and that this one replaces, unless it brought it as well.
fn others_installed_alongside(api: &ApiServer, version: &Object, definition: &Object) -> BTreeSet<String> {
    let annotations = definition.at(&["metadata", "annotations"]).and_then(Value::as_object);
    let mut brought = BTreeMap::new();
    for (key, value) in annotations.into_iter().flatten() {
        let name = value.as_str().and_then(|text| text.split_once('/'));
        let Some((namespace, name)) = name.filter(|_| key.starts_with(INSTALLED_ALONGSIDE_PREFIX)) else {
            continue;
        };
        if namespace != version.namespace() {
            continue;
        }
        if name == version.name() {
            return BTreeSet::new();
        }
        if let Some(other) = original(api, namespace, name) {
            brought.insert(name.to_owned(), other);
        }
    }
    let mut others = BTreeSet::new();
    let mut current = replaces(version).to_owned();
    while let Some(other) = brought.get(&current) {
        let next = replaces(other).to_owned();
        if !others.insert(current) {
            break;
        }
        current = next;
    }
    others
}

fn check_api_services(api: &ApiServer, version: &Object, all: &mut Requirements) {
    let line = |name: &str, status: &str| entry("apiregistration.k8s.io/v1", "APIService", name, status, "");
    let owned = api_services(version, &["owned"]);
    for (name, description) in api_services(version, &["required"]) {
        if owned.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let found = api.find(API_REGISTRATION, "APIService", &ObjectName::cluster(&*name));
        let available = found
            .filter(|found| is_served(api, description) && found.condition_status("Available") == "True");
        match available {
            Some(found) => {
                let mut status = line(&name, "Present");
                status.set(&["uuid"], found.uid());
                all.add(true, status);
            }
            None => all.add(false, line(&name, "NotPresent")),
        }
    }
    for (name, description) in owned {
        let wanted = description.text(&["deploymentName"]);
        let is_found = deployments(version).iter().any(|deployment| deployment.text(&["name"]) == wanted);
        all.add(is_found, line(&name, if is_found { "DeploymentFound" } else { "DeploymentNotFound" }));
    }
}

fn check_native_apis(api: &ApiServer, version: &Object, all: &mut Requirements) {
    for native in version.list(&["spec", "nativeAPIs"]) {
        let (status, message) = match is_served(api, native) {
            true => ("Present", "Native API exists"),
            false => ("NotPresent", "Native API does not exist"),
        };
        let name = format!("{}.{}", native.text(&["version"]), native.text(&["group"]));
        let api_version = format!("{}/{}", native.text(&["group"]), native.text(&["version"]));
        all.add(status == "Present", entry(&api_version, native.text(&["kind"]), &name, status, message));
    }
}

/// Whether the API server serves the kind that a description names.
pub fn is_served(api: &ApiServer, description: &Value) -> bool {
    let name = fbc_cluster::kind::GroupVersionKind {
        group: description.text(&["group"]).to_owned(),
        version: description.text(&["version"]).to_owned(),
        kind: description.text(&["kind"]).to_owned(),
    };
    api.registry().served(&name).is_some()
}
