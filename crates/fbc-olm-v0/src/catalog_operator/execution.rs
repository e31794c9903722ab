//! One pass through the steps of a plan: in order, up to the first error.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`ExecutePlan`), `supportedresources.go`, `not_found.go`, `manifests.go`.

use std::collections::BTreeMap;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::steps::BUNDLE_SECRET;
use super::{crds, ensure, plans, references};
use crate::Options;
use crate::client::Client;
use crate::names::{
    CLUSTER_SERVICE_VERSION, GENERATED_BY, GROUP, MANAGED, OWNER, OWNER_KIND, OWNER_NAMESPACE, RBAC,
    SUBSCRIPTION, V1ALPHA1,
};

/// Kinds that plans create without knowing them.
const SUPPORTED: [&str; 11] = [
    "PrometheusRule",
    "ServiceMonitor",
    "PodDisruptionBudget",
    "PriorityClass",
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "NetworkPolicy",
];

/// Why a step fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct Failure {
    pub(super) message: String,
    /// Rights are missing.
    pub(super) is_forbidden: bool,
    /// Something is not there.
    pub(super) is_not_found: bool,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_forbidden: false, is_not_found: false }
    }

    /// A refusal of the API server, and in which attempt.
    pub(super) fn of(attempt: &str, error: &ApiError) -> Self {
        Self {
            message: if attempt.is_empty() {
                error.message.clone()
            } else {
                format!("{attempt}: {}", error.message)
            },
            is_forbidden: error.reason == Reason::Forbidden,
            is_not_found: error.is_not_found(),
        }
    }
}

/// A plan that is carried out.
pub(super) struct Execution<'e> {
    plan: &'e Object,
    status: &'e mut Value,
    options: &'e Options,
    recorder: &'e mut Recorder,
    /// Who creates what is no definition.
    caller: Caller,
    /// Manifests of unpacked bundles, by version.
    unpacked: BTreeMap<String, Vec<Value>>,
}

impl<'e> Execution<'e> {
    pub(super) fn new(
        plan: &'e Object,
        status: &'e mut Value,
        options: &'e Options,
        recorder: &'e mut Recorder,
    ) -> Self {
        let operator = options.catalog_operator();
        let caller = match status.given(&["attenuatedServiceAccountRef"]) {
            Some(account) => Caller::service_account(
                account.text(&["namespace"]),
                account.text(&["name"]),
                operator.manager.clone(),
            ),
            None => operator,
        };
        Self { plan, status, options, recorder, caller, unpacked: BTreeMap::new() }
    }

    /// Goes through the steps.
    pub(super) fn run(&mut self, api: &mut ApiServer) -> Result<(), Failure> {
        let owners = plans::owners_of_definitions(self.plan.namespace(), api);
        let count = self.status.list(&["plan"]).len();
        for index in 0..count {
            let Some(step) = self.status.list(&["plan"]).get(index).cloned() else { continue };
            api.take_warnings();
            let result = self.step(&step, &owners, api);
            self.tell_warnings(index, &step, api);
            let state = match result {
                Ok(state) => state,
                Err(StepFailure::Unsupported) => {
                    self.set(index, "UnsupportedResource");
                    return Err(Failure::new("the InstallPlan contains invalid data"));
                }
                Err(StepFailure::Failed(failure)) if failure.is_not_found => {
                    return Err(not_served(&step, api).unwrap_or(failure));
                }
                Err(StepFailure::Failed(failure)) => return Err(failure),
            };
            self.set(index, &state);
        }
        Ok(())
    }

    fn set(&mut self, index: usize, state: &str) {
        let step = self.status.pointer_mut(&format!("/plan/{index}/status"));
        if let Some(status) = step {
            *status = state.into();
        }
    }

    /// An event for what the API server warns of.
    fn tell_warnings(&mut self, index: usize, step: &Value, api: &mut ApiServer) {
        let warnings = api.take_warnings();
        if warnings.is_empty() {
            return;
        }
        let (kind, name) = (step.text(&["resource", "kind"]), step.text(&["resource", "name"]));
        let message = format!(
            "{} warning(s) generated during installation of operator {:?} ({kind} {name:?}): {}",
            warnings.len(),
            step.text(&["resolving"]),
            warnings.join(", ")
        );
        let mut about = json!({
            "apiVersion": self.plan.api_version(), "kind": self.plan.kind(), "metadata": self.plan["metadata"],
        });
        about["fieldPath"] = format!("status.plan[{index}]").into();
        self.recorder.warning(api, &about, "AppliedWithWarnings", &message);
    }

