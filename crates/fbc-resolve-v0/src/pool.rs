//! All entries that the resolution of a namespace sees: what is installed, and what the catalogs have.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/{source_csvs,cache/cache}.go`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::catalog::{Bundle, Catalog, Entry};
use crate::constraint::Predicate;
use crate::error::Refusal;
use crate::namespace::{Content, InstalledOperator, Namespace, SourceKey, Subscription, WithoutGroup};
use crate::order::sort_channel;
use crate::property::{self, Property, kind, quoted};

/// The name of the catalog that stands for what is installed.
const EXISTING: &str = "@existing";

/// What is installed.
pub(crate) const INSTALLED: usize = 0;

/// An entry: the number of its source, and its own in there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) source: usize,
    pub(crate) entry: usize,
}

/// The sources of a namespace; the first one is what is installed.
pub(crate) struct Pool {
    sources: Vec<Source>,
    /// For each installed operator, the Subscription that names it.
    subscriptions: Vec<Option<String>>,
}

struct Source {
    key: SourceKey,
    priority: i64,
    catalog: Arc<Catalog>,
}

impl Pool {
    /// Gathers the sources; the errors are those of sources that cannot be read.
    pub(crate) fn new(namespace: &Namespace) -> (Self, Vec<String>) {
        let mut errors = Vec::new();
        let failed = |key: &SourceKey, error: &str| {
            format!("error using catalogsource {}/{}: {error}", key.namespace, key.name)
        };
        let key = SourceKey { namespace: namespace.name.clone(), name: EXISTING.to_owned() };
        let (entries, subscriptions) = match installed(namespace) {
            Ok(installed) => installed.into_iter().unzip(),
            Err(error) => {
                errors.push(failed(&key, &error.0));
                (Vec::new(), Vec::new())
            }
        };
        let mut sources = vec![Source { key, priority: 0, catalog: Arc::new(Catalog::of_entries(entries)) }];
        for source in &namespace.catalogs {
            let catalog = match &source.content {
                Content::Served(catalog) => Arc::clone(catalog),
                Content::Failed(error) => {
                    errors.push(failed(&source.key, error));
                    Arc::default()
                }
            };
            sources.push(Source { key: source.key.clone(), priority: source.priority, catalog });
        }
        errors.sort();
        (Self { sources, subscriptions }, errors)
    }

    pub(crate) fn key(&self, source: usize) -> Option<&SourceKey> {
        self.sources.get(source).map(|source| &source.key)
    }

    /// The number of a catalog.
    pub(crate) fn source(&self, key: &SourceKey) -> Option<usize> {
        self.sources.iter().skip(1).position(|source| source.key == *key).map(|position| position + 1)
    }

    pub(crate) fn catalog(&self, source: usize) -> Option<&Catalog> {
        self.sources.get(source).map(|source| &*source.catalog)
    }

    pub(crate) fn entry(&self, place: Place) -> Option<&Entry> {
        self.catalog(place.source)?.entries().get(place.entry)
    }

    /// The places of what is installed.
    pub(crate) fn installed(&self) -> impl Iterator<Item = Place> + use<> {
        let count = self.catalog(INSTALLED).map_or(0, |catalog| catalog.entries().len());
        (0..count).map(|entry| Place { source: INSTALLED, entry })
    }

    /// The Subscription that names an installed operator.
    pub(crate) fn subscription(&self, place: Place) -> Option<&str> {
        self.subscriptions.get(place.entry).filter(|_| place.source == INSTALLED)?.as_deref()
    }

    /// What the solver calls an entry: `CATALOG/NAMESPACE/CHANNEL/NAME`.
    pub(crate) fn identifier(&self, place: Place) -> String {
        match (self.key(place.source), self.entry(place)) {
            (Some(key), Some(entry)) => format!("{key}/{}/{}", entry.channel, entry.name()),
            _ => String::new(),
        }
    }

    /// How many entries of the same source OLM finds when it looks for this one by name and channel.
    pub(crate) fn namesakes(&self, place: Place) -> usize {
        let (Some(catalog), Some(entry)) = (self.catalog(place.source), self.entry(place)) else { return 0 };
        let named = catalog.index.of_name(entry.name()).iter();
        let fits = |other: &&Entry| entry.channel.is_empty() || other.channel == entry.channel;
        named.filter_map(|number| catalog.entries().get(*number)).filter(fits).count()
    }

