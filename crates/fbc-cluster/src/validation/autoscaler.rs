//! What is wrong with a HorizontalPodAutoscaler.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/autoscaling/validation/validation.go`.

use fbc_kubernetes::quantity::Quantity;
use serde_json::Value;

use super::names::NameForm;
use super::nodes::not_supported;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// The types of metrics, with the field that each fills in.
const SOURCES: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// What is wrong with an autoscaler.
pub(super) fn validate_autoscaler(autoscaler: &Object) -> Vec<FieldError> {
    let spec = &autoscaler["spec"];
    let mut errors = Vec::new();
    let (least, most) = (spec.number(&["minReplicas"]), spec.number(&["maxReplicas"]).unwrap_or_default());
    if let Some(least) = least.filter(|least| *least < 1) {
        errors.push(FieldError::invalid_number(
            "spec.minReplicas",
            least,
            "must be greater than or equal to 1",
        ));
    }
    if most < 1 {
        errors.push(FieldError::invalid_number("spec.maxReplicas", most, "must be greater than 0"));
    }
    if least.is_some_and(|least| most < least) {
        errors.push(FieldError::invalid_number(
            "spec.maxReplicas",
            most,
            "must be greater than or equal to `minReplicas`",
        ));
    }
    validate_reference(&spec["scaleTargetRef"], "spec.scaleTargetRef", &mut errors);
    for (index, metric) in spec.list(&["metrics"]).iter().enumerate() {
        validate_metric(metric, &format!("spec.metrics[{index}]"), &mut errors);
    }
    errors
}

fn validate_reference(reference: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for field in ["kind", "name"] {
        let (text, field) = (reference.text(&[field]), format!("{place}.{field}"));
        if text.is_empty() {
            errors.push(FieldError::required(field, ""));
        } else {
            let texts = NameForm::PathSegment.check(text, false);
            errors.extend(texts.into_iter().map(|detail| FieldError::invalid_text(&field, text, detail)));
        }
    }
}

fn validate_metric(metric: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let source = metric.text(&["type"]);
    let field = SOURCES.iter().find(|(name, _)| *name == source).map(|(_, field)| *field);
    if source.is_empty() {
        errors.push(FieldError::required(format!("{place}.type"), "must specify a metric source type"));
    }
    let Some(field) = field else {
        let names = SOURCES.map(|(name, _)| name);
        errors.push(not_supported(&format!("{place}.type"), source, &names));
        return;
    };
    for (_, other) in SOURCES.iter().filter(|(_, other)| *other != field) {
        if metric.given(&[other]).is_some() {
            let text = "must populate the given metric source only";
            errors.push(FieldError::forbidden(format!("{place}.{other}"), text));
        }
    }
    let Some(wish) = metric.given(&[field]) else {
        let text = "must populate information for the given metric source";
        errors.push(FieldError::required(format!("{place}.{field}"), text));
        return;
    };
    let place = format!("{place}.{field}");
    if matches!(field, "resource" | "containerResource") {
        if wish.text(&["name"]).is_empty() {
            errors.push(FieldError::required(format!("{place}.name"), "must specify a resource name"));
        }
        if field == "containerResource" && wish.text(&["container"]).is_empty() {
            errors.push(FieldError::required(format!("{place}.container"), "must specify a container"));
        }
        validate_resource_target(&wish["target"], &format!("{place}.target"), errors);
    } else {
        if field == "object" {
            validate_reference(&wish["describedObject"], &format!("{place}.describedObject"), errors);
        }
        if wish.text(&["metric", "name"]).is_empty() {
            errors.push(FieldError::required(format!("{place}.metric.name"), "must specify a metric name"));
        }
        validate_target_type(&wish["target"], &format!("{place}.target"), errors);
    }
}

fn validate_target_type(target: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const TYPES: [&str; 3] = ["AverageValue", "Utilization", "Value"];
    match target.text(&["type"]) {
        "" => errors.push(FieldError::required(format!("{place}.type"), "must specify a metric target type")),
        known if TYPES.contains(&known) => {}
        other => {
            let text = "must be either Utilization, Value, or AverageValue";
            errors.push(FieldError::invalid_text(format!("{place}.type"), other, text));
        }
    }
}

fn validate_resource_target(target: &Value, place: &str, errors: &mut Vec<FieldError>) {
    validate_target_type(target, place, errors);
    let utilization = target.number(&["averageUtilization"]);
    let value = target.given(&["averageValue"]);
    match (utilization, value) {
        (None, None) => {
            let text = "must set either a target raw value or a target utilization";
            errors.push(FieldError::required(format!("{place}.averageUtilization"), text));
        }
        (Some(_), Some(_)) => {
            let text = "may not set both a target raw value and a target utilization";
            errors.push(FieldError::forbidden(format!("{place}.averageValue"), text));
        }
        _ => {}
    }
    if let Some(percent) = utilization.filter(|percent| *percent < 1) {
        errors.push(FieldError::invalid_number(
            format!("{place}.averageUtilization"),
            percent,
            "must be greater than 0",
        ));
    }
    if let Some(value) =
        value.filter(|value| Quantity::from_json(value).is_none_or(|quantity| quantity.sign() != 1))
    {
        errors.push(FieldError::new(
            format!("{place}.averageValue"),
            FieldReason::Invalid,
            value.to_string(),
            "must be positive",
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn autoscalers_are_refused_with_the_texts_of_the_api_server() {
        let target = json!({"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"});
        let with = |metric: Value| json!({"maxReplicas": 3, "scaleTargetRef": target, "metrics": [metric]});
        let cpu =
            |target: Value| with(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
        let cases = [
            (json!({"maxReplicas": 3, "scaleTargetRef": target}), vec![]),
            (
                json!({"minReplicas": 0, "maxReplicas": -1, "scaleTargetRef": {"name": "a/b"}}),
                vec![
                    "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
                    "spec.maxReplicas: Invalid value: -1: must be greater than 0",
                    "spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`",
                    "spec.scaleTargetRef.kind: Required value",
                    "spec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain '/'",
                ],
            ),
            (cpu(json!({"type": "Utilization", "averageUtilization": 50})), vec![]),
            (
                cpu(json!({"type": "Utilization"})),
                vec![
                    "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
                ],
            ),
            (
                cpu(json!({"type": "AverageValue", "averageValue": "0", "averageUtilization": 0})),
                vec![
                    "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
                    "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
                    "spec.metrics[0].resource.target.averageValue: Invalid value: \"0\": must be positive",
                ],
            ),
            (
                with(json!({"type": "Pods", "resource": {}})),
                vec![
                    "spec.metrics[0].resource: Forbidden: must populate the given metric source only",
                    "spec.metrics[0].pods: Required value: must populate information for the given metric source",
                ],
            ),
        ];
        for (spec, expected) in cases {
            let errors = validate_autoscaler(&json!({"spec": spec}));
            let texts: Vec<String> =
                errors.iter().map(|error| format!("{}: {}", error.field, error.message())).collect();
            assert_eq!(texts, expected, "{spec}");
        }
    }
}
