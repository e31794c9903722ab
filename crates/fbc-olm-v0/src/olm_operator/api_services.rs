//! The queue of APIServices: those whose operator is gone go as well.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`syncAPIService`).

use fbc_cluster::api::{ApiServer, Caller, Propagation};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::ObjectName;
use fbc_cluster::time::Milliseconds;

use super::RESYNC;
use super::csv::object::original;
use super::owners::labelled_version;
use crate::Options;
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::API_REGISTRATION;
use crate::retries::Retries;

/// The controller.
pub struct ApiServices {
    caller: Caller,
    retries: Retries,
}

impl ApiServices {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator(), retries: Retries::default() }
    }

    fn look(&self, api: &mut ApiServer, request: &ObjectName) -> Result<(), LookError> {
        let Some(service) = api.find(API_REGISTRATION, "APIService", request).cloned() else { return Ok(()) };
        let Some(owner) = labelled_version(&service) else { return Ok(()) };
        let has_namespace = api.find("", "Namespace", &ObjectName::cluster(&*owner.namespace)).is_some();
        if has_namespace && original(api, &owner.namespace, &owner.name).is_some() {
            return Ok(());
        }
        let deleted = Client::new(api, &self.caller).delete(&service, Propagation::Background);
        deleted.map_err(|error| error.message.into())
    }
}

impl Controller for ApiServices {
    fn name(&self) -> &'static str {
        "operator-api-services"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(API_REGISTRATION, "APIService")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.look(api, request);
        self.retries.outcome(request, result)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
