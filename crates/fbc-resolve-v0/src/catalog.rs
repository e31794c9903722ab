//! What a CatalogSource serves, as the resolver caches it: one entry for each bundle in each channel.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/source_registry.go`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use fbc_model::{Channel, Package, bundle_object, render};
use fbc_version::Version;
use fbc_version::blang::Range;
use fbc_yaml::json_writer;
use serde_json::Value;

use crate::facts::Facts;
use crate::index::Index;
use crate::property::{self, Property, kind, quoted, texts};

/// The content of a catalog, ready for resolution.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    pub(crate) index: Index,
}

/// A bundle in a channel.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The bundle, which its entries in other channels share.
    pub bundle: Arc<Bundle>,
    /// The channel; empty for what is installed.
    pub channel: String,
    /// Whether the channel is the default one of the package.
    pub is_default_channel: bool,
    /// The bundle that it is the next after; empty where there is none.
    pub replaces: String,
    /// Bundles that upgrade to it as well.
    pub skips: Vec<String>,
    /// The range of versions that upgrade to it as well; nothing where there is none, or one that is refused.
    pub skip_range: Option<Range>,
    /// What users are told of it.
    pub deprecations: Deprecations,
}

/// A bundle as a catalog serves it.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The name, which is that of the ClusterServiceVersion.
    pub name: String,
    /// The package.
    pub package: String,
    /// The version, if it is one.
    pub version: Option<Version>,
    /// The image; empty if the manifests are inline.
    pub image: String,
    /// The properties, with requirements as opm serves them once more behind them.
    pub properties: Vec<Property>,
    /// How many of the properties are the bundle's own.
    own: usize,
    /// The bundle as an index into those of the catalog that the entry was made of; nothing for what is installed.
    pub number: Option<usize>,
    pub(crate) facts: Facts,
    /// The properties as expressions see them, once one looks.
    value: OnceLock<Value>,
}

/// The messages of deprecations, as conditions of Subscriptions show them, such as `olm.channel/beta: use stable`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecations {
    /// Of the package.
    pub package: Option<String>,
    /// Of the channel.
    pub channel: Option<String>,
    /// Of the bundle.
    pub bundle: Option<String>,
}

impl Bundle {
    /// A bundle with these properties.
    pub(crate) fn new(
        name: &str,
        package: &str,
        version: Option<Version>,
        properties: Vec<Property>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            package: package.to_owned(),
            version,
            image: String::new(),
            facts: Facts::of(&properties),
            own: properties.len(),
            properties,
            number: None,
            value: OnceLock::new(),
        }
    }

    /// The properties as expressions see them.
    pub(crate) fn value(&self) -> &Value {
        self.value.get_or_init(|| property::values(&self.properties))
    }

    /// A bundle as opm serves it and OLM reads that.
    fn served(blob: &fbc_model::Bundle, number: usize) -> Self {
        let version = blob.property_values(kind::PACKAGE).next().and_then(|value| value.get_str("version"));
        let version = version.unwrap_or_default();
        let is_content = |kind: &str| kind == bundle_object::PROPERTY_TYPE || kind == render::CSV_METADATA;
        let described = blob.properties.iter().filter(|property| !is_content(&property.kind));
        let mut properties: Vec<Property> = described.map(property_of).collect();
        let own = properties.len();
        let dependencies: Vec<Property> = properties.iter().filter_map(dependency).collect();
        properties.extend(dependencies);
        if !properties.iter().any(|property| property.kind == kind::PACKAGE) {
            let (package, version) = (quoted(&blob.package), quoted(version));
            let value = format!(r#"{{"packageName":{package},"version":{version}}}"#);
            properties.push(Property { kind: kind::PACKAGE.to_owned(), value });
        }
        let parsed = Version::parse_tolerant(version).ok();
        let bundle = Self::new(&blob.name, &blob.package, parsed, properties);
        Self { image: blob.image.clone(), number: Some(number), own, ..bundle }
    }

    /// The properties that the annotation of its ClusterServiceVersion gets: all of them if the bundle comes by image, its own
    /// if it is inline.
    ///
    /// Source: `step_resolver.go` (`ResolveSteps`), `steps.go` (`NewStepsFromBundle`).
    #[must_use]
    pub fn annotated_properties(&self) -> &[Property] {
        if self.image.is_empty() {
            self.properties.get(..self.own).unwrap_or_default()
        } else {
            &self.properties
        }
    }
}

fn property_of(property: &fbc_model::Property) -> Property {
    let value = property.value.as_ref().map(|value| json_writer::compact(value.node()));
    Property { kind: property.kind.clone(), value: value.unwrap_or_default() }
}