    /// The entries that fulfill a requirement of an entry of this source, the preferred ones first.
    ///
    /// # Errors
    /// A channel with such an entry has no order.
    pub(crate) fn answers(&self, predicate: &Predicate, of: usize) -> Result<Vec<Place>, Refusal> {
        let mut answers = Vec::new();
        for source in self.preferred(of) {
            let Some(catalog) = self.catalog(source) else { continue };
            let entries = catalog.entries();
            let found = found(catalog, predicate);
            let groups =
                if source == INSTALLED { self.operators_of(&found) } else { channels_of(catalog, &found) };
            for group in groups {
                let members: Vec<&Entry> = group.iter().filter_map(|number| entries.get(*number)).collect();
                for position in sort_channel(&members)? {
                    let Some(&entry) = group.get(position) else { continue };
                    if found.binary_search(&entry).is_ok() {
                        answers.push(Place { source, entry });
                    }
                }
            }
        }
        Ok(answers)
    }

    /// How much it takes to look for what fulfills a predicate.
    pub(crate) fn cost(&self, predicate: &Predicate) -> usize {
        let looked_at = |catalog: &Catalog| {
            catalog.index.narrowed(predicate).map_or(catalog.entries().len(), |entries| entries.len())
        };
        let entries: usize = self.sources.iter().map(|source| looked_at(&source.catalog)).sum();
        entries.saturating_mul(usize::try_from(predicate.cost()).unwrap_or(usize::MAX))
    }

