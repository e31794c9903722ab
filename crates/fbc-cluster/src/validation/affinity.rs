//! Validation of what draws pods to nodes and to each other, and what spreads them.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateAffinity`,
//! `validateTopologySpreadConstraints`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::metadata::{push_all, validate_selector};
use super::names::{label, label_value, qualified_name, subdomain};
use super::nodes::not_supported;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// What is wrong with the affinity of a pod specification.
pub(super) fn validate_affinity(spec: &Value, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let part = |field: &str| spec.given(&["affinity", field]);
    if let Some(nodes) = part("nodeAffinity") {
        validate_node_affinity(nodes, &format!("{place}.affinity.nodeAffinity"), &mut errors);
    }
    for field in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = part(field) else { continue };
        let place = format!("{place}.affinity.{field}");
        for (index, term) in pods.list(&[REQUIRED]).iter().enumerate() {
            validate_pod_term(term, &format!("{place}.{REQUIRED}[{index}]"), &mut errors);
        }
        for (index, term) in pods.list(&[PREFERRED]).iter().enumerate() {
            let place = format!("{place}.{PREFERRED}[{index}]");
            errors.extend(validate_weight(term, &place));
            validate_pod_term(&term["podAffinityTerm"], &format!("{place}.podAffinityTerm"), &mut errors);
        }
    }
    errors
}

fn validate_weight(term: &Value, place: &str) -> Option<FieldError> {
    let weight = term.number(&["weight"]).unwrap_or_default();
    let is_wrong = !(1..=100).contains(&weight);
    is_wrong
        .then(|| FieldError::invalid_number(format!("{place}.weight"), weight, "must be in the range 1-100"))
}

fn validate_node_affinity(nodes: &Value, place: &str, errors: &mut Vec<FieldError>) {
    if let Some(required) = nodes.given(&[REQUIRED]) {
        let (place, terms) =
            (format!("{place}.{REQUIRED}.nodeSelectorTerms"), required.list(&["nodeSelectorTerms"]));
        if terms.is_empty() {
            errors.push(FieldError::required(&place, "must have at least one node selector term"));
        }
        for (index, term) in terms.iter().enumerate() {
            validate_node_term(term, true, &format!("{place}[{index}]"), errors);
        }
    }
    for (index, term) in nodes.list(&[PREFERRED]).iter().enumerate() {
        let place = format!("{place}.{PREFERRED}[{index}]");
        errors.extend(validate_weight(term, &place));
        // Values that no label has do no harm where nothing depends on them.
        validate_node_term(&term["preference"], false, &format!("{place}.preference"), errors);
    }
}

fn validate_node_term(term: &Value, checks_values: bool, place: &str, errors: &mut Vec<FieldError>) {
    for (index, requirement) in term.list(&["matchExpressions"]).iter().enumerate() {
        let place = format!("{place}.matchExpressions[{index}]");
        validate_expression(requirement, checks_values, &place, errors);
    }
    for (index, requirement) in term.list(&["matchFields"]).iter().enumerate() {
        validate_field(requirement, &format!("{place}.matchFields[{index}]"), errors);
    }
}

