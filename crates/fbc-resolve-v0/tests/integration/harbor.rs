//! Namespaces for tests, in few words: catalogs, Subscriptions and operators that are installed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fbc_model::load::load_bytes;
use fbc_resolve_v0::{
    Catalog, CatalogSource, Content, InstalledOperator, MOST_STEPS, Namespace, Resolution, ResolveError,
    Rules, SourceKey, Subscription, resolve,
};
use serde_json::{Value, json};

/// A catalog on its way. A bundle is named `PACKAGE.vVERSION`, is of that package and has that version.
#[derive(Default)]
pub(crate) struct Shelf {
    defaults: BTreeMap<String, String>,
    channels: Vec<Value>,
    properties: BTreeMap<String, Vec<Value>>,
    notes: BTreeMap<String, Vec<Value>>,
}

impl Shelf {
    /// A channel, written as `NAME[>REPLACES][!SKIP,SKIP…][~RANGE]` for each entry; the first one of a package is its default.
    pub(crate) fn channel(mut self, package: &str, channel: &str, entries: &str) -> Self {
        self.defaults.entry(package.to_owned()).or_insert_with(|| channel.to_owned());
        let mut written = Vec::new();
        for entry in entries.split(' ') {
            let (entry, range) = entry.split_once('~').unwrap_or((entry, ""));
            let (entry, skips) = entry.split_once('!').unwrap_or((entry, ""));
            let (name, replaces) = entry.split_once('>').unwrap_or((entry, ""));
            let skips: Vec<&str> = skips.split(',').filter(|skip| !skip.is_empty()).collect();
            // A blank separates entries, so that a range has `_` in its place.
            let range = range.replace('_', " ");
            written.push(json!({"name": name, "replaces": replaces, "skips": skips, "skipRange": range}));
            self.properties.entry(name.to_owned()).or_default();
        }
        self.channels
            .push(json!({"schema": "olm.channel", "package": package, "name": channel, "entries": written}));
        self
    }

    /// A property of a bundle.
    pub(crate) fn property(mut self, bundle: &str, kind: &str, value: Value) -> Self {
        self.properties.entry(bundle.to_owned()).or_default().push(json!({"type": kind, "value": value}));
        self
    }

    /// A bundle provides the APIs of these kinds.
    pub(crate) fn owns(self, bundle: &str, kinds: &str) -> Self {
        kinds.split(' ').fold(self, |shelf, kind| shelf.property(bundle, "olm.gvk", api(kind)))
    }

    /// A bundle needs the APIs of these kinds.
    pub(crate) fn needs(self, bundle: &str, kinds: &str) -> Self {
        kinds.split(' ').fold(self, |shelf, kind| shelf.property(bundle, "olm.gvk.required", api(kind)))
    }

    /// A bundle needs a package.
    pub(crate) fn needs_package(self, bundle: &str, package: &str, range: &str) -> Self {
        self.property(bundle, "olm.package.required", json!({"packageName": package, "versionRange": range}))
    }

    /// A deprecation.
    pub(crate) fn deprecated(mut self, package: &str, schema: &str, name: &str) -> Self {
        let reference =
            if name.is_empty() { json!({"schema": schema}) } else { json!({"schema": schema, "name": name}) };
        let note = json!({"reference": reference, "message": "old"});
        self.notes.entry(package.to_owned()).or_default().push(note);
        self
    }

    pub(crate) fn catalog(self) -> Arc<Catalog> {
        let mut blobs: Vec<Value> = Vec::new();
        for (package, channel) in self.defaults {
            blobs.push(json!({"schema": "olm.package", "name": package, "defaultChannel": channel}));
        }
        blobs.extend(self.channels);
        for (name, mut properties) in self.properties {
            let (package, version) = name.split_once(".v").unwrap();
            properties.insert(
                0,
                json!({"type": "olm.package", "value": {"packageName": package, "version": version}}),
            );
            let image = format!("registry.example/{package}:v{version}");
            blobs.push(json!({
                "schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties,
            }));
        }
        for (package, entries) in self.notes {
            blobs.push(json!({"schema": "olm.deprecations", "package": package, "entries": entries}));
        }
        let text: String = blobs.iter().map(ToString::to_string).collect();
        Arc::new(Catalog::new(&load_bytes(Path::new("catalog.json"), text.as_bytes())))
    }
}

pub(crate) fn api(kind: &str) -> Value {
    json!({"group": "g.io", "version": "v1", "kind": kind})
}

