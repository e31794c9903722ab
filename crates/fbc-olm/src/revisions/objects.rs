//! What becomes of a single object of a revision.
//!
//! Source: `package-operator/boxcutter:machinery/objects.go`, `results.go`.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use serde_json::{Value, json};

use super::Revision;
use super::comparison::Comparison;
use super::content::{Protection, Wanted};
use super::error::RevisionError;
use super::managers;
use super::probe::{Probed, Status};
use super::reference::title;
use crate::names;

/// What was done to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// It was not there.
    Created,
    /// It differed.
    Updated,
    /// Somebody else had changed it.
    Recovered,
    /// A newer revision has it.
    Progressed,
    /// It is as it should be.
    Idle,
    /// It belongs to somebody else.
    Collision,
}

/// An object after a revision looked at it.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) action: Action,
    pub(super) object: Arc<Object>,
    pub(super) probed: Probed,
    /// How a collision looks; empty for everything else.
    pub(super) report: String,
}

impl Outcome {
    /// True if what follows may roll out.
    pub(super) fn is_complete(&self) -> bool {
        self.action != Action::Collision && self.probed.status == Status::Succeeded
    }
}

/// Who controls an object.
#[derive(Debug, PartialEq, Eq)]
enum Situation {
    /// The revision itself.
    Own,
    /// Another active revision of the same extension.
    Sibling,
    /// Somebody else.
    Foreign,
    /// Nobody.
    Nobody,
}

/// What to do with an object that is there.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    Leave(Action),
    Apply(Action),
    Adopt,
}

/// The rule by which objects are taken over, changed or left alone.
fn decide(
    situation: &Situation,
    of: i64,
    revision: i64,
    managed: bool,
    protection: Protection,
    comparison: &Comparison,
) -> Decision {
    match situation {
        Situation::Foreign if protection == Protection::None => Decision::Adopt,
        Situation::Foreign => Decision::Leave(Action::Collision),
        // An object that revisions managed and that nobody controls was orphaned just now; the garbage collector would
        // delete it if it were taken over.
        Situation::Nobody if protection == Protection::Prevent || managed => {
            Decision::Leave(Action::Collision)
        }
        Situation::Nobody => Decision::Adopt,
        Situation::Sibling if of > revision => Decision::Leave(Action::Progressed),
        Situation::Sibling if of < revision => Decision::Adopt,
        Situation::Sibling => Decision::Leave(Action::Collision),
        Situation::Own if comparison.is_conflict() => Decision::Apply(Action::Recovered),
        Situation::Own if comparison.is_modified() => Decision::Apply(Action::Updated),
        Situation::Own => Decision::Leave(Action::Idle),
    }
}

/// Works on the objects of one revision, with the rights of its service account.
pub(super) struct Objects<'e> {
    pub(super) revision: &'e Revision<'e>,
    pub(super) api: &'e mut ApiServer,
}

