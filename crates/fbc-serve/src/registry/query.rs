//! What the registry answers, in opm's words where it refuses.
//!
//! Source: `operator-framework/operator-registry:pkg/cache/cache.go`, `pkgs.go`. Where opm's order is that of a map in Go,
//! which is random, ours is by package, channel and name.

use fbc_go::text::quote;

use super::bundle::Extent;
use super::index::{Channel, EntryKey, Package, Registry};
use super::message::{self, ChannelEntry, Deprecation, GroupVersionKind};

/// A refusal: the text of a status whose code is `Unknown`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("package {} not found", quote(.0))]
    Package(String),
    /// The same, as one request words it.
    #[error("package {0} not found")]
    BarePackage(String),
    #[error("package {}, channel {} not found", quote(.package), quote(.channel))]
    Channel { package: String, channel: String },
    #[error("package {}, channel {}, bundle {} not found", quote(.package), quote(.channel), quote(.bundle))]
    Bundle { package: String, channel: String, bundle: String },
    #[error("no entry found for package {}, channel {}", quote(.package), quote(.channel))]
    NotReplaced { package: String, channel: String },
    #[error("no channel entries found that replace {0}")]
    NothingReplaces(String),
    #[error("no channel entries found that provide {}", words(.0))]
    NothingProvides(GroupVersionKind),
    #[error("no entry found that provides {}", words(.0))]
    NoDefault(GroupVersionKind),
}

impl Registry {
    fn find(&self, package: &str) -> Result<&Package, Refusal> {
        self.packages.get(package).ok_or_else(|| Refusal::Package(package.to_owned()))
    }

    fn channel(&self, package: &str, channel: &str) -> Result<&Channel, Refusal> {
        let missing = || Refusal::Channel { package: package.to_owned(), channel: channel.to_owned() };
        self.find(package)?.channels.get(channel).ok_or_else(missing)
    }

    fn single(&self, package: &str, channel: &str, bundle: &str) -> Result<message::Bundle, Refusal> {
        let key = EntryKey { package: package.into(), channel: channel.into(), bundle: bundle.into() };
        let missing = || Refusal::Bundle {
            package: package.to_owned(),
            channel: channel.to_owned(),
            bundle: bundle.to_owned(),
        };
        self.message(&key, Extent::Single).ok_or_else(missing)
    }

    /// `GetPackage`
    pub(super) fn package(&self, name: &str) -> Result<message::Package, Refusal> {
        let package = self.find(name)?;
        let deprecated = |text: &Option<String>| text.clone().map(|message| Deprecation { message });
        let channels = package.channels.iter().map(|(name, channel)| message::Channel {
            name: name.clone(),
            csv_name: channel.head.clone(),
            deprecation: deprecated(&channel.deprecation),
        });
        Ok(message::Package {
            name: name.to_owned(),
            channels: channels.collect(),
            default_channel_name: package.default_channel.clone(),
            deprecation: deprecated(&package.deprecation),
        })
    }

    /// `GetBundle`
    pub(super) fn bundle(
        &self,
        package: &str,
        channel: &str,
        name: &str,
    ) -> Result<message::Bundle, Refusal> {
        self.channel(package, channel)?;
        self.single(package, channel, name)
    }

    /// `GetBundleForChannel`
    pub(super) fn head(&self, package: &str, channel: &str) -> Result<message::Bundle, Refusal> {
        let head = &self.channel(package, channel)?.head;
        self.single(package, channel, head)
    }

    /// `GetBundleThatReplaces`: the one with the highest name, if there are several.
    pub(super) fn replacement(
        &self,
        name: &str,
        package: &str,
        channel: &str,
    ) -> Result<message::Bundle, Refusal> {
        if !self.packages.contains_key(package) {
            return Err(Refusal::BarePackage(package.to_owned()));
        }
        let entries = self.channel(package, channel)?.entries.iter().rev();
        let replaces = |bundle: &str| self.edges(package, channel, bundle).any(|replaced| replaced == name);
        match entries.map(|(bundle, _)| bundle).find(|bundle| replaces(bundle)) {
            Some(bundle) => self.single(package, channel, bundle),
            None => Err(Refusal::NotReplaced { package: package.to_owned(), channel: channel.to_owned() }),
        }
    }