/// The namespace `n` with catalogs of the namespace `olm`.
pub(crate) fn harbor() -> Namespace {
    Namespace { name: "n".to_owned(), ..Namespace::default() }
}

/// What is put into a namespace.
pub(crate) trait Harbor: Sized {
    /// A catalog, `NAMESPACE/NAME`, with a priority.
    fn shelf(self, key: &str, priority: i64, shelf: Shelf) -> Self;
    /// A catalog that cannot be read.
    fn broken(self, key: &str, error: &str) -> Self;
    /// A Subscription of the name of its package to a channel of the catalog `olm/shelf`.
    fn subscribed(self, package: &str, channel: &str) -> Self;
    /// A Subscription that is not of this kind.
    fn subscription(self, change: impl FnOnce(&mut Subscription)) -> Self;
    /// An operator with its properties, and its Subscription, if it has one, that says so.
    fn installed(self, name: &str, properties: &[Value]) -> Self;
}

impl Harbor for Namespace {
    fn shelf(mut self, key: &str, priority: i64, shelf: Shelf) -> Self {
        self.catalogs.push(CatalogSource {
            key: source(key),
            priority,
            content: Content::Served(shelf.catalog()),
        });
        self
    }

    fn broken(mut self, key: &str, error: &str) -> Self {
        self.catalogs.push(CatalogSource {
            key: source(key),
            priority: 0,
            content: Content::Failed(error.to_owned()),
        });
        self
    }

    fn subscribed(self, package: &str, channel: &str) -> Self {
        self.subscription(|subscription| {
            package.clone_into(&mut subscription.name);
            package.clone_into(&mut subscription.package);
            channel.clone_into(&mut subscription.channel);
        })
    }

    fn subscription(mut self, change: impl FnOnce(&mut Subscription)) -> Self {
        let mut subscription = Subscription { source: source("olm/shelf"), ..Subscription::default() };
        change(&mut subscription);
        self.subscriptions.push(subscription);
        self
    }

    fn installed(mut self, name: &str, properties: &[Value]) -> Self {
        let (package, version) = name.split_once(".v").unwrap();
        let mut all =
            vec![json!({"type": "olm.package", "value": {"packageName": package, "version": version}})];
        all.extend_from_slice(properties);
        self.operators.push(operator(name, Some(&json!({"properties": all}))));
        for subscription in &mut self.subscriptions {
            if subscription.package == package {
                name.clone_into(&mut subscription.installed_csv);
                name.clone_into(&mut subscription.current_csv);
            }
        }
        self
    }
}

fn source(key: &str) -> SourceKey {
    let (namespace, name) = key.split_once('/').unwrap();
    SourceKey { namespace: namespace.to_owned(), name: name.to_owned() }
}

/// A ClusterServiceVersion with this annotation.
pub(crate) fn operator(name: &str, properties: Option<&Value>) -> InstalledOperator {
    let (_, version) = name.split_once(".v").unwrap();
    let mut object = json!({
        "metadata": {"name": name, "namespace": "n"},
        "spec": {"version": version},
        "status": {"phase": "Succeeded"},
    });
    if let Some(properties) = properties {
        object["metadata"]["annotations"] =
            json!({"operatorframework.io/properties": properties.to_string()});
    }
    InstalledOperator::from_object(&object).unwrap()
}

pub(crate) const RULES: Rules = Rules { compile: fbc_resolve_v0::compile_expression, steps: MOST_STEPS };

pub(crate) fn resolved(namespace: &Namespace) -> Result<Resolution, ResolveError> {
    resolve(namespace, RULES)
}

/// What is installed, as `CATALOG CHANNEL NAME[>REPLACES]`, or the error.
pub(crate) fn answer(namespace: &Namespace) -> Result<String, String> {
    let resolution = resolved(namespace).map_err(|error| error.to_string())?;
    let one = |operator: &fbc_resolve_v0::NewOperator| {
        let replaces =
            if operator.replaces.is_empty() { String::new() } else { format!(">{}", operator.replaces) };
        format!("{} {} {}{replaces}", operator.catalog.name, operator.entry.channel, operator.entry.name())
    };
    Ok(resolution.operators.iter().map(one).collect::<Vec<String>>().join(", "))
}

/// An answer that is expected.
pub(crate) fn is(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// Texts that contradict each other.
pub(crate) fn contradiction(texts: &[&str]) -> Result<String, String> {
    Err(format!("constraints not satisfiable: {}", texts.join(", ")))
}
