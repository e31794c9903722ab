//! Namespaces to resolve: of flags, or of manifests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fbc_model::closest::closest;
use fbc_resolve_v0::property::{ANNOTATION, annotation_of, kind};
use fbc_resolve_v0::{
    Catalog, CatalogSource, Content, Entry, InstalledOperator, Namespace, Property, SourceKey, Subscription,
};
use fbc_source::{Error, Session};
use fbc_version::Version;
use serde_json::{Value, json};

use super::Asked;
use crate::loading::Loader;
use crate::resolution::manifests::{Manifest, Manifests};
use crate::resolution::question::pair;
use crate::settings::Settings;

/// The namespaces whose catalogs serve all others: that of OpenShift, and that of OLM itself.
const GLOBAL: [&str; 2] = ["openshift-marketplace", "olm"];

/// The annotation of an OperatorGroup that keeps global catalogs out.
const EXCLUDES_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";

/// One Subscription from the command line.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The package.
    pub package: String,
    /// The channel; nothing for all.
    pub channel: Option<String>,
    /// `startingCSV`
    pub starting_csv: Option<String>,
    /// What is installed: a name, a version, or both as `NAME@VERSION`.
    pub installed: Option<String>,
}

/// The content of catalogs by name; nothing if some cannot be loaded, which is told.
///
/// # Errors
/// What keeps one from being opened.
pub fn load(
    references: &BTreeMap<String, PathBuf>,
    session: &Session,
    settings: &Settings,
) -> Result<Option<BTreeMap<String, Arc<Catalog>>>, Error> {
    let mut catalogs = BTreeMap::new();
    let mut is_whole = true;
    for (name, reference) in references {
        let loaded = Loader::new(session, settings).all(std::slice::from_ref(reference));
        match loaded.map_err(|failure| failure.within(&format!("catalog {name:?}")))? {
            Some(blobs) => {
                catalogs.insert(name.clone(), Arc::new(Catalog::new(&blobs)));
            }
            None => is_whole = false,
        }
    }
    Ok(is_whole.then_some(catalogs))
}

/// The priorities of catalogs, `NAME=N` each.
///
/// # Errors
/// If one has another form, or names a catalog that there is not.
pub fn priorities(texts: &[String], known: &[&str]) -> Result<BTreeMap<String, i64>, Error> {
    let mut priorities = BTreeMap::new();
    for text in texts {
        let (name, number) = pair("--priority", text, "NAME=N", "a number")?;
        let priority = number.parse().map_err(|_| {
            Error::new(format!("--priority {name}: {number:?} is not a priority"))
                .help("a priority is a whole number")
        })?;
        if !known.contains(&name) {
            let failure = Error::new(format!("--priority: there is no catalog {name:?}"));
            return Err(match closest(name, known.iter().copied()) {
                Some(guess) => failure.help(format!("did you mean {guess:?}?")),
                None => failure.help(format!("name its content: `--catalog {name}=REF`")),
            });
        }
        priorities.insert(name.to_owned(), priority);
    }
    Ok(priorities)
}

/// The namespace of one Subscription to catalogs of the global namespace.
///
/// # Errors
/// If no catalog is given, a priority is not one, or what is installed is not known.
pub fn of_question(
    question: &Question,
    catalogs: &BTreeMap<String, Arc<Catalog>>,
    priorities: &BTreeMap<String, i64>,
) -> Result<Asked, Error> {
    let [_, global] = GLOBAL;
    let priority = |name: &str| priorities.get(name).copied().unwrap_or_default();
    // Whoever subscribes chooses the catalog; it is the one that a cluster's console shows first.
    let with_package = catalogs.iter().filter(|(_, catalog)| has_package(catalog, &question.package));
    let source = with_package
        .map(|(name, _)| name)
        .min_by_key(|name| std::cmp::Reverse(priority(name)))
        .or_else(|| catalogs.keys().next())
        .ok_or_else(|| {
            Error::new("there is no catalog to resolve from")
                .help("name one behind the package, or as `--catalog NAME=REF`")
        })?;
    let key = |name: &str| SourceKey { namespace: global.to_owned(), name: name.to_owned() };
    let installed = match &question.installed {
        Some(text) => Some(find_installed(catalogs, &question.package, text)?),
        None => None,
    };
    let name = installed.as_ref().map(|operator| operator.name.clone()).unwrap_or_default();
    let subscription = Subscription {
        name: question.package.clone(),
        package: question.package.clone(),
        source: key(source),
        channel: question.channel.clone().unwrap_or_default(),
        starting_csv: question.starting_csv.clone().unwrap_or_default(),
        is_manual: false,
        installed_csv: name.clone(),
        current_csv: name,
    };
    let served = |(name, catalog): (&String, &Arc<Catalog>)| CatalogSource {
        key: key(name),
        priority: priority(name),
        content: Content::Served(Arc::clone(catalog)),
    };
    let namespace = Namespace {
        name: "operators".to_owned(),
        catalogs: catalogs.iter().map(served).collect(),
        subscriptions: vec![subscription],
        operators: installed.into_iter().collect(),
        fails_forward: false,
    };
    Ok(Asked { namespace, places: BTreeMap::new(), notes: Vec::new() })
}

