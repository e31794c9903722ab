//! Label selectors as text.

use serde_json::Value;

use fbc_cluster::object::ObjectFields;

/// A `LabelSelector`, or a plain map of labels, as one line: `a=b,c in (d,e),!f`; empty if it selects everything.
///
/// Source: `kubernetes/apimachinery:pkg/apis/meta/v1/helpers.go`, `FormatLabelSelector`.
pub fn selector_text(selector: &Value) -> String {
    let is_label_selector = selector.get("matchLabels").is_some_and(Value::is_object)
        || selector.get("matchExpressions").is_some_and(Value::is_array);
    let labels = if is_label_selector { selector.get("matchLabels") } else { Some(selector) };
    let mut requirements: Vec<(&str, String)> = labels
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), format!("{key}={}", value.as_str().unwrap_or_default())))
        .collect();
    for expression in selector.list(&["matchExpressions"]) {
        let key = expression.text(&["key"]);
        let mut values: Vec<&str> = expression.list(&["values"]).iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let text = match expression.text(&["operator"]) {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => "<error>".to_owned(),
        };
        requirements.push((key, text));
    }
    requirements.sort_by(|a, b| a.0.cmp(b.0));
    requirements.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_sorted_by_key() {
        for (selector, expected) in [
            (json!({"matchLabels": {"b": "1", "a": "2"}}), "a=2,b=1"),
            (json!({"b": "1"}), "b=1"),
            (json!({}), ""),
            (json!(null), ""),
            (
                json!({"matchLabels": {"m": "x"}, "matchExpressions": [
                    {"key": "z", "operator": "In", "values": ["b", "a"]}, {"key": "a", "operator": "DoesNotExist"},
                    {"key": "e", "operator": "Exists"}, {"key": "n", "operator": "NotIn", "values": ["q"]}]}),
                "!a,e,m=x,n notin (q),z in (a,b)",
            ),
        ] {
            assert_eq!(selector_text(&selector), expected);
        }
    }
}
