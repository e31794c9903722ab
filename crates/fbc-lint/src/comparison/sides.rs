//! The two sides of a comparison: the blobs of each package by name.

use std::collections::{BTreeMap, HashMap};

use fbc_graph::bundle_version;
use fbc_model::{Bundle, Catalog, Channel, ChannelEntry, DeprecationEntry, Other, Package};
use fbc_version::VersionRelease;

use super::content;

/// What one catalog holds of a package. Of equal names the first counts.
#[derive(Default)]
pub(super) struct Side<'c> {
    pub(super) package: Option<&'c Package>,
    pub(super) channels: BTreeMap<&'c str, &'c Channel>,
    pub(super) bundles: BTreeMap<&'c str, &'c Bundle>,
    /// By schema and name of what is deprecated.
    pub(super) deprecations: BTreeMap<(&'c str, &'c str), Deprecated<'c>>,
    /// By schema and name, in load order.
    pub(super) others: BTreeMap<(&'c str, &'c str), Vec<&'c Other>>,
}

/// A deprecation, and the place of its blob.
#[derive(Clone, Copy)]
pub(super) struct Deprecated<'c> {
    pub(super) entry: &'c DeprecationEntry,
    pub(super) origin: fbc_model::Origin,
    pub(super) index: usize,
}

impl<'c> Side<'c> {
    pub(super) fn is_empty(&self) -> bool {
        self.package.is_none()
            && self.channels.is_empty()
            && self.bundles.is_empty()
            && self.deprecations.is_empty()
            && self.others.is_empty()
    }

    /// The default channel; empty where there is none.
    pub(super) fn default_channel(&self) -> &'c str {
        self.package.map_or("", |package| package.default_channel.as_str())
    }

    /// The versions of the bundles, as far as they can be read.
    pub(super) fn versions(&self) -> HashMap<&'c str, VersionRelease> {
        let bundles = self.bundles.iter();
        bundles.filter_map(|(name, bundle)| Some((*name, bundle_version::find(bundle)?))).collect()
    }
}

/// Whether nothing differs that a comparison would show. Costs a walk over the blobs.
impl PartialEq for Side<'_> {
    fn eq(&self, other: &Self) -> bool {
        fn same<K: Ord, V>(a: &BTreeMap<K, V>, b: &BTreeMap<K, V>, equal: impl Fn(&V, &V) -> bool) -> bool {
            a.len() == b.len()
                && a.iter().zip(b).all(|((key, value), (other, with))| key == other && equal(value, with))
        }
        self.package.is_some() == other.package.is_some()
            && self.package.zip(other.package).is_none_or(|(a, b)| {
                let texts =
                    |package: &'_ Package| (package.default_channel.clone(), package.description.clone());
                texts(a) == texts(b) && a.icon == b.icon && a.properties == b.properties
            })
            && same(&self.channels, &other.channels, |a, b| {
                a.entries() == b.entries() && a.properties == b.properties
            })
            && same(&self.bundles, &other.bundles, |a, b| content::is_same(a, b))
            && same(&self.deprecations, &other.deprecations, |a, b| a.entry == b.entry)
            && same(&self.others, &other.others, |a, b| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.value == b.value)
            })
    }
}

/// The packages of two catalogs, each with what either holds of it. The empty name has the blobs that
/// name no package.
pub(super) fn pairs<'c>(old: &'c Catalog, new: &'c Catalog) -> BTreeMap<&'c str, (Side<'c>, Side<'c>)> {
    let mut pairs: BTreeMap<&str, (Side<'_>, Side<'_>)> = BTreeMap::new();
    collect(old, &mut pairs, |pair| &mut pair.0);
    collect(new, &mut pairs, |pair| &mut pair.1);
    pairs
}

fn collect<'c>(
    catalog: &'c Catalog,
    pairs: &mut BTreeMap<&'c str, (Side<'c>, Side<'c>)>,
    of: for<'p> fn(&'p mut (Side<'c>, Side<'c>)) -> &'p mut Side<'c>,
) {
    for package in &catalog.packages {
        of(pairs.entry(&package.name).or_default()).package.get_or_insert(package);
    }
    for channel in &catalog.channels {
        of(pairs.entry(&channel.package).or_default()).channels.entry(&channel.name).or_insert(channel);
    }
    for bundle in &catalog.bundles {
        of(pairs.entry(&bundle.package).or_default()).bundles.entry(&bundle.name).or_insert(bundle);
    }
    for blob in &catalog.deprecations {
        let side = of(pairs.entry(&blob.package).or_default());
        for (index, entry) in blob.entries().iter().enumerate() {
            let deprecated = Deprecated { entry, origin: blob.origin, index };
            side.deprecations.entry((&entry.schema, &entry.name)).or_insert(deprecated);
        }
    }
    for other in &catalog.others {
        let side = of(pairs.entry(&other.meta.package).or_default());
        side.others.entry((&other.meta.schema, &other.meta.name)).or_default().push(other);
    }
}

/// The entries of a channel by name, each with its number; the first of each name.
pub(super) fn entries_by_name(channel: &Channel) -> BTreeMap<&str, (usize, &ChannelEntry)> {
    let mut entries = BTreeMap::new();
    for (number, entry) in channel.entries().iter().enumerate() {
        entries.entry(entry.name.as_str()).or_insert((number, entry));
    }
    entries
}
