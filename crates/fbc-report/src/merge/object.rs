//! JSON objects whose fields keep their order and their text, so that what is merged is written as it was.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::error::{FieldProblem, MergeError};

/// The fields of an object in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Object(Vec<(String, Box<RawValue>)>);

/// How the values of a field become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Lists, one behind the other.
    Concatenate,
    /// The same, and of all items only so many.
    First(usize),
    /// Objects of numbers, which are added up.
    AddUp,
    /// All must be equal.
    Agree,
    /// It belongs to a part alone.
    Leave,
}

impl Object {
    pub(super) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    /// One object of several: each field by its rule, in the order that all have in common.
    pub(super) fn merge(objects: &[Self], how: &dyn Fn(&str) -> How) -> Result<Self, MergeError> {
        let mut merged = Self::default();
        for key in keys(objects).into_iter().filter(|key| how(key) != How::Leave) {
            let values: Vec<&RawValue> = objects.iter().filter_map(|object| object.get(&key)).collect();
            let value = match how(&key) {
                How::Concatenate => concatenated(&values, usize::MAX),
                How::First(most) => concatenated(&values, most),
                How::AddUp => added_up(&values),
                How::Agree | How::Leave => agreed(&values, values.len() == objects.len()),
            };
            let value = value.map_err(|problem| MergeError::Field { field: key.clone(), problem })?;
            merged.0.push((key, value));
        }
        Ok(merged)
    }
}

/// The names of all fields; one that some objects lack stands where the others have it.
fn keys(objects: &[Object]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for object in objects {
        let mut next = 0;
        for (key, _) in &object.0 {
            let place = keys.iter().position(|known| known == key).unwrap_or_else(|| {
                keys.insert(next, key.clone());
                next
            });
            next = place + 1;
        }
    }
    keys
}

fn concatenated(values: &[&RawValue], most: usize) -> Result<Box<RawValue>, FieldProblem> {
    let mut items: Vec<&RawValue> = Vec::new();
    for value in values {
        items
            .extend(serde_json::from_str::<Vec<&RawValue>>(value.get()).map_err(|_| FieldProblem::NotAList)?);
    }
    items.truncate(most);
    let depth = values.iter().find_map(|value| indentation_of_items(value.get())).unwrap_or_default();
    list(&items, &depth)
}

/// A list of texts that are written already, each behind the indentation that it had.
fn list(items: &[&RawValue], indentation: &str) -> Result<Box<RawValue>, FieldProblem> {
    let text = match items {
        [] => "[]".to_owned(),
        items => {
            let items: Vec<&str> = items.iter().map(|item| item.get()).collect();
            let closing = indentation.strip_suffix("  ").unwrap_or_default();
            format!("[{indentation}{}{closing}]", items.join(&format!(",{indentation}")))
        }
    };
    Ok(RawValue::from_string(text)?)
}

/// The blanks in front of the first item of a list, from the end of the line on; nothing for an empty list.
fn indentation_of_items(list: &str) -> Option<String> {
    let inner = list.strip_prefix('[')?;
    let item = inner.trim_start();
    let blanks = inner.get(..inner.len() - item.len())?;
    (!item.starts_with(']')).then(|| blanks.to_owned())
}

fn added_up(values: &[&RawValue]) -> Result<Box<RawValue>, FieldProblem> {
    let objects: Vec<Object> = values
        .iter()
        .map(|value| serde_json::from_str(value.get()).map_err(|_| FieldProblem::NotAnObject))
        .collect::<Result<_, _>>()?;
    let mut lines = Vec::new();
    for key in keys(&objects) {
        let mut sum: u64 = 0;
        for value in objects.iter().filter_map(|object| object.get(&key)) {
            let number: u64 =
                serde_json::from_str(value.get()).map_err(|_| FieldProblem::NotANumber(key.clone()))?;
            sum = sum.saturating_add(number);
        }
        let name = serde_json::to_string(&key)?;
        lines.push(format!("    {name}: {sum}"));
    }
    let text = format!("{{\n{}\n  }}", lines.join(",\n"));
    Ok(RawValue::from_string(text)?)
}

fn agreed(values: &[&RawValue], is_everywhere: bool) -> Result<Box<RawValue>, FieldProblem> {
    let (first, others) = values.split_first().ok_or(FieldProblem::Missing)?;
    match is_everywhere && others.iter().all(|other| other.get() == first.get()) {
        true => Ok((*first).to_owned()),
        false => Err(FieldProblem::Differs),
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
