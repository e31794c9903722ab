//! `registries.d`: whether signatures of a registry are looked for beside its images.
//!
//! Source: `containers/image:docs/containers-registries.d.5.md`. Places of OpenPGP signatures (`lookaside`) are read past.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, SignatureError};
use crate::identity::ImageName;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Attachments, message)
}

/// What files of `registries.d` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    default: Option<bool>,
    /// By scope.
    docker: BTreeMap<String, Option<bool>>,
}

impl Attachments {
    /// Adds what a file says.
    ///
    /// # Errors
    /// In words: malformed files, and scopes that an earlier file has.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), SignatureError> {
        let document = fbc_yaml::stream::read_one(bytes).map_err(|error| refused(error.to_string()))?;
        let value = document.root().to_json();
        let Some(fields) = value.as_object() else {
            return if value.is_null() { Ok(()) } else { Err(refused("an object is expected")) };
        };
        for (field, value) in fields {
            match field.as_str() {
                "default-docker" if self.default.is_some() => {
                    return Err(refused("`default-docker` is set in an earlier file"));
                }
                "default-docker" => self.default = Some(uses(field, value)?.unwrap_or(true)),
                "docker" => {
                    for (scope, value) in value.as_object().into_iter().flatten() {
                        if self.docker.insert(scope.clone(), uses(scope, value)?).is_some() {
                            return Err(refused(format!("`docker.{scope}` is set in an earlier file")));
                        }
                    }
                }
                other => return Err(refused(format!("the field `{other}` is not known"))),
            }
        }
        Ok(())
    }

    /// Whether signatures are looked for: unless a file says `use-sigstore-attachments: false`. `containers/image` looks
    /// only where a file says `true`; to look cannot make an image acceptable that is not signed.
    #[must_use]
    pub fn are_used(&self, image: &ImageName) -> bool {
        // A scope that says nothing of signatures leaves the decision to the next one above it.
        let said = image.scopes().into_iter().find_map(|scope| self.docker.get(&scope).copied().flatten());
        said.or(self.default).unwrap_or(true)
    }
}

/// What a scope says; nothing if it does not mention signatures.
fn uses(scope: &str, value: &serde_json::Value) -> Result<Option<bool>, SignatureError> {
    match &value["use-sigstore-attachments"] {
        serde_json::Value::Null => Ok(None),
        serde_json::Value::Bool(uses) => Ok(Some(*uses)),
        _ => Err(refused(format!("`use-sigstore-attachments` of `{scope}` is neither true nor false"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_looked_for_unless_a_file_forbids_it() {
        let mut attachments = Attachments::default();
        attachments.add(b"").unwrap();
        attachments.add(b"default-docker: {lookaside-staging: file:///x}\n").unwrap();
        let scopes = "docker:\n  q.io: {use-sigstore-attachments: false}\n  q.io/a: {use-sigstore-attachments: true}\n  q.io/quiet: {lookaside: http://x}\n  r.io: {lookaside: http://x}\n";
        attachments.add(scopes.as_bytes()).unwrap();
        for (image, expected) in [
            ("q.io/b:1", false),
            ("q.io/a/b:1", true),
            ("q.io/quiet/b:1", false),
            ("r.io/x:1", true),
            ("s.io/x:1", true),
        ] {
            assert_eq!(attachments.are_used(&ImageName::parse(image).unwrap()), expected, "{image}");
        }
        for (text, expected) in [
            ("default-docker: {}", "`default-docker` is set in an earlier file"),
            ("docker: {q.io: {}}", "`docker.q.io` is set in an earlier file"),
            (
                "docker: {t.io: {use-sigstore-attachments: 1}}",
                "`use-sigstore-attachments` of `t.io` is neither true nor false",
            ),
            ("dockr: {}", "the field `dockr` is not known"),
            ("- 1", "an object is expected"),
        ] {
            assert_eq!(attachments.add(text.as_bytes()).unwrap_err().to_string(), expected);
        }
    }
}
