//! The text that generated Go types give of themselves.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/generated.pb.go`.

use std::fmt::Write as _;

use super::format::number_text;
use crate::crd_upgrade::schema_type::{StructType, Type};
use crate::crd_upgrade::value::Value;

/// The text behind a pointer to a type that writes itself; nothing for other types.
pub(crate) fn pointer(kind: Type, value: &Value) -> Option<String> {
    match (kind, value) {
        (Type::Struct(of), Value::Struct(fields)) => Some(format!("&{}", message(of, fields))),
        (Type::Json, Value::Json(raw)) => Some(format!("&{}", json(raw))),
        _ => None,
    }
}

fn message(of: &StructType, fields: &[Value]) -> String {
    let mut text = format!("{}{{", plain_name(of.name));
    for (field, value) in of.fields.iter().zip(fields) {
        let _ = write!(text, "{}:{},", field.name, inside(field.kind, value));
    }
    text.push('}');
    text
}

fn inside(kind: Type, value: &Value) -> String {
    match (kind, value) {
        (Type::Pointer(to), Value::Pointer(Some(pointee))) => {
            pointer(*to, pointee).unwrap_or_else(|| format!("*{}", plain(*to, pointee)))
        }
        (Type::Pointer(_), _) => "nil".to_owned(),
        (Type::List(list), Value::List(items)) if !matches!(list.element, Type::Text) => {
            // The generator writes the type of the elements, never the name of the list.
            let element = match list.element {
                Type::Struct(of) => plain_name(of.name),
                _ => "JSON",
            };
            let mut text = format!("[]{element}{{");
            for item in items.iter().flatten() {
                match (list.element, item) {
                    (Type::Struct(of), Value::Struct(fields)) => text.push_str(&message(of, fields)),
                    (_, Value::Json(raw)) => text.push_str(&json(raw)),
                    _ => {}
                }
                text.push(',');
            }
            text.push('}');
            text
        }
        (Type::Map(map), Value::Map(members)) => {
            let mut text = format!("{}{{", map.name.replace("v1.", ""));
            for (key, member) in members.iter().flatten() {
                let _ = write!(text, "{key}: {},", plain(map.value, member));
            }
            text.push('}');
            text
        }
        _ => plain(kind, value),
    }
}

/// A value as `%v` writes it. Where Go writes the address of a pointer, its target stands.
fn plain(kind: Type, value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" ");
    match (kind, value) {
        (_, Value::Bool(value)) => value.to_string(),
        (_, Value::Number(number)) => number_text(*number),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Json(raw)) => format!("{{{}}}", bytes(raw)),
        (Type::Struct(of), Value::Struct(fields)) => {
            let fields = of.fields.iter().zip(fields).map(|(field, value)| plain(field.kind, value));
            format!("{{{}}}", joined(fields.collect()))
        }
        (Type::List(list), Value::List(items)) => {
            format!("[{}]", joined(items.iter().flatten().map(|item| plain(list.element, item)).collect()))
        }
        (Type::Map(map), Value::Map(members)) => {
            let members = members.iter().flatten();
            format!(
                "map[{}]",
                joined(members.map(|(key, value)| format!("{key}:{}", plain(map.value, value))).collect())
            )
        }
        (Type::Pointer(to), Value::Pointer(Some(pointee))) => {
            inside(Type::Pointer(to), &Value::Pointer(Some(pointee.clone())))
        }
        _ => "<nil>".to_owned(),
    }
}

fn json(raw: &str) -> String {
    // A slice of bytes is written through a pointer to it, hence the asterisk.
    format!("JSON{{Raw:*{},}}", bytes(raw))
}

fn bytes(raw: &str) -> String {
    let numbers: Vec<String> = raw.bytes().map(|byte| byte.to_string()).collect();
    format!("[{}]", numbers.join(" "))
}

fn plain_name(name: &'static str) -> &'static str {
    name.strip_prefix("v1.").unwrap_or(name)
}
