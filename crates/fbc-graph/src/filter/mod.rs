//! A smaller catalog that is still valid: chosen packages, channels and versions.
//!
//! [`Selection`] says what is wanted, [`filter`] gives the catalog and a [`Changes`] that says what went, or a
//! [`Refusal`]. What is kept of a channel always has one head, from which the reference's walk reaches all
//! that is kept. Edges to entries that went stay as they are: the format permits `replaces` and `skips` that
//! name no entry, and whoever has such a version installed upgrades by them.
//!
//! Nothing here reads files or has words for the user; nothing is judged beyond what filtering itself can
//! break.

mod chain_range;
mod changes;
mod channel;
mod dependencies;
mod refusal;
mod selection;
#[cfg(test)]
mod tests;
mod ways;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fbc_model::blob::schema;
use fbc_model::{Bundle, Catalog, Channel, Deprecation, Package, PackageBlobs};
use fbc_version::Version;

pub use changes::{Changes, ChannelChange, LostDependency, Requirement};
pub use refusal::Refusal;
pub use selection::{ChannelSelection, Keep, PackageSelection, Selection};

use crate::bundle_version;

/// A filtered catalog, and what became of the rest.
#[derive(Debug)]
pub struct Filtered {
    /// What is kept, in the order of the original; its files are those of the original.
    pub catalog: Catalog,
    /// What went.
    pub changes: Changes,
}

