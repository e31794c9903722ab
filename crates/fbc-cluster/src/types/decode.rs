//! What the API server reads of an object of a built-in kind: Go's decoding and encoding again, in place.
//!
//! Unknown fields and nulls vanish, zero values of fields that are never left out appear, quantities become canonical.
//! Source: `kubernetes-sigs/json:internal/golang/encoding/json/decode.go`.

use fbc_go::base64::{self, Base64Error};
use fbc_go::time;
use fbc_kubernetes::quantity::{QuantityError, canonical_quantity};
use serde_json::{Map, Value};

use super::zero::{always, is_left_out, zero};
use super::{Field, Struct, StructId, Type, types};

/// What was found while an object was decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoding {
    /// Paths of fields that the type does not have, such as `spec.tolerations[0].foo`; they are gone from the object.
    pub unknown_fields: Vec<String>,
}

impl Decoding {
    /// The text of a refusal where unknown fields are refused (`fieldValidation: Strict`), without what comes before
    /// `strict decoding error`; `None` if every field is known.
    pub fn strict_error(&self) -> Option<String> {
        let fields: Vec<String> =
            self.unknown_fields.iter().map(|path| format!("unknown field {path:?}")).collect();
        (!fields.is_empty()).then(|| format!("strict decoding error: {}", fields.join(", ")))
    }
}