/// A requirement as it comes back from opm, which serves it as a property and as a dependency of an older kind.
fn dependency(property: &Property) -> Option<Property> {
    let value = match property.kind.as_str() {
        kind::REQUIRED_API => {
            let [group, version, kind] = texts(&property.value, ["group", "version", "kind"])?;
            format!(
                r#"{{"group":{},"version":{},"kind":{}}}"#,
                quoted(&group),
                quoted(&version),
                quoted(&kind)
            )
        }
        kind::REQUIRED_PACKAGE => {
            let [name, range] = texts(&property.value, ["packageName", "versionRange"])?;
            format!(r#"{{"packageName":{},"versionRange":{}}}"#, quoted(&name), quoted(&range))
        }
        _ => return None,
    };
    Some(Property { kind: property.kind.clone(), value })
}

impl Entry {
    /// What is installed: in no channel, without edges.
    pub(crate) fn installed(bundle: Bundle) -> Self {
        Self {
            bundle: Arc::new(bundle),
            channel: String::new(),
            is_default_channel: false,
            replaces: String::new(),
            skips: Vec::new(),
            skip_range: None,
            deprecations: Deprecations::default(),
        }
    }

    /// The name of the ClusterServiceVersion.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.bundle.name
    }

    /// Whether it upgrades from what has this name.
    #[must_use]
    pub fn replaces_or_skips(&self, name: &str) -> bool {
        self.replaces == name || self.skips.iter().any(|skip| skip == name)
    }
}

impl Catalog {
    /// The entries of a catalog that opm accepts. Entries without a bundle, and what belongs to no package, are left out, as
    /// they are not served.
    #[must_use]
    pub fn new(catalog: &fbc_model::Catalog) -> Self {
        let packages: BTreeMap<&str, &Package> =
            catalog.packages.iter().map(|package| (package.name.as_str(), package)).collect();
        let bundles: HashMap<(&str, &str), usize> = catalog
            .bundles
            .iter()
            .enumerate()
            .map(|(number, bundle)| ((bundle.package.as_str(), bundle.name.as_str()), number))
            .collect();
        let notes = notes(catalog);
        let mut served: HashMap<usize, Arc<Bundle>> = HashMap::new();
        let mut entries = Vec::new();
        for channel in channels(catalog) {
            let Some(package) = packages.get(channel.package.as_str()) else { continue };
            for entry in channel.entries() {
                let Some(&number) = bundles.get(&(channel.package.as_str(), entry.name.as_str())) else {
                    continue;
                };
                let Some(blob) = catalog.bundles.get(number) else { continue };
                let bundle = served.entry(number).or_insert_with(|| Arc::new(Bundle::served(blob, number)));
                let note = |schema: &str, name: &str| {
                    let message = notes.get(&(package.name.as_str(), schema, name))?;
                    let shown = if name.is_empty() { &package.name } else { name };
                    Some(format!("{schema}/{shown}: {message}"))
                };
                entries.push(Entry {
                    bundle: Arc::clone(bundle),
                    channel: channel.name.clone(),
                    is_default_channel: channel.name == package.default_channel,
                    replaces: entry.replaces.clone(),
                    skips: entry.skips.clone(),
                    skip_range: Range::parse(&entry.skip_range).ok(),
                    deprecations: Deprecations {
                        package: note(kind::PACKAGE, ""),
                        channel: note("olm.channel", &channel.name),
                        bundle: note("olm.bundle", &entry.name),
                    },
                });
            }
        }
        // The order in which opm lists them.
        entries.sort_by(|one, other| {
            let key = |entry: &Entry| (entry.channel.clone(), entry.bundle.package.clone());
            key(one).cmp(&key(other)).then_with(|| one.name().cmp(other.name()))
        });
        Self::of_entries(entries)
    }

    /// Entries in this order.
    pub(crate) fn of_entries(entries: Vec<Entry>) -> Self {
        Self { index: Index::new(&entries), entries }
    }

    /// The entries by channel, package and name.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a bundle in a channel.
    #[must_use]
    pub fn entry(&self, package: &str, channel: &str, name: &str) -> Option<&Entry> {
        let key = (channel, package, name);
        let found = self.entries.binary_search_by(|entry| {
            (entry.channel.as_str(), entry.bundle.package.as_str(), entry.name()).cmp(&key)
        });
        found.ok().and_then(|index| self.entries.get(index))
    }
}

/// The channels; of several with one name the last counts.
fn channels(catalog: &fbc_model::Catalog) -> impl Iterator<Item = &Channel> {
    let mut channels: BTreeMap<(&str, &str), &Channel> = BTreeMap::new();
    for channel in &catalog.channels {
        channels.insert((&channel.package, &channel.name), channel);
    }
    channels.into_values()
}

/// Messages of deprecations by package, schema and name.
fn notes(catalog: &fbc_model::Catalog) -> HashMap<(&str, &str, &str), &str> {
    let all = catalog.deprecations.iter().flat_map(|deprecation| {
        deprecation.entries().iter().map(move |entry| (deprecation.package.as_str(), entry))
    });
    all.map(|(package, entry)| {
        let name = if entry.schema == kind::PACKAGE { "" } else { &entry.name };
        ((package, entry.schema.as_str(), name), entry.message.as_str())
    })
    .collect()
}
