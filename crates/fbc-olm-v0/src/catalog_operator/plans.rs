//! The queue of InstallPlans.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`syncInstallPlans`, `transitionInstallPlanState`), `installplan_sync.go`, `pkg/lib/scoped/querier.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::execution::{Execution, Failure};
use super::pace::Pace;
use super::resolution::in_namespace;
use super::subscriptions::SUBSCRIPTIONS;
use super::{RESYNC, condition};
use crate::Options;
use crate::accounts;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{CLUSTER_SERVICE_VERSION, EVENT_SOURCE, GROUP, INSTALL_PLAN, MANAGED, RBAC, SUBSCRIPTION};
use crate::retries::Retries;

/// When a plan is looked at again that is being carried out.
const AGAIN: Milliseconds = 5 * SECOND;
/// How long it takes to write ClusterServiceVersions and definitions: olm-operator looks at them before their accounts and
/// roles are there.
const FIRST_STEPS: Milliseconds = 50;
/// The name of the queue.
const INSTALL_PLANS: &str = "install-plans";

/// `spec.generation` of a plan.
pub(super) fn generation(plan: &Object) -> i64 {
    plan.number(&["spec", "generation"]).unwrap_or_default()
}

/// Carries out plans.
pub(super) struct Plans {
    options: Options,
    caller: Caller,
    pace: Pace,
    retries: Retries,
    recorder: Recorder,
    /// Failed plans whose namespace got other rights.
    woken: BTreeSet<ObjectName>,
    /// The status of plans whose first steps are done and not noted yet.
    begun: BTreeMap<ObjectName, Value>,
    requeues: Vec<Requeue>,
}

/// How a look at a plan ends.
#[derive(Default)]
struct End {
    error: Option<String>,
    again: bool,
}

impl Plans {
    pub(super) fn new(options: &Options, pace: &Pace) -> Self {
        Self {
            options: options.clone(),
            pace: pace.clone(),
            caller: options.catalog_operator(),
            retries: Retries::default(),
            recorder: Recorder::new(EVENT_SOURCE),
            woken: BTreeSet::new(),
            begun: BTreeMap::new(),
            requeues: Vec::new(),
        }
    }

    fn sync(&mut self, plan: &Arc<Object>, api: &mut ApiServer) -> Result<End, LookError> {
        let message = |error: ApiError| error.message;
        let mut status = plan.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
        if status.list(&["plan"]).is_empty() && status.list(&["bundleLookups"]).is_empty() {
            return Ok(End::default());
        }
        let phase = status.text(&["phase"]).to_owned();
        if phase == "Failed" && self.woken.remove(&plan.object_name()) {
            status["phase"] = "Installing".into();
            self.write(plan, status, api).map_err(message)?;
            return Ok(End::default());
        }
        if ["Complete", "Failed"].contains(&phase.as_str()) {
            return Ok(End::default());
        }
        let mut plan = Arc::clone(plan);
        let account = match accounts::reference(api, plan.namespace()) {
            Ok(account) => account,
            Err(error) => {
                set_installed(&mut status, "InstallCheckFailed", &error, api.now());
                self.write(&plan, status, api).map_err(message)?;
                return fail(format!("attenuated service account query failed - {error}"));
            }
        };
        if condition::get(&status, "Installed").is_some_and(|one| one["reason"] == "InstallCheckFailed") {
            set_installed(&mut status, "Unknown", "", api.now());
            plan = self.write(&plan, status.clone(), api).map_err(message)?;
        }
        if let Some(account) =
            account.filter(|account| status.get("attenuatedServiceAccountRef") != Some(account))
        {
            status["attenuatedServiceAccountRef"] = account;
            self.write(&plan, status, api).map_err(message)?;
            return Ok(End::default());
        }
        let error = match self.begun.remove(&plan.object_name()) {
            Some(begun) => {
                status = begun;
                self.transition(&plan, &mut status, api)
            }
            None => match self.begin(&plan, &mut status, api) {
                Some(Ok(())) => return Ok(End::default()),
                Some(Err(error)) => Some(error.into()),
                None => self.transition(&plan, &mut status, api),
            },
        };
        if plan.get("status") != Some(&status) {
            self.pace.spend(plan.namespace(), api.now());
        }
        let again = status.text(&["phase"]) == "Installing";
        let owners = plan.owner_references().iter().filter(|owner| owner.kind() == SUBSCRIPTION);
        let names = owners.map(|owner| ObjectName::namespaced(plan.namespace(), owner.text(&["name"])));
        self.requeues.extend(names.map(|name| Requeue::now(SUBSCRIPTIONS, name)));
        let written = self.write(&plan, status, api);
        let error = match (error, written) {
            (error, Ok(_)) => error,
            (None, Err(update)) => Some(format!("error updating InstallPlan status: {update}")),
            (Some(error), Err(update)) => Some(format!(
                "error transitioning InstallPlan: {error} and error updating InstallPlan status: {update}"
            )),
        };
        Ok(End { error, again })
    }

    fn write(&self, plan: &Arc<Object>, status: Value, api: &mut ApiServer) -> Result<Arc<Object>, ApiError> {
        if plan.get("status") == Some(&status) {
            return Ok(Arc::clone(plan));
        }
        Client::new(api, &self.caller).update_status(plan, status)
    }

