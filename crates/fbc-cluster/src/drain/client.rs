//! What a drain asks of a cluster.

use std::sync::Arc;

use super::Removal;
use crate::api::{ApiServer, Caller, DeleteOptions};
use crate::error::ApiError;
use crate::object::{Object, ObjectName};
use crate::time::Moment;

/// A connection to a cluster.
pub trait Client {
    /// The present moment.
    fn now(&self) -> Moment;

    /// A pod, if it is there.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn pod(&self, name: &ObjectName) -> Result<Option<Arc<Object>>, ApiError>;

    /// Asks for the eviction of a pod.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn evict(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError>;

    /// Deletes a pod.
    ///
    /// # Errors
    /// The refusal of the API server.
    fn delete(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError>;
}

/// The API server, as somebody.
pub struct ApiClient<'a> {
    /// The API server.
    pub api: &'a mut ApiServer,
    /// Who drains.
    pub caller: &'a Caller,
}

impl Removal {
    /// How the API server is to delete.
    pub fn delete_options(&self) -> DeleteOptions {
        DeleteOptions { grace_period: self.grace_period, dry_run: self.dry_run, ..DeleteOptions::default() }
    }
}

impl Client for ApiClient<'_> {
    fn now(&self) -> Moment {
        self.api.now()
    }

    fn pod(&self, name: &ObjectName) -> Result<Option<Arc<Object>>, ApiError> {
        let Some(kind) = self.api.kind_id("", "Pod") else { return Ok(None) };
        match self.api.get(self.caller, kind, name) {
            Ok(pod) => Ok(Some(pod)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn evict(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        self.api.evict(self.caller, name, &removal.delete_options())
    }

    fn delete(&mut self, name: &ObjectName, removal: &Removal) -> Result<(), ApiError> {
        let Some(kind) = self.api.kind_id("", "Pod") else { return Ok(()) };
        self.api.delete(self.caller, kind, name, &removal.delete_options()).map(drop)
    }
}
