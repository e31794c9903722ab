//! What of OLM v0 moves, and what there is to say of the rest.

use std::collections::BTreeSet;

use fbc_model::bundle_name;
use fbc_version::Target;
use fbc_yaml::Document;
use serde_json::Value;

use super::{Note, NoteKind, WATCH_ANNOTATION};
use crate::operator_conditions;

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

/// A migration while its notes are gathered.
pub(super) struct Plan<'p> {
    pub(super) package: &'p str,
    pub(super) namespace: &'p str,
    pub(super) target: Target,
    pub(super) notes: Vec<Note>,
    pub(super) gates: Vec<&'static str>,
}

/// A feature gate of operator-controller, and what OpenShift calls it.
struct Gate {
    name: &'static str,
    of_openshift: &'static str,
}

const WATCH: Gate =
    Gate { name: "SingleOwnNamespaceInstallSupport", of_openshift: "NewOLMOwnSingleNamespace" };
const DEPLOYMENT: Gate = Gate { name: "DeploymentConfig", of_openshift: "NewOLMConfigAPI" };
const WEBHOOKS: Gate = Gate {
    name: "WebhookProviderOpenshiftServiceCA",
    of_openshift: "NewOLMWebhookProviderOpenshiftServiceCA",
};

impl Plan<'_> {
    /// Whether extensions have `spec.config`.
    pub(super) fn has_configuration(&self) -> bool {
        self.target >= Target::Ocp421
    }

    /// Records a gate that the release has off; answers with its name for users.
    fn require(&mut self, gate: &Gate) -> String {
        self.gates.push(gate.name);
        match self.target.is_openshift() {
            true => format!("the feature gate {} ({} in OpenShift)", gate.name, gate.of_openshift),
            false => format!("the feature gate {}", gate.name),
        }
    }

    fn note(&mut self, kind: NoteKind, text: impl Into<String>) {
        self.notes.push(Note { kind, text: text.into() });
    }

    /// The name of the catalog.
    pub(super) fn catalog(&mut self, source: &str, namespace: &str) -> String {
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
    pub(super) fn version(
        &mut self,
        spec: &Value,
        installed: Option<&str>,
        csv: Option<&Value>,
    ) -> Option<String> {
        let version = csv
            .and_then(|csv| csv["spec"]["version"].as_str().map(str::to_owned))
            .or_else(|| installed.and_then(bundle_name::version_in).map(|found| found.version.to_string()));
        match (&version, is_manual(spec)) {
            (None, _) => self.note(
                NoteKind::Do,
                "write the installed version, which is not known, into `spec.source.catalog.version` before the \
                 extension is applied: without it the extension installs the newest version of its channel, whatever \
                 is installed",
            ),
            (Some(version), true) => self.note(
                NoteKind::Changes,
                format!("nobody approves updates in OLM v1: the extension stays at {version}"),
            ),
            // What OLM v0 installed does not count as installed, so the channel alone would mean its newest version.
            (Some(version), false) => self.note(
                NoteKind::Changes,
                format!(
                    "the extension stays at {version}, the installed version, and does not update by itself: an \
                     extension that takes over knows no installed version, and would move to the newest one of its \
                     channel at once"
                ),
            ),
        }
        version
    }

    /// How the extension leaves the version that it is pinned to.
    pub(super) fn unpin(&mut self, spec: &Value, version: Option<&str>) {
        let Some(version) = version else { return };
        let rights = format!(
            "the installer account has the rights that {version} needs, so give it those of the next version first"
        );
        self.note(
            NoteKind::Do,
            match is_manual(spec) {
                true => format!("to update, change `spec.source.catalog.version`; {rights}"),
                false => format!(
                    "for updates as before, take `spec.source.catalog.version` away once the extension is installed; \
                     {rights}"
                ),
            },
        );
    }

    /// The one namespace that the operator watches; nothing for all.
    pub(super) fn watched(&mut self, groups: &[&Value], csv: Option<&Value>) -> Option<String> {
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
                let means = match self.has_configuration() {
                    true => "`spec.config.inline.watchNamespace`".to_owned(),
                    false => format!("the annotation `{WATCH_ANNOTATION}`"),
                };
                // Fully supported in OpenShift since 4.21.
                let needs = match self.target {
                    Target::Ocp421 | Target::Ocp50 => String::new(),
                    _ => format!(", which counts only with {}", self.require(&WATCH)),
                };
                self.note(
                    NoteKind::Changes,
                    format!("the operator watches namespace {only} by {means}{needs}"),
                );
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
    pub(super) fn configuration(&mut self, config: &Value) -> Option<Value> {
        let config = config.as_object().filter(|config| !config.is_empty())?;
        if !self.has_configuration() {
            let keys: Vec<String> = config.keys().map(|key| format!("`{key}`")).collect();
            self.note(
                NoteKind::CannotMove,
                format!(
                    "`spec.config` has {}, and extensions have a configuration from OpenShift 4.21 on",
                    keys.join(", ")
                ),
            );
            return None;
        }
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
        let gate = self.require(&DEPLOYMENT);
        self.note(
            NoteKind::Changes,
            format!("`spec.config` becomes `spec.config.inline.deploymentConfig`, which needs {gate}"),
        );
        Some(Value::Object(moves.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()))
    }

    /// What the operator itself uses of OLM v0.
    pub(super) fn operator(&mut self, csv: &Value) {
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
            self.webhooks();
        }
        if let Some(found) = operator_conditions::first_use(Document::from_json(csv).root()) {
            self.note(NoteKind::CannotMove, format!("the operator uses OperatorConditions ({found}), which OLM v1 does not have: it cannot hold updates back, so pin the version"));
        }
    }

    fn webhooks(&mut self) {
        let (kind, text) = match self.target {
            Target::Ocp419 => {
                (NoteKind::CannotMove, "the operator has webhooks, which OpenShift 4.19 refuses".to_owned())
            }
            Target::Ocp420 => {
                let gate = self.require(&WEBHOOKS);
                (NoteKind::Changes, format!("the operator has webhooks, which need {gate}"))
            }
            Target::Ocp421 | Target::Ocp50 => (
                NoteKind::Changes,
                "the service CA of OpenShift gives the certificates of the operator's webhooks".to_owned(),
            ),
            Target::Latest | Target::Upstream => (
                NoteKind::Changes,
                "cert-manager, which must be there, gives the certificates of the operator's webhooks"
                    .to_owned(),
            ),
        };
        self.note(kind, text);
    }

    /// Other operators that one install plan brought along.
    pub(super) fn installed_together<'i>(
        &mut self,
        plans: impl Iterator<Item = &'i Value>,
        installed: Option<&str>,
    ) {
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
    pub(super) fn steps(&mut self, subscription: &str, installed: Option<&str>) {
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

fn is_manual(spec: &Value) -> bool {
    spec["installPlanApproval"] == "Manual"
}

fn supports(csv: &Value, mode: &str) -> bool {
    let modes = csv["spec"]["installModes"].as_array().into_iter().flatten();
    modes.into_iter().any(|one| one["type"] == mode && one["supported"] == true)
}
