//! The replica sets of a deployment: which is the new one, which revision they are, and how they are sized.

use std::sync::Arc;

use serde_json::{Value, json};

use super::spec::{DESIRED, HASH_LABEL, MOST, REVISION, REVISION_HISTORY, count, size, surge, wanted};
use super::{Sync, rollout};
use crate::api::DeleteOptions;
use crate::controllers::template_hash::template_hash;
use crate::controllers::write::{create, manager, update};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName, controller_reference};

/// Annotations of a deployment that its replica sets do not take over.
const OWN_ANNOTATIONS: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED,
    MOST,
    "deprecated.deployment.rollback.to",
];
/// The longest list of earlier revisions.
const HISTORY_LENGTH: usize = 2000;

/// The replica sets of a deployment.
#[derive(Debug, Clone)]
pub(super) struct Sets {
    /// The one with the present template.
    pub(super) new: Option<Arc<Object>>,
    /// The others, oldest first.
    pub(super) old: Vec<Arc<Object>>,
}

impl Sets {
    /// All of them, the new one last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.old.iter().chain(&self.new)
    }

    /// How many pods all of them want.
    pub(super) fn total(&self) -> i64 {
        self.all().map(|set| size(set)).sum()
    }

    /// The sum of a number in their status.
    pub(super) fn sum(&self, field: &str) -> i64 {
        self.all().map(|set| count(set, field)).sum()
    }

    /// Puts a new state in the place of an old one.
    pub(super) fn replace(&mut self, set: Arc<Object>) {
        let same = |other: &&mut Arc<Object>| other.uid() == set.uid();
        if let Some(place) = self.old.iter_mut().chain(&mut self.new).find(same) {
            *place = set;
        }
    }
}

/// When a replica set was made; those of one second by name.
pub(super) fn age(set: &Object) -> (String, String) {
    (set.text(&["metadata", "creationTimestamp"]).to_owned(), set.name().to_owned())
}

