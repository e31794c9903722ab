//! Deployments: replica sets for every revision of a template, and the way from one to the next.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/deployment/{deployment_controller,sync,rolling,recreate,progress}.go`,
//! `pkg/controller/deployment/util/deployment_util.go`.

mod replica_sets;
mod rollout;
mod scaling;
mod spec;
mod status;

use std::sync::Arc;

use self::replica_sets::Sets;
pub(super) use self::spec::share;
use self::spec::{has_deadline, is_recreate, wanted};
use super::claims::{Selectors, claim};
use super::events::Recorder;
use super::write::outcome;
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;

/// Rolls deployments out.
#[derive(Debug)]
pub struct Deployments {
    selectors: Selectors,
    events: Recorder,
}

impl Default for Deployments {
    fn default() -> Self {
        Self { selectors: Selectors::default(), events: Recorder::new("deployment-controller") }
    }
}

impl Controller for Deployments {
    fn name(&self) -> &'static str {
        "deployment-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "Deployment"), ("apps", "ReplicaSet"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        match kind.1 {
            "Deployment" => {
                self.selectors.follow(change);
                requests.extend(change.after.is_some().then(|| change.key.name.clone()));
            }
            "ReplicaSet" => self.selectors.concerned(change, "Deployment", requests),
            _ => requests.extend(waits_for_pod(change, api)),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(deployment) = api.find("apps", "Deployment", request).cloned() else { return Outcome::Done };
        self.sync(api, deployment).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

/// The deployment that waits for a pod to go, because its strategy is to make new pods only then.
fn waits_for_pod(change: &Change, api: &ApiServer) -> Option<ObjectName> {
    let (None, Some(pod)) = (&change.after, &change.before) else { return None };
    let set = api.owner(pod.controller()?)?;
    let deployment = api.owner(set.controller()?)?;
    (deployment.kind() == "Deployment" && is_recreate(deployment)).then(|| deployment.object_name())
}

/// One look at one deployment.
struct Sync<'c> {
    api: &'c mut ApiServer,
    events: &'c mut Recorder,
    deployment: Arc<Object>,
    /// A replica set was brought up to date: that change comes back as an event, and the look begins anew.
    is_outdated: bool,
}

impl Deployments {
    fn sync(&mut self, api: &mut ApiServer, deployment: Arc<Object>) -> Result<Outcome, ApiError> {
        let (Some(kind), Ok(selector)) = (
            api.kind_id("apps", "ReplicaSet"),
            LabelSelector::of_object(deployment.at(&["spec", "selector"])),
        ) else {
            return Ok(Outcome::Done);
        };
        if selector.is_everything() {
            let text = "This deployment is selecting all pods. A non-empty selector is required.";
            self.events.warning(api, &deployment, "SelectingAll", text);
            return Ok(Outcome::Done);
        }
        let all = claim(api, &deployment, kind, &selector)?;
        let mut sync = Sync { api, events: &mut self.events, deployment, is_outdated: false };
        sync.run(all)
    }
}

impl Sync<'_> {
    fn run(&mut self, all: Vec<Arc<Object>>) -> Result<Outcome, ApiError> {
        if self.deployment.is_terminating() {
            let sets = self.sets(all, false)?;
            self.write_status(&sets)?;
            return Ok(Outcome::Done);
        }
        self.note_pause()?;
        let is_paused = self.deployment.at(&["spec", "paused"]).is_some_and(|paused| paused == true);
        let sets = self.sets(all, false)?;
        if self.is_outdated {
            return Ok(Outcome::Done);
        }
        if is_paused || self.was_scaled(&sets) {
            let sets = self.scale(sets)?;
            if is_paused {
                self.clean_up(&sets)?;
            }
            self.write_status(&sets)?;
            return Ok(Outcome::Done);
        }
        if is_recreate(&self.deployment) { self.recreate(sets) } else { self.roll(sets) }
    }

    /// True if the number of replicas was changed since the replica sets were sized.
    fn was_scaled(&self, sets: &Sets) -> bool {
        let wanted = wanted(&self.deployment).to_string();
        sets.all()
            .filter(|set| spec::size(set) > 0)
            .any(|set| set.annotation(spec::DESIRED).is_some_and(|desired| desired != wanted))
    }

    /// Says in the conditions that a rollout was paused or goes on.
    fn note_pause(&mut self) -> Result<(), ApiError> {
        if !has_deadline(&self.deployment) {
            return Ok(());
        }
        let reason =
            self.deployment.condition("Progressing").map(|one| one.text(&["reason"])).unwrap_or_default();
        let is_paused = self.deployment.at(&["spec", "paused"]).is_some_and(|paused| paused == true);
        let (reason, text) = match (reason, is_paused) {
            (status::TIMED_OUT, _) | (status::PAUSED, true) => return Ok(()),
            (_, true) => (status::PAUSED, "Deployment is paused"),
            (status::PAUSED, false) => ("DeploymentResumed", "Deployment is resumed"),
            _ => return Ok(()),
        };
        // As there, the copy at hand is stale after this write: what follows conflicts and comes again.
        let stale = self.deployment["metadata"]["resourceVersion"].clone();
        self.set_progressing("Unknown", reason, text)?;
        Arc::make_mut(&mut self.deployment).set(&["metadata", "resourceVersion"], stale);
        Ok(())
    }
}
