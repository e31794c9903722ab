//! Quotas tell what is used of them.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/resourcequota/resource_quota_controller.go`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::write::{outcome, update_status};
use crate::admission::quotas::counted_kind;
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::kind::Kind;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{MINUTE, Milliseconds};

/// So often everything is counted again, for kinds that are not watched.
const RESYNC: Milliseconds = 5 * MINUTE;

/// Keeps the status of quotas.
#[derive(Debug, Default)]
pub struct ResourceQuotas;

impl Controller for ResourceQuotas {
    fn name(&self) -> &'static str {
        "resourcequota-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("", "ResourceQuota"),
            ("", "Pod"),
            ("", "Service"),
            ("", "PersistentVolumeClaim"),
            ("", "ConfigMap"),
            ("", "Secret"),
            ("", "ReplicationController"),
            ("apps", "Deployment"),
            ("apps", "StatefulSet"),
            ("batch", "Job"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(quotas) = api.kind_id("", "ResourceQuota") else { return };
        let quotas = api.store().in_namespace(quotas, &change.key.name.namespace);
        requests.extend(quotas.map(|quota| quota.object_name()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(quota) = api.find("", "ResourceQuota", request).cloned() else { return Outcome::Done };
        let status = status(api, &quota);
        match outcome(update_status(api, &quota, status)) {
            Outcome::Done => Outcome::Routinely(RESYNC),
            other => other,
        }
    }
}

fn status(api: &ApiServer, quota: &Object) -> Value {
    let hard = quota.at(&["spec", "hard"]).and_then(Value::as_object).cloned().unwrap_or_default();
    let mut amounts = BTreeMap::new();
    for (group, plural) in hard.keys().filter_map(|resource| counted_kind(resource)).collect::<BTreeSet<_>>()
    {
        let is_meant = |kind: &Kind| kind.group == group && kind.plural == plural;
        let Some((id, kind)) = api.registry().iter().find(|(_, kind)| is_meant(kind)) else { continue };
        amounts.extend(api.used(id, kind, quota));
    }
    let amount = |resource: &String| amounts.get(resource).copied().unwrap_or_default().to_string();
    let counted: Map<String, Value> =
        hard.keys().map(|resource| (resource.clone(), json!(amount(resource)))).collect();
    json!({"hard": hard, "used": counted})
}
