//! What expressions are told of the places of schemas: types, meanings and sizes of values.

use std::rc::Rc;

use fbc_cel::{LARGEST_REQUEST, Scalar, Shape, Type};
use serde_json::Value;

use super::structural::{ListType, Schema, ValueType};

impl Shape for Schema {
    /// Source: `kubernetes/apiserver:pkg/cel/common/schemas.go`.
    fn value_type(&self) -> Option<Type<'_>> {
        if self.int_or_string {
            return Some(Type::Dyn);
        }
        Some(match self.value_type {
            Some(ValueType::Array) => Type::List(Rc::new(self.items.as_deref()?.value_type()?)),
            Some(ValueType::Object) if Schema::has_fields(self) && !self.additional_allowed => {
                Type::Object(self)
            }
            Some(ValueType::Object) => {
                let value = self.additional.as_deref().map_or(Some(Type::Dyn), Shape::value_type)?;
                Type::Map(Rc::new(Type::Text), Rc::new(value))
            }
            Some(ValueType::String) => match self.scalar() {
                Scalar::Bytes => Type::Bytes,
                Scalar::Duration => Type::Duration,
                Scalar::Date | Scalar::DateTime => Type::Timestamp,
                _ => Type::Text,
            },
            Some(ValueType::Boolean) => Type::Bool,
            Some(ValueType::Number) => Type::Double,
            Some(ValueType::Integer) => Type::Int,
            None => return None,
        })
    }

    fn scalar(&self) -> Scalar {
        if self.int_or_string {
            return Scalar::Either;
        }
        match (self.value_type, self.checks.format.map(|format| format.name)) {
            (Some(ValueType::Number), _) => Scalar::Double,
            (Some(ValueType::Integer), _) => Scalar::Integer,
            (_, Some("byte")) => Scalar::Bytes,
            (_, Some("duration")) => Scalar::Duration,
            (_, Some("date")) => Scalar::Date,
            (_, Some("date-time")) => Scalar::DateTime,
            _ => Scalar::Plain,
        }
    }

    fn has_fields(&self) -> bool {
        Schema::has_fields(self)
    }

    fn field(&self, name: &str) -> Option<&dyn Shape> {
        self.visible(name).map(|field| field as &dyn Shape)
    }

    fn map_value(&self) -> Option<&dyn Shape> {
        let value = self.additional.as_deref().filter(|_| self.value_type == Some(ValueType::Object))?;
        Some(value)
    }

    fn element(&self) -> Option<&dyn Shape> {
        self.items.as_deref().map(|items| items as &dyn Shape)
    }

    fn list_keys(&self) -> Option<&[String]> {
        match self.list_type {
            Some(ListType::Map) => Some(&self.list_map_keys),
            Some(ListType::Set) => Some(&[]),
            _ => None,
        }
    }

    fn most_elements(&self) -> u64 {
        most_elements(self)
    }
}

fn given(limit: Option<i64>) -> Option<u64> {
    limit.map(|limit| u64::try_from(limit).unwrap_or(0))
}

/// The most elements, characters or bytes of a value; scalars and objects have none.
fn most_elements(schema: &Schema) -> u64 {
    let checks = &schema.checks;
    let of_text = || given(checks.max_length).map(|most| most.saturating_mul(4));
    if schema.int_or_string {
        return of_text().unwrap_or(LARGEST_REQUEST - 2);
    }
    let format = checks.format.map(|format| format.name);
    match schema.value_type {
        Some(ValueType::Array) => given(checks.max_items)
            .unwrap_or_else(|| (LARGEST_REQUEST - 2) / (schema.items.as_deref().map_or(0, least_bytes) + 1)),
        Some(ValueType::Object) => schema.additional.as_deref().map_or(0, |part| {
            given(checks.max_properties).unwrap_or_else(|| (LARGEST_REQUEST - 2) / (least_bytes(part) + 6))
        }),
        Some(ValueType::String) => match format {
            Some("byte") => given(checks.max_length).unwrap_or(LARGEST_REQUEST - 2),
            Some("duration" | "date-time") => 32,
            Some("date") => 12,
            _ if checks.max_length.is_some() || checks.values.is_empty() => {
                of_text().unwrap_or(LARGEST_REQUEST - 2)
            }
            _ => checks
                .values
                .iter()
                .filter_map(Value::as_str)
                .map(|text| text.len() as u64)
                .max()
                .unwrap_or(0),
        },
        _ => 0,
    }
}

/// The fewest bytes of a value in JSON.
pub(crate) fn least_bytes(schema: &Schema) -> u64 {
    if schema.int_or_string {
        return 1;
    }
    match schema.value_type {
        Some(ValueType::Object) if schema.additional.is_none() => {
            let required = schema.checks.required.iter().filter_map(|name| {
                let property = schema.visible(name).filter(|property| property.default.is_none())?;
                Some(name.len() as u64 + least_bytes(property) + 4)
            });
            required.fold(2, u64::saturating_add)
        }
        Some(ValueType::String) => match schema.checks.format.map(|format| format.name) {
            Some("duration") => 3,
            Some("date") => 12,
            Some("date-time") => 21,
            _ => 2,
        },
        Some(ValueType::Boolean) => 4,
        Some(ValueType::Number | ValueType::Integer) => 1,
        _ => 2,
    }
}
