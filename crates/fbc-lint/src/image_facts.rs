//! What is known of images. It is gathered outside: rules ask no registry and unpack nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_model::Catalog;
use fbc_version::OpenShiftRelease;

/// The label with the versions of OpenShift that a catalog image is for, as a JSON list.
pub const TARGETS_LABEL: &str = "com.redhat.fbc.openshift.version";
/// The annotation with the name of the image that another one is built on.
pub const BASE_ANNOTATION: &str = "org.opencontainers.image.base.name";

/// What is known beside the catalog itself; what is not known is empty.
#[derive(Clone, Debug, Default)]
pub struct ImageFacts {
    /// The image that the catalog comes from.
    pub image: Option<CatalogImage>,
    /// Images that the catalog names and nobody can have, by reference, with the reason.
    pub unreachable: BTreeMap<String, String>,
    /// Images that are indexes of images for several platforms.
    pub indexes: BTreeSet<String>,
    /// Images that a mirror has, and the place that they are named by does not.
    pub only_in_mirror: BTreeSet<String>,
    /// The catalog that users have now.
    pub index: Option<Arc<Catalog>>,
}

/// The image that a catalog comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogImage {
    /// Its platforms, such as `linux/amd64`.
    pub platforms: Vec<String>,
    /// The labels of one platform.
    pub labels: BTreeMap<String, String>,
    /// The annotations of the manifest of that platform.
    pub annotations: BTreeMap<String, String>,
    /// The paths of all its regular files; nothing if nobody looked.
    pub files: Option<Vec<String>>,
}

/// Why it cannot be said what an image is for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTargets {
    /// The label cannot be read.
    #[error("label {TARGETS_LABEL} is not a list of versions such as [\"v4.17\"]: {0:?}")]
    Label(String),
    /// Nothing says it.
    #[error("there is no label {TARGETS_LABEL}, and no annotation {BASE_ANNOTATION}")]
    NoBase,
    /// The tag of the base does not say it.
    #[error(
        "there is no label {TARGETS_LABEL}, and the tag of the base {0:?} is not a version such as v4.17"
    )]
    Base(String),
}

impl CatalogImage {
    /// The name of the image that this one is built on.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        self.annotations.get(BASE_ANNOTATION).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The versions of OpenShift that the image is for: those of its label, else that of the tag of its base.
    ///
    /// # Errors
    /// [`UnknownTargets`]
    pub fn targets(&self) -> Result<Vec<OpenShiftRelease>, UnknownTargets> {
        if let Some(label) = self.labels.get(TARGETS_LABEL) {
            let texts: Vec<String> = serde_json::from_str(label).unwrap_or_default();
            let versions: Option<Vec<OpenShiftRelease>> = texts.iter().map(|text| target(text)).collect();
            let versions = versions.filter(|versions| !versions.is_empty());
            return versions.ok_or_else(|| UnknownTargets::Label(label.clone()));
        }
        let base = self.base().ok_or(UnknownTargets::NoBase)?;
        let tag = tag_of(base).unwrap_or_default();
        target(tag).map(|version| vec![version]).ok_or_else(|| UnknownTargets::Base(base.to_owned()))
    }

    /// The regular files whose name fits.
    pub fn files_named(&self, fits: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let files = self.files.as_ref()?.iter().map(String::as_str);
        Some(files.filter(|path| fits(&name(path))).collect())
    }
}

fn target(text: &str) -> Option<OpenShiftRelease> {
    OpenShiftRelease::parse(text).filter(|version| (4..=5).contains(&version.major))
}

/// The repository of a reference, without tag and digest.
#[must_use]
pub fn repository_of(reference: &str) -> &str {
    let name = reference.split('@').next().unwrap_or_default();
    match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => name,
    }
}

fn tag_of(reference: &str) -> Option<&str> {
    let name = reference.split('@').next().unwrap_or_default();
    name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for (label, base, expected) in [
            (Some(r#"["v4.17", "4.18"]"#), None, Some("[4.17, 4.18]")),
            (Some(r#"["v5.0"]"#), Some("x.y/base:v4.17"), Some("[5.0]")),
            (Some("[]"), Some("x.y/base:v4.17"), None),
            (Some("v4.17"), None, None),
            (Some(r#"["v4.17.3"]"#), None, None),
            (Some(r#"["v3.11"]"#), None, None),
            (None, Some("x.y:5000/base:v4.17"), Some("[4.17]")),
            (None, Some("x.y/base:v4.17@sha256:00"), Some("[4.17]")),
            (None, Some("x.y:5000/base"), None),
            (None, Some("x.y/base:latest"), None),
            (None, None, None),
        ] {
            let mut image = CatalogImage::default();
            image.labels.extend(label.map(|label| (TARGETS_LABEL.to_owned(), label.to_owned())));
            image.annotations.extend(base.map(|base| (BASE_ANNOTATION.to_owned(), base.to_owned())));
            let shown = image.targets().ok().map(|versions| {
                let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
                format!("[{}]", versions.join(", "))
            });
            assert_eq!(shown.as_deref(), expected, "{label:?} {base:?}");
        }
    }
}
