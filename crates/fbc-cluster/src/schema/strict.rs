//! Strict validation of fields: unknown ones and those that are written twice.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::ApiError;

/// The refusal of a request for strict validation, unless there is nothing to refuse.
///
/// Source: `kubernetes/apimachinery:pkg/runtime/error.go`.
pub fn refusal(kind: &str, version: &str, unknown: &[String], duplicates: &[String]) -> Option<ApiError> {
    let faults: Vec<String> = duplicates
        .iter()
        .map(|path| format!("duplicate field {path:?}"))
        .chain(unknown.iter().map(|path| format!("unknown field {path:?}")))
        .collect();
    (!faults.is_empty()).then(|| {
        let faults = faults.join(", ");
        ApiError::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {faults}"
        ))
    })
}

/// The paths of fields that JSON text has more than once, sorted; none if it is not JSON.
pub fn duplicate_fields(json: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    match (Walk { path: String::new(), found: &mut found }).deserialize(&mut deserializer) {
        Ok(()) => found.into_iter().collect(),
        Err(_) => Vec::new(),
    }
}

struct Walk<'f> {
    path: String,
    found: &'f mut BTreeSet<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0usize;
        while items
            .next_element_seed(Walk { path: format!("{}[{index}]", self.path), found: self.found })?
            .is_some()
        {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            let dot = if self.path.is_empty() { "" } else { "." };
            let path = format!("{}{dot}{name}", self.path);
            if !names.insert(name) {
                self.found.insert(path.clone());
            }
            fields.next_value_seed(Walk { path, found: self.found })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_found_at_any_depth() {
        assert_eq!(
            duplicate_fields(r#"{"a": 1, "b": [{"c": 1, "c": 2}], "a": {"d": 1, "d": 2}}"#),
            ["a", "a.d", "b[0].c"]
        );
        assert!(duplicate_fields("{").is_empty());
        let refusal = refusal("Widget", "v1", &["spec.x".into()], &[]).expect("a refusal");
        assert_eq!(
            refusal.message,
            r#"Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.x""#
        );
    }
}