/// Makes a smaller catalog.
///
/// * A package is kept with its blobs of other schemas; blobs without a package are kept too.
/// * Bundles that no kept channel has an entry for go.
/// * Deprecations of what goes go with it.
/// * A default channel that goes must be replaced by [`PackageSelection::default_channel`].
///
/// # Errors
/// Every reason why the selection gives no valid catalog.
pub fn filter(catalog: &Catalog, selection: &Selection) -> Result<Filtered, Vec<Refusal>> {
    let by_package = Blobs::by_package(catalog);
    let mut refusals = Vec::new();
    let mut kept = Kept::default();
    let mut changes = Changes::default();
    for (name, wanted) in &selection.packages {
        match by_package.get(name.as_str()).filter(|blobs| !blobs.packages.is_empty()) {
            Some(blobs) => kept.take_package(name, blobs, wanted, &mut changes, &mut refusals),
            None => refusals.push(Refusal::NoPackage { package: name.clone() }),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    changes.packages = by_package
        .keys()
        .filter(|name| !name.is_empty() && !selection.packages.contains_key(**name))
        .map(|name| (*name).to_owned())
        .collect();
    let filtered = kept.build(catalog, selection, &mut changes);
    changes.lost_dependencies = dependencies::lost(catalog, &filtered);
    Ok(Filtered { catalog: filtered, changes })
}

/// The blobs of a package that filtering looks at.
#[derive(Default)]
struct Blobs<'c> {
    packages: Vec<&'c Package>,
    channels: Vec<&'c Channel>,
    bundles: HashMap<&'c str, &'c Bundle>,
}

impl<'c> Blobs<'c> {
    /// The packages with blobs that are filtered; blobs of other schemas follow what becomes of these.
    fn by_package(catalog: &'c Catalog) -> BTreeMap<&'c str, Self> {
        let all = PackageBlobs::by_package(catalog, |_| true).into_iter();
        all.filter_map(|(name, PackageBlobs { packages, channels, bundles, .. })| {
            let is_filtered = !(packages.is_empty() && channels.is_empty() && bundles.is_empty());
            // Of bundles of one name the first counts.
            let bundles = bundles.into_iter().rev().map(|bundle| (bundle.name.as_str(), bundle)).collect();
            is_filtered.then_some((name, Self { packages, channels, bundles }))
        })
        .collect()
    }

    /// The version of each entry of a channel; nothing where its bundle has none.
    fn versions(&self, channel: &Channel) -> Vec<Option<Version>> {
        let version = |name: &str| Some(bundle_version::find(self.bundles.get(name)?)?.version);
        channel.entries().iter().map(|entry| version(&entry.name)).collect()
    }
}

/// What stays of the catalog, by name.
#[derive(Default)]
struct Kept<'c> {
    /// For each kept channel, by package and name, which entries stay.
    channels: HashMap<(&'c str, &'c str), Vec<bool>>,
    /// Bundles by package and name.
    bundles: HashSet<(&'c str, &'c str)>,
}

impl<'c> Kept<'c> {
    fn take_package(
        &mut self,
        name: &str,
        blobs: &Blobs<'c>,
        wanted: &PackageSelection,
        changes: &mut Changes,
        refusals: &mut Vec<Refusal>,
    ) {
        let refused_before = refusals.len();
        for channel in &wanted.channels {
            let is_known = blobs.channels.iter().any(|known| known.name == channel.name);
            if !channel.name.is_empty() && !is_known {
                let known = blobs.channels.iter().map(|channel| channel.name.clone()).collect();
                let (package, channel) = (name.to_owned(), channel.name.clone());
                refusals.push(Refusal::NoChannel { package, channel, known });
            }
        }
        let mut left: BTreeSet<&str> = BTreeSet::new();
        let mut empty = Vec::new();
        for channel in &blobs.channels {
            let Some((keeps, is_named)) = wanted.of_channel(&channel.name) else { continue };
            let versions = blobs.versions(channel);
            match channel::keep(channel, &versions, &keeps) {
                Err(refusal) => refusals.push(refusal),
                Ok(entries) if !entries.contains(&true) && !channel.entries().is_empty() => {
                    // What oc-mirror finds nothing in goes, unless it is the default channel.
                    if is_named && !keeps.iter().all(|keep| matches!(keep, Keep::Chain(_))) {
                        refusals.push(Refusal::NothingInRange {
                            package: name.to_owned(),
                            channel: channel.name.clone(),
                            known: shown(&versions),
                        });
                    } else {
                        empty.push(channel);
                    }
                }
                Ok(entries) => {
                    let names = channel.entries().iter().zip(&entries).filter(|(_, kept)| **kept);
                    self.bundles
                        .extend(names.map(|(entry, _)| (channel.package.as_str(), entry.name.as_str())));
                    if entries.contains(&false) {
                        changes.channels.push(ways::change(channel, &versions, &entries));
                    }
                    left.insert(&channel.name);
                    self.channels.insert((&channel.package, &channel.name), entries);
                }
            }
        }
        if refusals.len() > refused_before {
            return;
        }
        if left.is_empty() && !blobs.channels.is_empty() {
            let known = empty.iter().flat_map(|channel| shown(&blobs.versions(channel))).collect();
            let (package, channel) = (name.to_owned(), String::new());
            return refusals.push(Refusal::NothingInRange { package, channel, known });
        }
        for channel in blobs.channels.iter().filter(|channel| !left.contains(channel.name.as_str())) {
            changes.dropped_channels.push((name.to_owned(), channel.name.clone()));
        }
        refusals.extend(default_channel_refusal(name, blobs, wanted, &left));
    }

    fn build(&self, catalog: &Catalog, selection: &Selection, changes: &mut Changes) -> Catalog {
        let is_kept = |package: &str| selection.packages.contains_key(package);
        let packages = catalog.packages.iter().filter(|package| is_kept(&package.name)).map(|package| {
            let wanted = selection.packages.get(&package.name);
            let default_channel = wanted.and_then(|wanted| wanted.default_channel.clone());
            Package {
                default_channel: default_channel.unwrap_or_else(|| package.default_channel.clone()),
                ..package.clone()
            }
        });
        let channels = catalog.channels.iter().filter_map(|channel| {
            let kept = self.channels.get(&(channel.package.as_str(), channel.name.as_str()))?;
            let entries = channel.entries.as_ref().map(|entries| {
                entries.iter().zip(kept).filter(|(_, kept)| **kept).map(|(entry, _)| entry.clone()).collect()
            });
            Some(Channel { entries, ..channel.clone() })
        });
        let mut bundles = Vec::new();
        for bundle in catalog.bundles.iter().filter(|bundle| is_kept(&bundle.package)) {
            if self.bundles.contains(&(bundle.package.as_str(), bundle.name.as_str())) {
                bundles.push(bundle.clone());
            } else {
                changes.bundles.push((bundle.package.clone(), bundle.name.clone()));
            }
        }
        changes.bundles.sort();
        let others = catalog
            .others
            .iter()
            .filter(|other| other.meta.package.is_empty() || is_kept(&other.meta.package));
        Catalog {
            packages: packages.collect(),
            channels: channels.collect(),
            bundles,
            deprecations: catalog
                .deprecations
                .iter()
                .filter(|deprecation| is_kept(&deprecation.package))
                .filter_map(|deprecation| self.deprecation(deprecation))
                .collect(),
            others: others.cloned().collect(),
            files: catalog.files.clone(),
            ignored: catalog.ignored.clone(),
            faults: catalog.faults.clone(),
        }
    }

    /// The deprecations of what is kept; nothing if none of them is.
    fn deprecation(&self, deprecation: &Deprecation) -> Option<Deprecation> {
        let package = deprecation.package.as_str();
        let is_kept = |schema: &str, name: &str| match schema {
            schema::CHANNEL => self.channels.contains_key(&(package, name)),
            schema::BUNDLE => self.bundles.contains(&(package, name)),
            _ => true,
        };
        let entries: Option<Vec<_>> = deprecation.entries.as_ref().map(|entries| {
            entries.iter().filter(|entry| is_kept(&entry.schema, &entry.name)).cloned().collect()
        });
        let lost_all = !deprecation.entries().is_empty() && entries.as_ref().is_some_and(Vec::is_empty);
        (!lost_all).then(|| Deprecation { entries, ..deprecation.clone() })
    }
}

fn default_channel_refusal(
    name: &str,
    blobs: &Blobs<'_>,
    wanted: &PackageSelection,
    left: &BTreeSet<&str>,
) -> Option<Refusal> {
    let candidates = || left.iter().map(|channel| (*channel).to_owned()).collect();
    let package = name.to_owned();
    match &wanted.default_channel {
        Some(chosen) if left.contains(chosen.as_str()) => None,
        Some(chosen) => Some(Refusal::UnknownDefaultChannel {
            package,
            channel: chosen.clone(),
            candidates: candidates(),
        }),
        None => {
            let lost = blobs.packages.iter().find(|package| {
                // One that never was there is not lost by filtering.
                let is_there = blobs.channels.iter().any(|channel| channel.name == package.default_channel);
                is_there && !left.contains(package.default_channel.as_str())
            })?;
            let channel = lost.default_channel.clone();
            Some(Refusal::DefaultChannelLost { package, channel, candidates: candidates() })
        }
    }
}

/// Versions in their order, as text.
fn shown(versions: &[Option<Version>]) -> Vec<String> {
    let mut known: Vec<&Version> = versions.iter().flatten().collect();
    known.sort_by(|a, b| a.compare_precedence(b));
    known.into_iter().map(Version::to_string).collect()
}