fn validate_expression(requirement: &Value, checks_values: bool, place: &str, errors: &mut Vec<FieldError>) {
    let (values, of_values) = (requirement.list(&["values"]), format!("{place}.values"));
    match requirement.text(&["operator"]) {
        "In" | "NotIn" if values.is_empty() => {
            let text = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(FieldError::required(&of_values, text));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(FieldError::forbidden(&of_values, text));
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let text = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(FieldError::required(&of_values, text));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => errors.push(not_an_operator(other, place)),
    }
    let key = requirement.text(&["key"]);
    push_all(errors, &format!("{place}.key"), key, qualified_name(key));
    for (index, value) in values.iter().filter_map(Value::as_str).enumerate().filter(|_| checks_values) {
        push_all(errors, &format!("{of_values}[{index}]"), value, label_value(value));
    }
}

fn not_an_operator(operator: &str, place: &str) -> FieldError {
    FieldError::invalid_text(format!("{place}.operator"), operator, "not a valid selector operator")
}

/// A requirement for a field of the node, of which only the name can be asked for.
fn validate_field(requirement: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let values = requirement.list(&["values"]);
    match requirement.text(&["operator"]) {
        "In" | "NotIn" if values.len() != 1 => {
            let text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.push(FieldError::required(format!("{place}.values"), text));
        }
        "In" | "NotIn" => {}
        other => errors.push(not_an_operator(other, place)),
    }
    let key = requirement.text(&["key"]);
    if key != "metadata.name" {
        let text = "not a valid field selector key";
        errors.push(FieldError::invalid_text(format!("{place}.key"), key, text));
        return;
    }
    for (index, value) in values.iter().filter_map(Value::as_str).enumerate() {
        push_all(errors, &format!("{place}.values[{index}]"), value, subdomain(value));
    }
}

fn validate_pod_term(term: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for field in ["labelSelector", "namespaceSelector"] {
        errors.extend(validate_selector(term.at(&[field]), &format!("{place}.{field}")));
    }
    for name in term.list(&["namespaces"]).iter().filter_map(Value::as_str) {
        push_all(errors, &format!("{place}.namespace"), name, label(name));
    }
    let selector = term.given(&["labelSelector"]);
    let keys = |field: &str| term.list(&[field]).iter().filter_map(Value::as_str).collect::<Vec<_>>();
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        let (keys, place) = (keys(field), format!("{place}.{field}"));
        if selector.is_none() && !keys.is_empty() {
            let text = "must not be specified when labelSelector is not set";
            errors.push(FieldError::forbidden(place, text));
            continue;
        }
        for (index, key) in keys.into_iter().enumerate() {
            push_all(errors, &format!("{place}[{index}]"), key, qualified_name(key));
        }
    }
    let others: BTreeSet<&str> = keys("mismatchLabelKeys").into_iter().collect();
    for (index, key) in keys("matchLabelKeys").into_iter().enumerate().filter(|(_, key)| others.contains(key))
    {
        let text = "exists in both matchLabelKeys and mismatchLabelKeys";
        errors.push(FieldError::invalid_text(format!("{place}.matchLabelKeys[{index}]"), key, text));
    }
    let (topology, place) = (term.text(&["topologyKey"]), format!("{place}.topologyKey"));
    if topology.is_empty() {
        errors.push(FieldError::required(&place, "can not be empty"));
    }
    push_all(errors, &place, topology, qualified_name(topology));
}

/// What is wrong with the spread constraints of a pod specification.
pub(super) fn validate_spread(spec: &Value, place: &str) -> Vec<FieldError> {
    const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
    const POLICIES: [&str; 2] = ["Honor", "Ignore"];
    let mut errors = Vec::new();
    let constraints = spec.list(&["topologySpreadConstraints"]);
    let mut later = BTreeSet::new();
    let mut is_repeated: Vec<bool> =
        constraints.iter().rev().map(|constraint| !later.insert(spread_kind(constraint))).collect();
    is_repeated.reverse();
    for (index, constraint) in constraints.iter().enumerate() {
        let place = format!("{place}.topologySpreadConstraints[{index}]");
        let of = |field: &str| format!("{place}.{field}");
        let skew = constraint.number(&["maxSkew"]).unwrap_or_default();
        if skew <= 0 {
            errors.push(FieldError::invalid_number(of("maxSkew"), skew, "must be greater than zero"));
        }
        let [key, action] = spread_kind(constraint);
        if key.is_empty() {
            errors.push(FieldError::required(of("topologyKey"), "can not be empty"));
        }
        if !ACTIONS.contains(&action) {
            errors.push(not_supported(&of("whenUnsatisfiable"), action, &ACTIONS));
        }
        if is_repeated[index] {
            let value = format!("{:?}", format!("{{{key}, {action}}}"));
            let place = of("{topologyKey, whenUnsatisfiable}");
            errors.push(FieldError::new(place, FieldReason::Duplicate, value, ""));
        }
        if let Some(domains) = constraint.number(&["minDomains"]) {
            if domains <= 0 {
                errors.push(FieldError::invalid_number(
                    of("minDomains"),
                    domains,
                    "must be greater than zero",
                ));
            }
            if action != "DoNotSchedule" {
                let text =
                    format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.push(FieldError::invalid_number(of("minDomains"), domains, text));
            }
        }
        for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            if let Some(policy) = constraint.at(&[field]).and_then(Value::as_str)
                && !POLICIES.contains(&policy)
            {
                errors.push(not_supported(&of(field), policy, &POLICIES));
            }
        }
        validate_spread_keys(constraint, &of("matchLabelKeys"), &mut errors);
        errors.extend(validate_selector(constraint.at(&["labelSelector"]), &of("labelSelector")));
    }
    errors
}

/// What only one of the spread constraints of a pod may have.
fn spread_kind(constraint: &Value) -> [&str; 2] {
    ["topologyKey", "whenUnsatisfiable"].map(|field| constraint.text(&[field]))
}

