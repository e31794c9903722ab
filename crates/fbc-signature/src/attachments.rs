//! `registries.d`: whether signatures of a registry are looked for beside its images, and where those of GnuPG's are.
//!
//! Sources: `containers/image:docs/containers-registries.d.5.md`, `docker/registries_d.go` (`signatureTopLevel`).

use std::collections::BTreeMap;

use crate::error::{ErrorKind, SignatureError};
use crate::identity::ImageName;

fn refused(message: impl Into<String>) -> SignatureError {
    SignatureError::new(ErrorKind::Attachments, message)
}

/// What files of `registries.d` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    default: Option<Said>,
    /// By scope.
    docker: BTreeMap<String, Said>,
}

/// What a scope says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Said {
    /// Whether signatures are looked for beside images.
    uses: Option<bool>,
    /// The address of the store of GnuPG's signatures.
    lookaside: Option<String>,
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
                "default-docker" => self.default = Some(said(field, value)?),
                "docker" => {
                    for (scope, value) in value.as_object().into_iter().flatten() {
                        if self.docker.insert(scope.clone(), said(scope, value)?).is_some() {
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
        self.said(image).find_map(|said| said.uses).unwrap_or(true)
    }

    /// The address of the store with the signatures of an image, if a file names one.
    #[must_use]
    pub fn lookaside(&self, image: &ImageName) -> Option<&str> {
        self.said(image).find_map(|said| said.lookaside.as_deref())
    }

    /// What is said of an image, by the narrowest scope first. One that says nothing of a thing leaves it to the next.
    fn said(&self, image: &ImageName) -> impl Iterator<Item = &Said> {
        let scopes = image.scopes().into_iter().filter_map(|scope| self.docker.get(&scope));
        scopes.chain(&self.default)
    }
}

/// What a scope says of signatures.
fn said(scope: &str, value: &serde_json::Value) -> Result<Said, SignatureError> {
    let uses = match &value["use-sigstore-attachments"] {
        serde_json::Value::Null => None,
        serde_json::Value::Bool(uses) => Some(*uses),
        _ => {
            return Err(refused(format!(
                "`use-sigstore-attachments` of `{scope}` is neither true nor false"
            )));
        }
    };
    // `sigstore` is the name of earlier versions.
    let named = ["lookaside", "sigstore"].into_iter().find(|key| !value[*key].is_null());
    let lookaside = match named.map(|key| (key, value[key].as_str())) {
        None => None,
        Some((_, Some(address))) => Some(address.to_owned()).filter(|address| !address.is_empty()),
        Some((key, None)) => return Err(refused(format!("`{key}` of `{scope}` is not an address"))),
    };
    Ok(Said { uses, lookaside })
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
        for (image, expected) in
            [("q.io/quiet/b:1", Some("http://x")), ("r.io/x:1", Some("http://x")), ("q.io/a/b:1", None)]
        {
            assert_eq!(attachments.lookaside(&ImageName::parse(image).unwrap()), expected, "{image}");
        }
        let mut others = Attachments::default();
        others
            .add(b"default-docker: {lookaside: 'https://all'}\ndocker: {q.io: {sigstore: 'file:///q'}}\n")
            .unwrap();
        for (image, expected) in [("q.io/b:1", "file:///q"), ("r.io/b:1", "https://all")] {
            assert_eq!(others.lookaside(&ImageName::parse(image).unwrap()), Some(expected), "{image}");
        }
        for (text, expected) in [
            ("docker: {u.io: {lookaside: 1}}", "`lookaside` of `u.io` is not an address"),
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
