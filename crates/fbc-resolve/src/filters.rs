//! What removes a bundle from the choice: channels, range, and edges from what is installed.

use fbc_version::masterminds::Constraint;
use fbc_version::{Target, Version, VersionError, VersionRelease};

use crate::bundle_version;
use crate::error::{InstalledVersionError, ResolveError};
use crate::index::{IndexedBundle, IndexedEntry, PackageIndex};
use crate::request::{InstalledBundle, Request, UpgradePolicy};
use crate::rules::Rules;

/// The filters of a request, parsed.
pub(crate) struct Filters<'r> {
    channels: &'r [String],
    pub(crate) constraint: Option<Constraint>,
    pub(crate) installed: Option<Installed<'r>>,
}

/// What edges start from.
pub(crate) struct Installed<'r> {
    pub(crate) name: &'r str,
    /// As written, which is what `skipRange` looks at.
    pub(crate) full: Version,
    /// What a bundle must have to be the same.
    same: VersionRelease,
}

/// Why a bundle may follow what is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge<'c> {
    /// An entry in the channel replaces it.
    Replaces {
        /// The channel.
        channel: &'c str,
    },
    /// An entry in the channel skips it.
    Skips {
        /// The channel.
        channel: &'c str,
    },
    /// The `skipRange` of an entry in the channel covers its version.
    SkipRange {
        /// The channel.
        channel: &'c str,
        /// The range.
        range: &'c str,
    },
    /// It is the same version: nothing changes.
    Same,
}

/// The channels of one package that count.
pub(crate) enum KeptChannels {
    All,
    /// For each channel of the package whether it was asked for.
    Listed(Vec<bool>),
}

impl<'r> Filters<'r> {
    /// # Errors
    /// The range is refused.
    pub(crate) fn new(request: &'r Request, rules: Rules) -> Result<Self, ResolveError> {
        let constraint = (!request.version.is_empty())
            .then(|| Constraint::parse(rules.target.masterminds(), &request.version))
            .transpose()
            .map_err(|error| ResolveError::Range { range: request.version.clone(), error })?;
        Ok(Self { channels: &request.channels, constraint, installed: None })
    }

    /// Adds the filter of edges, where the request has it. The reference parses the installed version only
    /// when it meets a catalog with the package, so this is a step of its own.
    pub(crate) fn with_installed(
        mut self,
        request: &'r Request,
        rules: Rules,
    ) -> Result<Self, InstalledVersionError> {
        if request.policy == UpgradePolicy::CatalogProvided {
            let parse = |installed| Installed::parse(installed, rules);
            self.installed = request.installed.as_ref().map(parse).transpose()?;
        }
        Ok(self)
    }

    /// The first bundle, in order of preference, that no filter removes.
    pub(crate) fn candidate<'c>(&self, package: &'c PackageIndex) -> Option<&'c IndexedBundle> {
        let kept = self.kept_channels(package);
        package.bundles().iter().find(|bundle| {
            self.is_in_range(bundle)
                && kept.hold(package, bundle)
                && self.is_reachable(package, bundle, &kept)
        })
    }

    pub(crate) fn kept_channels(&self, package: &PackageIndex) -> KeptChannels {
        if self.channels.is_empty() {
            return KeptChannels::All;
        }
        KeptChannels::Listed(package.channels().iter().map(|name| self.channels.contains(name)).collect())
    }

    /// Whether the version is in the range that was asked for. A bundle without a version is in none.
    pub(crate) fn is_in_range(&self, bundle: &IndexedBundle) -> bool {
        self.constraint
            .as_ref()
            .is_none_or(|range| bundle.semantic_version().is_some_and(|version| range.matches(version)))
    }

    /// Whether the bundle may follow what is installed; any bundle where nothing is, or edges do not count.
    pub(crate) fn is_reachable(
        &self,
        package: &PackageIndex,
        bundle: &IndexedBundle,
        kept: &KeptChannels,
    ) -> bool {
        self.installed.as_ref().is_none_or(|installed| installed.edge(package, bundle, kept).is_some())
    }
}

impl KeptChannels {
    pub(crate) fn keep(&self, entry: &IndexedEntry) -> bool {
        match self {
            Self::All => true,
            Self::Listed(kept) => kept.get(entry.channel).copied().unwrap_or_default(),
        }
    }

    /// Whether the bundle is in a channel that was asked for; without such any bundle will do.
    pub(crate) fn hold(&self, package: &PackageIndex, bundle: &IndexedBundle) -> bool {
        matches!(self, Self::All) || package.entries_of(bundle).any(|entry| self.keep(entry))
    }
}

impl<'r> Installed<'r> {
    fn parse(installed: &'r InstalledBundle, rules: Rules) -> Result<Self, InstalledVersionError> {
        let InstalledBundle { name, version, release } = installed;
        let (full, same) = match release {
            Some(release) if rules.knows_releases() => {
                let same = bundle_version::with_release(version, release)
                    .map_err(InstalledVersionError::VersionAndRelease)?;
                (same.version.clone(), same)
            }
            _ => {
                let same = bundle_version::from_text(version, rules)
                    .map_err(|error| refusal(name, version, error, rules.target))?;
                let full = same.to_version();
                (full, same)
            }
        };
        Ok(Self { name, full, same })
    }

    /// An edge in the channels that count, else whether it is the same version.
    pub(crate) fn edge<'c>(
        &self,
        package: &'c PackageIndex,
        bundle: &'c IndexedBundle,
        kept: &KeptChannels,
    ) -> Option<Edge<'c>> {
        let listed = package.entries_of(bundle).filter(|entry| kept.keep(entry)).find_map(|entry| {
            let channel = package.channel_of(entry);
            if entry.blob.replaces == self.name {
                Some(Edge::Replaces { channel })
            } else if entry.blob.skips.iter().any(|name| name == self.name) {
                Some(Edge::Skips { channel })
            } else {
                let covers = matches!(&entry.skip_range, Some(Ok(range)) if range.matches(&self.full));
                covers.then_some(Edge::SkipRange { channel, range: &entry.blob.skip_range })
            }
        });
        listed.or_else(|| self.is_same(bundle).then_some(Edge::Same))
    }

    fn is_same(&self, bundle: &IndexedBundle) -> bool {
        bundle.version.as_ref().is_ok_and(|version| version.compare_precedence(&self.same).is_eq())
    }
}

/// Up to 4.21 the reference parses the version twice, first with a library that takes `v1.2` for a version.
fn refusal(name: &str, version: &str, error: VersionError, target: Target) -> InstalledVersionError {
    match target {
        Target::Ocp50 | Target::Latest => InstalledVersionError::Version(error),
        _ if is_lenient_version(version) => InstalledVersionError::Strict(error),
        _ => InstalledVersionError::Lenient { name: name.to_owned(), version: version.to_owned() },
    }
}

/// Whether Masterminds' `NewVersion` takes the text: an optional `v`, and one to three numbers.
fn is_lenient_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let padding = match numbers.split('.').count() {
        1 => ".0.0",
        2 => ".0",
        _ => "",
    };
    Version::parse(&format!("{numbers}{padding}{rest}")).is_ok()
}