impl Objects<'_> {
    /// The kind of an object, and the object as requests address it: of a kind of the whole cluster without a namespace.
    ///
    /// Source: `kubernetes/apiserver:pkg/registry/rest/meta.go`.
    fn addressed(&self, wanted: &Object) -> Result<(KindId, Object), ApiError> {
        let (id, kind) = self.api.kind_of(wanted)?;
        let mut object = wanted.clone();
        if !kind.namespaced {
            object.remove(&["metadata", "namespace"]);
        }
        Ok((id, object))
    }

    /// Asks the API server whether it would take an object.
    ///
    /// Source: `package-operator/boxcutter:validation/object.go`.
    pub(super) fn try_out(&mut self, wanted: &Object) -> Result<(), ApiError> {
        let (id, wanted) = self.addressed(wanted)?;
        let caller = self.revision.caller("dummy");
        let name = wanted.object_name();
        let patch = Patch::Apply { configuration: wanted, force: true };
        let options = WriteOptions { dry_run: true, ..WriteOptions::default() };
        match (self.api.patch(&caller, id, &name, &patch, Subresource::None, options), patch) {
            (Err(error), Patch::Apply { configuration, .. }) if error.is_not_found() => {
                self.api.create(&caller, configuration, options).map(drop)
            }
            (outcome, _) => outcome.map(drop),
        }
    }

    /// Brings an object into the state that the revision wants.
    pub(super) fn reconcile(&mut self, wanted: &Wanted) -> Result<Outcome, RevisionError> {
        let (id, mut object) =
            self.addressed(&wanted.object).map_err(RevisionError::during("getting object"))?;
        object.set(&["metadata", "labels", names::MANAGED_BY], names::OBJECT_MANAGER);
        object.set(&["metadata", "annotations", names::REVISION], self.revision.number.to_string());
        object.set(&["metadata", "ownerReferences"], json!([controller_reference(self.revision.object)]));
        match self.api.store().get(id, &object.object_name()).cloned() {
            None => self.create(object),
            Some(actual) => self.update(id, wanted.protection, object, &actual),
        }
    }

    fn create(&mut self, object: Object) -> Result<Outcome, RevisionError> {
        // Not by an application, which would change an object that is there after all.
        let caller = self.revision.caller(names::OBJECT_MANAGER);
        let created = self
            .api
            .create(&caller, object, WriteOptions::default())
            .map_err(RevisionError::during("creating resource"))?;
        let created = self
            .own_fields(&created)
            .map_err(RevisionError::during("migrating to SSA after create: update field managers"))?;
        Ok(self.outcome(Action::Created, created))
    }

    fn update(
        &mut self,
        id: KindId,
        protection: Protection,
        mut object: Object,
        actual: &Arc<Object>,
    ) -> Result<Outcome, RevisionError> {
        let version = object.api_version();
        if !self.revision.known_versions.contains(version) {
            return Err(RevisionError::UnknownVersion(version.to_owned()));
        }
        let comparison = Comparison::of(&object, actual, self.api.shape(id, version));
        let annotation = actual.annotation(names::REVISION);
        let of = match annotation.filter(|text| !text.is_empty()) {
            Some(text) => text.parse().map_err(|_| RevisionError::Number(text.to_owned()))?,
            None => 0,
        };
        let situation = self.situation(actual);
        let decision =
            decide(&situation, of, self.revision.number, annotation.is_some(), protection, &comparison);
        match decision {
            Decision::Leave(Action::Collision) => {
                let mut outcome = self.outcome(Action::Collision, Arc::clone(actual));
                outcome.report = report(&outcome, &comparison, actual.controller());
                Ok(outcome)
            }
            Decision::Leave(action) => Ok(self.outcome(action, Arc::clone(actual))),
            Decision::Apply(action) => {
                let (force, doing) = match action {
                    Action::Recovered => (true, "patching (conflict)"),
                    _ => (false, "patching (modified)"),
                };
                let applied = self.apply(id, object, actual, force).map_err(RevisionError::during(doing))?;
                Ok(self.outcome(action, applied))
            }
            Decision::Adopt => {
                object.set(&["metadata", "ownerReferences"], self.adopted_owners(actual));
                let applied = self
                    .apply(id, object, actual, true)
                    .map_err(RevisionError::during("patching (owner change)"))?;
                Ok(self.outcome(Action::Updated, applied))
            }
        }
    }

    fn situation(&self, actual: &Object) -> Situation {
        match actual.controller() {
            None => Situation::Nobody,
            Some(owner) if owner.text(&["uid"]) == self.revision.object.uid() => Situation::Own,
            Some(owner) if self.revision.siblings.iter().any(|uid| uid == owner.text(&["uid"])) => {
                Situation::Sibling
            }
            Some(_) => Situation::Foreign,
        }
    }

    /// The owners of an object once the revision controls it: all others stay, as mere owners.
    fn adopted_owners(&self, actual: &Object) -> Vec<Value> {
        let own = controller_reference(self.revision.object);
        let mut owners: Vec<Value> = actual
            .owner_references()
            .iter()
            .filter(|owner| owner["uid"] != own["uid"])
            .map(|owner| {
                let mut owner = owner.clone();
                owner.set(&["controller"], false);
                owner
            })
            .collect();
        owners.push(own);
        owners
    }

    /// Applies an object on the server's side, provided that it still is as it was seen.
    fn apply(
        &mut self,
        id: KindId,
        mut object: Object,
        actual: &Arc<Object>,
        force: bool,
    ) -> Result<Arc<Object>, ApiError> {
        let actual = self.own_fields(actual)?;
        object.set(&["metadata", "resourceVersion"], actual.text(&["metadata", "resourceVersion"]));
        let name = object.object_name();
        let patch = Patch::Apply { configuration: object, force };
        let caller = self.revision.caller(names::OBJECT_MANAGER);
        self.api.patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())
    }

    /// Makes what revisions wrote by creating an object theirs as by applying it.
    fn own_fields(&mut self, object: &Arc<Object>) -> Result<Arc<Object>, ApiError> {
        let Some(operations) = managers::upgrade_patch(object, names::OBJECT_MANAGER) else {
            return Ok(Arc::clone(object));
        };
        let (id, _) = self.api.kind_of(object)?;
        let caller = self.revision.caller(names::OPERATOR_CONTROLLER);
        let patch = Patch::Json(operations);
        self.api.patch(&caller, id, &object.object_name(), &patch, Subresource::None, WriteOptions::default())
    }

    /// Deletes an object that the revision applied last; objects of others only lose it as an owner. True if nothing
    /// is left to do.
    pub(super) fn tear_down(&mut self, wanted: &Object) -> Result<bool, RevisionError> {
        let Ok((id, wanted)) = self.addressed(wanted) else { return Ok(true) };
        let name = wanted.object_name();
        let caller = self.revision.caller(names::OPERATOR_CONTROLLER);
        if self.revision.object.finalizers().any(|finalizer| finalizer == "orphan") {
            return self.forget(&caller, id, &name).map(|()| true);
        }
        let Some(actual) = self.api.store().get(id, &name).cloned() else { return Ok(true) };
        self.revision.authenticate(self.api)?;
        let number = self.revision.number.to_string();
        let is_last = actual.annotation(names::REVISION) == Some(number.as_str());
        if !is_last && self.situation(&actual) != Situation::Own {
            let mut owners = actual.owner_references().to_vec();
            if let Some(own) =
                owners.iter().position(|owner| owner.text(&["uid"]) == self.revision.object.uid())
            {
                owners.swap_remove(own);
            }
            let owners = if owners.is_empty() { Value::Null } else { owners.into() };
            let patch = Patch::Merge(json!({"metadata": {"ownerReferences": owners}}));
            self.api.patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())?;
            return Ok(true);
        }
        let options = DeleteOptions { uid: Some(actual.uid().to_owned()), ..DeleteOptions::default() };
        match self.api.delete(&caller, id, &name, &options) {
            Ok(_) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(RevisionError::during("deleting object")(error)),
        }
    }

    /// Leaves an object behind without any sign of revisions.
    fn forget(&mut self, caller: &Caller, id: KindId, name: &ObjectName) -> Result<(), RevisionError> {
        let patch = Patch::Merge(json!({"metadata": {
            "annotations": {names::REVISION: null}, "labels": {names::MANAGED_BY: null},
        }}));
        match self.api.patch(caller, id, name, &patch, Subresource::None, WriteOptions::default()) {
            Err(error) if !error.is_not_found() => {
                Err(RevisionError::during("patching object labels")(error))
            }
            _ => Ok(()),
        }
    }

    fn outcome(&self, action: Action, object: Arc<Object>) -> Outcome {
        Outcome { action, probed: self.revision.probes.ask(&object), object, report: String::new() }
    }
}