/// A value that does not fit its Go type, in the words of Go: `json: cannot unmarshal string into Go struct field
/// Toleration.spec.tolerations.tolerationSeconds of type int64`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is of another type.
    #[error("json: cannot unmarshal {found} into {place} of type {wanted}")]
    Type {
        /// What it is.
        found: String,
        /// Where it belongs.
        place: String,
        /// The type.
        wanted: String,
    },
    /// It is not base64.
    #[error(transparent)]
    Base64(#[from] Base64Error),
    /// It is not a time.
    #[error(transparent)]
    Time(#[from] time::ParseError),
    /// It is not a quantity.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

impl DecodeError {
    /// A value of another type, in a field that is named with its struct: `Toleration.spec.tolerations.key`.
    pub fn field(found: impl Into<String>, field: &str, wanted: &str) -> Self {
        let place = format!("Go struct field {field}");
        Self::Type { found: found.into(), place, wanted: wanted.to_owned() }
    }

    /// A value of another type, whose place Go does not name.
    fn value(found: impl Into<String>, wanted: &str) -> Self {
        Self::Type { found: found.into(), place: "Go value".to_owned(), wanted: wanted.to_owned() }
    }
}

/// Decodes an object in place.
///
/// # Errors
/// The first value that does not fit. The API server puts
/// `Pod in version "v1" cannot be handled as a Pod: ` before it and answers 400. The object is then half decoded.
pub fn decode(object: &mut Value, of: StructId) -> Result<Decoding, DecodeError> {
    let mut walk = Walk { path: Vec::new(), owner: "", unknown_fields: Vec::new() };
    walk.value(object, &Type::Struct(of))?;
    Ok(Decoding { unknown_fields: walk.unknown_fields })
}

/// Decodes some fields of an object in place, and leaves the others as they are.
///
/// # Errors
/// As [`decode`].
pub fn decode_fields(object: &mut Value, of: StructId, names: &[&str]) -> Result<Decoding, DecodeError> {
    let of = types().get(of);
    let mut walk = Walk { path: Vec::new(), owner: of.name, unknown_fields: Vec::new() };
    let found = name_of(object);
    let Some(members) = object.as_object_mut() else { return Err(walk.misfit(found, &Type::Any)) };
    for field in of.fields.iter().filter(|field| names.contains(&field.name)) {
        let Some(value) = members.get_mut(field.name) else { continue };
        if walk.field(value, of, field)? {
            members.remove(field.name);
        }
    }
    Ok(Decoding { unknown_fields: walk.unknown_fields })
}

enum Step {
    Field(&'static str),
    Key(String),
    Index(usize),
}

struct Walk {
    path: Vec<Step>,
    /// The struct that the current field belongs to.
    owner: &'static str,
    unknown_fields: Vec<String>,
}

impl Walk {
    fn value(&mut self, value: &mut Value, of: &Type) -> Result<(), DecodeError> {
        if value.is_null() {
            *value = zero(of);
            return Ok(());
        }
        match (of, &mut *value) {
            (Type::Optional(inner), _) => self.value(value, inner),
            (Type::Struct(id), Value::Object(members)) => self.members(members, *id),
            (Type::List(item), Value::Array(items)) => {
                for (index, value) in items.iter_mut().enumerate() {
                    self.path.push(Step::Index(index));
                    self.value(value, item)?;
                    self.path.pop();
                }
                Ok(())
            }
            (Type::Map(item), Value::Object(members)) => {
                for (key, value) in members.iter_mut() {
                    self.path.push(Step::Key(key.clone()));
                    self.value(value, item)?;
                    self.path.pop();
                }
                Ok(())
            }
            (Type::Any | Type::Special(_) | Type::Raw | Type::Fields, _)
            | (Type::Text(_), Value::String(_))
            | (Type::Flag, Value::Bool(_))
            | (Type::Float, Value::Number(_))
            | (Type::IntOrText, Value::String(_)) => Ok(()),
            (Type::Whole(name), Value::Number(number)) => {
                let fits =
                    number.as_i64().is_some_and(|number| *name == "int64" || i32::try_from(number).is_ok());
                if fits { Ok(()) } else { Err(self.misfit(&format!("number {number}"), of)) }
            }
            (Type::IntOrText, Value::Number(number)) => match number.as_i64().map(i32::try_from) {
                Some(Ok(_)) => Ok(()),
                _ => Err(DecodeError::value(format!("number {number}"), "int32")),
            },
            (Type::Bytes, Value::String(text)) => {
                base64::decode(text)?;
                Ok(())
            }
            (Type::Quantity, Value::String(_) | Value::Number(_)) => quantity(value),
            (Type::Time, Value::String(text)) => {
                let (seconds, nanoseconds) = time::parse_rfc3339(text)?;
                // Most times are written as Go writes them.
                let is_plain = text.len() == "2006-01-02T15:04:05Z".len() && text.as_bytes()[13] == b':';
                if !is_plain || nanoseconds > 0 || !text.ends_with('Z') {
                    *text = time::rfc3339(seconds);
                }
                Ok(())
            }
            (Type::MicroTime, Value::String(text)) => {
                let (seconds, nanoseconds) = time::parse_rfc3339(text)?;
                let whole = time::rfc3339(seconds);
                *text = format!("{}.{:06}Z", whole.trim_end_matches('Z'), nanoseconds / 1000);
                Ok(())
            }
            (Type::Duration, Value::String(_)) => Ok(()),
            (Type::Time | Type::MicroTime | Type::Duration, _) => {
                Err(DecodeError::value(name_of(value), "string"))
            }
            _ => Err(self.misfit(name_of(value), of)),
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>, id: StructId) -> Result<(), DecodeError> {
        let of = types().get(id);
        let outer = self.owner;
        // Most fields of most structs are absent; those that are there are decoded in Go's order.
        let mut present = Vec::with_capacity(members.len());
        let mut surplus: Vec<String> = Vec::new();
        for (name, value) in members.iter_mut() {
            match of.fields.iter().position(|field| field.name == name) {
                Some(place) => present.push((place, value)),
                None => surplus.push(name.clone()),
            }
        }
        for name in &surplus {
            let path = self.text(true);
            let dot = if path.is_empty() { "" } else { "." };
            self.unknown_fields.push(format!("{path}{dot}{name}"));
        }
        present.sort_unstable_by_key(|(place, _)| *place);
        for (place, value) in present {
            let Some(field) = of.fields.get(place) else { continue };
            if self.field(value, of, field)? {
                surplus.push(field.name.to_owned());
            }
        }
        for name in &surplus {
            members.remove(name);
        }
        for (name, value) in always(of) {
            if !members.contains_key(*name) {
                members.insert((*name).to_owned(), value.clone());
            }
        }
        self.owner = outer;
        Ok(())
    }

    /// Decodes a field; true if it is left out then.
    fn field(
        &mut self,
        value: &mut Value,
        of: &'static Struct,
        field: &'static Field,
    ) -> Result<bool, DecodeError> {
        self.owner = of.name;
        self.path.push(Step::Field(field.name));
        self.value(value, &field.of)?;
        self.path.pop();
        Ok(is_left_out(value, field))
    }

    /// The path of the current place, with places in lists and maps or without.
    fn text(&self, whole: bool) -> String {
        let mut text = String::new();
        for step in &self.path {
            let name = match step {
                Step::Field(name) => name,
                Step::Key(key) if whole => key.as_str(),
                Step::Index(index) if whole => {
                    text.push_str(&format!("[{index}]"));
                    continue;
                }
                _ => continue,
            };
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(name);
        }
        text
    }

    fn misfit(&self, found: &str, of: &Type) -> DecodeError {
        if self.path.is_empty() {
            return DecodeError::value(found, &go_name(of));
        }
        DecodeError::field(found, &format!("{}.{}", self.owner, self.text(false)), &go_name(of))
    }
}

fn quantity(value: &mut Value) -> Result<(), DecodeError> {
    let text = match &*value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    *value = Value::String(canonical_quantity(&text)?);
    Ok(())
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A type as Go prints it.
fn go_name(of: &Type) -> String {
    match of {
        Type::Text(name) | Type::Whole(name) => (*name).to_owned(),
        Type::Flag => "bool".to_owned(),
        Type::Float => "float64".to_owned(),
        Type::Bytes => "[]uint8".to_owned(),
        Type::Time => "v1.Time".to_owned(),
        Type::MicroTime => "v1.MicroTime".to_owned(),
        Type::Duration => "v1.Duration".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::IntOrText => "intstr.IntOrString".to_owned(),
        Type::Raw => "runtime.RawExtension".to_owned(),
        Type::Fields => "v1.FieldsV1".to_owned(),
        Type::Any | Type::Special(_) => "interface {}".to_owned(),
        Type::Optional(inner) => go_name(inner),
        Type::List(item) => format!("[]{}", go_name(item)),
        Type::Map(item) => format!("map[string]{}", go_name(item)),
        Type::Struct(id) => format!("v1.{}", types().get(*id).name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(spec: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec})
    }

    #[test]
    fn what_does_not_fit_is_named_as_go_names_it() {
        let of = types().of_kind("", "v1", "Pod").unwrap();
        for (spec, text) in [
            (
                json!({"tolerations": [{"tolerationSeconds": "60"}]}),
                "json: cannot unmarshal string into Go struct field Toleration.spec.tolerations.tolerationSeconds of type int64",
            ),
            (
                json!({"tolerations": [{"tolerationSeconds": 1.5}]}),
                "json: cannot unmarshal number 1.5 into Go struct field Toleration.spec.tolerations.tolerationSeconds of type int64",
            ),
            (
                json!({"containers": {}}),
                "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
            ),
            (
                json!({"containers": [{"imagePullPolicy": true}]}),
                "json: cannot unmarshal bool into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy",
            ),
        ] {
            assert_eq!(decode(&mut pod(spec), of).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn an_object_is_what_go_writes_of_it() {
        let of = types().of_kind("apps", "v1", "Deployment").unwrap();
        let mut deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {}, "x": 1},
            "spec": {
                "selector": null,
                "template": {"spec": {"containers": [{"name": "c", "image": "", "foo": 1, "resources": {"limits": {"cpu": "1000m"}}}]}},
            },
        });
        let decoding = decode(&mut deployment, of).unwrap();
        assert_eq!(
            decoding.strict_error().as_deref(),
            Some(
                r#"strict decoding error: unknown field "metadata.x", unknown field "spec.template.spec.containers[0].foo""#
            )
        );
        assert_eq!(
            deployment,
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
                "spec": {
                    "selector": null, "strategy": {},
                    "template": {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}]}},
                },
                "status": {},
            })
        );
    }
}