fn revision(object: &Object) -> i64 {
    object.annotation(REVISION).and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// True if two templates differ in nothing but the label with their hash.
fn same_template(one: &Value, other: &Value) -> bool {
    let without_hash = |template: &Value| {
        let mut template = template.clone();
        template.remove(&["metadata", "labels", HASH_LABEL]);
        for empty in ["creationTimestamp", "labels"] {
            let value = template.at(&["metadata", empty]);
            if value.is_some_and(|value| value.is_null() || *value == json!({})) {
                template.remove(&["metadata", empty]);
            }
        }
        template
    };
    without_hash(one) == without_hash(other)
}

impl Sync<'_> {
    /// Sorts the replica sets, brings the revision of the new one up to date, and makes it if that is wanted.
    pub(super) fn sets(&mut self, mut all: Vec<Arc<Object>>, make: bool) -> Result<Sets, ApiError> {
        all.sort_by_cached_key(|set| age(set));
        let template = &self.deployment["spec"]["template"];
        let new = all.iter().position(|set| same_template(&set["spec"]["template"], template));
        let new = new.map(|index| all.remove(index));
        let next_revision = all.iter().map(|set| revision(set)).max().unwrap_or_default() + 1;
        let mut sets = Sets { new, old: all };
        match sets.new.clone() {
            Some(set) if self.deployment.is_terminating() => sets.new = Some(set),
            Some(set) => sets.new = Some(self.refreshed(set, next_revision)?),
            None if make => sets.new = Some(self.made(&sets, next_revision)?),
            None => {}
        }
        Ok(sets)
    }

    /// The new replica set with the annotations that it should have.
    fn refreshed(&mut self, set: Arc<Object>, next_revision: i64) -> Result<Arc<Object>, ApiError> {
        let mut object = Object::clone(&set);
        self.annotate(&mut object, next_revision, true);
        match self.deployment.at(&["spec", "minReadySeconds"]) {
            Some(seconds) => object.set(&["spec", "minReadySeconds"], seconds.clone()),
            None => {
                object.remove(&["spec", "minReadySeconds"]);
            }
        }
        if object != *set {
            self.is_outdated = true;
            return update(self.api, object);
        }
        let number = revision(&set).to_string();
        let mut status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
        if super::has_deadline(&self.deployment) && self.deployment.condition("Progressing").is_none() {
            let text = format!("Found new replica set {:?}", set.name());
            self.put_condition(&mut status, "Progressing", "True", "FoundNewReplicaSet", &text);
        }
        self.write_revision(&number, status)?;
        Ok(set)
    }

    /// Makes the replica set of the present template.
    fn made(&mut self, sets: &Sets, next_revision: i64) -> Result<Arc<Object>, ApiError> {
        let collisions = self.deployment.number(&["status", "collisionCount"]);
        let mut template = self.deployment["spec"]["template"].clone();
        let hash = template_hash(&template, collisions);
        template.set(&["metadata", "labels", HASH_LABEL], hash.clone());
        let mut selector = self.deployment["spec"]["selector"].clone();
        selector.set(&["matchLabels", HASH_LABEL], hash.clone());
        let mut set = json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {
                "name": format!("{}-{hash}", self.deployment.name()),
                "namespace": self.deployment.namespace(),
                "labels": template["metadata"]["labels"],
                "ownerReferences": [controller_reference(&self.deployment)],
            },
            "spec": {"replicas": 0, "selector": selector, "template": template},
        });
        if let Some(seconds) = self.deployment.at(&["spec", "minReadySeconds"]) {
            set.set(&["spec", "minReadySeconds"], seconds.clone());
        }
        let replicas = rollout::size_of_new(&self.deployment, sets.total(), 0);
        set.set(&["spec", "replicas"], replicas);
        self.annotate(&mut set, next_revision, false);
        let name = ObjectName::namespaced(self.deployment.namespace(), set.name());
        let made = match create(self.api, set) {
            Ok(made) => made,
            Err(error) if error.is_already_exists() => return self.collided(&name, next_revision, error),
            Err(error) if error.message.ends_with("because it is being terminated") => return Err(error),
            Err(error) => {
                let text = format!("Failed to create new replica set {:?}: {error}", name.name);
                if super::has_deadline(&self.deployment) {
                    self.set_progressing("False", "ReplicaSetCreateError", &text)?;
                }
                self.events.warning(self.api, &self.deployment, "ReplicaSetCreateError", &text);
                return Err(error);
            }
        };
        if replicas > 0 {
            let text = format!("Scaled up replica set {} from 0 to {replicas}", made.name());
            self.events.normal(self.api, &self.deployment, "ScalingReplicaSet", &text);
        }
        let mut status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
        if super::has_deadline(&self.deployment) {
            let text = format!("Created new replica set {:?}", made.name());
            self.put_condition(&mut status, "Progressing", "True", "NewReplicaSetCreated", &text);
        }
        self.write_revision(&next_revision.to_string(), status)?;
        Ok(made)
    }

    /// The name is taken: by the set that is meant, or by one of another template with the same hash.
    fn collided(
        &mut self,
        name: &ObjectName,
        next_revision: i64,
        error: ApiError,
    ) -> Result<Arc<Object>, ApiError> {
        let present = self.api.find("apps", "ReplicaSet", name).cloned();
        let is_meant = |set: &Object| {
            set.controller().is_some_and(|owner| owner.text(&["uid"]) == self.deployment.uid())
                && same_template(&set["spec"]["template"], &self.deployment["spec"]["template"])
        };
        if let Some(set) = present.filter(|set| is_meant(set)) {
            let status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
            self.write_revision(&next_revision.to_string(), status)?;
            return Ok(set);
        }
        let mut status = self.deployment.get("status").cloned().unwrap_or_else(|| json!({}));
        let collisions = self.deployment.number(&["status", "collisionCount"]).unwrap_or_default();
        status.set(&["collisionCount"], collisions + 1);
        self.put_status(status)?;
        Err(error)
    }

    /// Takes annotations over from the deployment and numbers the revision.
    fn annotate(&self, set: &mut Object, next_revision: i64, exists: bool) {
        let annotations = self.deployment.at(&["metadata", "annotations"]).and_then(Value::as_object);
        for (key, value) in annotations.into_iter().flatten() {
            if !OWN_ANNOTATIONS.contains(&key.as_str()) {
                set.set(&["metadata", "annotations", key.as_str()], value.clone());
            }
        }
        let had_number = set.annotation(REVISION).is_some();
        let before = revision(set);
        if before < next_revision {
            set.set(&["metadata", "annotations", REVISION], next_revision.to_string());
            if had_number {
                let history = set.annotation(REVISION_HISTORY).unwrap_or_default();
                let mut numbers: Vec<String> =
                    history.split(',').filter(|number| !number.is_empty()).map(str::to_owned).collect();
                numbers.push(before.to_string());
                while numbers.len() > 1 && numbers.join(",").len() > HISTORY_LENGTH {
                    numbers.remove(0);
                }
                set.set(&["metadata", "annotations", REVISION_HISTORY], numbers.join(","));
            }
        }
        if !exists {
            self.annotate_sizes(set);
        }
    }

    fn annotate_sizes(&self, set: &mut Object) {
        let wanted = wanted(&self.deployment);
        set.set(&["metadata", "annotations", DESIRED], wanted.to_string());
        set.set(&["metadata", "annotations", MOST], (wanted + surge(&self.deployment)).to_string());
    }

    /// Sizes a replica set. True if its size changed.
    pub(super) fn resize(
        &mut self,
        sets: &mut Sets,
        set: &Arc<Object>,
        replicas: i64,
    ) -> Result<bool, ApiError> {
        let before = size(set);
        let mut object = Object::clone(set);
        object.set(&["spec", "replicas"], replicas);
        self.annotate_sizes(&mut object);
        if object == **set {
            return Ok(false);
        }
        let stored = update(self.api, object)?;
        if before != replicas {
            let direction = if replicas > before { "up" } else { "down" };
            let text =
                format!("Scaled {direction} replica set {} from {before} to {replicas}", stored.name());
            self.events.normal(self.api, &self.deployment, "ScalingReplicaSet", &text);
        }
        sets.replace(stored);
        Ok(before != replicas)
    }

    /// Deletes old replica sets beyond the limit of the history.
    pub(super) fn clean_up(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let limit = self.deployment.number(&["spec", "revisionHistoryLimit"]).unwrap_or(10);
        let mut old: Vec<&Arc<Object>> = sets.old.iter().filter(|set| !set.is_terminating()).collect();
        let surplus = old.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
        old.sort_by_cached_key(|set| (revision(set), age(set)));
        for set in old.into_iter().take(surplus) {
            let is_idle = size(set) == 0
                && count(set, "replicas") == 0
                && set.generation() <= count(set, "observedGeneration");
            let Some(kind) = self.api.kind_id("apps", "ReplicaSet").filter(|_| is_idle) else { continue };
            match self.api.delete(&manager(), kind, &set.object_name(), &DeleteOptions::default()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
