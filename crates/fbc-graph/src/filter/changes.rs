//! What filtering took away, and whom that touches.

/// What filtering took away. Lists are in the order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Packages that went.
    pub packages: Vec<String>,
    /// Channels that went from kept packages: package and channel.
    pub dropped_channels: Vec<(String, String)>,
    /// Channels that lost entries.
    pub channels: Vec<ChannelChange>,
    /// Bundles that went from kept packages: package and bundle.
    pub bundles: Vec<(String, String)>,
    /// What kept bundles require and only bundles that went provide.
    pub lost_dependencies: Vec<LostDependency>,
}

/// What became of a channel that lost entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelChange {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The entries that went, in the order of the channel.
    pub removed: Vec<String>,
    /// Entries from which OLM v0 led to the head and no longer does, whether they stay or went.
    pub stuck_v0: Vec<String>,
    /// The same for OLM v1.
    pub stuck_v1: Vec<String>,
    /// The head as it was and as it is now, where they differ.
    pub head: Option<(String, String)>,
}

/// A requirement that nothing meets any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostDependency {
    /// The package of the bundle that has it.
    pub package: String,
    /// The bundle.
    pub bundle: String,
    /// What it requires.
    pub requirement: Requirement,
}

/// What a bundle requires of others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirement {
    /// `olm.package.required`
    Package {
        /// The package.
        name: String,
        /// The versions of it, as written.
        range: String,
    },
    /// `olm.gvk.required`
    Api {
        /// The group.
        group: String,
        /// The version.
        version: String,
        /// The kind.
        kind: String,
    },
}
