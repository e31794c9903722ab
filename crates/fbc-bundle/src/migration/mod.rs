//! From OLM v0 to OLM v1: what a `Subscription` becomes, what changes for its users, and what has no counterpart.
//!
//! Objects of the cluster are JSON as the API server gives them. Sources: `operator-framework/operator-controller:docs/`
//! (install modes, catalogs), `openshift/operator-framework-operator-controller:openshift/catalogd/manifests.yaml` (names of
//! default catalogs).

mod namespaces;

use std::collections::BTreeSet;

use fbc_version::Version;
use serde_json::{Map, Value, json};

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

/// The default catalogs of OpenShift, by the names of OLM v0.
const CATALOGS: [&str; 4] =
    ["certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"];
/// What the deployment configuration of OLM v1 takes of the `config` of a subscription.
const CONFIGURATION: [&str; 9] = [
    "affinity",
    "annotations",
    "env",
    "envFrom",
    "nodeSelector",
    "resources",
    "tolerations",
    "volumeMounts",
    "volumes",
];

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

    fn all<'i>(&'i self, kind: &'static str, namespace: &'i str) -> impl Iterator<Item = &'i Value> {
        let is_meant = move |object: &&Value| {
            let lies_in = object["metadata"]["namespace"].as_str();
            object["kind"] == kind && lies_in.is_none_or(|lies_in| lies_in == namespace)
        };
        self.objects.iter().filter(is_meant)
    }

    /// What every subscription becomes, in their order.
    #[must_use]
    pub fn migrations(&self) -> Vec<Migration> {
        let subscriptions = self.objects.iter().filter(|object| object["kind"] == "Subscription");
        let mut migrations: Vec<Migration> =
            subscriptions.map(|subscription| self.migration(subscription)).collect();
        namespaces::compare(&mut migrations);
        migrations
    }

    fn migration(&self, subscription: &Value) -> Migration {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spec = &subscription["spec"];
        let (package, namespace) = (text(&spec["name"]), text(&subscription["metadata"]["namespace"]));
        let mut plan = Plan { package: &package, namespace: &namespace, notes: Vec::new() };
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
        if let Some(version) = plan.version(spec, installed.as_deref(), csv) {
            source.insert("version".to_owned(), json!(version));
        }
        source.insert(
            "selector".to_owned(),
            json!({"matchLabels": {"olm.operatorframework.io/metadata.name": catalog}}),
        );
        let mut inline = Map::new();
        let groups: Vec<&Value> = self.all("OperatorGroup", &namespace).collect();
        if let Some(watched) = plan.watched(&groups, csv) {
            inline.insert("watchNamespace".to_owned(), json!(watched));
        }
        if let Some(configuration) = plan.configuration(&spec["config"]) {
            inline.insert("deploymentConfig".to_owned(), configuration);
        }
        if let Some(csv) = csv {
            plan.operator(csv);
        }
        plan.company(self.all("InstallPlan", &namespace), installed.as_deref());
        plan.steps(&text(&subscription["metadata"]["name"]), installed.as_deref());
        let mut of_extension = json!({
            "namespace": namespace,
            "serviceAccount": {"name": format!("{package}-installer")},
            "source": {"sourceType": "Catalog", "catalog": source},
        });
        if !inline.is_empty() {
            of_extension["config"] = json!({"configType": "Inline", "inline": inline});
        }
        let extension = json!({
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterExtension",
            "metadata": {"name": package},
            "spec": of_extension,
        });
        let mut notes = plan.notes;
        notes.sort_by_key(|note| note.kind);
        Migration { extension, catalog, notes, installed, package, namespace }
    }
}

struct Plan<'p> {
    package: &'p str,
    namespace: &'p str,
    notes: Vec<Note>,
}

