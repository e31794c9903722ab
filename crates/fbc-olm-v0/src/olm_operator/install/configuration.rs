//! What Subscriptions configure of the Deployments of an operator, and the proxy of the cluster.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/overrides`.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Map, Value, json};

use crate::names::{GROUP, SUBSCRIPTION};

/// The variables that a proxy is told by, with the fields of its status.
const PROXY: [(&str, &str); 3] =
    [("HTTP_PROXY", "httpProxy"), ("HTTPS_PROXY", "httpsProxy"), ("NO_PROXY", "noProxy")];

/// The Subscription whose installed ClusterServiceVersion this is.
pub fn subscription(api: &ApiServer, version: &Object) -> Option<Arc<Object>> {
    let id = api.kind_id(GROUP, SUBSCRIPTION)?;
    let mut all = api.store().in_namespace(id, version.namespace());
    all.find(|one| one.text(&["status", "installedCSV"]) == version.name()).cloned()
}

/// Puts the configuration of the Subscription, and the proxy, into a Deployment. Shows V0-101.
pub fn inject(api: &ApiServer, version: &Object, deployment: &mut Object) {
    let subscription = subscription(api, version);
    let config =
        subscription.as_ref().and_then(|one| one.given(&["spec", "config"])).cloned().unwrap_or_default();
    let mut variables = config.list(&["env"]).to_vec();
    let is_proxy = |variable: &Value| PROXY.iter().any(|(name, _)| variable["name"] == *name);
    if !variables.iter().any(is_proxy) {
        variables.extend(proxy(api));
    }
    let pod = deployment.place(&["spec", "template", "spec"]);
    for container in items(pod, "containers") {
        inject_variables(container, &variables);
        append_new(container, "envFrom", config.list(&["envFrom"]));
        replace_by_name(container, "volumeMounts", config.list(&["volumeMounts"]));
        if let Some(resources) = config.given(&["resources"]) {
            container.set(&["resources"], resources.clone());
        }
    }
    replace_by_name(pod, "volumes", config.list(&["volumes"]));
    append_new(pod, "tolerations", config.list(&["tolerations"]));
    if let Some(selector) = config.given(&["nodeSelector"]) {
        pod.set(&["nodeSelector"], selector.clone());
    }
    if let Some(affinity) = config.given(&["affinity"]) {
        override_affinity(pod, affinity);
    }
    if let Some(annotations) = config.at(&["annotations"]).and_then(Value::as_object) {
        add_annotations(deployment.place(&["metadata"]), annotations);
        add_annotations(deployment.place(&["spec", "template", "metadata"]), annotations);
    }
}

fn proxy(api: &ApiServer) -> Vec<Value> {
    let Some(found) = api.find("config.openshift.io", "Proxy", &ObjectName::cluster("cluster")) else {
        return Vec::new();
    };
    let values = PROXY.iter().map(|(name, field)| (*name, found.text(&["status", field])));
    values
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect()
}

/// The items of a list, to be changed.
pub fn items<'v>(value: &'v mut Value, list: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

/// A list, made where it is missing.
fn list_of<'v>(value: &'v mut Value, list: &str) -> Option<&'v mut Vec<Value>> {
    let place = value.place(&[list]);
    if !place.is_array() {
        *place = Value::Array(Vec::new());
    }
    place.as_array_mut()
}

/// Sets variables of a container: those that it has in their place, others at the end.
pub fn inject_variables(container: &mut Value, variables: &[Value]) {
    // Of several variables of one name the last one counts.
    let last = |name: &Value| variables.iter().rev().find(|variable| variable["name"] == *name);
    if variables.is_empty() {
        return;
    }
    let Some(list) = list_of(container, "env") else { return };
    for variable in list.iter_mut() {
        if let Some(value) = last(&variable["name"]) {
            *variable = value.clone();
        }
    }
    for variable in variables {
        if !list.iter().any(|one| one["name"] == variable["name"]) {
            list.extend(last(&variable["name"]).cloned());
        }
    }
}