fn validate_spread_keys(constraint: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let keys = constraint.list(&["matchLabelKeys"]);
    let selector = constraint.given(&["labelSelector"]);
    if !keys.is_empty() && selector.is_none() {
        let text = "must not be specified when labelSelector is not set";
        errors.push(FieldError::forbidden(place, text));
    }
    let expressions = selector.map(|selector| selector.list(&["matchExpressions"])).unwrap_or_default();
    let expressions: BTreeSet<&str> = expressions.iter().filter_map(|one| one["key"].as_str()).collect();
    let selects_by = |key: &str| {
        expressions.contains(key)
            || selector.is_some_and(|selector| selector.at(&["matchLabels", key]).is_some())
    };
    for (index, key) in keys.iter().filter_map(Value::as_str).enumerate() {
        let place = format!("{place}[{index}]");
        push_all(errors, &place, key, qualified_name(key));
        if selects_by(key) {
            let text = "exists in both matchLabelKeys and labelSelector";
            errors.push(FieldError::invalid_text(place, key, text));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::texts;
    use super::*;

    #[test]
    fn affinities_are_refused_with_the_texts_of_the_api_server() {
        let required = |term: Value| json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}});
        let pods =
            |term: Value| json!({"podAntiAffinity": {PREFERRED: [{"weight": 0, "podAffinityTerm": term}]}});
        let of_nodes = format!("spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms");
        let of_pods = format!("spec.affinity.podAntiAffinity.{PREFERRED}[0]");
        let cases = [
            (required(json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]})), vec![]),
            (
                json!({"nodeAffinity": {REQUIRED: {}}}),
                vec![format!("{of_nodes}: Required value: must have at least one node selector term")],
            ),
            (
                required(json!({"matchExpressions": [
                    {"key": "a", "operator": "In"}, {"key": "a", "operator": "Gt", "values": ["1", "2"]},
                    {"key": "a", "operator": "Is"},
                ]})),
                vec![
                    format!(
                        "{of_nodes}[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
                    ),
                    format!(
                        "{of_nodes}[0].matchExpressions[1].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"
                    ),
                    format!(
                        "{of_nodes}[0].matchExpressions[2].operator: Invalid value: \"Is\": not a valid selector operator"
                    ),
                ],
            ),
            (
                required(json!({"matchFields": [{"key": "spec.x", "operator": "In", "values": ["a", "b"]}]})),
                vec![
                    format!(
                        "{of_nodes}[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
                    ),
                    format!(
                        "{of_nodes}[0].matchFields[0].key: Invalid value: \"spec.x\": not a valid field selector key"
                    ),
                ],
            ),
            (
                pods(json!({"topologyKey": "zone", "matchLabelKeys": ["a"]})),
                vec![
                    format!("{of_pods}.weight: Invalid value: 0: must be in the range 1-100"),
                    format!(
                        "{of_pods}.podAffinityTerm.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"
                    ),
                ],
            ),
        ];
        for (affinity, expected) in cases {
            assert_eq!(
                texts(&validate_affinity(&json!({"affinity": affinity}), "spec")),
                expected,
                "{affinity}"
            );
        }
        let without_topology = json!({"affinity": {"podAffinity": {REQUIRED: [{}]}}});
        let found = texts(&validate_affinity(&without_topology, "spec"));
        assert!(found[0].ends_with(".topologyKey: Required value: can not be empty"), "{found:?}");
    }

    #[test]
    fn spread_constraints_are_refused_with_the_texts_of_the_api_server() {
        let constraint = json!({"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"});
        let with = |field: &str, value: Value| {
            let mut constraint = constraint.clone();
            constraint.set(&[field], value);
            constraint
        };
        let place = "spec.topologySpreadConstraints[0]";
        let cases = [
            (vec![constraint.clone()], vec![]),
            (
                vec![with("maxSkew", json!(0))],
                vec![format!("{place}.maxSkew: Invalid value: 0: must be greater than zero")],
            ),
            (
                vec![constraint.clone(), constraint.clone()],
                vec![format!(
                    "{place}.{{topologyKey, whenUnsatisfiable}}: Duplicate value: \"{{zone, DoNotSchedule}}\""
                )],
            ),
            (
                vec![with("whenUnsatisfiable", json!("Never"))],
                vec![format!(
                    "{place}.whenUnsatisfiable: Unsupported value: \"Never\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\""
                )],
            ),
            (
                vec![with("nodeTaintsPolicy", json!("No"))],
                vec![format!(
                    "{place}.nodeTaintsPolicy: Unsupported value: \"No\": supported values: \"Honor\", \"Ignore\""
                )],
            ),
        ];
        for (constraints, expected) in cases {
            let spec = json!({"topologySpreadConstraints": constraints});
            assert_eq!(texts(&validate_spread(&spec, "spec")), expected, "{spec}");
        }
    }
}
