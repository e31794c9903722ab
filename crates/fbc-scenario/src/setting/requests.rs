//! Requests of steps: what an administrator at a command line sends.

use std::sync::Arc;

use fbc_cluster::api::{
    Caller, DeleteOptions, FieldValidation, Patch, Propagation, Subresource, WriteOptions,
};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_kubectl::run::{ApplyMode, Request, Server};
use serde_json::{Value, json};

use super::{Setting, StepError};
use crate::kinds::means;
use crate::model::{ObjectReference, PatchKind};
use crate::read::manifests::Manifest;

/// Writes of command lines refuse unknown fields.
const STRICT: WriteOptions =
    WriteOptions { dry_run: false, validation: FieldValidation::Strict, names_manager: true };

impl Setting<'_> {
    pub(crate) fn create_one(&mut self, object: &Object) -> Result<Arc<Object>, StepError> {
        let object = self.placed(object);
        Ok(self.cluster.api.create(&Caller::administrator("kubectl-create"), object, STRICT)?)
    }

    /// Puts an object without namespace into `default` where its kind wants one, as command lines do.
    fn placed(&self, object: &Object) -> Object {
        let mut object = object.clone();
        let is_namespaced = self.cluster.api.kind_of(&object).is_ok_and(|(_, kind)| kind.namespaced);
        if is_namespaced && object.namespace().is_empty() {
            object.set(&["metadata", "namespace"], "default");
        }
        object
    }

    pub(crate) fn create(&mut self, manifests: &[Manifest]) -> Result<(), StepError> {
        for manifest in manifests {
            self.create_one(&manifest.object)?;
        }
        Ok(())
    }

    pub(crate) fn apply(&mut self, manifests: &[Manifest]) -> Result<(), StepError> {
        for manifest in manifests {
            let object = self.placed(&manifest.object);
            self.apply_one(&object)?;
        }
        Ok(())
    }

    fn apply_one(&mut self, object: &Object) -> Result<(), ApiError> {
        let user = Caller::administrator("kubectl-client-side-apply");
        let request = Request {
            user: user.user.name,
            groups: user.user.groups,
            field_manager: user.manager,
            ..Request::default()
        };
        Server::apply(&mut self.cluster.api, &request, object.clone(), ApplyMode::ClientSide)
            .map(drop)
            .map_err(|error| *error)
    }

    pub(crate) fn delete(
        &mut self,
        references: &[ObjectReference],
        propagation: Propagation,
    ) -> Result<(), StepError> {
        for reference in references {
            let id = self.kind_id(reference)?;
            let options = DeleteOptions { propagation, ..DeleteOptions::default() };
            let caller = Caller::administrator("kubectl-delete");
            self.cluster.api.delete(&caller, id, &reference.name, &options)?;
        }
        Ok(())
    }

    pub(crate) fn patch(
        &mut self,
        reference: &ObjectReference,
        kind: PatchKind,
        patch: &Value,
        of_status: bool,
    ) -> Result<(), StepError> {
        let id = self.kind_id(reference)?;
        let patch = match kind {
            PatchKind::Merge => Patch::Merge(patch.clone()),
            PatchKind::Json => Patch::Json(patch.clone()),
            PatchKind::Strategic => Patch::Strategic(patch.clone()),
        };
        let subresource = if of_status { Subresource::Status } else { Subresource::None };
        let caller = Caller::administrator("kubectl-patch");
        self.cluster.api.patch(&caller, id, &reference.name, &patch, subresource, STRICT)?;
        Ok(())
    }

    fn kind_id(&self, reference: &ObjectReference) -> Result<KindId, StepError> {
        let found = self.cluster.api.registry().iter().find(|(_, kind)| means(reference, kind));
        found.map(|(id, _)| id).ok_or_else(|| StepError::UnknownKind(reference.kind.to_lowercase()))
    }

    /// Takes a service account away, to be put back later.
    pub(super) fn take(&mut self, name: &ObjectName) -> Result<(), StepError> {
        let missing = || StepError::NoServiceAccount(name.clone());
        let id = self.cluster.api.kind_id("", "ServiceAccount").ok_or_else(missing)?;
        let object = self.cluster.api.store().get(id, name).cloned().ok_or_else(missing)?;
        let caller = Caller::administrator("kubectl-delete");
        self.cluster.api.delete(&caller, id, name, &DeleteOptions::default())?;
        self.taken.insert(name.clone(), Object::clone(&object));
        Ok(())
    }

    /// Puts a service account back that was taken away.
    pub(super) fn put_back(&mut self, name: &ObjectName) -> Result<(), StepError> {
        let Some(mut object) = self.taken.remove(name) else {
            return Err(StepError::NotBroken(name.clone()));
        };
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            object.remove(&["metadata", field]);
        }
        self.create_one(&object).map(drop)
    }

    /// Switches a ClusterCatalog on or off.
    pub(super) fn switch_catalog(&mut self, name: &str, is_available: bool) -> Result<(), StepError> {
        let mode = if is_available { "Available" } else { "Unavailable" };
        let reference = ObjectReference {
            kind: "ClusterCatalog".to_owned(),
            group: None,
            name: ObjectName::cluster(name),
            place: Default::default(),
        };
        self.patch(&reference, PatchKind::Merge, &json!({"spec": {"availabilityMode": mode}}), false)
    }
}
