//! Why a selection gives no valid catalog.

use fbc_go::text::quote;

/// Why a selection gives no valid catalog. Lists are in ascending order, versions by precedence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such package.
    #[error("there is no package {}", quote(.package))]
    NoPackage {
        /// Its name.
        package: String,
    },
    /// There is no such channel.
    #[error("package {} has no channel {}", quote(.package), quote(.channel))]
    NoChannel {
        /// The package.
        package: String,
        /// The channel that is asked for.
        channel: String,
        /// The channels that there are.
        known: Vec<String>,
    },
    /// No version of a channel, or of any channel, is wanted.
    #[error("nothing of {} is in the range", name_of(.package, .channel))]
    NothingInRange {
        /// The package.
        package: String,
        /// The channel; empty if all are meant.
        channel: String,
        /// The versions that there are.
        known: Vec<String>,
    },
    /// The bundle of an entry has no version, so that no range can tell whether it is wanted.
    #[error("entry {} of {} has no version", quote(.entry), name_of(.package, .channel))]
    NoVersion {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The entry.
        entry: String,
    },
    /// What is left would have several heads.
    #[error("{} would have several heads: {}", name_of(.package, .channel), .heads.join(", "))]
    SeveralHeads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The heads.
        heads: Vec<String>,
        /// The nearest entry from which all of them are reached; nothing if there is none.
        joined_by: Option<String>,
    },
    /// What is left has no head, or goes round in a circle.
    #[error("{} goes round in a circle", name_of(.package, .channel))]
    Cycle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// What is left has entries that neither the chain of its head reaches nor anything skips.
    #[error("{} would leave without a way to the head: {}", name_of(.package, .channel), .entries.join(", "))]
    Stranded {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The entries.
        entries: Vec<String>,
    },
    /// Nothing in a channel takes somebody who has a version.
    #[error("no way leads from {version} to the head of {}", name_of(.package, .channel))]
    NoWay {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The version.
        version: String,
    },
    /// The default channel goes.
    #[error("the default channel {} of package {} would go", quote(.channel), quote(.package))]
    DefaultChannelLost {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The channels that stay.
        candidates: Vec<String>,
    },
    /// The default channel that is asked for does not stay.
    #[error("channel {} cannot be the default of package {}: it is not kept", quote(.channel), quote(.package))]
    UnknownDefaultChannel {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The channels that stay.
        candidates: Vec<String>,
    },
}

fn name_of(package: &str, channel: &str) -> String {
    match channel {
        "" => format!("package {}", quote(package)),
        channel => format!("channel {} of package {}", quote(channel), quote(package)),
    }
}
