//! Bundles to try out, and a catalog of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_model::tree::{MemoryTree, Tree};
use fbc_olm::content::Image;
use fbc_resolve::Rules;
use fbc_version::{Target, Version};
use serde_json::json;

/// A bundle that was read.
#[derive(Debug, Clone)]
pub struct TrialBundle {
    /// The package.
    pub package: String,
    /// The name of the bundle.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The namespace that it suggests, or one named by its package.
    pub namespace: String,
    pub(super) image: Arc<Image>,
    modes: Vec<String>,
}

/// Why a directory cannot be tried out, in the words of OLM.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableBundle(pub String);

impl TrialBundle {
    /// Reads a bundle directory.
    ///
    /// # Errors
    /// What keeps OLM from reading it.
    pub fn read(files: Arc<dyn Tree>) -> Result<Self, UnreadableBundle> {
        let unreadable = |text: String| UnreadableBundle(text);
        let image = Image::of_files(files, BTreeMap::new(), Rules::from_target(Target::Latest))
            .map_err(|error| unreadable(error.to_string()))?;
        let bundle = image.bundle().map_err(|error| unreadable(error.to_string()))?;
        let operator = bundle.operator();
        let version = Some(operator.version());
        let suggested = bundle.annotations.get("operatorframework.io/suggested-namespace");
        let namespace = suggested.filter(|name| !name.is_empty()).unwrap_or(&bundle.package);
        Ok(Self {
            package: bundle.package.clone(),
            name: operator.name().to_owned(),
            version: version.filter(|version| !version.is_empty()).unwrap_or("0.0.0").to_owned(),
            namespace: namespace.replace('.', "-").to_lowercase(),
            modes: operator.install_modes().into_iter().map(str::to_owned).collect(),
            image: Arc::new(image),
        })
    }

    /// Whether it supports an install mode.
    pub(super) fn supports(&self, mode: &str) -> bool {
        self.modes.iter().any(|supported| supported == mode)
    }

    /// The reference of its image; names hold characters that tags do not.
    pub(super) fn image_reference(&self) -> String {
        let tag: String = self
            .name
            .chars()
            .map(|one| if one.is_ascii_alphanumeric() || one == '.' { one } else { '-' })
            .collect();
        format!("registry.example/bundles/{}:{tag}", self.package.to_lowercase())
    }
}

/// Puts bundles into the order of their versions, those without a version first.
fn sort(bundles: &mut [TrialBundle]) {
    bundles.sort_by_cached_key(|bundle| {
        let version = Version::parse(&bundle.version).ok();
        (version.map(VersionKey), bundle.name.clone())
    });
}

/// A version in the order of precedence.
#[derive(PartialEq, Eq)]
struct VersionKey(Version);

impl PartialOrd for VersionKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for VersionKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.compare_precedence(&other.0)
    }
}

/// Bundles by package, each package in the order of its versions.
pub fn by_package(bundles: Vec<TrialBundle>) -> Vec<Vec<TrialBundle>> {
    let mut packages: BTreeMap<String, Vec<TrialBundle>> = BTreeMap::new();
    for bundle in bundles {
        packages.entry(bundle.package.clone()).or_default().push(bundle);
    }
    let mut packages: Vec<Vec<TrialBundle>> = packages.into_values().collect();
    packages.iter_mut().for_each(|bundles| sort(bundles));
    packages
}

/// A catalog with one channel in which every bundle replaces the one before.
pub(super) fn catalog(bundles: &[TrialBundle], rules: Rules) -> Arc<Image> {
    let package = bundles.first().map(|bundle| bundle.package.as_str()).unwrap_or_default();
    let mut blobs = vec![json!({"schema": "olm.package", "name": package, "defaultChannel": "all"})];
    let mut entries = Vec::new();
    let mut before: Option<&str> = None;
    for bundle in bundles {
        let mut entry = json!({"name": bundle.name});
        if let Some(before) = before {
            entry["replaces"] = before.into();
        }
        before = Some(&bundle.name);
        entries.push(entry);
        blobs.push(json!({
            "schema": "olm.bundle", "name": bundle.name, "package": package, "image": bundle.image_reference(),
            "properties": [
                {"type": "olm.package", "value": {"packageName": package, "version": bundle.version}},
            ],
        }));
    }
    blobs.push(json!({"schema": "olm.channel", "name": "all", "package": package, "entries": entries}));
    let mut tree = MemoryTree::default();
    let lines: Vec<String> = blobs.iter().map(ToString::to_string).collect();
    tree.insert("catalog.json", lines.join("\n"));
    let index = fbc_resolve::CatalogIndex::new(fbc_model::load::load_tree(&tree), rules);
    Arc::new(Image::of_index(package, Arc::new(index), rules))
}
