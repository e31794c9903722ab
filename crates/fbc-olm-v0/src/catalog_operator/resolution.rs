//! The queue of namespaces: which of their Subscriptions move, and by which plan.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/operator.go`
//! (`syncResolvingNamespace`).

use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Propagation};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::Milliseconds;
use fbc_resolve_v0::{
    CatalogSource, InstalledOperator, MOST_STEPS, Namespace, ResolveError, Rules, SourceKey, Subscription,
};
use serde_json::{Value, json};

use super::changes::Changes;
use super::connections::SharedConnections;
use super::orders::Order;
use super::pace::Pace;
use super::unpack::Unpacker;
use super::{RESOLUTION, RESYNC, condition, plans, references, states};
use crate::Options;
use crate::client::Client;
use crate::look_error::{LookError, fail};
use crate::names::{
    CATALOG_SOURCE, CLUSTER_SERVICE_VERSION, EVENT_SOURCE, EXCLUDE_GLOBAL, GROUP, INSTALL_PLAN,
    OPERATOR_GROUP, SUBSCRIPTION,
};
use crate::retries::Retries;

/// More plans than this in a namespace are too many.
const MOST_PLANS: usize = 5;
/// So many of them go at once.
const MOST_DELETED: usize = 10;

/// Resolves namespaces.
pub(super) struct Resolution {
    pub(super) options: Options,
    pub(super) caller: Caller,
    connections: SharedConnections,
    retries: Retries,
    pub(super) recorder: Recorder,
    pace: Pace,
}

/// How a look at a namespace ends.
pub(super) type End = Result<Option<Milliseconds>, LookError>;

impl Resolution {
    pub(super) fn new(options: &Options, connections: &SharedConnections, pace: &Pace) -> Self {
        Self {
            options: options.clone(),
            caller: options.catalog_operator(),
            connections: Rc::clone(connections),
            retries: Retries::default(),
            recorder: Recorder::new(EVENT_SOURCE),
            pace: pace.clone(),
        }
    }

    fn sync(&mut self, namespace: &str, api: &mut ApiServer) -> End {
        if let Some(rest) = self.pace.rest(namespace, api.now()) {
            return Ok(Some(rest));
        }
        self.delete_old_plans(namespace, api);
        let mut subscriptions = in_namespace(api, SUBSCRIPTION, namespace);
        if subscriptions.is_empty() {
            return Ok(None);
        }
        // Shows V0-025.
        let groups = in_namespace(api, OPERATOR_GROUP, namespace);
        let [group] = groups.as_slice() else {
            return fail(format!("found {} operatorGroups, expected 1", groups.len()));
        };
        let fails_forward = group.text(&["spec", "upgradeStrategy"]) == "TechPreviewUnsafeFailForward";
        let options = self.options.clone();
        let unpacker = Unpacker::new(&options, group)?;
        if self.note_states(&mut subscriptions, fails_forward, api)? {
            return Ok(None);
        }
        if subscriptions.iter().all(|one| states::waits(one)) {
            return Ok(None);
        }
        let question = self.question(namespace, group, &subscriptions, fails_forward, api);
        let resolved = fbc_resolve_v0::resolve(
            &question,
            Rules { steps: MOST_STEPS, compile: fbc_resolve_v0::compile_expression },
        );
        let changes = match resolved {
            Ok(resolution) => {
                let connections = Rc::clone(&self.connections);
                let now = api.now();
                Changes::of(resolution, namespace, &mut |operator| {
                    connections.borrow_mut().snapshot(&operator.catalog, now)
                })
                .map_err(|error| ResolveError::Prevented(error.to_string()))
            }
            Err(error) => Err(error),
        };
        match changes {
            Ok(changes) => self.carry_out(namespace, subscriptions, changes, &unpacker, api),
            Err(error) => self.note_failure(namespace, subscriptions, &error, api),
        }
    }

