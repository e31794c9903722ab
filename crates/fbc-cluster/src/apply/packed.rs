//! `metadata.managedFields` as the store keeps it: one text, the JSON that the API shows.
//!
//! A pod has a hundred owned fields. As values they would be most of its memory, and most of the work of every copy,
//! although hardly anybody reads them. Whoever shows objects to clients asks for [`unpacked`] ones; objects that clients
//! send may hold either form.

use std::borrow::Cow;
use std::sync::Arc;

use fbc_go::json::reread_value;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fields::Fields;
use super::managed::{Entry, Managed, Manager, Operation};
use super::path_element::push_quoted;
use crate::object::{Object, ObjectFields};

const PATH: [&str; 2] = ["metadata", "managedFields"];

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written<'t> {
    #[serde(borrow, default)]
    manager: Cow<'t, str>,
    #[serde(borrow, default)]
    operation: Cow<'t, str>,
    #[serde(borrow, default)]
    api_version: Cow<'t, str>,
    #[serde(borrow, default)]
    subresource: Cow<'t, str>,
    time: Option<String>,
    #[serde(borrow, rename = "fieldsV1")]
    fields: Option<&'t RawValue>,
}

impl Managed {
    /// The entries of an object, in either form.
    pub(super) fn of(object: &Object) -> Self {
        object.at(&PATH).map(Self::read).unwrap_or_default()
    }

    /// Entries in either form.
    pub(super) fn read(entries: &Value) -> Self {
        match entries {
            Value::String(text) => {
                let written: Vec<Written<'_>> = serde_json::from_str(text).unwrap_or_default();
                Self(written.into_iter().map(Written::read).collect())
            }
            Value::Array(entries) => Self(entries.iter().cloned().map(Entry::of).collect()),
            _ => Self::default(),
        }
    }

    /// Writes the entries to an object as a text, in the API server's order.
    pub(super) fn write_to(mut self, object: &mut Object) {
        self.drop_empty();
        self.0.sort_by(|one, other| one.order().cmp(&other.order()));
        if self.0.is_empty() {
            object.remove(&PATH);
        } else {
            object.set(&PATH, self.text());
        }
    }

    fn text(&self) -> String {
        let room = self.0.iter().map(|entry| entry.fields.text().len() + 256).sum();
        let mut text = String::with_capacity(room);
        for (index, entry) in self.0.iter().enumerate() {
            text.push_str(if index == 0 { "[{\"apiVersion\":" } else { ",{\"apiVersion\":" });
            push_quoted(&mut text, &entry.manager.api_version);
            text.push_str(",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":");
            text.push_str(entry.fields.text());
            text.push_str(",\"manager\":");
            push_quoted(&mut text, &entry.manager.name);
            text.push_str(",\"operation\":");
            push_quoted(&mut text, entry.manager.operation.name());
            if !entry.manager.subresource.is_empty() {
                text.push_str(",\"subresource\":");
                push_quoted(&mut text, &entry.manager.subresource);
            }
            if let Some(time) = &entry.time {
                text.push_str(",\"time\":");
                push_quoted(&mut text, time);
            }
            text.push('}');
        }
        text.push(']');
        text
    }
}

impl Written<'_> {
    fn read(self) -> Entry {
        Entry {
            manager: Manager {
                name: self.manager.into_owned(),
                operation: Operation::of(&self.operation),
                api_version: self.api_version.into_owned(),
                subresource: self.subresource.into_owned(),
            },
            fields: Fields::of_text(self.fields.map_or("{}", RawValue::get)),
            time: self.time,
        }
    }
}

/// An object as the API shows it.
pub fn unpacked(object: &Arc<Object>) -> Arc<Object> {
    match object.at(&PATH) {
        Some(Value::String(_)) => {
            let mut copy = Object::clone(object);
            unpack(&mut copy);
            Arc::new(copy)
        }
        _ => Arc::clone(object),
    }
}

/// Brings an object into the form that the API shows.
pub fn unpack(object: &mut Object) {
    if let Some(entries) = object.pointer_mut("/metadata/managedFields")
        && let Value::String(text) = entries
    {
        *entries = reread_value(text).unwrap_or_default();
    }
}

/// Writes an object as the API shows it, without a copy of it.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'o>(pub &'o Object);

/// Writes `metadata` of an object as the API shows it.
#[derive(Debug, Clone, Copy)]
pub struct ShownMetadata<'o>(pub &'o Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(members) = self.0 else { return self.0.serialize(serializer) };
        let mut map = serializer.serialize_map(Some(members.len()))?;
        for (name, value) in members {
            if name == "metadata" {
                map.serialize_entry(name, &ShownMetadata(value))?;
            } else {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

impl Serialize for ShownMetadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(members) = self.0 else { return self.0.serialize(serializer) };
        let mut map = serializer.serialize_map(Some(members.len()))?;
        for (name, value) in members {
            match value {
                Value::String(text) if name == "managedFields" => {
                    let entries: Option<&RawValue> = serde_json::from_str(text).ok();
                    map.serialize_entry(name, &entries)?;
                }
                value => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// The managers that an object names, as often as it does.
pub fn managers(object: &Object) -> Vec<String> {
    Managed::of(object).0.into_iter().map(|entry| entry.manager.name).collect()
}

/// Takes the text away that an object has for its owners. What clients send in the form of the API stays, and is judged
/// as any field.
pub(crate) fn take(object: &mut Object) -> Option<Value> {
    let is_packed = object.text(&PATH).starts_with("[{\"apiVersion\":");
    if is_packed { object.remove(&PATH) } else { None }
}

/// Gives an object back what [`take`] took.
pub(crate) fn restore(object: &mut Object, owners: Option<Value>) {
    if let Some(owners) = owners {
        object.set(&PATH, owners);
    }
}

/// Whether two objects have the same owners, whenever these wrote.
pub(crate) fn same_owners(one: &Object, other: &Object) -> bool {
    let (one, other) = (one.at(&PATH), other.at(&PATH));
    let entries = |of: Option<&Value>| of.map(Managed::read).unwrap_or_default().0;
    let is_same = |(one, other): (&Entry, &Entry)| {
        (&one.manager.name, one.manager.operation, &one.manager.subresource, &one.fields)
            == (&other.manager.name, other.manager.operation, &other.manager.subresource, &other.fields)
    };
    one == other || {
        let (one, other) = (entries(one), entries(other));
        one.len() == other.len() && one.iter().zip(&other).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn owners_come_out_as_they_went_in() {
        let entry = |time: &str| {
            json!({
                "apiVersion": "v1", "fieldsType": "FieldsV1", "manager": "a \"b\"", "operation": "Update", "subresource": "status",
                "fieldsV1": {"f:status": {"k:{\"name\":\"c\"}": {".": {}, "f:image": {}}}}, "time": time,
            })
        };
        let object = |time| json!({"metadata": {"managedFields": [entry(time)]}});
        let mut packed = object("2026-01-01T00:00:00Z");
        Managed::of(&packed).write_to(&mut packed);
        assert!(packed["metadata"]["managedFields"].is_string());
        assert_eq!(*unpacked(&Arc::new(packed.clone())), object("2026-01-01T00:00:00Z"));
        assert_eq!(
            serde_json::to_string(&Shown(&packed)).unwrap(),
            object("2026-01-01T00:00:00Z").to_string()
        );
        assert_eq!(managers(&packed), ["a \"b\""]);
        assert!(same_owners(&packed, &object("2027-01-01T00:00:00Z")));
        assert!(!same_owners(&packed, &json!({})));
        assert!(take(&mut packed).is_some() && packed == json!({"metadata": {}}));
    }
}