fn append_new(value: &mut Value, list: &str, new: &[Value]) {
    if new.is_empty() {
        return;
    }
    let before = value.list(&[list]).to_vec();
    if let Some(list) = list_of(value, list) {
        list.extend(new.iter().filter(|item| !before.contains(item)).cloned());
    }
}

fn replace_by_name(value: &mut Value, list: &str, new: &[Value]) {
    if new.is_empty() {
        return;
    }
    let before = value.list(&[list]).len();
    let Some(list) = list_of(value, list) else { return };
    for item in new {
        match list.iter_mut().take(before).find(|one| one["name"] == item["name"]) {
            Some(place) => *place = item.clone(),
            None => list.push(item.clone()),
        }
    }
}

/// Parts that are given replace those of the pod; an empty one takes them away, and an empty `podAntiAffinity` everything.
fn override_affinity(pod: &mut Value, affinity: &Value) {
    let is_empty =
        |value: &Value| value.as_object().is_none_or(|members| members.values().all(Value::is_null));
    if is_empty(affinity) {
        pod.remove(&["affinity"]);
        return;
    }
    if pod.at(&["affinity"]).is_none_or(is_empty) {
        pod.set(&["affinity"], affinity.clone());
        return;
    }
    for part in ["nodeAffinity", "podAffinity", "podAntiAffinity"] {
        match affinity.given(&[part]) {
            None => {}
            Some(new) if !is_empty(new) => pod.set(&["affinity", part], new.clone()),
            Some(_) if part == "podAntiAffinity" => {
                pod.remove(&["affinity"]);
                return;
            }
            Some(_) => {
                pod.remove(&["affinity", part]);
            }
        }
    }
    if pod.at(&["affinity"]).is_none_or(is_empty) {
        pod.remove(&["affinity"]);
    }
}

fn add_annotations(metadata: &mut Value, new: &Map<String, Value>) {
    for (key, value) in new {
        if metadata.at(&["annotations", key]).is_none() {
            metadata.set(&["annotations", key], value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_affinity_replace_each_other() {
        let own = json!({"nodeAffinity": {"a": 1}, "podAffinity": {"b": 1}});
        for (own, new, expected) in [
            (json!(null), json!({"podAffinity": {"c": 1}}), json!({"podAffinity": {"c": 1}})),
            (own.clone(), json!({}), json!(null)),
            (own.clone(), json!({"nodeAffinity": {}}), json!({"podAffinity": {"b": 1}})),
            (
                own.clone(),
                json!({"nodeAffinity": {"c": 1}}),
                json!({"nodeAffinity": {"c": 1}, "podAffinity": {"b": 1}}),
            ),
            (own.clone(), json!({"podAntiAffinity": {}}), json!(null)),
            (own, json!({"nodeAffinity": {}, "podAffinity": {}}), json!(null)),
        ] {
            let mut pod = json!({"affinity": own});
            override_affinity(&mut pod, &new);
            assert_eq!(pod.at(&["affinity"]).cloned().unwrap_or_default(), expected, "{new}");
        }
    }

    #[test]
    fn lists_merge_in_their_ways() {
        let mut container = json!({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]});
        inject_variables(
            &mut container,
            &[json!({"name": "C", "value": "2"}), json!({"name": "A", "value": "2"})],
        );
        assert_eq!(
            container["env"],
            json!([{"name": "A", "value": "2"}, {"name": "B", "value": "1"}, {"name": "C", "value": "2"}])
        );
        let mut pod = json!({"volumes": [{"name": "a"}], "tolerations": [{"key": "x"}]});
        replace_by_name(&mut pod, "volumes", &[json!({"name": "a", "emptyDir": {}}), json!({"name": "b"})]);
        append_new(&mut pod, "tolerations", &[json!({"key": "x"}), json!({"key": "y"})]);
        assert_eq!(
            pod,
            json!({
                "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b"}],
                "tolerations": [{"key": "x"}, {"key": "y"}],
            })
        );
    }
}