    /// Deletes the plans with the lowest generations.
    ///
    /// Shows V0-078.
    fn delete_old_plans(&self, namespace: &str, api: &mut ApiServer) {
        let mut plans = in_namespace(api, INSTALL_PLAN, namespace);
        plans.sort_by_key(|plan| (plans::generation(plan), plan.name().to_owned()));
        let surplus = plans.len().saturating_sub(MOST_PLANS).min(MOST_DELETED);
        for plan in plans.iter().take(surplus) {
            // A plan that is gone already is as good.
            let _ = Client::new(api, &self.caller).delete(plan, Propagation::Background);
        }
    }

    /// Writes what Subscriptions say of their versions. True if one of them changed.
    fn note_states(
        &self,
        subscriptions: &mut [Arc<Object>],
        fails_forward: bool,
        api: &mut ApiServer,
    ) -> Result<bool, LookError> {
        let mut has_changed = false;
        for subscription in subscriptions.iter() {
            let Some(next) = states::next(subscription, fails_forward, api)? else { continue };
            has_changed = true;
            if next.is_written {
                let written = Client::new(api, &self.caller).update_status(subscription, next.status);
                written.map_err(|error| {
                    LookError::from(format!("error updating Subscription status: {error}"))
                })?;
            }
        }
        Ok(has_changed)
    }

    /// What the resolver sees.
    fn question(
        &self,
        namespace: &str,
        group: &Object,
        subscriptions: &[Arc<Object>],
        fails_forward: bool,
        api: &ApiServer,
    ) -> Namespace {
        // Shows V0-031.
        let excludes = group.annotation(EXCLUDE_GLOBAL) == Some("true");
        let is_seen = |of: &str| of == namespace || (of == self.options.catalogs_namespace && !excludes);
        let mut connections = self.connections.borrow_mut();
        let catalogs = api.all(GROUP, CATALOG_SOURCE).filter(|one| is_seen(one.namespace()));
        let catalogs = catalogs.map(|one| {
            let key = SourceKey { namespace: one.namespace().to_owned(), name: one.name().to_owned() };
            let content = connections.content(&key, api.now());
            CatalogSource { priority: one.number(&["spec", "priority"]).unwrap_or_default(), content, key }
        });
        let catalogs = catalogs.collect();
        Namespace {
            name: namespace.to_owned(),
            catalogs,
            subscriptions: subscriptions.iter().map(|one| Subscription::from_object(one)).collect(),
            operators: in_namespace(api, CLUSTER_SERVICE_VERSION, namespace)
                .iter()
                .filter_map(|one| InstalledOperator::from_object(one))
                .collect(),
            fails_forward,
        }
    }

    /// Says why the namespace is not resolved.
    ///
    /// Shows V0-050 to V0-053.
    fn note_failure(
        &mut self,
        namespace: &str,
        subscriptions: Vec<Arc<Object>>,
        error: &ResolveError,
        api: &mut ApiServer,
    ) -> End {
        let text = error.to_string();
        if let Some(about) = api.find("", "Namespace", &ObjectName::cluster(namespace)).cloned() {
            self.recorder.warning(api, &about, "ResolutionFailed", &text);
        }
        let new = json!({
            "type": "ResolutionFailed", "status": "True", "reason": error.reason(), "message": text,
        });
        self.set_on_all(&subscriptions, &new, api)?;
        if error.is_retried() { Err(text.into()) } else { Ok(None) }
    }