    /// The bundles that an entry replaces or skips, each as often as the entry names it: `replaces` first, even if it is
    /// empty.
    fn edges(&self, package: &str, channel: &str, bundle: &str) -> impl Iterator<Item = &str> {
        let entry = self.packages.get(package).and_then(|package| package.channels.get(channel));
        let entry = entry.and_then(|channel| channel.entries.get(bundle)).and_then(|entry| {
            let (channel, number) = entry.place;
            self.catalog.channels.get(channel)?.entries().get(number)
        });
        let replaces = entry.map(|entry| entry.replaces.as_str());
        let skips = entry.into_iter().flat_map(|entry| entry.skips.iter().map(String::as_str));
        let skips = skips.filter(move |skipped| Some(*skipped) != replaces);
        replaces.into_iter().chain(skips)
    }

    /// `GetChannelEntriesThatReplace`
    pub(super) fn entries_that_replace(&self, name: &str) -> Result<Vec<ChannelEntry>, Refusal> {
        let mut found = Vec::new();
        for key in self.keys() {
            let own = || self.edges(&key.package, &key.channel, &key.bundle);
            let count = own().filter(|replaced| *replaced == name).count();
            let replaces = own().next().unwrap_or_default();
            found.extend(std::iter::repeat_n(entry_of(&key, replaces), count));
        }
        if found.is_empty() { Err(Refusal::NothingReplaces(name.to_owned())) } else { Ok(found) }
    }

    /// All entries by package, channel and name.
    fn keys(&self) -> impl Iterator<Item = EntryKey> {
        self.packages.iter().flat_map(|(package, of)| {
            of.channels.iter().flat_map(move |(channel, of)| {
                of.entries.keys().map(move |bundle| EntryKey {
                    package: package.as_str().into(),
                    channel: channel.as_str().into(),
                    bundle: bundle.as_str().into(),
                })
            })
        })
    }

    /// `GetChannelEntriesThatProvide`; of the heads of channels only, `GetLatestChannelEntriesThatProvide`.
    pub(super) fn entries_that_provide(
        &self,
        kind: &GroupVersionKind,
        heads_only: bool,
    ) -> Result<Vec<ChannelEntry>, Refusal> {
        let mut found = Vec::new();
        for key in self.providers.get(kind).into_iter().flatten() {
            let Ok(channel) = self.channel(&key.package, &key.channel) else { continue };
            if heads_only && channel.head != *key.bundle {
                continue;
            }
            for (number, replaced) in self.edges(&key.package, &key.channel, &key.bundle).enumerate() {
                if number == 0 || !heads_only || channel.entries.contains_key(replaced) {
                    found.push(entry_of(key, replaced));
                }
            }
        }
        if found.is_empty() {
            return Err(Refusal::NothingProvides(kind.clone()));
        }
        Ok(found)
    }

    /// `GetDefaultBundleThatProvides`: of the first package by name whose default channel has it at its head.
    pub(super) fn default_provider(&self, kind: &GroupVersionKind) -> Result<message::Bundle, Refusal> {
        let entries = self.entries_that_provide(kind, true)?;
        let is_default = |entry: &&ChannelEntry| {
            let package = self.packages.get(&entry.package_name);
            package.is_some_and(|package| package.default_channel == entry.channel_name)
        };
        match entries.iter().find(is_default) {
            Some(entry) => self.single(&entry.package_name, &entry.channel_name, &entry.bundle_name),
            None => Err(Refusal::NoDefault(kind.clone())),
        }
    }
}

fn entry_of(key: &EntryKey, replaces: &str) -> ChannelEntry {
    ChannelEntry {
        package_name: key.package.to_string(),
        channel_name: key.channel.to_string(),
        bundle_name: key.bundle.to_string(),
        replaces: replaces.to_owned(),
    }
}

fn words(kind: &GroupVersionKind) -> String {
    let [group, version, kind] = [&kind.group, &kind.version, &kind.kind].map(|text| quote(text));
    format!("group:{group} version:{version} kind:{kind}")
}
