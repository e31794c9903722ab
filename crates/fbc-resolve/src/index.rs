//! A catalog prepared for resolution: blobs by package, versions parsed, bundles in order of preference.
//!
//! All filters of a resolution only remove bundles, and the reference's sort is stable. So the order can be
//! made once, and a resolution takes the first bundle that no filter removes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use fbc_model::{Bundle, Catalog, Channel, ChannelEntry, Deprecation, blob::schema};
use fbc_version::blang::{Range, RangeError};
use fbc_version::{Version, VersionRelease};

use crate::bundle_version::{self, BundleVersionError};
use crate::rules::Rules;

/// Properties that declare a dependency. The reference refuses a bundle that has one.
const DEPENDENCY_TYPES: [&str; 3] = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

/// A catalog, ready for resolution. It owns the blobs that resolution needs.
#[derive(Clone, Debug, Default)]
pub struct CatalogIndex {
    packages: BTreeMap<String, PackageIndex>,
}

/// The blobs of one package.
#[derive(Clone, Debug, Default)]
pub struct PackageIndex {
    channels: Vec<String>,
    entries: Vec<IndexedEntry>,
    bundles: Vec<IndexedBundle>,
    deprecations: Option<Deprecation>,
}

/// A bundle with what resolution asks of it.
#[derive(Clone, Debug)]
pub struct IndexedBundle {
    /// The blob.
    pub blob: Bundle,
    /// Its version, or why there is none.
    pub version: Result<VersionRelease, BundleVersionError>,
    /// Whether the first `olm.deprecations` of the package names the bundle.
    pub is_deprecated: bool,
    /// Its entries in the channels, as indexes into those of the package.
    entries: Vec<usize>,
}

/// An entry of a channel.
#[derive(Clone, Debug)]
pub struct IndexedEntry {
    /// The channel, as an index into those of the package.
    pub(crate) channel: usize,
    /// The entry.
    pub blob: ChannelEntry,
    /// The parsed `skipRange`; nothing where there is none. One that is refused is not an edge.
    pub skip_range: Option<Result<Range, RangeError>>,
}

impl CatalogIndex {
    /// Prepares a catalog. Takes time in proportion to its blobs.
    #[must_use]
    pub fn new(catalog: Catalog, rules: Rules) -> Self {
        let mut parts: BTreeMap<String, Parts> = BTreeMap::new();
        for package in &catalog.packages {
            parts.entry(package.name.clone()).or_default();
        }
        for other in &catalog.others {
            parts.entry(other.meta.package.clone()).or_default();
        }
        for channel in catalog.channels {
            parts.entry(channel.package.clone()).or_default().channels.push(channel);
        }
        for bundle in catalog.bundles {
            parts.entry(bundle.package.clone()).or_default().bundles.push(bundle);
        }
        for deprecation in catalog.deprecations {
            let of_package = parts.entry(deprecation.package.clone()).or_default();
            of_package.deprecations.get_or_insert(deprecation);
        }
        // Blobs of no package belong to none that can be asked for.
        parts.remove("");
        let packages = parts.into_iter().map(|(name, parts)| (name, parts.index(rules))).collect();
        Self { packages }
    }

    /// The package, if the catalog has any blob of it.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<&PackageIndex> {
        self.packages.get(name)
    }

    /// The names of the packages, sorted.
    pub fn package_names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }
}

/// The blobs of a package on their way into the index.
#[derive(Default)]
struct Parts {
    channels: Vec<Channel>,
    bundles: Vec<Bundle>,
    deprecations: Option<Deprecation>,
}

impl Parts {
    fn index(self, rules: Rules) -> PackageIndex {
        let mut package = PackageIndex { deprecations: self.deprecations, ..PackageIndex::default() };
        let mut channel_numbers: HashMap<String, usize> = HashMap::new();
        let mut entries_of: HashMap<String, Vec<usize>> = HashMap::new();
        for channel in self.channels {
            let next = package.channels.len();
            let number = *channel_numbers.entry(channel.name.clone()).or_insert(next);
            if number == next {
                package.channels.push(channel.name);
            }
            for entry in channel.entries.unwrap_or_default() {
                entries_of.entry(entry.name.clone()).or_default().push(package.entries.len());
                let skip_range = (!entry.skip_range.is_empty()).then(|| Range::parse(&entry.skip_range));
                package.entries.push(IndexedEntry { channel: number, blob: entry, skip_range });
            }
        }
        let deprecated: HashSet<&str> = package
            .deprecations
            .iter()
            .flat_map(|blob| blob.entries())
            .filter(|entry| entry.schema == schema::BUNDLE)
            .map(|entry| entry.name.as_str())
            .collect();
        let mut bundles: Vec<IndexedBundle> = self
            .bundles
            .into_iter()
            .map(|blob| IndexedBundle {
                version: bundle_version::of_bundle(&blob, rules),
                is_deprecated: deprecated.contains(blob.name.as_str()),
                entries: entries_of.get(&blob.name).cloned().unwrap_or_default(),
                blob,
            })
            .collect();
        bundles.sort_by(preference);
        package.bundles = bundles;
        package
    }
}

/// Bundles that are not deprecated first; then by descending version and release; those without a version
/// last. Of equals the order of the catalog stays.
fn preference(left: &IndexedBundle, right: &IndexedBundle) -> Ordering {
    left.is_deprecated.cmp(&right.is_deprecated).then_with(|| match (&left.version, &right.version) {
        (Ok(left), Ok(right)) => right.compare_precedence(left),
        (left, right) => left.is_err().cmp(&right.is_err()),
    })
}

impl PackageIndex {
    /// The names of the channels, in the order of the catalog.
    #[must_use]
    pub fn channels(&self) -> &[String] {
        &self.channels
    }

    /// The bundles in order of preference: what is not deprecated first, then the highest version.
    #[must_use]
    pub fn bundles(&self) -> &[IndexedBundle] {
        &self.bundles
    }

    /// The first `olm.deprecations`; the reference looks at no other.
    #[must_use]
    pub fn deprecations(&self) -> Option<&Deprecation> {
        self.deprecations.as_ref()
    }

    /// The entries of a bundle in all channels, in the order of the catalog.
    pub fn entries_of<'p>(&'p self, bundle: &'p IndexedBundle) -> impl Iterator<Item = &'p IndexedEntry> {
        bundle.entries.iter().filter_map(|&number| self.entries.get(number))
    }

    /// The name of the channel that an entry is in.
    #[must_use]
    pub fn channel_of(&self, entry: &IndexedEntry) -> &str {
        self.channels.get(entry.channel).map_or("", String::as_str)
    }

    /// The channels that a bundle is in, in the order of the catalog.
    #[must_use]
    pub fn channels_of(&self, bundle: &IndexedBundle) -> Vec<&str> {
        let mut channels: Vec<usize> = self.entries_of(bundle).map(|entry| entry.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        channels.into_iter().filter_map(|channel| self.channels.get(channel).map(String::as_str)).collect()
    }
}

impl IndexedBundle {
    /// The type of the first property that declares a dependency, for which the bundle is never installed.
    #[must_use]
    pub fn dependency(&self) -> Option<&str> {
        let mut kinds = self.blob.properties.iter().map(|property| property.kind.as_str());
        kinds.find(|kind| DEPENDENCY_TYPES.contains(kind))
    }

    /// The version without the release, where there is one.
    #[must_use]
    pub fn semantic_version(&self) -> Option<&Version> {
        self.version.as_ref().ok().map(|version| &version.version)
    }
}
