//! What the JSON Schemas say of a place: the meaning of a field, and the keys that may stand there.

use fbc_lint::schema::{Schema, by_name};
use serde_json::Value;

use crate::host::FileKind;

/// A part of a schema, with the file that it is in.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    schema: &'static Schema,
    value: &'static Value,
}

impl Part {
    /// The schema of a kind of blob; that of any blob for other schemas.
    #[must_use]
    pub fn of_blob(schema: &str) -> Option<Self> {
        let file = by_name(&format!("blob/{schema}")).or_else(|| by_name("blob/meta"))?;
        Some(Self { schema: file, value: file.value() })
    }

    /// The schema of a file that is not of a catalog, whose document names a schema or does not.
    #[must_use]
    pub fn of_file(kind: FileKind, schema: &str) -> Option<Self> {
        let file = match kind {
            FileKind::Catalog => return Self::of_blob(schema),
            FileKind::Template => by_name(&format!("template/{schema}")),
            FileKind::Configuration => by_name("config"),
            FileKind::Scenario => by_name("scenario"),
            FileKind::ImageSet => by_name("image-set"),
            FileKind::Bundle => None,
        }?;
        Some(Self { schema: file, value: file.value() })
    }

    /// The schema of the value of a property.
    #[must_use]
    pub fn of_property(kind: &str) -> Option<Self> {
        let file = fbc_lint::schema::for_property(kind)?;
        Some(Self { schema: file, value: file.value() })
    }

    /// The part behind a reference.
    fn followed(self) -> Self {
        let Some(reference) = self.value.get("$ref").and_then(Value::as_str) else { return self };
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let schema = match file {
            "" => Some(self.schema),
            file => {
                let mut steps: Vec<&str> = self.schema.path.split('/').collect();
                steps.pop();
                for step in file.split('/') {
                    match step {
                        ".." => drop(steps.pop()),
                        "." => {}
                        step => steps.push(step),
                    }
                }
                by_name(steps.join("/").trim_end_matches(".json"))
            }
        };
        schema
            .and_then(|schema| Some(Self { schema, value: schema.value().pointer(fragment)? }))
            .filter(|part| !std::ptr::eq(part.value, self.value))
            .map_or(self, Self::followed)
    }

    /// The part for a key of an object or an item of a list.
    #[must_use]
    pub fn step(self, step: &str) -> Option<Self> {
        let part = self.followed();
        let inner = |value| Self { schema: part.schema, value };
        let is_item = step == "-" || step.parse::<usize>().is_ok();
        if is_item && let Some(items) = part.value.get("items") {
            return Some(inner(items).followed());
        }
        if let Some(value) = part.value.get("properties").and_then(|properties| properties.get(step)) {
            return Some(inner(value).followed());
        }
        let alternatives =
            ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| part.value.get(key)?.as_array());
        let of_any_key = || part.value.get("additionalProperties").filter(|value| value.is_object());
        alternatives
            .flatten()
            .find_map(|value| inner(value).step(step))
            .or_else(|| of_any_key().map(|value| inner(value).followed()))
    }

    /// The part at a JSON pointer.
    #[must_use]
    pub fn at(self, pointer: &str) -> Option<Self> {
        pointer.split('/').skip(1).try_fold(self, |part, step| part.step(step))
    }

    /// What it means, in words.
    #[must_use]
    pub fn description(self) -> Option<&'static str> {
        let own = self.value.get("description").and_then(Value::as_str);
        own.or_else(|| self.followed().value.get("description").and_then(Value::as_str))
    }

    /// The keys of the object, each with what it means.
    #[must_use]
    pub fn keys(self) -> Vec<(&'static str, Option<&'static str>)> {
        let part = self.followed();
        let own = part.value.get("properties").and_then(Value::as_object);
        let own = own.into_iter().flatten();
        let mut keys: Vec<_> = own
            .map(|(key, value)| (key.as_str(), Self { schema: part.schema, value }.description()))
            .collect();
        for value in ["allOf", "anyOf", "oneOf"]
            .into_iter()
            .filter_map(|key| part.value.get(key)?.as_array())
            .flatten()
        {
            keys.extend(Self { schema: part.schema, value }.keys());
        }
        keys.sort_unstable();
        keys.dedup_by_key(|(key, _)| *key);
        keys
    }

    /// Whether it is true or false.
    #[must_use]
    pub fn is_switch(self) -> bool {
        self.followed().value.get("type").and_then(Value::as_str) == Some("boolean")
    }

    /// The values that are allowed, where they are few.
    #[must_use]
    pub fn values(self) -> Vec<&'static str> {
        let value = self.followed().value;
        let constant = value.get("const").and_then(Value::as_str);
        let list =
            value.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let switch: &[&str] = if self.is_switch() { &["true", "false"] } else { &[] };
        constant.into_iter().chain(list).chain(switch.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    #[test]
    fn fields_have_meanings() {
        let channel = Part::of_blob("olm.channel").unwrap();
        assert!(channel.at("/entries/0/skipRange").unwrap().description().is_some());
        let keys: Vec<&str> =
            channel.at("/entries/3").unwrap().keys().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["name", "replaces", "skipRange", "skips"]);
        assert_eq!(channel.step("schema").unwrap().values(), ["olm.channel"]);
        assert!(Part::of_property("olm.gvk").unwrap().at("/group").unwrap().description().is_some());
        assert!(channel.at("/nothing").is_none());
    }
}
