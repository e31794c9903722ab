//! Rules within a definition: their parts, and whether they compile.

use fbc_cel::{LARGEST_REQUEST, Shape, Wanted};
use fbc_go::json;
use serde_json::{Value, json};

use super::openapi::{Context, Found};
use super::{invalid, invalid_text, not_supported};
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;
use crate::schema::go_value::go_value;
use crate::schema::path::Path;
use crate::schema::shape::least_bytes;

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

pub(super) fn validate(schema: &Value, field: &Path<'_>, context: Context<'_>, found: &mut Found) {
    let rules = schema.list(&["x-kubernetes-validations"]);
    for (index, rule) in rules.iter().enumerate() {
        validate_parts(
            rule,
            schema,
            &format!("{field}.x-kubernetes-validations[{index}]"),
            &mut found.of_schema,
        );
    }
    let Some(place) = context.compiled.filter(|_| found.of_schema.is_empty() && !rules.is_empty()) else {
        return;
    };
    if place.value_type().is_none() {
        let detail = "internal error: failed to retrieve type information for x-kubernetes-validations";
        let field = format!("{field}.x-kubernetes-validations");
        found.of_rules.push(FieldError::new(field, FieldReason::Internal, "", detail));
        return;
    }
    let times = context.count.unwrap_or_else(|| LARGEST_REQUEST / (least_bytes(place) + 1));
    for (index, (rule, compiled)) in rules.iter().zip(&place.rules).enumerate() {
        let field = format!("{field}.x-kubernetes-validations[{index}]");
        let (rule_cost, message_cost) = compiled.most_costs();
        let observed = [
            ("rule", "estimated rule cost", rule_cost.saturating_mul(times)),
            ("messageExpression", "estimated messageExpression cost", message_cost),
        ];
        for (part, name, cost) in observed {
            found.of_rules.extend(found.costs.observe(format!("{field}.{part}"), name, cost));
        }
        let mut refuse = |part: &str, value: String, detail: String| {
            found.of_rules.push(invalid(&format!("{field}.{part}"), value, detail));
        };
        let uses_old = match &compiled.program {
            Ok(program) => program.uses_old,
            Err(error) => {
                refuse("rule", go_rule(rule), error.text(Wanted::Bool));
                continue;
            }
        };
        if let Some(error) = compiled.message_error() {
            refuse("messageExpression", go_rule(rule), error.text(Wanted::Text));
        }
        if uses_old && let Some(place) = context.uncorrelatable {
            let detail =
                format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {place}");
            refuse("rule", go_value(&rule["rule"]), detail);
        }
        if let Some(optional) =
            rule.get("optionalOldSelf").filter(|optional| !uses_old && !optional.is_null())
        {
            refuse(
                "optionalOldSelf",
                optional.to_string(),
                "may not be set if oldSelf is not used in rule".to_owned(),
            );
        }
    }
}

fn validate_parts(rule: &Value, schema: &Value, field: &str, errors: &mut Vec<FieldError>) {
    let text = |name: &str| rule.text(&[name]);
    let place = |name: &str| format!("{field}.{name}");
    let is_blank = |name: &str| !text(name).is_empty() && text(name).trim().is_empty();
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let message = text("message").trim();
    if text("rule").trim().is_empty() {
        errors.push(FieldError::required(place("rule"), "rule is not specified"));
    } else if is_blank("message") {
        errors.push(invalid_text(&place("message"), text("message"), "must be non-empty if specified"));
    } else if breaks(message) {
        errors.push(invalid_text(&place("message"), text("message"), "must not contain line breaks"));
    } else if breaks(text("rule").trim()) && message.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.push(FieldError::required(place("message"), detail));
    }
    if is_blank("messageExpression") {
        let detail = "messageExpression must be non-empty if specified";
        errors.push(FieldError::required(place("messageExpression"), detail));
    }
    let reason = text("reason");
    if !reason.is_empty() && !REASONS.contains(&reason) {
        errors.push(not_supported(&place("reason"), reason, &REASONS));
    }
    let path = text("fieldPath");
    for (fails, detail) in [
        (is_blank("fieldPath"), "must be non-empty if specified"),
        (breaks(path), "must not contain line breaks"),
        (!path.is_empty() && !names_a_field(path, schema), "must be a valid path"),
    ] {
        if fails {
            errors.push(invalid_text(&place("fieldPath"), path, detail));
        }
    }
}

/// True if a path such as `.a.b` or `.a['b']` leads to a field of the schema.
fn names_a_field(path: &str, schema: &Value) -> bool {
    let Some(rest) = path.strip_prefix(['.', '[']) else { return false };
    let rest = rest.replace("['", ".").replace("']", "").replace('\'', "");
    rest.trim_end_matches(']')
        .split('.')
        .try_fold(schema, |schema, name| {
            let additional =
                || schema.get("additionalProperties").filter(|additional| additional.is_object());
            schema.at(&["properties", name]).or_else(additional)
        })
        .is_some()
}

/// A rule as Go prints its internal struct.
fn go_rule(rule: &Value) -> String {
    let text = |name: &str| json::encode(&json!(rule.text(&[name])));
    let optional = |name: &str| rule.get(name).map_or_else(|| "null".to_owned(), json::encode);
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\"OptionalOldSelf\":{}}}",
        text("rule"),
        text("message"),
        text("messageExpression"),
        optional("reason"),
        text("fieldPath"),
        optional("optionalOldSelf"),
    )
}