    /// The sources in the order in which an entry of this one looks through them.
    fn preferred(&self, of: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sources.len()).collect();
        let target = self.key(INSTALLED).map(|key| key.namespace.as_str()).unwrap_or_default();
        order.sort_by_key(|number| {
            let source = self.sources.get(*number);
            let key = source.map(|source| &source.key);
            (
                *number != INSTALLED,
                *number != of,
                std::cmp::Reverse(source.map(|source| source.priority)),
                key.is_some_and(|key| key.namespace != target),
                key.map(|key| key.name.as_str()),
            )
        });
        order
    }

    /// Installed operators by package. Of several of one package and one Subscription, or without any, OLM takes the first.
    fn operators_of(&self, found: &[usize]) -> Vec<Vec<usize>> {
        let mut seen: BTreeSet<(&str, Option<&str>)> = BTreeSet::new();
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for &entry in found {
            let place = Place { source: INSTALLED, entry };
            let Some(package) = self.entry(place).map(|entry| entry.bundle.package.as_str()) else {
                continue;
            };
            if !seen.insert((package, self.subscription(place))) {
                continue;
            }
            match groups.iter_mut().find(|(name, _)| *name == package) {
                Some((_, group)) => group.push(entry),
                None => groups.push((package, vec![entry])),
            }
        }
        groups.sort_by_key(|(package, _)| *package);
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

/// The entries of a catalog that fulfill a predicate, ascending.
fn found(catalog: &Catalog, predicate: &Predicate) -> Vec<usize> {
    let entries = catalog.entries();
    let narrowed = catalog.index.narrowed(predicate).unwrap_or_else(|| (0..entries.len()).collect());
    let fits = |number: &usize| entries.get(*number).is_some_and(|entry| predicate.fits(entry));
    narrowed.into_iter().filter(fits).collect()
}

/// False for a default channel, the package, and the channel: in this order.
type ChannelKey<'c> = (bool, &'c str, &'c str);

/// All entries of the channels in which one of these is: default channels first, then by package and channel.
fn channels_of(catalog: &Catalog, found: &[usize]) -> Vec<Vec<usize>> {
    let entries = catalog.entries();
    let sources: BTreeSet<(&str, &str)> = found
        .iter()
        .filter_map(|number| entries.get(*number))
        .map(|entry| (entry.bundle.package.as_str(), entry.channel.as_str()))
        .collect();
    let mut members: BTreeSet<usize> = BTreeSet::new();
    for (package, channel) in sources {
        let of_package = catalog.index.of_package(package).iter().copied();
        members.extend(of_package.filter(|number| {
            channel.is_empty() || entries.get(*number).is_some_and(|entry| entry.channel == channel)
        }));
    }
    let mut groups: Vec<(ChannelKey<'_>, Vec<usize>)> = Vec::new();
    let mut known: HashMap<ChannelKey<'_>, usize> = HashMap::new();
    for number in members {
        let Some(entry) = entries.get(number) else { continue };
        let key = (!entry.is_default_channel, entry.bundle.package.as_str(), entry.channel.as_str());
        let position = *known.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(position) {
            group.push(number);
        }
    }
    groups.sort_by_key(|(key, _)| *key);
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The operators of a namespace as entries, by name, each with the Subscription that names it.
fn installed(namespace: &Namespace) -> Result<Vec<(Entry, Option<String>)>, Refusal> {
    let mut operators: Vec<&InstalledOperator> = namespace.operators.iter().collect();
    operators.sort_by(|one, other| one.name.cmp(&other.name));
    let mut subscriptions: Vec<&Subscription> = namespace.subscriptions.iter().collect();
    subscriptions.sort_by(|one, other| one.name.cmp(&other.name));
    let mut entries = Vec::new();
    for operator in operators.iter().filter(|operator| !operator.is_copied) {
        if namespace.fails_forward && fails(operator, &operators, &namespace.name)? {
            continue;
        }
        let naming: Vec<&&Subscription> =
            subscriptions.iter().filter(|subscription| subscription.installed_csv == operator.name).collect();
        let properties = properties_of(operator, &naming)?;
        let named = properties.iter().filter(|property| property.kind == kind::PACKAGE);
        let package = named
            .filter_map(|property| property::texts(&property.value, ["packageName", "version"]))
            .next_back()
            .map(|[name, _]| name)
            .unwrap_or_default();
        let bundle = Bundle::new(&operator.name, &package, Some(operator.version.clone()), properties);
        let subscription = naming.last().map(|subscription| subscription.name.clone());
        entries.push((Entry::installed(bundle), subscription));
    }
    Ok(entries)
}

/// The properties of an installed operator: those of its annotation, or its APIs and the package of the Subscription that
/// names it.
fn properties_of(operator: &InstalledOperator, naming: &[&&Subscription]) -> Result<Vec<Property>, Refusal> {
    let unparsed = |error: &WithoutGroup| Refusal(error.to_string());
    let owned = operator.owned.as_ref().map_err(unparsed)?;
    let required = operator.required.as_ref().map_err(unparsed)?;
    if let Some(annotation) = &operator.properties {
        let name = fbc_go::text::quote(&operator.name);
        return property::from_annotation(annotation)
            .map_err(|error| Refusal(format!("failed to retrieve properties of csv {name}: failed to unmarshal properties annotation: {error}")));
    }
    let mut properties: Vec<Property> = owned.iter().map(|api| api.property(kind::API)).collect();
    properties.extend(required.iter().map(|api| api.property(kind::REQUIRED_API)));
    let packages: BTreeSet<&str> = naming.iter().map(|subscription| subscription.package.as_str()).collect();
    let mut packages = packages.into_iter().filter(|package| !package.is_empty());
    if let (Some(package), None) = (packages.next(), packages.next()) {
        let version = match operator.version.to_string() {
            version if version == "0.0.0" => String::new(),
            version => version,
        };
        let value = format!(r#"{{"packageName":{},"version":{}}}"#, quoted(package), quoted(&version));
        properties.push(Property { kind: kind::PACKAGE.to_owned(), value });
    }
    Ok(properties)
}

/// Whether an operator is being replaced by one that failed, at the end of a chain.
///
/// Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/fail_forward.go`.
fn fails(operator: &InstalledOperator, all: &[&InstalledOperator], namespace: &str) -> Result<bool, Refusal> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut current = operator;
    while let Some(next) =
        all.iter().rev().find(|other| !other.replaces.is_empty() && other.replaces == current.name)
    {
        if current.phase != "Replacing" {
            return Err(Refusal(format!(
                "csv {namespace}/{} in phase {} instead of Replacing",
                current.name, current.phase
            )));
        }
        if !seen.insert(&current.name) {
            return Err(Refusal(format!("csv {namespace}/{} has already been seen", current.name)));
        }
        current = next;
    }
    Ok(operator.phase == "Replacing" && current.phase == "Failed")
}
