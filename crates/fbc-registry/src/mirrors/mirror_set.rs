//! The mirror sets of OpenShift: ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy.
//!
//! A node turns them into `registries.conf`, and so do we. Source: `openshift/api:config/v1/types_image_digest_mirror_set.go`,
//! `types_image_tag_mirror_set.go`, `operator/v1alpha1/types_image_content_source_policy.go`,
//! `openshift/runtime-utils:pkg/registries/registries.go`.

use std::path::Path;

use fbc_yaml::Node;
use fbc_yaml::stream::{self, Fault};

use super::registries_conf::{PlaceFault, check_place, failure};
use super::{Mirror, PullFrom, Registries, Rule};
use crate::error::{Problem, Result};

/// One source with its mirrors.
struct Source {
    source: String,
    mirrors: Vec<Mirror>,
    never_contact: bool,
}

impl Registries {
    /// Adds a file of manifests. Mirrors are added to those that a source has already.
    pub(super) fn add_mirror_set(&mut self, path: &Path) -> Result<()> {
        let invalid = |text: String| failure(path, Problem::Configuration(text));
        let bytes = std::fs::read(path).map_err(|error| failure(path, error))?;
        let documents = stream::read(&bytes, &|document| sources_of(document.root()));
        let mut found = false;
        for document in documents {
            let sources = document.outcome.map_err(|fault| {
                invalid(match fault {
                    Fault::Malformed { message, .. } => message,
                    Fault::Separator { rest, .. } => format!("a line `---{rest}`"),
                    Fault::Rejected(fault) => fault.to_string(),
                })
            })?;
            for source in sources {
                found = true;
                self.add_source(source, path);
            }
        }
        if found { Ok(()) } else { Err(invalid("it names no source with mirrors".to_owned())) }
    }

    fn add_source(&mut self, source: Source, path: &Path) {
        let rule = self.rules.entry(source.source.clone()).or_insert_with(|| Rule::new(&source.source));
        for mirror in source.mirrors {
            if !rule.mirrors.contains(&mirror) {
                rule.mirrors.push(mirror);
            }
        }
        if source.never_contact && rule.blocked.is_none() {
            rule.blocked = Some(format!("mirrorSourcePolicy NeverContactSource of {}", path.display()));
        }
    }
}

/// Why a manifest is not a set of mirrors.
#[derive(Debug, thiserror::Error)]
enum SetFault {
    #[error(
        "the kind is {0:?}; it may be ImageDigestMirrorSet, ImageTagMirrorSet or ImageContentSourcePolicy"
    )]
    Kind(String),
    #[error("an entry of {0} has no `source`")]
    NoSource(&'static str),
    #[error(transparent)]
    Place(#[from] PlaceFault),
    #[error("a mirror of {0:?} is not a string")]
    Mirror(String),
    #[error("`mirrorSourcePolicy` of {0:?} may be AllowContactingSource or NeverContactSource")]
    Policy(String),
}

fn sources_of(root: Node<'_>) -> std::result::Result<Vec<Source>, SetFault> {
    if root.is_null() {
        return Ok(Vec::new());
    }
    let kind = root.get_str("kind").unwrap_or_default();
    let (field, pull) = match kind {
        "ImageDigestMirrorSet" => ("imageDigestMirrors", PullFrom::DigestOnly),
        "ImageTagMirrorSet" => ("imageTagMirrors", PullFrom::TagOnly),
        "ImageContentSourcePolicy" => ("repositoryDigestMirrors", PullFrom::DigestOnly),
        "List" | "ImageDigestMirrorSetList" | "ImageTagMirrorSetList" | "ImageContentSourcePolicyList" => {
            let mut all = Vec::new();
            for item in root.get("items").iter().flat_map(|items| items.items()) {
                all.extend(sources_of(item)?);
            }
            return Ok(all);
        }
        _ => return Err(SetFault::Kind(kind.to_owned())),
    };
    let entries = root.get("spec").and_then(|spec| spec.get(field));
    entries.iter().flat_map(|entries| entries.items()).map(|entry| source_of(entry, field, pull)).collect()
}

fn source_of(entry: Node<'_>, field: &'static str, pull: PullFrom) -> std::result::Result<Source, SetFault> {
    let source = entry.get_str("source").unwrap_or_default().trim_end_matches('/').to_owned();
    if source.is_empty() {
        return Err(SetFault::NoSource(field));
    }
    check_place(&source, true)?;
    let mut mirrors = Vec::new();
    for mirror in entry.get("mirrors").iter().flat_map(|mirrors| mirrors.items()) {
        let location = mirror.as_str().ok_or_else(|| SetFault::Mirror(source.clone()))?;
        let location = location.trim_end_matches('/').to_owned();
        check_place(&location, false)?;
        mirrors.push(Mirror { location, insecure: false, pull });
    }
    let policy = entry.get("mirrorSourcePolicy").filter(|policy| !policy.is_null());
    let never_contact = match policy.map(Node::as_str) {
        None | Some(Some("" | "AllowContactingSource")) => false,
        Some(Some("NeverContactSource")) => true,
        Some(_) => return Err(SetFault::Policy(source)),
    };
    Ok(Source { source, mirrors, never_contact })
}
