//! The controller of OLMConfigs: whether operators for all namespaces are copied into all of them.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`syncOLMConfig`).

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Milliseconds;
use serde_json::{Value, json};

use super::apis::Namespaces;
use super::copies::copies_of;
use super::csv::object::originals;
use super::{CLUSTER_SERVICE_VERSIONS, OLM_CONFIGS, RESYNC};
use crate::Options;
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{GROUP, OLM_CONFIG, OPERATOR_GROUP};
use crate::retries::Retries;

/// The name of the one that counts.
pub const NAME: &str = "cluster";
const CONDITION: &str = "DisabledCopiedCSVs";

/// The one that counts, if it is there.
pub fn cluster(api: &ApiServer) -> Option<&Arc<Object>> {
    api.find(GROUP, OLM_CONFIG, &ObjectName::cluster(NAME))
}

/// Whether operators for all namespaces are copied.
pub fn copies(api: &ApiServer) -> bool {
    cluster(api).is_none_or(|config| copies_by(config))
}

fn copies_by(config: &Object) -> bool {
    config.at(&["spec", "features", "disableCopiedCSVs"]) != Some(&Value::Bool(true))
}

/// The controller.
pub struct OlmConfigs {
    options: Options,
    caller: Caller,
    retries: Retries,
    requeues: Vec<Requeue>,
}

impl OlmConfigs {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self {
            caller: options.olm_operator(),
            options: options.clone(),
            retries: Retries::default(),
            requeues: Vec::new(),
        }
    }

    /// Any OLMConfig gets a condition from its own specification (V0-131).
    fn look(&mut self, api: &mut ApiServer, request: &ObjectName) -> Result<(), LookError> {
        let Some(config) = api.find(GROUP, OLM_CONFIG, request).cloned() else { return Ok(()) };
        let copies = copies_by(&config);
        let expected = self.expected(api, copies);
        let groups = api.all(GROUP, OPERATOR_GROUP);
        let namespaces: BTreeSet<String> = groups
            .filter(|group| Namespaces::of_group(group).are_all())
            .map(|group| group.namespace().to_owned())
            .collect();
        let mut is_unsettled = false;
        for namespace in namespaces {
            let all = copies_of(api, &namespace);
            for version in originals(api, &namespace) {
                let found: BTreeSet<&str> = all
                    .iter()
                    .filter(|copy| copy.name() == version.name())
                    .map(|copy| copy.namespace())
                    .collect();
                let is_right = match &expected {
                    Expected::Count(count) => found.len() == *count,
                    Expected::Namespaces(names) => found.iter().copied().eq(names.iter().map(String::as_str)),
                };
                if !is_right {
                    self.requeues.push(Requeue::now(CLUSTER_SERVICE_VERSIONS, version.object_name()));
                    is_unsettled = true;
                }
            }
        }
        let (status, reason, message) = condition(copies, is_unsettled);
        let current = config.condition(CONDITION);
        let is_same = current.is_some_and(|current| {
            current["status"] == status && current["reason"] == reason && current["message"] == message
        });
        if is_same {
            return Ok(());
        }
        let since = current.filter(|current| current["status"] == status).map_or_else(
            || api.now().to_string(),
            |current| current.text(&["lastTransitionTime"]).to_owned(),
        );
        let mut conditions = config.list(&["status", "conditions"]).to_vec();
        conditions.retain(|condition| condition["type"] != CONDITION);
        conditions.push(json!({
            "type": CONDITION, "status": status, "reason": reason, "message": message, "lastTransitionTime": since,
        }));
        let written =
            Client::new(api, &self.caller).update_status(&config, json!({"conditions": conditions}));
        written.map(drop).map_err(|error| error.message.into())
    }

    fn expected(&self, api: &ApiServer, copies: bool) -> Expected {
        if !copies {
            return Expected::Namespaces(self.options.protected_namespaces.iter().cloned().collect());
        }
        let all = api.all("", "Namespace");
        let active = all.filter(|namespace| namespace.text(&["status", "phase"]) == "Active").count();
        // That of the original has none.
        Expected::Count(active.saturating_sub(1))
    }
}

/// Which copies there should be of an operator for all namespaces.
enum Expected {
    /// So many.
    Count(usize),
    /// In these namespaces.
    Namespaces(BTreeSet<String>),
}

fn condition(copies: bool, is_unsettled: bool) -> (&'static str, &'static str, &'static str) {
    match (copies, is_unsettled) {
        (true, false) => {
            ("False", "CopiedCSVsEnabled", "Copied CSVs are enabled and present across the cluster")
        }
        (true, true) => {
            ("False", "CopiedCSVsEnabled", "Copied CSVs are enabled and at least one copied CSVs is missing")
        }
        (false, true) => (
            "False",
            "CopiedCSVsDisabled",
            "Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in \
             AllNamespace mode",
        ),
        (false, false) => (
            "True",
            "CopiedCSVsDisabled",
            "Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in \
             AllNamespace mode",
        ),
    }
}

impl Controller for OlmConfigs {
    fn name(&self) -> &'static str {
        OLM_CONFIGS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, OLM_CONFIG)]
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let result = self.look(api, request);
        self.retries.outcome(request, result)
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
