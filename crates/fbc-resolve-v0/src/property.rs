//! Properties of bundles and of installed operators.

use fbc_go::json::ReadError;
use serde_json::{Value, json};

/// The types of properties that the resolver knows.
pub mod kind {
    /// A package and a version: what the bundle is.
    pub const PACKAGE: &str = "olm.package";
    /// An API that the bundle provides.
    pub const API: &str = "olm.gvk";
    /// A label that the bundle has.
    pub const LABEL: &str = "olm.label";
    /// The bundle is no answer any more.
    pub const DEPRECATED: &str = "olm.deprecated";
    /// An API that some bundle must provide.
    pub const REQUIRED_API: &str = "olm.gvk.required";
    /// A package, in a range of versions, that must be there.
    pub const REQUIRED_PACKAGE: &str = "olm.package.required";
    /// A label that some bundle must have.
    pub const REQUIRED_LABEL: &str = "olm.label.required";
    /// Any other constraint.
    pub const CONSTRAINT: &str = "olm.constraint";
}

/// The annotation of a ClusterServiceVersion that holds the properties of its bundle.
pub const ANNOTATION: &str = "operatorframework.io/properties";

/// A property as the resolver gets it: a type, and a value as JSON text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Property {
    /// The type, such as `olm.gvk`.
    pub kind: String,
    /// The value as JSON; empty where there is none.
    pub value: String,
}

/// An API: group, version and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Api {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl Api {
    /// The API as a property of this type.
    #[must_use]
    pub(crate) fn property(&self, kind: &str) -> Property {
        let value = format!(
            r#"{{"group":{},"kind":{},"version":{}}}"#,
            quoted(&self.group),
            quoted(&self.kind),
            quoted(&self.version)
        );
        Property { kind: kind.to_owned(), value }
    }
}

impl std::fmt::Display for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}/{})", self.kind, self.group, self.version)
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The text of the annotation [`ANNOTATION`] for these properties.
///
/// Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/projection/properties.go`.
#[must_use]
pub fn annotation_of(properties: &[Property]) -> String {
    if properties.is_empty() {
        return "{}".to_owned();
    }
    let value = |property: &Property| match property.value.as_str() {
        "" => "null".to_owned(),
        value => fbc_go::json::compact(value),
    };
    let one =
        |property: &Property| format!(r#"{{"type":{},"value":{}}}"#, quoted(&property.kind), value(property));
    let all: Vec<String> = properties.iter().map(one).collect();
    fbc_go::json::escape_html(&format!(r#"{{"properties":[{}]}}"#, all.join(",")))
}

/// The texts of these fields of a JSON object, as Go decodes them into a struct: names in any case, absent ones and null
/// empty. Nothing if Go refuses the value.
pub(crate) fn texts<const N: usize>(json: &str, names: [&str; N]) -> Option<[String; N]> {
    let value = fbc_go::json::read_value(json).ok()?;
    let mut texts = [const { String::new() }; N];
    let fields = match &value {
        Value::Null => return Some(texts),
        Value::Object(fields) => fields,
        _ => return None,
    };
    for (name, text) in names.iter().zip(&mut texts) {
        let field = fields.get(*name).or_else(|| {
            fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        });
        match field {
            None | Some(Value::Null) => {}
            Some(Value::String(given)) => text.clone_from(given),
            Some(_) => return None,
        }
    }
    Some(texts)
}

/// The properties in the annotation of a ClusterServiceVersion.
///
/// # Errors
/// If it is not JSON.
pub(crate) fn from_annotation(text: &str) -> Result<Vec<Property>, ReadError> {
    let value = fbc_go::json::read_value(text)?;
    let list = value.get("properties").and_then(Value::as_array).cloned().unwrap_or_default();
    let property = |entry: &Value| Property {
        kind: entry.get("type").and_then(Value::as_str).unwrap_or_default().to_owned(),
        value: entry.get("value").map(Value::to_string).unwrap_or_default(),
    };
    Ok(list.iter().map(property).collect())
}

/// The properties as expressions see them. What is not JSON is an empty map.
pub(crate) fn values(properties: &[Property]) -> Value {
    let one = |property: &Property| match fbc_go::json::read_value(&property.value) {
        Ok(value) => json!({"type": property.kind, "value": as_doubles(value)}),
        Err(_) => json!({}),
    };
    Value::Array(properties.iter().map(one).collect())
}

/// A value as Go's decoder gives it where no type is asked for: all numbers are doubles.
fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map(Value::from).unwrap_or_default(),
        Value::Array(items) => items.into_iter().map(as_doubles).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, as_doubles(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_go_reads_them() {
        let read = |json: &str| texts(json, ["group", "kind"]);
        let some = |group: &str, kind: &str| Some([group.to_owned(), kind.to_owned()]);
        assert_eq!(read(r#"{"group": "a", "kind": "B"}"#), some("a", "B"));
        assert_eq!(read(r#"{"Group": "a", "kind": null, "other": 1}"#), some("a", ""));
        assert_eq!(read("null"), some("", ""));
        assert_eq!(read(r#"{"group": 1}"#), None);
        assert_eq!(read("[]"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn the_annotation_holds_values_of_any_shape() {
        let text =
            r#"{"properties": [{"type": "olm.label", "value": {"label": "x"}}, {"type": "a", "value": 1}]}"#;
        let property = |kind: &str, value: &str| Property { kind: kind.to_owned(), value: value.to_owned() };
        let expected = vec![property("olm.label", r#"{"label":"x"}"#), property("a", "1")];
        assert_eq!(from_annotation(text).unwrap(), expected);
        assert_eq!(from_annotation("{}").unwrap(), Vec::new());
        let range = [property("olm.package.required", r#"{"versionRange": "<2"}"#)];
        let written =
            r#"{"properties":[{"type":"olm.package.required","value":{"versionRange":"\u003c2"}}]}"#;
        assert_eq!(annotation_of(&range), written);
        assert!(from_annotation("{").is_err());
    }
}