/// A collision for people.
fn report(outcome: &Outcome, comparison: &Comparison, owner: Option<&Value>) -> String {
    let status = match outcome.probed.status {
        Status::Succeeded => "Succeeded",
        Status::Failed => "Failed",
        Status::Unknown => "Unknown",
    };
    let messages: String = outcome.probed.messages.iter().map(|message| format!("  - {message}\n")).collect();
    format!(
        "{}\nAction: \"Collision\"\nProbes:\n- Progress: {status}\n{messages}{}Conflicting Owner: {}\n",
        title(&outcome.object),
        comparison.report(),
        owner.map_or_else(|| "nil".to_owned(), go_owner),
    )
}

/// An owner reference as Go prints it.
fn go_owner(owner: &Value) -> String {
    let flag = |field: &str| match owner[field].as_bool() {
        Some(flag) => format!("*{flag}"),
        None => "nil".to_owned(),
    };
    format!(
        "&OwnerReference{{Kind:{},Name:{},UID:{},APIVersion:{},Controller:{},BlockOwnerDeletion:{},}}",
        owner.kind(),
        owner.text(&["name"]),
        owner.text(&["uid"]),
        owner.api_version(),
        flag("controller"),
        flag("blockOwnerDeletion"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of decisions; the object in the cluster is of revision `of`, the one that decides has number 2.
    #[test]
    fn decisions() {
        use Action::{Collision, Idle, Progressed};
        use Protection::{IfNoController, None as Never, Prevent};
        let idle = Comparison::default();
        for (situation, of, managed, protection, decision) in [
            (Situation::Own, 2, true, Prevent, Decision::Leave(Idle)),
            (Situation::Sibling, 1, true, Prevent, Decision::Adopt),
            (Situation::Sibling, 3, true, Prevent, Decision::Leave(Progressed)),
            (Situation::Sibling, 2, true, Never, Decision::Leave(Collision)),
            (Situation::Foreign, 0, false, Prevent, Decision::Leave(Collision)),
            (Situation::Foreign, 0, false, IfNoController, Decision::Leave(Collision)),
            (Situation::Foreign, 0, false, Never, Decision::Adopt),
            (Situation::Nobody, 0, false, Prevent, Decision::Leave(Collision)),
            (Situation::Nobody, 0, false, IfNoController, Decision::Adopt),
            (Situation::Nobody, 0, false, Never, Decision::Adopt),
            (Situation::Nobody, 1, true, Never, Decision::Leave(Collision)),
        ] {
            assert_eq!(
                decide(&situation, of, 2, managed, protection, &idle),
                decision,
                "{situation:?} {of} {protection:?}"
            );
        }
    }
}
