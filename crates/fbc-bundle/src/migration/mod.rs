//! From OLM v0 to OLM v1: what a `Subscription` becomes, what changes for its users, and what has no counterpart.
//!
//! Objects of the cluster are JSON as the API server gives them. Sources: `operator-framework/operator-controller:docs/`
//! (install modes, catalogs), `openshift/operator-framework-operator-controller:openshift/catalogd/manifests.yaml` (names of
//! default catalogs).

mod namespaces;
mod plan;

use fbc_version::Target;
use plan::Plan;
use serde_json::{Map, Value, json};

use crate::manifests::Bundle;

/// What says on OpenShift 4.19 and 4.20 which namespace is watched; later releases have `spec.config`.
const WATCH_ANNOTATION: &str = "olm.operatorframework.io/watch-namespace";

/// The objects of OLM v0 that were found.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    objects: Vec<Value>,
}

/// What a subscription becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Migration {
    /// The package, which also is the name of the extension.
    pub package: String,
    /// The namespace that the operator runs in.
    pub namespace: String,
    /// The installed cluster service version, as far as it is known.
    pub installed: Option<String>,
    /// The version that the extension stays at, which is the installed one; nothing where it is not known.
    pub version: Option<String>,
    /// The namespace that the operator watches; nothing for all.
    pub watched: Option<String>,
    /// The feature gates of operator-controller that it needs and that are off on the release.
    pub gates: Vec<&'static str>,
    /// The `ClusterExtension`.
    pub extension: Value,
    /// The name of the `ClusterCatalog` that it comes from.
    pub catalog: String,
    /// What to know, in the order in which it matters.
    pub notes: Vec<Note>,
}

/// Something to know about a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing.
    pub kind: NoteKind,
    /// The thing, as a sentence without a full stop.
    pub text: String,
}

/// What kind of thing a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// OLM v1 has nothing like it.
    CannotMove,
    /// It works otherwise.
    Changes,
    /// Somebody has to do it.
    Do,
}

impl NoteKind {
    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CannotMove => "cannot move",
            Self::Changes => "changes",
            Self::Do => "do",
        }
    }
}

impl Migration {
    /// Adds notes.
    pub fn note(&mut self, notes: impl IntoIterator<Item = Note>) {
        self.notes.extend(notes);
        self.notes.sort_by_key(|note| note.kind);
    }
}

impl Inventory {
    /// Adds an object, or the items of a list. What is not about OLM v0 is left out.
    pub fn add(&mut self, object: Value) {
        if object["kind"] == "List"
            && let Some(items) = object["items"].as_array()
        {
            items.iter().for_each(|item| self.add(item.clone()));
            return;
        }
        if object["apiVersion"].as_str().is_some_and(|version| version.starts_with("operators.coreos.com/")) {
            self.objects.push(object);
        }
    }

    /// Adds the ClusterServiceVersion of the bundle that is installed by a subscription, unless the cluster's own is there.
    pub fn add_bundle(&mut self, migration: &Migration, bundle: &Bundle) {
        let Migration { namespace, installed, .. } = migration;
        let name = bundle.operator().name();
        let is_known =
            self.all("ClusterServiceVersion", namespace).any(|known| known["metadata"]["name"] == name);
        if is_known || installed.as_deref() != Some(name) {
            return;
        }
        let mut object = bundle.operator().node().to_json();
        object["kind"] = json!("ClusterServiceVersion");
        object["metadata"]["namespace"] = json!(namespace);
        self.objects.push(object);
    }

    fn all<'i>(&'i self, kind: &'static str, namespace: &'i str) -> impl Iterator<Item = &'i Value> {
        let is_meant = move |object: &&Value| {
            let lies_in = object["metadata"]["namespace"].as_str();
            object["kind"] == kind && lies_in.is_none_or(|lies_in| lies_in == namespace)
        };
        self.objects.iter().filter(is_meant)
    }

    /// What every subscription becomes on a release, in their order.
    #[must_use]
    pub fn migrations(&self, target: Target) -> Vec<Migration> {
        let subscriptions = self.objects.iter().filter(|object| object["kind"] == "Subscription");
        let mut migrations: Vec<Migration> =
            subscriptions.map(|subscription| self.migration(subscription, target)).collect();
        namespaces::note_packages_of_several(&mut migrations);
        migrations
    }

    fn migration(&self, subscription: &Value, target: Target) -> Migration {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spec = &subscription["spec"];
        let (package, namespace) = (text(&spec["name"]), text(&subscription["metadata"]["namespace"]));
        let mut plan =
            Plan { package: &package, namespace: &namespace, target, notes: Vec::new(), gates: Vec::new() };
        let installed = [&subscription["status"]["installedCSV"], &spec["startingCSV"]]
            .into_iter()
            .find_map(|name| name.as_str().filter(|name| !name.is_empty()))
            .map(str::to_owned);
        let csv = installed.as_deref().and_then(|name| {
            self.all("ClusterServiceVersion", &namespace).find(|csv| csv["metadata"]["name"] == name)
        });
        let catalog = plan.catalog(&text(&spec["source"]), &text(&spec["sourceNamespace"]));
        let mut source = Map::new();
        source.insert("packageName".to_owned(), json!(package));
        if let Some(channel) = spec["channel"].as_str().filter(|channel| !channel.is_empty()) {
            source.insert("channels".to_owned(), json!([channel]));
        }
        let version = plan.version(spec, installed.as_deref(), csv);
        if let Some(version) = &version {
            source.insert("version".to_owned(), json!(version));
        }
        source.insert(
            "selector".to_owned(),
            json!({"matchLabels": {"olm.operatorframework.io/metadata.name": catalog}}),
        );
        let (mut annotations, mut inline) = (Map::new(), Map::new());
        let groups: Vec<&Value> = self.all("OperatorGroup", &namespace).collect();
        let watched = plan.watched(&groups, csv);
        if let Some(watched) = &watched {
            match plan.has_configuration() {
                true => inline.insert("watchNamespace".to_owned(), json!(watched)),
                false => annotations.insert(WATCH_ANNOTATION.to_owned(), json!(watched)),
            };
        }
        if let Some(configuration) = plan.configuration(&spec["config"]) {
            inline.insert("deploymentConfig".to_owned(), configuration);
        }
        if let Some(csv) = csv {
            plan.operator(csv);
        }
        plan.installed_together(self.all("InstallPlan", &namespace), installed.as_deref());
        plan.steps(&text(&subscription["metadata"]["name"]), installed.as_deref());
        plan.unpin(spec, version.as_deref());
        let mut of_extension = json!({
            "namespace": namespace,
            "serviceAccount": {"name": format!("{package}-installer")},
            "source": {"sourceType": "Catalog", "catalog": source},
        });
        if !inline.is_empty() {
            of_extension["config"] = json!({"configType": "Inline", "inline": inline});
        }
        let mut metadata = json!({"name": package});
        if !annotations.is_empty() {
            metadata["annotations"] = Value::Object(annotations);
        }
        let extension = json!({
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterExtension",
            "metadata": metadata,
            "spec": of_extension,
        });
        let Plan { mut notes, gates, .. } = plan;
        notes.sort_by_key(|note| note.kind);
        Migration { extension, catalog, notes, installed, version, watched, gates, package, namespace }
    }
}

#[cfg(test)]
mod tests;
