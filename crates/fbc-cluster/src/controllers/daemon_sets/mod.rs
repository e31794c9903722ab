//! Daemon sets: a pod on every node that fits.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/daemon/{daemon_controller,update}.go`, `pkg/controller/daemon/util/`.

mod view;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::view::{View, Work};
use super::claims::{Selectors, claim};
use super::events::Recorder;
use super::pods::next_available;
use super::replica_sets::min_ready_seconds;
use super::revisions::{HASH_LABEL, present_revision, revisions, truncate};
use super::template_hash::template_hash;
use super::write::{create, manager, outcome, update_status};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;

/// Keeps the pods of daemon sets.
#[derive(Debug)]
pub struct DaemonSets {
    selectors: Selectors,
    all: BTreeSet<ObjectName>,
    events: Recorder,
}

impl Default for DaemonSets {
    fn default() -> Self {
        let events = Recorder::new("daemonset-controller");
        Self { selectors: Selectors::default(), all: BTreeSet::new(), events }
    }
}

impl Controller for DaemonSets {
    fn name(&self) -> &'static str {
        "daemonset-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("apps", "DaemonSet"), ("", "Pod"), ("", "Node")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        match kind.1 {
            "DaemonSet" => {
                self.selectors.follow(change);
                if change.after.is_some() {
                    self.all.insert(change.key.name.clone());
                    requests.push(change.key.name.clone());
                } else {
                    self.all.remove(&change.key.name);
                }
            }
            "Node" => {
                let says = |node: Option<&Arc<Object>>| {
                    node.map(|node| (node["metadata"]["labels"].clone(), node["spec"].clone()))
                };
                if says(change.before.as_ref()) != says(change.after.as_ref()) {
                    requests.extend(self.all.iter().cloned());
                }
            }
            _ => self.selectors.concerned(change, "DaemonSet", requests),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(set), Some(pods)) =
            (api.find("apps", "DaemonSet", request).cloned(), api.kind_id("", "Pod"))
        else {
            return Outcome::Done;
        };
        if set.is_terminating() {
            return Outcome::Done;
        }
        self.sync(api, &set, pods).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

impl DaemonSets {
    fn sync(&mut self, api: &mut ApiServer, set: &Arc<Object>, kind: KindId) -> Result<Outcome, ApiError> {
        let Ok(selector) = LabelSelector::of_object(set.at(&["spec", "selector"])) else {
            return Ok(Outcome::Done);
        };
        if selector.is_everything() {
            let text = "This daemon set is selecting all pods. A non-empty selector is required.";
            self.events.warning(api, set, "SelectingAll", text);
            return Ok(Outcome::Done);
        }
        let hash = template_hash(&set["spec"]["template"], set.number(&["status", "collisionCount"]));
        let all = revisions(api, set);
        present_revision(api, set, &all, &hash)?;
        let pods = claim(api, set, kind, &selector)?;
        let mut view = View::new(api, set, hash, pods);
        let work = view.missing(&mut self.events, api);
        self.carry_out(api, &view, kind, work)?;
        if set.text(&["spec", "updateStrategy", "type"]) != "OnDelete" {
            let pods = claim(api, set, kind, &selector)?;
            view = View::new(api, set, view.hash, pods);
            let work = view.outdated();
            self.carry_out(api, &view, kind, work)?;
        }
        let pods = claim(api, set, kind, &selector)?;
        let hashes: BTreeSet<String> =
            pods.iter().filter_map(|pod| pod.label(HASH_LABEL).map(str::to_owned)).collect();
        let next = next_available(&pods, min_ready_seconds(set), api.now());
        view = View::new(api, set, view.hash, pods);
        update_status(api, set, view.status())?;
        let is_live = |revision: &Object| {
            revision.label(HASH_LABEL).is_some_and(|hash| hash == view.hash || hashes.contains(hash))
        };
        truncate(api, set, &all, is_live)?;
        Ok(next.map_or(Outcome::Done, |next| Outcome::After(next.since(api.now()))))
    }

    fn carry_out(
        &mut self,
        api: &mut ApiServer,
        view: &View<'_>,
        kind: KindId,
        work: Work,
    ) -> Result<(), ApiError> {
        // The pods that are made or deleted bring the controller back.
        for node in work.nodes {
            if api.has_written_much() {
                return Ok(());
            }
            match create(api, view.pod(Some(&node))) {
                Ok(pod) => {
                    let text = format!("Created pod: {}", pod.name());
                    self.events.normal(api, view.set, "SuccessfulCreate", &text);
                }
                Err(error) => {
                    self.events.warning(api, view.set, "FailedCreate", &format!("Error creating: {error}"));
                    return Err(error);
                }
            }
        }
        for pod in work.pods {
            if api.has_written_much() {
                return Ok(());
            }
            match api.delete(&manager(), kind, &pod.object_name(), &DeleteOptions::default()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {
                    let text = format!("Deleted pod: {}", pod.name());
                    self.events.normal(api, view.set, "SuccessfulDelete", &text);
                }
            }
        }
        Ok(())
    }
}
