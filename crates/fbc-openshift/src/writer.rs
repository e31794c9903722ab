//! How OpenShift's controllers write: each under its own name, and only what differs.

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::engine::Outcome;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

/// A component that writes.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    caller: Caller,
}

impl Writer {
    /// A component by its name.
    pub(crate) fn new(name: &str) -> Self {
        Self { caller: Caller::administrator(name) }
    }

    /// Who it is for the API server.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Makes an object.
    pub(crate) fn create(&self, api: &mut ApiServer, object: Object) -> Result<Arc<Object>, ApiError> {
        api.create(&self.caller, object, WriteOptions::default())
    }

    /// Writes everything but the status, unless nothing differs.
    pub(crate) fn update(
        &self,
        api: &mut ApiServer,
        before: &Arc<Object>,
        after: Object,
    ) -> Result<Arc<Object>, ApiError> {
        self.write(api, before, after, Subresource::None)
    }

    /// Writes the status, unless nothing differs.
    pub(crate) fn update_status(
        &self,
        api: &mut ApiServer,
        before: &Arc<Object>,
        status: Value,
    ) -> Result<Arc<Object>, ApiError> {
        let mut after = Object::clone(before);
        after.set(&["status"], status);
        self.write(api, before, after, Subresource::Status)
    }

    fn write(
        &self,
        api: &mut ApiServer,
        before: &Arc<Object>,
        after: Object,
        subresource: Subresource,
    ) -> Result<Arc<Object>, ApiError> {
        if **before == after {
            return Ok(Arc::clone(before));
        }
        api.update(&self.caller, after, subresource, WriteOptions::default())
    }

    /// Changes an object as it is now; answers with nothing if it is gone.
    pub(crate) fn change(
        &self,
        api: &mut ApiServer,
        group: &str,
        kind: &str,
        name: &ObjectName,
        change: impl FnOnce(&mut Object),
    ) -> Result<Option<Arc<Object>>, ApiError> {
        let Some(before) = api.find(group, kind, name).cloned() else { return Ok(None) };
        let mut after = Object::clone(&before);
        change(&mut after);
        self.update(api, &before, after).map(Some)
    }

    /// Changes the status of an object as it is now; answers with nothing if it is gone.
    pub(crate) fn change_status(
        &self,
        api: &mut ApiServer,
        group: &str,
        kind: &str,
        name: &ObjectName,
        change: impl FnOnce(&mut Object),
    ) -> Result<Option<Arc<Object>>, ApiError> {
        let Some(before) = api.find(group, kind, name).cloned() else { return Ok(None) };
        let mut after = Object::clone(&before);
        change(&mut after);
        self.write(api, &before, after, Subresource::Status).map(Some)
    }

    /// Asks for the deletion of an object; what is gone already is fine.
    pub(crate) fn delete(
        &self,
        api: &mut ApiServer,
        group: &str,
        kind: &str,
        name: &ObjectName,
    ) -> Result<(), ApiError> {
        let Some(id) = api.kind_id(group, kind) else { return Ok(()) };
        match api.delete(&self.caller, id, name, &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }
}

/// What a reconciliation came to whose last write gave this.
pub(crate) fn outcome<T>(result: Result<T, ApiError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(error) if error.is_not_found() => Outcome::Done,
        Err(error) => Outcome::Failed(error.message),
    }
}
