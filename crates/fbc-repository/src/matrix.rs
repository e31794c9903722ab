//! `[[catalogs]]` of `fbc.toml`: from which templates which catalogs come, release by release.
//!
//! An entry is for some releases. Its paths are patterns: `{ocp}`, `{major}` and `{minor}` stand for the release.

mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fbc_model::render::MigrateLevel;
use fbc_version::OpenShiftRelease;
use fbc_version::blang;

pub use read::{Fault, entries, entries_of, range};

use crate::place::{CatalogPlace, FoundBy, ImageFile, TemplateUse};

/// The keys of an entry.
pub const KEYS: [&str; 14] = [
    "base-image",
    "cut-replaces",
    "dockerfile",
    "file",
    "icon",
    "image-path",
    "layout",
    "migrate-level",
    "mirrors",
    "ocp",
    "opm-semantics",
    "path",
    "releases",
    "template",
];

/// The keys of an exception, which are in `[[catalogs.releases]]`.
pub const EXCEPTION_KEYS: [&str; 6] =
    ["base-image", "heads", "ocp", "versions", "without-bundles", "without-channels"];

/// An entry of `[[catalogs]]`.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The directory of the catalog.
    pub path: Pattern,
    /// The releases; none if the catalog is for no release in particular.
    pub releases: BTreeSet<OpenShiftRelease>,
    /// Where the catalog goes in its image, below the directory that is served.
    pub image_path: Option<Pattern>,
    /// The Dockerfile of the image.
    pub dockerfile: Option<Pattern>,
    /// The image that the image is built on.
    pub base_image: Option<Pattern>,
    /// The template.
    pub template: Option<Pattern>,
    /// The file that the template expands to, from the directory of the catalog; the directory for the layout `split`.
    pub file: Option<Pattern>,
    /// Into how many files the template expands.
    pub layout: Layout,
    /// How far bundles are brought up to date; nothing for what the release wants.
    pub migrate: Option<MigrateLevel>,
    /// The version of opm whose expansion of semver templates counts.
    pub opm_semantics: Option<String>,
    /// Image repositories by those that stand for them until a release: the catalog gets the latter.
    pub mirrors: BTreeMap<String, String>,
    /// The file with the icon of the package, in place of the one in the template.
    pub icon: Option<Pattern>,
    /// Whether entries that replace a bundle which their channel does not have replace nothing.
    pub cut_replaces: bool,
    /// What some releases have differently.
    pub exceptions: Vec<Exception>,
}

/// What some releases have differently.
#[derive(Clone, Debug, Default)]
pub struct Exception {
    /// The releases.
    pub releases: BTreeSet<OpenShiftRelease>,
    /// The image that theirs is built on.
    pub base_image: Option<Pattern>,
    /// Channels that they do not have.
    pub without_channels: Vec<String>,
    /// The versions of the bundles that they have.
    pub versions: Option<blang::Range>,
    /// Bundles that they do not have.
    pub without_bundles: Vec<String>,
    /// Bundles that channels end with.
    pub heads: BTreeMap<String, String>,
}

/// Into how many files a template expands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One.
    #[default]
    File,
    /// `package.yaml`, `channels/` and `bundles/`.
    Split,
}

impl Layout {
    /// The names, as the file has them.
    pub const NAMES: [(&'static str, Self); 2] = [("file", Self::File), ("split", Self::Split)];
}

/// A text in which `{ocp}`, `{major}` and `{minor}` stand for a release.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

/// The words in patterns.
const WORDS: [&str; 3] = ["{ocp}", "{major}", "{minor}"];

impl Pattern {
    /// A pattern; nothing for a text with other braces.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = WORDS.iter().fold(text.to_owned(), |text, word| text.replace(word, ""));
        (!text.is_empty() && !plain.contains(['{', '}'])).then(|| Self(text.to_owned()))
    }

    /// The text with a release in the places of the words; without a release they stay.
    #[must_use]
    pub fn fill(&self, release: Option<OpenShiftRelease>) -> String {
        let Some(release) = release else { return self.0.clone() };
        let values = [release.to_string(), release.major.to_string(), release.minor.to_string()];
        WORDS.iter().zip(values).fold(self.0.clone(), |text, (word, value)| text.replace(word, &value))
    }

    /// Whether it depends on the release.
    #[must_use]
    pub fn is_open(&self) -> bool {
        WORDS.iter().any(|word| self.0.contains(word))
    }

    /// The text as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Entry {
    /// The releases, or no release once.
    #[must_use]
    pub fn cells(&self) -> Vec<Option<OpenShiftRelease>> {
        match self.releases.is_empty() {
            true => vec![None],
            false => self.releases.iter().copied().map(Some).collect(),
        }
    }

    /// The catalog of a release.
    #[must_use]
    pub fn place(&self, release: Option<OpenShiftRelease>) -> CatalogPlace {
        let path = PathBuf::from(self.path.fill(release));
        let image = self.dockerfile.as_ref().map(|dockerfile| ImageFile {
            path: PathBuf::from(dockerfile.fill(release)),
            release,
            base: self.base_image(release),
            target: self.image_path.as_ref().map(|path| path.fill(release).into()).unwrap_or_default(),
            arguments: Vec::new(),
        });
        let template = self.template.as_ref().map(|template| TemplateUse {
            path: PathBuf::from(template.fill(release)),
            output: self.file.as_ref().map(|file| path.join(file.fill(release))),
        });
        CatalogPlace {
            path,
            releases: release.into_iter().collect(),
            images: image.into_iter().collect(),
            templates: template.into_iter().collect(),
            found_by: [FoundBy::Configuration].into(),
            is_absent: false,
        }
    }

    /// The image that the image of a release is built on.
    #[must_use]
    pub fn base_image(&self, release: Option<OpenShiftRelease>) -> Option<String> {
        let own = release.and_then(|release| {
            self.exceptions
                .iter()
                .rev()
                .filter(|one| one.releases.contains(&release))
                .find_map(|one| one.base_image.as_ref())
        });
        own.or(self.base_image.as_ref()).map(|image| image.fill(release))
    }

    /// Whether a release does not have all that its template has.
    #[must_use]
    pub fn leaves_out(&self, release: OpenShiftRelease) -> bool {
        self.exceptions.iter().filter(|one| one.releases.contains(&release)).any(|one| {
            one.versions.is_some()
                || !(one.heads.is_empty()
                    && one.without_bundles.is_empty()
                    && one.without_channels.is_empty())
        })
    }

    /// How far bundles are brought up to date for a release: catalogs of 4.17 and later hold `olm.csv.metadata`,
    /// earlier ones `olm.bundle.object`.
    #[must_use]
    pub fn migrate_level(&self, release: Option<OpenShiftRelease>) -> MigrateLevel {
        self.migrate.unwrap_or_else(|| migrate_level(release))
    }
}

/// How far the bundles of a release are brought up to date, unless something else is said.
///
/// Source: `redhat-openshift-ecosystem/operator-pipelines:fbc/render_catalogs.sh`.
#[must_use]
pub fn migrate_level(release: Option<OpenShiftRelease>) -> MigrateLevel {
    const FIRST: OpenShiftRelease = OpenShiftRelease::new(4, 17);
    match release {
        Some(release) if release >= FIRST => MigrateLevel::BundleObjectToCsvMetadata,
        _ => MigrateLevel::None,
    }
}

#[cfg(test)]
mod tests;
