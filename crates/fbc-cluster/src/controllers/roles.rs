//! Cluster roles with an aggregation rule: their rules are those of the cluster roles that it selects.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::write::{outcome, update};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Writes the rules of aggregated cluster roles.
#[derive(Debug, Default)]
pub struct RoleAggregation {
    aggregated: BTreeMap<ObjectName, Vec<LabelSelector>>,
}

impl Controller for RoleAggregation {
    fn name(&self) -> &'static str {
        "clusterrole-aggregation-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "ClusterRole")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        match change.after.as_deref().map(selectors).filter(|selectors| !selectors.is_empty()) {
            Some(selectors) => {
                self.aggregated.insert(name.clone(), selectors);
            }
            None => {
                self.aggregated.remove(name);
            }
        }
        for (aggregated, selectors) in &self.aggregated {
            let selects = |role: &Object| selectors.iter().any(|selector| selector.matches_object(role));
            let roles = [change.before.as_deref(), change.after.as_deref()];
            if aggregated == name || roles.into_iter().flatten().any(selects) {
                requests.push(aggregated.clone());
            }
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let (Some(role), Some(selectors)) =
            (api.find(GROUP, "ClusterRole", request), self.aggregated.get(request))
        else {
            return Outcome::Done;
        };
        let rules = rules(api, request, selectors);
        if role.list(&["rules"]) == rules {
            return Outcome::Done;
        }
        let mut object = Object::clone(role);
        object.set(&["rules"], rules);
        outcome(update(api, object))
    }
}

fn selectors(role: &Object) -> Vec<LabelSelector> {
    let selectors = role.list(&["aggregationRule", "clusterRoleSelectors"]);
    selectors.iter().filter_map(|selector| LabelSelector::of_object(Some(selector)).ok()).collect()
}

/// The rules of all selected roles in the order of selectors and names, each once.
fn rules(api: &ApiServer, aggregated: &ObjectName, selectors: &[LabelSelector]) -> Vec<Value> {
    let mut rules: Vec<Value> = Vec::new();
    let Some(kind) = api.kind_id(GROUP, "ClusterRole") else { return rules };
    for selector in selectors {
        let roles: Vec<_> = match selector.required_label() {
            Some((key, value)) => api.store().with_label(kind, key, value).collect(),
            None => api.store().of_kind(kind).collect(),
        };
        for role in roles {
            if role.name() == aggregated.name || !selector.matches_object(role) {
                continue;
            }
            for rule in role.list(&["rules"]) {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
    }
    rules
}
