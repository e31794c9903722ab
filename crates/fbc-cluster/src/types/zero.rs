//! Go's zero values: what stands where nothing was said, and what is left out again.
//!
//! Source: `encoding/json`.

use serde_json::{Map, Value};

use super::{Field, Omit, Struct, Type, types};

/// The value that Go has where there is none.
pub(super) fn zero(of: &Type) -> Value {
    match of {
        Type::Text(_) => Value::from(""),
        Type::Flag => Value::from(false),
        Type::Whole(_) | Type::Float | Type::IntOrText => Value::from(0),
        Type::Quantity => Value::from("0"),
        Type::Duration => Value::from("0s"),
        Type::Struct(id) => {
            let members = always(types().get(*id)).iter();
            Value::Object(members.map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
        }
        _ => Value::Null,
    }
}

/// The fields of a struct that Go writes even where nothing was said.
pub(super) fn always(of: &Struct) -> &[(&'static str, Value)] {
    of.always(|of| {
        let absent = of.fields.iter().map(|field| (field, zero(&field.of)));
        absent
            .filter(|(field, value)| !is_left_out(value, field))
            .map(|(field, value)| (field.name, value))
            .collect()
    })
}

/// Whether Go's encoding leaves out a value. Structs are never empty, and zero times are left out everywhere.
pub(crate) fn is_left_out(value: &Value, field: &Field) -> bool {
    match (field.omit, &field.of) {
        (_, Type::Time | Type::MicroTime) => value.is_null(),
        (Omit::Never, _) => false,
        (Omit::Zero, Type::Struct(_)) => value.as_object().is_some_and(Map::is_empty),
        (_, Type::Struct(_) | Type::Quantity | Type::Duration) => false,
        (_, Type::Optional(_)) => value.is_null(),
        (Omit::Empty, Type::IntOrText) => false,
        (_, Type::Text(_) | Type::Bytes) => value.is_null() || value == "",
        (_, Type::Flag) => value == false,
        (_, Type::Whole(_) | Type::Float | Type::IntOrText) => value.as_f64() == Some(0.0),
        (_, Type::List(_)) => value.is_null() || value.as_array().is_some_and(Vec::is_empty),
        (_, Type::Map(_)) => value.is_null() || value.as_object().is_some_and(Map::is_empty),
        (_, Type::Any | Type::Special(_) | Type::Raw | Type::Fields) => value.is_null(),
    }
}
