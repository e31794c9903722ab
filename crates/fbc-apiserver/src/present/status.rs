//! `Status` objects with their fields in the order of Go's types: clients compare the text.
//!
//! Source: `kubernetes/apimachinery:pkg/apis/meta/v1/types.go`.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

const STATUS: [&str; 8] =
    ["kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"];
const DETAILS: [&str; 6] = ["name", "group", "kind", "uid", "causes", "retryAfterSeconds"];
const CAUSE: [&str; 3] = ["reason", "message", "field"];

/// True for a `Status`.
pub(super) fn is_status(value: &Value) -> bool {
    value.kind() == "Status" && value.api_version() == "v1"
}

/// A `Status` as JSON.
pub(super) fn status_json(status: &Value) -> String {
    let mut text = String::new();
    write(&mut text, status, &STATUS);
    text
}

/// Writes an object with the named members first.
fn write(text: &mut String, value: &Value, names: &[&str]) {
    let Value::Object(members) = value else { return text.push_str(&value.to_string()) };
    let named = names.iter().filter_map(|name| members.get_key_value(*name));
    let others = members.iter().filter(|(name, _)| !names.contains(&name.as_str()));
    text.push('{');
    for (index, (name, value)) in named.chain(others).enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        match (name.as_str(), value) {
            ("details", _) => write(text, value, &DETAILS),
            ("causes", Value::Array(causes)) => {
                text.push('[');
                for (index, cause) in causes.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    write(text, cause, &CAUSE);
                }
                text.push(']');
            }
            _ => text.push_str(&value.to_string()),
        }
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_come_in_the_order_of_go() {
        let status = json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "message": "no", "reason": "Invalid",
            "code": 422,
            "details": {"causes": [{"field": "spec", "message": "no", "reason": "FieldValueInvalid"}], "kind": "Pod", "name": "p"},
        });
        assert!(is_status(&status));
        assert_eq!(
            status_json(&status),
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"no\",\
             \"reason\":\"Invalid\",\"details\":{\"name\":\"p\",\"kind\":\"Pod\",\"causes\":[{\"reason\":\
             \"FieldValueInvalid\",\"message\":\"no\",\"field\":\"spec\"}]},\"code\":422}"
        );
    }
}
