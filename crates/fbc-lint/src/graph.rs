//! What the rules about upgrade graphs and deprecations share: the versions of bundles, the ranges of
//! entries, and what opm makes of each channel. Worked out once for a package, when first asked for.

use std::cmp::Ordering;
use std::collections::HashMap;

use fbc_graph::{ChannelAnalysis, bundle_version};
use fbc_model::{Channel, ChannelEntry};
use fbc_version::blang::{Range, RangeError};
use fbc_version::{Version, VersionRelease};

use crate::context::PackageView;

/// The upgrade graph of a package. It owns what it holds: a view with a cell that borrows could not be
/// handed to functions that borrow for less long.
#[derive(Clone, Debug)]
pub struct PackageGraph {
    /// What opm makes of each channel, in the order of [`PackageView::channels`].
    analyses: Vec<ChannelAnalysis>,
    /// The versions of bundles by name; only those that can be read.
    versions: HashMap<String, VersionRelease>,
    /// Every `skipRange` of the package by its text.
    skip_ranges: HashMap<String, Result<Range, RangeError>>,
}

/// A channel, with what opm makes of it.
#[derive(Clone, Copy, Debug)]
pub struct ChannelGraph<'a> {
    /// The channel.
    pub channel: &'a Channel,
    /// Its head, its replaces chain, and who is stranded.
    pub analysis: &'a ChannelAnalysis,
}

impl PackageView<'_> {
    /// The channels with what opm makes of them: of equal names all, in load order.
    pub fn channel_graphs(&self) -> impl Iterator<Item = ChannelGraph<'_>> {
        let channels = self.channels.iter().zip(&self.graph().analyses);
        channels.map(|(channel, analysis)| ChannelGraph { channel, analysis })
    }
}

impl PackageGraph {
    /// Works out the graph of a package.
    #[must_use]
    pub fn from_view(view: &PackageView<'_>) -> Self {
        let versions = view.bundle_by_name.iter();
        let versions = versions
            .filter_map(|(name, bundle)| Some(((*name).to_owned(), bundle_version::find(bundle)?)))
            .collect();
        let mut skip_ranges = HashMap::new();
        for entry in view.channels.iter().flat_map(|channel| channel.entries()) {
            if !entry.skip_range.is_empty() && !skip_ranges.contains_key(entry.skip_range.as_str()) {
                skip_ranges.insert(entry.skip_range.clone(), Range::parse(&entry.skip_range));
            }
        }
        let channels = view.channels.iter();
        let analyses = channels.map(|channel| ChannelAnalysis::from_entries(channel.entries())).collect();
        Self { analyses, versions, skip_ranges }
    }

    /// Version and release of a bundle; nothing where it has none that can be read.
    #[must_use]
    pub fn version_release(&self, bundle: &str) -> Option<&VersionRelease> {
        self.versions.get(bundle)
    }

    /// The version of a bundle; nothing where it has none that can be read.
    #[must_use]
    pub fn version(&self, bundle: &str) -> Option<&Version> {
        self.versions.get(bundle).map(|found| &found.version)
    }

    /// How two bundles compare by version and release; nothing where one of them is unknown.
    #[must_use]
    pub fn compare(&self, bundle: &str, other: &str) -> Option<Ordering> {
        Some(self.versions.get(bundle)?.compare_precedence(self.versions.get(other)?))
    }

    /// Orders bundles by version and release, unknown ones first, equal ones by name.
    #[must_use]
    pub fn order(&self, bundle: &str, other: &str) -> Ordering {
        let (a, b) = (self.versions.get(bundle), self.versions.get(other));
        let by_version = match (a, b) {
            (Some(a), Some(b)) => a.compare_precedence(b),
            _ => a.is_some().cmp(&b.is_some()),
        };
        by_version.then_with(|| bundle.cmp(other))
    }

    /// The range of an entry; nothing where it has none.
    #[must_use]
    pub fn skip_range(&self, entry: &ChannelEntry) -> Option<&Result<Range, RangeError>> {
        self.skip_ranges.get(entry.skip_range.as_str())
    }

    /// The range of an entry where it has one that can be read.
    #[must_use]
    pub fn readable_skip_range(&self, entry: &ChannelEntry) -> Option<&Range> {
        self.skip_range(entry)?.as_ref().ok()
    }
}

impl<'a> ChannelGraph<'a> {
    /// The entry of a number; nothing where there is none.
    #[must_use]
    pub fn entry(&self, number: usize) -> Option<&'a ChannelEntry> {
        self.channel.entries().get(number)
    }

    /// The name of an entry; empty where there is none.
    #[must_use]
    pub fn name(&self, number: usize) -> &'a str {
        self.entry(number).map(|entry| entry.name.as_str()).unwrap_or_default()
    }
}