fn has_package(catalog: &Catalog, package: &str) -> bool {
    catalog.entries().iter().any(|entry| entry.bundle.package == package)
}

/// An operator with the properties of its bundle.
fn operator(name: &str, version: &str, properties: &[Property]) -> Option<InstalledOperator> {
    InstalledOperator::from_object(&json!({
        "metadata": {"name": name, "annotations": {ANNOTATION: annotation_of(properties)}},
        "spec": {"version": version},
        "status": {"phase": "Succeeded"},
    }))
}

/// An operator whose bundle no catalog has.
fn unknown_operator(name: &str, package: &str, version: &str) -> Option<InstalledOperator> {
    let value = json!({"packageName": package, "version": version}).to_string();
    operator(name, version, &[Property { kind: kind::PACKAGE.to_owned(), value }])
}

fn operator_of(entry: &Entry) -> Option<InstalledOperator> {
    let version = entry.bundle.version.as_ref()?.to_string();
    operator(entry.name(), &version, &entry.bundle.properties)
}

fn find_installed(
    catalogs: &BTreeMap<String, Arc<Catalog>>,
    package: &str,
    text: &str,
) -> Result<InstalledOperator, Error> {
    if let Some((name, version)) = text.split_once('@') {
        return unknown_operator(name, package, version)
            .ok_or_else(|| Error::new(format!("--installed {text}: {version:?} is not a version")));
    }
    let entries = catalogs.values().flat_map(|catalog| catalog.entries());
    let of_package: Vec<&Entry> = entries.filter(|entry| entry.bundle.package == package).collect();
    let version = |entry: &Entry| entry.bundle.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let fits = |entry: &&&Entry| entry.name() == text || version(entry) == text;
    if let Some(operator) = of_package.iter().find(fits).and_then(|entry| operator_of(entry)) {
        return Ok(operator);
    }
    let failure = Error::new(format!(
        "--installed {text}: no catalog has a bundle of package {package:?} with this name or version"
    ));
    let names: Vec<String> =
        of_package.iter().flat_map(|entry| [entry.name().to_owned(), version(entry)]).collect();
    let failure = match closest(text, names.iter().map(String::as_str)) {
        Some(known) => failure.help(format!("did you mean {known}?")),
        None => failure,
    };
    let example = match Version::parse(text) {
        Ok(_) => format!("{package}.v{text}@{text}"),
        Err(_) => format!("{text}@1.0.0"),
    };
    Err(failure
        .help(format!("for a bundle that no catalog has any more, give both: `--installed {example}`")))
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Where the content of the catalogs lies: where a flag says, else in the images of the CatalogSources.
#[must_use]
pub fn references(
    manifests: &Manifests,
    mut references: BTreeMap<String, PathBuf>,
) -> BTreeMap<String, PathBuf> {
    for source in manifests.objects.iter().filter(|manifest| manifest.kind == "CatalogSource") {
        let image = text(&source.object, "/spec/image");
        if !image.is_empty() {
            let reference = format!("docker://{}", image.trim_start_matches("docker://"));
            references
                .entry(text(&source.object, "/metadata/name").to_owned())
                .or_insert_with(|| PathBuf::from(reference));
        }
    }
    references
}

/// The namespaces of manifests that have Subscriptions, by name.
///
/// # Errors
/// If the content of a catalog that a Subscription names is not known.
pub fn of_manifests(
    manifests: &Manifests,
    catalogs: &BTreeMap<String, Arc<Catalog>>,
    priorities: &BTreeMap<String, i64>,
) -> Result<Vec<Asked>, Error> {
    let of_kind = |kind: &'static str| manifests.objects.iter().filter(move |manifest| manifest.kind == kind);
    let mut by_namespace: BTreeMap<&str, Vec<&Manifest>> = BTreeMap::new();
    for manifest in of_kind("Subscription") {
        by_namespace.entry(text(&manifest.object, "/metadata/namespace")).or_default().push(manifest);
    }
    let mut sources: BTreeMap<SourceKey, i64> = BTreeMap::new();
    for manifest in of_kind("CatalogSource") {
        let key = SourceKey {
            namespace: text(&manifest.object, "/metadata/namespace").to_owned(),
            name: text(&manifest.object, "/metadata/name").to_owned(),
        };
        let priority = manifest.object.pointer("/spec/priority").and_then(Value::as_i64).unwrap_or_default();
        sources.insert(key, priority);
    }
    // Catalogs of a cluster stand in no repository.
    for manifest in of_kind("Subscription") {
        let Subscription { name, source, .. } = Subscription::from_object(&manifest.object);
        if catalogs.contains_key(&source.name) {
            sources.entry(source).or_default();
        } else if !sources.contains_key(&source) {
            let failure = Error::new(format!(
                "{}: the content of catalog {:?} of Subscription {name} is not known",
                manifest.place, source.name
            ));
            return Err(failure.help(format!("say where it lies: `--catalog {}=REF`", source.name)));
        }
    }
    let mut all = Vec::new();
    for (name, subscriptions) in by_namespace {
        let here = |manifest: &&Manifest| text(&manifest.object, "/metadata/namespace") == name;
        let groups: Vec<&Manifest> = of_kind("OperatorGroup").filter(here).collect();
        let excludes = groups.iter().any(|group| {
            let annotations = group.object.pointer("/metadata/annotations");
            annotations.and_then(|annotations| annotations.get(EXCLUDES_GLOBAL)).and_then(Value::as_str)
                == Some("true")
        });
        let is_seen = |key: &SourceKey| {
            key.namespace == name || (!excludes && GLOBAL.contains(&key.namespace.as_str()))
        };
        let source = |(key, priority): (&SourceKey, &i64)| CatalogSource {
            key: key.clone(),
            priority: priorities.get(&key.name).copied().unwrap_or(*priority),
            content: match catalogs.get(&key.name) {
                Some(catalog) => Content::Served(Arc::clone(catalog)),
                None => Content::Failed("its content is not known".to_owned()),
            },
        };
        let mut notes = Vec::new();
        let mut operators: Vec<InstalledOperator> = of_kind("ClusterServiceVersion")
            .filter(here)
            .filter_map(|manifest| InstalledOperator::from_object(&manifest.object))
            .collect();
        let read: Vec<Subscription> =
            subscriptions.iter().map(|manifest| Subscription::from_object(&manifest.object)).collect();
        for subscription in &read {
            operators.extend(supposed(subscription, catalogs, &operators, &mut notes));
        }
        notes.extend(group_note(name, groups.len()));
        let places = read.iter().zip(&subscriptions);
        let places = places.map(|(read, manifest)| (read.name.clone(), manifest.place.clone())).collect();
        let namespace = Namespace {
            name: name.to_owned(),
            catalogs: sources.iter().filter(|(key, _)| is_seen(key)).map(source).collect(),
            subscriptions: read,
            operators,
            fails_forward: groups
                .iter()
                .any(|group| text(&group.object, "/spec/upgradeStrategy") == "TechPreviewUnsafeFailForward"),
        };
        all.push(Asked { namespace, places, notes });
    }
    Ok(all)
}

/// The operator that a Subscription says is installed, where the manifests do not have it.
fn supposed(
    subscription: &Subscription,
    catalogs: &BTreeMap<String, Arc<Catalog>>,
    known: &[InstalledOperator],
    notes: &mut Vec<String>,
) -> Option<InstalledOperator> {
    let Subscription { name, package, installed_csv, source, .. } = subscription;
    if installed_csv.is_empty() || known.iter().any(|operator| operator.name == *installed_csv) {
        return None;
    }
    let entries = catalogs.get(&source.name)?.entries();
    let entry =
        entries.iter().find(|entry| entry.bundle.package == *package && entry.name() == installed_csv);
    match entry.and_then(operator_of) {
        Some(operator) => {
            notes.push(format!(
                "the manifests do not have ClusterServiceVersion {installed_csv} of Subscription {name}; it is taken from \
                 the catalog"
            ));
            Some(operator)
        }
        None => {
            notes.push(format!(
                "Subscription {name} says that {installed_csv} is installed, which neither manifests nor catalogs have"
            ));
            None
        }
    }
}

/// What OLM does not say of OperatorGroups.
fn group_note(namespace: &str, count: usize) -> Option<String> {
    let silence = "without exactly one OLM does nothing with its Subscriptions, and says nothing";
    match count {
        1 => None,
        0 => Some(format!("the manifests have no OperatorGroup in namespace {namespace}; {silence}")),
        count => Some(format!("namespace {namespace} has {count} OperatorGroups; {silence}")),
    }
}