    /// Does a step, and answers with its state.
    fn step(
        &mut self,
        step: &Value,
        owners: &BTreeMap<String, Vec<String>>,
        api: &mut ApiServer,
    ) -> Result<String, StepFailure> {
        let state = step.text(&["status"]);
        let kind = step.text(&["resource", "kind"]);
        let resolving = step.text(&["resolving"]);
        if kind == "CustomResourceDefinition" {
            let manifest = match state {
                "Present" | "Created" => return Ok(state.to_owned()),
                "WaitingForApi" => {
                    let name = step.text(&["resource", "name"]);
                    return Ok(crds::state(name, api).to_owned());
                }
                _ => self.manifest(step, api)?,
            };
            let operator = self.options.catalog_operator();
            let mut crd = crds::Step { plan: self.plan, resolving, recorder: self.recorder };
            return Ok(crd.run(manifest, &mut Client::new(api, &operator))?.to_owned());
        }
        match state {
            "Present" | "Created" | "WaitingForApi" => return Ok(state.to_owned()),
            "Unknown" | "NotPresent" => {}
            _ => return Err(StepFailure::Failed(Failure::new("the InstallPlan contains invalid data"))),
        }
        let manifest = self.manifest(step, api)?;
        let object = self.prepared(step, manifest, owners, api)?;
        let mut client = Client::new(api, &self.caller);
        let state = match kind {
            "Secret" => ensure::copied_secret(
                &self.options.catalogs_namespace,
                self.plan.namespace(),
                object.name(),
                &mut client,
            ),
            kind => ensure::object(kind, object, resolving, &mut client),
        };
        Ok(state?.to_owned())
    }

    /// The manifest of a step, which may lie in an unpacked bundle.
    fn manifest(&mut self, step: &Value, api: &ApiServer) -> Result<Value, Failure> {
        let (text, name) = (step.text(&["resource", "manifest"]), step.text(&["resource", "name"]));
        let manifest: Value = serde_json::from_str(text)
            .map_err(|error| Failure::new(format!("error parsing step manifest: {name}: {error}")))?;
        let Some(reference) = references::reference(&manifest) else { return Ok(manifest) };
        let resolving = step.text(&["resolving"]);
        if !self.unpacked.contains_key(resolving) {
            let steps = references::steps_of(&reference, resolving, self.plan.namespace(), api)
                .map_err(Failure::new)?;
            self.unpacked.insert(resolving.to_owned(), steps);
        }
        let steps = self.unpacked.get(resolving).map(Vec::as_slice).unwrap_or_default();
        let same = |one: &&Value| {
            ["name", "kind", "version", "group"]
                .iter()
                .all(|field| one.text(&["resource", field]) == step.text(&["resource", field]))
        };
        let found = steps.iter().find(same);
        let found = found.ok_or_else(|| Failure::new(format!("couldn't find unpacked step for {name}")))?;
        serde_json::from_str(found.text(&["resource", "manifest"]))
            .map_err(|error| Failure::new(format!("error parsing step manifest: {name}: {error}")))
    }

