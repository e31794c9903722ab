//! What is wanted of a catalog.

use std::collections::BTreeMap;

use fbc_version::{Range, Version};

/// The packages that are wanted, and what of each.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// By name.
    pub packages: BTreeMap<String, PackageSelection>,
}

/// What is wanted of a package.
#[derive(Clone, Debug, Default)]
pub struct PackageSelection {
    /// The channels; all of them, whole, if there are none here.
    pub channels: Vec<ChannelSelection>,
    /// The default channel from now on; the present one if nothing is said.
    pub default_channel: Option<String>,
}

/// What is wanted of a channel. Several of one channel add up.
#[derive(Clone, Debug)]
pub struct ChannelSelection {
    /// The name; empty for every channel of the package. A channel that is not named goes where nothing of it
    /// is wanted.
    pub name: String,
    /// What of its entries.
    pub keep: Keep,
}

/// What is wanted of the entries of a channel.
#[derive(Clone, Debug)]
pub enum Keep {
    /// All.
    All,
    /// Those whose version is in the range.
    Range(Range),
    /// The piece of the chain from the head without gaps that has those whose version is in the range, as oc-mirror reads
    /// ranges.
    Chain(Range),
    /// The head alone.
    Head,
    /// What somebody who has this version needs to get to the head.
    WayFrom(Version),
}

impl PackageSelection {
    /// What is wanted of a channel, and whether it is named; nothing if it is not wanted at all.
    pub(super) fn of_channel(&self, name: &str) -> Option<(Vec<&Keep>, bool)> {
        if self.channels.is_empty() {
            return Some((vec![&Keep::All], false));
        }
        let of = |wanted: &str| -> Vec<&Keep> {
            self.channels
                .iter()
                .filter(|channel| channel.name == wanted)
                .map(|channel| &channel.keep)
                .collect()
        };
        let (mut keeps, unnamed) = (of(name), of(""));
        let is_named = !keeps.is_empty();
        keeps.extend(unnamed);
        (!keeps.is_empty()).then_some((keeps, is_named))
    }
}