impl Plan<'_> {
    fn note(&mut self, kind: NoteKind, text: impl Into<String>) {
        self.notes.push(Note { kind, text: text.into() });
    }

    /// The name of the catalog.
    fn catalog(&mut self, source: &str, namespace: &str) -> String {
        if CATALOGS.contains(&source) && namespace == "openshift-marketplace" {
            return format!("openshift-{source}");
        }
        self.note(
            NoteKind::Do,
            format!(
                "make a ClusterCatalog {source} from the image of CatalogSource {namespace}/{source}; it must be a \
                 file-based catalog"
            ),
        );
        source.to_owned()
    }

    /// The version that the extension stays at.
    fn version(&mut self, spec: &Value, installed: Option<&str>, csv: Option<&Value>) -> Option<String> {
        if spec["installPlanApproval"] != "Manual" {
            return None;
        }
        // The name of a package may have `.v` in it too.
        let of_name = |name: &str| {
            let mut rests = name.match_indices(".v").filter_map(|(at, mark)| name.get(at + mark.len()..));
            rests.find(|rest| Version::parse(rest).is_ok()).map(str::to_owned)
        };
        let version = csv
            .and_then(|csv| csv["spec"]["version"].as_str().map(str::to_owned))
            .or_else(|| installed.and_then(of_name));
        let held = match &version {
            Some(version) => format!("the extension stays at {version}"),
            None => "the extension updates by itself, because the installed version is not known".to_owned(),
        };
        self.note(
            NoteKind::Changes,
            format!(
                "nobody approves updates in OLM v1: {held}; to update, change `spec.source.catalog.version`"
            ),
        );
        version
    }

    /// The one namespace that the operator watches; nothing for all.
    fn watched(&mut self, groups: &[&Value], csv: Option<&Value>) -> Option<String> {
        let group = match groups {
            [group] => group,
            [] => {
                self.note(NoteKind::Do, format!(
                    "check what the operator watches: no OperatorGroup of namespace {} is among the files, so all namespaces are taken",
                    self.namespace
                ));
                return None;
            }
            several => {
                let names: Vec<&str> =
                    several.iter().filter_map(|group| group["metadata"]["name"].as_str()).collect();
                self.note(NoteKind::CannotMove, format!(
                    "namespace {} has several OperatorGroups ({}), with which OLM v0 installs nothing either",
                    self.namespace,
                    names.join(", ")
                ));
                return None;
            }
        };
        if !group["spec"]["serviceAccountName"].is_null() {
            self.note(NoteKind::Changes, "the service account of the OperatorGroup limited OLM v0; the installer of the extension takes its place".to_owned());
        }
        if group["spec"]["selector"].as_object().is_some_and(|selector| !selector.is_empty()) {
            self.note(NoteKind::CannotMove, "the OperatorGroup selects namespaces by labels; OLM v1 lets an operator watch one namespace or all".to_owned());
            return None;
        }
        let targets: Vec<&str> = group["spec"]["targetNamespaces"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|target| !target.is_empty())
            .collect();
        match targets.as_slice() {
            [] => {
                if csv.is_some_and(|csv| !supports(csv, "AllNamespaces")) {
                    self.note(NoteKind::CannotMove, "the operator does not support the install mode AllNamespaces, which its OperatorGroup asks for".to_owned());
                }
                None
            }
            [only] => {
                self.note(NoteKind::Changes, format!(
                    "the operator watches namespace {only} by `spec.config`, which needs OpenShift 4.20 and the feature gate SingleOwnNamespaceInstallSupport before 4.21"
                ));
                Some((*only).to_owned())
            }
            several => {
                self.note(
                    NoteKind::CannotMove,
                    format!(
                        "the operator watches the namespaces {}; OLM v1 lets it watch one or all",
                        several.join(", ")
                    ),
                );
                None
            }
        }
    }

    /// The deployment configuration.
    fn configuration(&mut self, config: &Value) -> Option<Value> {
        let config = config.as_object().filter(|config| !config.is_empty())?;
        let (moves, stays): (Vec<_>, Vec<_>) =
            config.iter().partition(|(key, _)| CONFIGURATION.contains(&key.as_str()));
        if !stays.is_empty() {
            let keys: Vec<String> = stays.iter().map(|(key, _)| format!("`{key}`")).collect();
            self.note(
                NoteKind::CannotMove,
                format!("`spec.config` has {}, which OLM v1 does not take", keys.join(", ")),
            );
        }
        if moves.is_empty() {
            return None;
        }
        self.note(NoteKind::Changes, "`spec.config` becomes `spec.config.inline.deploymentConfig`, which needs the feature gate DeploymentConfig".to_owned());
        Some(Value::Object(moves.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()))
    }

    /// What the operator itself uses of OLM v0.
    fn operator(&mut self, csv: &Value) {
        let names = |list: &Value| -> Vec<String> {
            list.as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["name"].as_str())
                .map(str::to_owned)
                .collect()
        };
        let spec = &csv["spec"];
        let required = names(&spec["customresourcedefinitions"]["required"]);
        if !required.is_empty() {
            self.note(NoteKind::CannotMove, format!(
                "the operator depends on {}; OLM v1 installs no dependencies: install what provides them as extensions of their own first",
                required.join(", ")
            ));
        }
        let services = names(&spec["apiservicedefinitions"]["owned"]);
        if !services.is_empty() {
            self.note(
                NoteKind::CannotMove,
                format!(
                    "the operator serves the aggregated APIs {}, which OLM v1 refuses",
                    services.join(", ")
                ),
            );
        }
        if spec["webhookdefinitions"].as_array().is_some_and(|all| !all.is_empty()) {
            self.note(
                NoteKind::Changes,
                "the operator has webhooks, which OLM v1 installs from OpenShift 4.21 on".to_owned(),
            );
        }
        let install = &spec["install"]["spec"];
        let rules = ["permissions", "clusterPermissions"]
            .into_iter()
            .flat_map(|key| install[key].as_array().into_iter().flatten())
            .flat_map(|permission| permission["rules"].as_array().into_iter().flatten());
        let mut resources = rules.flat_map(|rule| rule["resources"].as_array().into_iter().flatten());
        if resources
            .any(|resource| resource.as_str().is_some_and(|name| name.starts_with("operatorconditions")))
        {
            self.note(NoteKind::CannotMove, "the operator uses OperatorConditions, which OLM v1 does not have: it cannot hold updates back, so pin the version".to_owned());
        }
    }

    /// Other operators that one install plan brought along.
    fn company<'i>(&mut self, plans: impl Iterator<Item = &'i Value>, installed: Option<&str>) {
        let Some(installed) = installed else { return };
        let names = |plan: &'i Value| {
            plan["spec"]["clusterServiceVersionNames"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        let others: BTreeSet<&str> = plans
            .filter(|plan| names(plan).any(|name| name == installed))
            .flat_map(names)
            .filter(|name| *name != installed)
            .collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().collect();
            self.note(NoteKind::CannotMove, format!(
                "one InstallPlan installed {} together with it; install what of that it depends on as extensions of their own",
                others.join(", ")
            ));
        }
    }

    /// What to do on the cluster, in this order.
    fn steps(&mut self, subscription: &str, installed: Option<&str>) {
        self.note(
            NoteKind::Changes,
            "there are no copied ClusterServiceVersions: users do not see the operator in their namespaces"
                .to_owned(),
        );
        let namespace = self.namespace;
        let csv = installed.unwrap_or("CSV");
        self.note(NoteKind::Do, format!(
            "`kubectl delete subscription {subscription} -n {namespace}`, then `kubectl delete clusterserviceversion {csv} -n {namespace}`: the operator stops, and definitions and custom resources stay"
        ));
        let package = self.package;
        self.note(NoteKind::Do, format!(
            "let the extension take the definitions over before it is applied: `kubectl annotate customresourcedefinition NAME meta.helm.sh/release-name={package} meta.helm.sh/release-namespace={namespace}` and `kubectl label customresourcedefinition NAME app.kubernetes.io/managed-by=Helm`, for each that the operator owns"
        ));
    }
}

fn supports(csv: &Value, mode: &str) -> bool {
    let modes = csv["spec"]["installModes"].as_array().into_iter().flatten();
    modes.into_iter().any(|one| one["type"] == mode && one["supported"] == true)
}

#[cfg(test)]
mod tests;
