//! What opm says of entries that have no bundle.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go`.
//! The set of entries that wait for their bundle is kept by package, but each channel overwrites that of
//! the one before, so the conversion finds only what the last channel misses. In other channels the empty
//! bundle that stands for the entry survives until the model is checked.

use std::collections::{BTreeSet, HashMap};

use fbc_go::text::quote;
use fbc_lint::context::PackageView;
use fbc_lint::finding::{OpmText, Phase};
use fbc_model::Channel;

use super::opm::{bundle_path, conversion, leaf_order};

/// opm's texts for the missing bundles of a package.
pub(crate) struct OpmTexts<'a, 'c> {
    view: &'a PackageView<'c>,
    /// What the last channel misses.
    leftovers: BTreeSet<&'c str>,
    /// The channels that list what has no bundle, by its name.
    channels: HashMap<&'c str, BTreeSet<&'c str>>,
    is_told: bool,
}

impl<'a, 'c> OpmTexts<'a, 'c> {
    /// Prepares the texts for a package.
    pub(crate) fn from_view(view: &'a PackageView<'c>) -> Self {
        let missing = |channel: &&'c Channel| {
            let names = channel.entries().iter().map(|entry| entry.name.as_str());
            names.filter(|name| !view.bundle_by_name.contains_key(name)).collect::<BTreeSet<&str>>()
        };
        let mut channels: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for channel in &view.channels {
            for name in missing(channel) {
                channels.entry(name).or_default().insert(&channel.name);
            }
        }
        let leftovers = view.channels.last().map(missing).unwrap_or_default();
        Self { view, leftovers, channels, is_told: false }
    }

    /// The text for one missing bundle. What the last channel misses has one text in all, which may be
    /// long and therefore goes with the first of them only.
    pub(crate) fn of_bundle(&mut self, name: &str) -> Option<OpmText> {
        let package = &self.view.package.name;
        if self.leftovers.contains(name) {
            if std::mem::replace(&mut self.is_told, true) {
                return None;
            }
            let names: Vec<&str> = self.leftovers.iter().copied().collect();
            let text = format!(
                "no olm.bundle blobs found in package {} for olm.channel entries [{}]",
                quote(package),
                names.join(" ")
            );
            return Some(conversion(Phase::Leftovers, self.view.number, 1, 0, text));
        }
        let channels = self.channels.get(name).into_iter().flatten();
        let mut leaves = vec![
            (
                leaf_order::PACKAGE_PROPERTY,
                "must be exactly one property with type \"olm.package\"".to_owned(),
            ),
            (leaf_order::IMAGE, "bundle image must be set".to_owned()),
        ];
        if name.is_empty() {
            leaves.push((leaf_order::NAME, "name must be set".to_owned()));
        }
        let paths = channels.map(|channel| bundle_path(package, channel, name)).collect();
        Some(OpmText::ModelLeaves { paths, leaves })
    }
}

/// opm's text for one missing bundle of a package.
pub(crate) fn opm_text(view: &PackageView<'_>, name: &str) -> Option<OpmText> {
    OpmTexts::from_view(view).of_bundle(name)
}