    /// Writes a condition to the Subscriptions that do not have it.
    pub(super) fn set_on_all(
        &self,
        subscriptions: &[Arc<Object>],
        new: &Value,
        api: &mut ApiServer,
    ) -> Result<(), LookError> {
        let mut errors = Vec::new();
        for subscription in subscriptions {
            let of = new.text(&["type"]);
            if subscription.condition(of).is_some_and(|present| condition::says(present, new)) {
                continue;
            }
            let mut status =
                subscription.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
            status.set(&["lastUpdated"], api.now().to_string());
            condition::set(&mut status, new.clone());
            let written = Client::new(api, &self.caller).update_status(subscription, status);
            errors.extend(written.err().map(|error| error.message));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors.join(", ").into()) }
    }

    /// Makes a plan if Subscriptions move, and notes in all of them that resolution went well.
    fn carry_out(
        &mut self,
        namespace: &str,
        subscriptions: Vec<Arc<Object>>,
        mut changes: Changes,
        unpacker: &Unpacker<'_>,
        api: &mut ApiServer,
    ) -> End {
        if let Some(end) = self.unpack(namespace, &subscriptions, &mut changes, unpacker, api) {
            return end;
        }
        let Changes { steps, lookups, moved } = changes;
        let mut plan = None;
        let mut generation = 0;
        if !moved.is_empty() {
            let existing = in_namespace(api, INSTALL_PLAN, namespace);
            let of_subscriptions = subscriptions
                .iter()
                .map(|one| one.number(&["status", "installPlanGeneration"]).unwrap_or_default());
            let highest = existing.iter().map(|plan| plans::generation(plan)).chain(of_subscriptions).max();
            // Shows V0-064.
            generation = highest.unwrap_or_default() + 1;
            let order = Order {
                namespace,
                generation,
                subscriptions: &subscriptions,
                steps,
                lookups: lookups.iter().map(references::in_plan).collect(),
            };
            match order.ensure(&mut Client::new(api, &self.caller)) {
                Ok(made) => {
                    plan = made;
                    self.pace.spend(namespace, api.now());
                }
                Err(error) => {
                    let text = format!("error ensuring InstallPlan: {error}");
                    let new = json!({
                        "type": "BundleUnpackFailed", "status": "True", "reason": "EnsureInstallPlanFailed",
                        "message": text,
                    });
                    self.set_on_all(&subscriptions, &new, api)?;
                    return Err(text.into());
                }
            }
        }
        let mut errors = Vec::new();
        for subscription in &subscriptions {
            let mut status =
                subscription.get("status").filter(|status| status.is_object()).cloned().unwrap_or(json!({}));
            let now = api.now().to_string();
            if let Some(version) = moved.get(subscription.name()) {
                status.set(&["currentCSV"], version.as_str());
                status.set(&["lastUpdated"], now.as_str());
                if let Some(plan) = &plan {
                    states::refer(&mut status, plan);
                    status.set(&["state"], "UpgradePending");
                    status.set(&["installPlanGeneration"], generation);
                }
                condition::remove(&mut status, "ResolutionFailed");
            } else {
                let mut has_changed = false;
                for of in ["BundleUnpacking", "BundleUnpackFailed", "ResolutionFailed"] {
                    has_changed |= condition::remove(&mut status, of);
                }
                if has_changed {
                    status.set(&["lastUpdated"], now.as_str());
                }
            }
            if subscription.get("status") != Some(&status)
                && status.as_object().is_some_and(|one| !one.is_empty())
            {
                let written = Client::new(api, &self.caller).update_status(subscription, status);
                errors.extend(written.err().map(|error| error.message));
            }
        }
        if errors.is_empty() { Ok(None) } else { Err(errors.join(", ").into()) }
    }
}

/// The objects of a kind in a namespace, by name.
pub(super) fn in_namespace(api: &ApiServer, kind: &str, namespace: &str) -> Vec<Arc<Object>> {
    let Some(id) = api.kind_id(GROUP, kind) else { return Vec::new() };
    api.store().in_namespace(id, namespace).cloned().collect()
}

impl Controller for Resolution {
    fn name(&self) -> &'static str {
        RESOLUTION
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace"), (GROUP, OPERATOR_GROUP)]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == OPERATOR_GROUP {
            // Only what is there wakes the namespace.
            requests.extend(change.after.as_ref().map(|_| ObjectName::cluster(&*name.namespace)));
        } else {
            requests.push(name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if api.find("", "Namespace", request).is_none() {
            return Outcome::Done;
        }
        match self.sync(&request.name, api) {
            Ok(again) => {
                let outcome = self.retries.outcome(request, Ok(()));
                again.map_or(outcome, Outcome::After)
            }
            Err(error) => self.retries.outcome(request, Err(error)),
        }
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
