//! The controller of namespaces: those of a group that is not for all have a label with its uid.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`syncNamespace`).

use std::collections::BTreeSet;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Milliseconds;
use serde_json::Value;

use super::apis;
use super::{NAMESPACES, RESYNC};
use crate::Options;
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{GROUP, OPERATOR_GROUP, OPERATOR_GROUP_UID_PREFIX};
use crate::retries::Retries;

/// The controller.
pub struct Namespaces {
    caller: Caller,
    retries: Retries,
}

impl Namespaces {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator(), retries: Retries::default() }
    }

    fn look(&self, api: &mut ApiServer, name: &ObjectName) -> Result<(), LookError> {
        let Some(found) = api.find("", "Namespace", name).cloned() else { return Ok(()) };
        let groups = api.all(GROUP, OPERATOR_GROUP).filter(|group| {
            let namespaces = apis::Namespaces::of_group(group);
            !namespaces.are_all() && namespaces.contain(&name.name)
        });
        let wanted: BTreeSet<String> =
            groups.map(|group| format!("{OPERATOR_GROUP_UID_PREFIX}{}", group.uid())).collect();
        let labels =
            found.at(&["metadata", "labels"]).and_then(Value::as_object).cloned().unwrap_or_default();
        let is_ours = |key: &str| key.starts_with(OPERATOR_GROUP_UID_PREFIX);
        let current: BTreeSet<String> = labels.keys().filter(|key| is_ours(key)).cloned().collect();
        if current == wanted {
            return Ok(());
        }
        let mut object = Object::clone(&found);
        let mut labels = labels;
        labels.retain(|key, _| !is_ours(key));
        labels.extend(wanted.into_iter().map(|key| (key, Value::from(""))));
        object.set(&["metadata", "labels"], labels);
        Client::new(api, &self.caller).update(object).map(drop).map_err(|error| error.message.into())
    }
}

impl Controller for Namespaces {
    fn name(&self) -> &'static str {
        NAMESPACES
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Namespace")]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.look(api, request);
        self.retries.outcome(request, result)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