    /// The object that a step creates: with the label of what OLM manages, in the namespace of the plan, with its owner.
    fn prepared(
        &self,
        step: &Value,
        mut object: Value,
        owners: &BTreeMap<String, Vec<String>>,
        api: &ApiServer,
    ) -> Result<Value, StepFailure> {
        let (kind, name) = (step.text(&["resource", "kind"]), step.text(&["resource", "name"]));
        let resolving = step.text(&["resolving"]);
        let namespace = self.plan.namespace();
        let typed = api_version_of(kind);
        if let Some(api_version) = &typed {
            object["apiVersion"] = api_version.as_str().into();
            object["kind"] = if kind == BUNDLE_SECRET { "Secret" } else { kind }.into();
        } else if !SUPPORTED.contains(&kind) {
            return Err(StepFailure::Unsupported);
        }
        let owner = json!({
            "apiVersion": V1ALPHA1, "kind": CLUSTER_SERVICE_VERSION, "name": resolving, "uid": "", "controller": false,
            "blockOwnerDeletion": false,
        });
        let mut references = object.owner_references().to_vec();
        match kind {
            CLUSTER_SERVICE_VERSION => self.refuse_second_owner(&object, owners)?,
            SUBSCRIPTION => object.set(&["metadata", "annotations", GENERATED_BY], self.plan.name()),
            // Cluster roles of a bundle get it when they are found present, which is so whenever a pass is done again.
            "ClusterRole" | "ClusterRoleBinding" if !resolving.is_empty() => {
                object.set(&["metadata", "labels", OWNER], resolving);
            }
            BUNDLE_SECRET | "Service" | "ConfigMap" if !resolving.is_empty() => references.push(owner),
            _ if typed.is_none() => {
                let (group, version) =
                    object.api_version().split_once('/').unwrap_or(("", object.api_version()));
                let served = api.registry().of_object(object.api_version(), object.kind());
                let Some((_, served)) = served else {
                    let text =
                        format!("Unable to find GVK in discovery: {group} {version} {}", object.kind());
                    return Err(StepFailure::Failed(Failure::new(text)));
                };
                if !served.namespaced {
                    let labels = [
                        (OWNER, resolving),
                        (OWNER_NAMESPACE, namespace),
                        (OWNER_KIND, CLUSTER_SERVICE_VERSION),
                    ];
                    for (key, value) in labels.into_iter().filter(|_| !resolving.is_empty()) {
                        object.set(&["metadata", "labels", key], value);
                    }
                } else if !resolving.is_empty() {
                    references.push(owner);
                }
            }
            _ => {}
        }
        for reference in &mut references {
            if reference.kind() != CLUSTER_SERVICE_VERSION {
                continue;
            }
            let owner = ObjectName::namespaced(namespace, reference.text(&["name"]));
            let Some(found) = api.find(GROUP, CLUSTER_SERVICE_VERSION, &owner) else {
                let noun = noun(kind);
                return Err(StepFailure::Failed(Failure {
                    is_not_found: true,
                    ..Failure::new(format!(
                        "error generating ownerrefs for {noun} {name}: clusterserviceversions.operators.coreos.com {:?} not found",
                        owner.name
                    ))
                }));
            };
            reference["uid"] = found.uid().into();
        }
        if !references.is_empty() {
            object.set(&["metadata", "ownerReferences"], references);
        }
        object.set(&["metadata", "labels", MANAGED], "true");
        let is_of_cluster = ["ClusterRole", "ClusterRoleBinding"].contains(&kind)
            || api
                .registry()
                .of_object(object.api_version(), object.kind())
                .is_some_and(|(_, kind)| !kind.namespaced);
        if is_of_cluster {
            object.remove(&["metadata", "namespace"]);
        } else {
            object.set(&["metadata", "namespace"], namespace);
        }
        Ok(object)
    }

    /// A version that the plan does not name must not own what others own.
    fn refuse_second_owner(
        &self,
        version: &Value,
        owners: &BTreeMap<String, Vec<String>>,
    ) -> Result<(), Failure> {
        let name = version.name();
        if self.plan.list(&["spec", "clusterServiceVersionNames"]).iter().any(|one| one == name) {
            return Ok(());
        }
        for owned in version.list(&["spec", "customresourcedefinitions", "owned"]) {
            let others = owners.get(owned.text(&["name"])).map(Vec::as_slice).unwrap_or_default();
            if others.len() > 1 || others.first().is_some_and(|other| other != name) {
                return Err(Failure::new(format!(
                    "pre-existing CRD owners found for owned CRD(s) of dependent CSV {name}"
                )));
            }
        }
        Ok(())
    }
}

/// Why a step is not done.
enum StepFailure {
    /// Plans do not create such objects.
    Unsupported,
    /// It was tried.
    Failed(Failure),
}

impl From<Failure> for StepFailure {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The version of kinds that plans know; their manifests need not say it.
fn api_version_of(kind: &str) -> Option<String> {
    Some(match kind {
        CLUSTER_SERVICE_VERSION | SUBSCRIPTION => V1ALPHA1.to_owned(),
        "Role" | "RoleBinding" | "ClusterRole" | "ClusterRoleBinding" => format!("{RBAC}/v1"),
        BUNDLE_SECRET | "Secret" | "ConfigMap" | "Service" | "ServiceAccount" => "v1".to_owned(),
        _ => return None,
    })
}

/// How errors name a kind.
fn noun(kind: &str) -> String {
    match kind {
        "ServiceAccount" => "service account:".to_owned(),
        "Service" | "ConfigMap" => format!("{}:", kind.to_lowercase()),
        BUNDLE_SECRET => "secret".to_owned(),
        "Role" | "RoleBinding" => kind.to_lowercase(),
        _ => "unstructured object:".to_owned(),
    }
}

/// The error for an API that is not served.
///
/// Shows V0-074.
fn not_served(step: &Value, api: &ApiServer) -> Option<Failure> {
    let [group, version, kind, name] =
        ["group", "version", "kind", "name"].map(|field| step.text(&["resource", field]));
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    if api.registry().of_object(&api_version, kind).is_some() {
        return None;
    }
    Some(Failure::new(format!(
        "api-server resource not found installing {kind} {name}: GroupVersionKind {api_version}, Kind={kind} not found on the \
         cluster. This API may have been deprecated and removed, see \
         https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information."
    )))
}
