//! Evictions: deletions of pods that ask disruption budgets first.
//!
//! Source: `kubernetes/kubernetes:pkg/registry/core/pod/storage/eviction.go`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{ApiServer, Caller, DeleteOptions};
use crate::error::{ApiError, Cause, CauseReason, Reason};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;

/// So many pods of one budget may be on their way out at once.
const MOST_DISRUPTED: usize = 2000;

const REFUSED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

impl ApiServer {
    /// Deletes a pod unless a disruption budget forbids it.
    ///
    /// Requests of one moment come side by side, as those of a drain do: where one of them has used a budget up, the
    /// others conflict with it, and should come again after half a second. (The real server waits by itself.)
    ///
    /// # Errors
    /// [`Reason::TooManyRequests`] if the budget does not allow it now, and whatever a deletion is refused for.
    pub fn evict(
        &mut self,
        caller: &Caller,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<(), ApiError> {
        let (id, kind) = self.kind_named("", "Pod")?;
        self.authorize(caller, "create", &kind, "eviction", name)?;
        let pod = self.existing(id, &kind, name)?;
        if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != pod.uid()) {
            let cause = format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
                 deleted and then recreated",
                pod.uid()
            );
            return Err(ApiError::conflict("", "Pod", &name.name, &cause));
        }
        if !goes_without_asking(&pod) {
            self.ask_budget(&pod, options.dry_run)?;
        }
        if !options.dry_run {
            self.mark_evicted(id, &kind, &pod);
        }
        self.delete_authorized(id, &kind, name, options).map(drop)
    }

    fn kind_named(&self, group: &str, name: &str) -> Result<(KindId, Arc<Kind>), ApiError> {
        let missing =
            || ApiError::other(Reason::NotFound, "the server could not find the requested resource");
        let id = self.kind_id(group, name).ok_or_else(missing)?;
        Ok((id, self.kind(id)?))
    }

    /// Takes one disruption from the budget of a pod, if it has one and that allows it.
    fn ask_budget(&mut self, pod: &Object, dry_run: bool) -> Result<(), ApiError> {
        let Some(id) = self.kind_id("policy", "PodDisruptionBudget") else { return Ok(()) };
        let mut budgets =
            self.store.in_namespace(id, pod.namespace()).filter(|budget| selects(budget, pod)).cloned();
        let Some(budget) = budgets.next() else { return Ok(()) };
        if budgets.next().is_some() {
            let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            return Err(ApiError::other(Reason::Unknown, text));
        }
        drop(budgets);
        if pod.condition_status("Ready") != "True" && lets_unready_go(&budget) {
            return Ok(());
        }
        let name = budget.object_name();
        let object = match taken(&budget, pod.name(), self.now) {
            Err(_) if self.evictions.get(&name) == Some(&self.now) => {
                let cause = "the object has been modified; please apply your changes to the latest version and try again";
                return Err(ApiError::conflict("policy", "poddisruptionbudgets", &name.name, cause));
            }
            answer => answer?,
        };
        if !dry_run {
            self.evictions.insert(name, self.now);
            let kind = self.kind(id)?;
            let stored = self.store.put(id, object);
            self.after_write(&kind, &stored);
        }
        Ok(())
    }

    /// Writes into the pod why it goes.
    fn mark_evicted(&mut self, id: KindId, kind: &Kind, pod: &Object) {
        let mut object = pod.clone();
        let mut conditions = pod.list(&["status", "conditions"]).to_vec();
        let condition = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting", "lastTransitionTime": self.now.to_string(),
        });
        match conditions.iter_mut().find(|condition| condition["type"] == "DisruptionTarget") {
            Some(present) if present["status"] == "True" && present["reason"] == condition["reason"] => {
                return;
            }
            Some(present) => *present = condition,
            None => conditions.push(condition),
        }
        object.set(&["status", "conditions"], conditions);
        let stored = self.store.put(id, object);
        self.after_write(kind, &stored);
    }
}

/// True for pods that serve nobody: budgets do not count them.
fn goes_without_asking(pod: &Object) -> bool {
    pod.is_terminating() || ["Succeeded", "Failed", "Pending"].contains(&pod.text(&["status", "phase"]))
}

/// True if a budget is for a pod.
fn selects(budget: &Object, pod: &Object) -> bool {
    LabelSelector::of_object(budget.at(&["spec", "selector"]))
        .is_ok_and(|selector| selector.matches_object(pod))
}

/// True if a budget does not mind the eviction of pods that are not ready.
fn lets_unready_go(budget: &Object) -> bool {
    let number = |field: &str| budget.number(&["status", field]).unwrap_or_default();
    budget.text(&["spec", "unhealthyPodEvictionPolicy"]) == "AlwaysAllow"
        || number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0
}

/// A budget with one disruption less.
fn taken(budget: &Object, pod: &str, now: crate::time::Moment) -> Result<Object, ApiError> {
    let number = |field: &str| budget.number(&["status", field]).unwrap_or_default();
    let refused = |cause: String| {
        let mut error = ApiError::other(Reason::TooManyRequests, REFUSED);
        error.details.causes = vec![Cause::new(CauseReason::DisruptionBudget, cause)];
        error
    };
    let name = budget.name();
    if number("observedGeneration") < budget.generation() {
        return Err(refused(format!("The disruption budget {name} is still being processed by the server.")));
    }
    let forbidden = |cause: &str| ApiError::forbidden("policy", "poddisruptionbudget", name, cause);
    let (allowed, healthy, desired) =
        (number("disruptionsAllowed"), number("currentHealthy"), number("desiredHealthy"));
    let disrupted = budget.at(&["status", "disruptedPods"]).and_then(Value::as_object);
    if allowed < 0 {
        return Err(forbidden("pdb disruptions allowed is negative"));
    }
    if disrupted.is_some_and(|pods| pods.len() > MOST_DISRUPTED) {
        return Err(forbidden(
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        ));
    }
    if allowed == 0 {
        return Err(refused(if healthy <= desired {
            format!("The disruption budget {name} needs {desired} healthy pods and has {healthy} currently")
        } else {
            format!("The disruption budget {name} does not allow evicting pods currently")
        }));
    }
    let mut object = budget.clone();
    object.set(&["status", "disruptionsAllowed"], allowed - 1);
    object.set(&["status", "disruptedPods", pod], now.to_string());
    if allowed == 1 {
        let status = object.place(&["status"]);
        crate::controllers::budgets::set_allowed(status, budget.generation(), 0, now);
    }
    Ok(object)
}