    /// Writes the ClusterServiceVersions and definitions of a new plan, and comes back for the rest a little later; nothing if the
    /// plan is not new.
    fn begin(
        &mut self,
        plan: &Object,
        status: &mut Value,
        api: &mut ApiServer,
    ) -> Option<Result<(), LookError>> {
        let later = split(status)?;
        let conditions = status.get("conditions").cloned();
        let error = self.transition(plan, status, api);
        if let Some(steps) = status.pointer_mut("/plan").and_then(Value::as_array_mut) {
            steps.extend(later);
        }
        if let Some(error) = error {
            return Some(Err(error.into()));
        }
        // Nothing is complete without the other steps.
        status["phase"] = "Installing".into();
        match conditions {
            Some(conditions) => status["conditions"] = conditions,
            None => drop(status.remove(&["conditions"])),
        }
        self.begun.insert(plan.object_name(), status.clone());
        let again = Requeue::now(INSTALL_PLANS, plan.object_name());
        self.requeues.push(Requeue { after: FIRST_STEPS, ..again });
        Some(Ok(()))
    }

    /// The next phase. Answers with what failed.
    ///
    /// Shows V0-066 to V0-069.
    fn transition(&mut self, plan: &Object, status: &mut Value, api: &mut ApiServer) -> Option<String> {
        match status.text(&["phase"]) {
            "RequiresApproval" => {
                if plan.at(&["spec", "approved"]) == Some(&Value::Bool(true)) {
                    status["phase"] = "Installing".into();
                    status.remove(&["message"]);
                }
                None
            }
            "Installing" => {
                let now = api.now();
                if status.text(&["startTime"]).is_empty() {
                    status["startTime"] = now.to_string().into();
                }
                let start = Moment::parse(status.text(&["startTime"])).unwrap_or(now);
                let mut execution = Execution::new(plan, status, &self.options, &mut self.recorder);
                match execution.run(api) {
                    Err(Failure { message, is_forbidden, .. }) => {
                        // Nobody knows when rights are given.
                        if is_forbidden || now.since(start) < self.options.install_plan_retry {
                            status["message"] = format!("retrying execution due to error: {message}").into();
                        } else {
                            set_installed(status, "InstallComponentFailed", &message, now);
                            status["phase"] = "Failed".into();
                            status["message"] = message.as_str().into();
                        }
                        Some(message)
                    }
                    Ok(()) => {
                        let waits = |step: &Value| step["status"] == "WaitingForApi";
                        if !status.list(&["plan"]).iter().any(waits) {
                            let now = now.to_string();
                            condition::set(
                                status,
                                json!({
                                    "type": "Installed", "status": "True", "lastUpdateTime": now, "lastTransitionTime": now,
                                }),
                            );
                            status["phase"] = "Complete".into();
                            status.remove(&["message"]);
                        }
                        None
                    }
                }
            }
            _ => None,
        }
    }
}

/// Takes away the steps of a plan that come after its ClusterServiceVersions and definitions, if nothing was done yet.
fn split(status: &mut Value) -> Option<Vec<Value>> {
    let is_first = |step: &Value| {
        [CLUSTER_SERVICE_VERSION, "CustomResourceDefinition"].contains(&step.text(&["resource", "kind"]))
    };
    if status.text(&["phase"]) != "Installing" {
        return None;
    }
    let steps = status.pointer_mut("/plan").and_then(Value::as_array_mut)?;
    let is_new = steps.iter().all(|step| step["status"] == "Unknown");
    let end = steps.iter().rposition(is_first)? + 1;
    (is_new && end < steps.len()).then(|| steps.split_off(end))
}

fn set_installed(status: &mut Value, reason: &str, message: &str, now: Moment) {
    let present = condition::get(status, "Installed");
    let is_same = present.is_some_and(|one| one["reason"] == reason && one.text(&["message"]) == message);
    if is_same {
        return;
    }
    let now = now.to_string();
    let mut new = json!({
        "type": "Installed", "status": "False", "reason": reason, "lastUpdateTime": now, "lastTransitionTime": now,
    });
    if !message.is_empty() {
        new["message"] = message.into();
    }
    condition::set(status, new);
}

/// The names of definitions that versions of a namespace own, with these versions.
pub(super) fn owners_of_definitions(namespace: &str, api: &ApiServer) -> BTreeMap<String, Vec<String>> {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for version in in_namespace(api, CLUSTER_SERVICE_VERSION, namespace) {
        for owned in version.list(&["spec", "customresourcedefinitions", "owned"]) {
            owners.entry(owned.text(&["name"]).to_owned()).or_default().push(version.name().to_owned());
        }
    }
    owners
}

impl Controller for Plans {
    fn name(&self) -> &'static str {
        INSTALL_PLANS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, INSTALL_PLAN), (RBAC, "Role"), (RBAC, "RoleBinding"), ("", "ServiceAccount")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == INSTALL_PLAN {
            requests.push(change.key.name.clone());
            return;
        }
        let Some(object) = change.after.as_ref().filter(|object| object.label(MANAGED) == Some("true"))
        else {
            return;
        };
        let failed = in_namespace(api, INSTALL_PLAN, object.namespace()).into_iter().filter(|plan| {
            plan.text(&["status", "phase"]) == "Failed"
                && plan.given(&["status", "attenuatedServiceAccountRef"]).is_some()
        });
        for plan in failed {
            self.woken.insert(plan.object_name());
            requests.push(plan.object_name());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(plan) = api.find(GROUP, INSTALL_PLAN, request).cloned() else { return Outcome::Done };
        let end = match self.sync(&plan, api) {
            Ok(end) => end,
            Err(error) => End { error: Some(error.into()), again: false },
        };
        match self.retries.outcome(request, end.error.map_or(Ok(()), |error| Err(error.into()))) {
            Outcome::Failed(error) if end.again => Outcome::FailedWithin(error, AGAIN),
            Outcome::Done if end.again => Outcome::After(AGAIN),
            outcome => outcome,
        }
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
