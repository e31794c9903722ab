//! The packages, channels and entries of a catalog by name, as the registry's API asks for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_graph::ChannelAnalysis;
use fbc_model::blob::schema;
use fbc_model::{Catalog, DeprecationEntry};

use super::bundle::{self, provided};
use super::message::GroupVersionKind;

/// A catalog that can be served. Bundles become messages when they are asked for.
#[derive(Debug)]
pub struct Registry {
    pub(super) catalog: Arc<Catalog>,
    pub(super) packages: BTreeMap<String, Package>,
    /// The entries that bring a kind, in the order of their packages, channels and names.
    pub(super) providers: BTreeMap<GroupVersionKind, Vec<EntryKey>>,
    /// All entries in the order in which bundles are listed: by channel, package and name.
    pub(super) listing: Vec<EntryKey>,
}

/// Why a catalog cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RegistryError(pub(super) String);

/// A package, a channel, and a bundle in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryKey {
    pub(super) package: Arc<str>,
    pub(super) channel: Arc<str>,
    pub(super) bundle: Arc<str>,
}

#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) default_channel: String,
    pub(crate) deprecation: Option<String>,
    pub(crate) channels: BTreeMap<String, Channel>,
    /// The place of the package blob in the catalog.
    pub(super) blob: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Channel {
    pub(crate) head: String,
    pub(crate) deprecation: Option<String>,
    pub(crate) entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    /// The place of the bundle blob in the catalog.
    pub(crate) bundle: usize,
    /// The places of the channel blob in the catalog and of the entry in the channel.
    pub(super) place: (usize, usize),
    pub(super) deprecation: Option<String>,
}

impl Registry {
    /// Indexes a catalog that opm accepts.
    ///
    /// # Errors
    /// The first bundle, package by package, that has several descriptions of its cluster service version, or a custom
    /// schema or package that the API cannot name.
    pub fn new(catalog: Arc<Catalog>) -> Result<Self, RegistryError> {
        for other in &catalog.others {
            super::custom::check_key(&other.meta.schema, &other.meta.package)
                .map_err(|error| RegistryError(format!("invalid custom schema meta: {error}")))?;
        }
        let mut registry =
            Self { packages: packages(&catalog), providers: BTreeMap::new(), listing: Vec::new(), catalog };
        registry.index_entries()?;
        Ok(registry)
    }

    /// How many packages there are.
    #[must_use]
    pub fn package_count(&self) -> usize {
        self.packages.len()
    }

    /// How many bundles there are, each counted once for each channel.
    #[must_use]
    pub fn entry_count(&self) -> usize {
        self.listing.len()
    }

    fn index_entries(&mut self) -> Result<(), RegistryError> {
        let catalog = Arc::clone(&self.catalog);
        for (package_name, package) in &self.packages {
            let package_name: Arc<str> = package_name.as_str().into();
            for (channel_name, channel) in &package.channels {
                let channel_name: Arc<str> = channel_name.as_str().into();
                for (name, entry) in &channel.entries {
                    let Some(blob) = catalog.bundles.get(entry.bundle) else { continue };
                    bundle::check(blob).map_err(|error| {
                        RegistryError(format!(
                            "build package index: process package {package_name:?}: {error}"
                        ))
                    })?;
                    let key = EntryKey {
                        package: Arc::clone(&package_name),
                        channel: Arc::clone(&channel_name),
                        bundle: name.as_str().into(),
                    };
                    for kind in provided(blob) {
                        let keys = self.providers.entry(kind).or_default();
                        if keys.last() != Some(&key) {
                            keys.push(key.clone());
                        }
                    }
                    self.listing.push(key);
                }
            }
        }
        self.listing.sort_by(|one, other| {
            (&one.channel, &one.package, &one.bundle).cmp(&(&other.channel, &other.package, &other.bundle))
        });
        Ok(())
    }
}

/// The packages of a catalog with their channels; entries without a bundle are left out, as they cannot be served.
pub(crate) fn packages(catalog: &Catalog) -> BTreeMap<String, Package> {
    let mut packages = BTreeMap::new();
    for (blob, package) in catalog.packages.iter().enumerate() {
        let indexed =
            Package { default_channel: package.default_channel.clone(), blob, ..Package::default() };
        packages.insert(package.name.clone(), indexed);
    }
    let mut bundles: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (place, bundle) in catalog.bundles.iter().enumerate() {
        bundles.insert((&bundle.package, &bundle.name), place);
    }
    for (place, channel) in catalog.channels.iter().enumerate() {
        let Some(package) = packages.get_mut(&channel.package) else { continue };
        let mut indexed = Channel::default();
        let entries = channel.entries();
        if let Some(head) = ChannelAnalysis::from_entries(entries).head().and_then(|head| entries.get(head)) {
            indexed.head.clone_from(&head.name);
        }
        for (number, entry) in entries.iter().enumerate() {
            if let Some(&bundle) = bundles.get(&(channel.package.as_str(), entry.name.as_str())) {
                let entry = (entry.name.clone(), Entry { bundle, place: (place, number), deprecation: None });
                indexed.entries.insert(entry.0, entry.1);
            }
        }
        package.channels.insert(channel.name.clone(), indexed);
    }
    for deprecation in &catalog.deprecations {
        if let Some(package) = packages.get_mut(&deprecation.package) {
            deprecation.entries().iter().for_each(|entry| deprecate(package, entry));
        }
    }
    packages
}

fn deprecate(package: &mut Package, deprecation: &DeprecationEntry) {
    let message = || Some(deprecation.message.clone());
    match deprecation.schema.as_str() {
        schema::PACKAGE => package.deprecation = message(),
        schema::CHANNEL => {
            if let Some(channel) = package.channels.get_mut(&deprecation.name) {
                channel.deprecation = message();
            }
        }
        _ => {
            for channel in package.channels.values_mut() {
                if let Some(entry) = channel.entries.get_mut(&deprecation.name) {
                    entry.deprecation = message();
                }
            }
        }
    }
}
