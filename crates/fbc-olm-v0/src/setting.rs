//! The cluster that recorded scenarios were played on: an API server, some controllers of the control plane, and OLM v0.

use serde_json::{Value, json};

use fbc_cluster::api::{Caller, WriteOptions};
use fbc_cluster::control_plane;
use fbc_cluster::controllers::accounts::ServiceAccounts;
use fbc_cluster::controllers::definitions::Definitions;
use fbc_cluster::controllers::garbage::GarbageCollector;
use fbc_cluster::controllers::namespaces::Namespaces;
use fbc_cluster::controllers::roles::RoleAggregation;
use fbc_cluster::engine::{Cluster, Controller, RunError};
use fbc_cluster::time::{MINUTE, Moment, SECOND};

use crate::content::SharedContent;
use crate::definitions::definitions;
use crate::names::{GROUP, OLM_CONFIG, OPERATOR_GROUP, RBAC, V1};
use crate::{Options, catalog_operator, olm_operator};

/// What OLM is installed with, besides its definitions and namespaces, as upstream publishes it.
///
/// Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/deploy/chart/templates`.
pub fn base_objects(options: &Options) -> Vec<Value> {
    let namespace = options.namespace.as_str();
    let everything = "system:controller:operator-lifecycle-manager";
    let rules = json!([
        {
            "apiGroups": ["*"], "resources": ["*"],
            "verbs": [
                "watch", "list", "get", "create", "update", "patch", "delete", "deletecollection", "escalate", "bind",
            ],
        },
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]);
    let rbac = format!("{RBAC}/v1");
    let group = |namespace: &str, name: &str, spec: Value| {
        json!({
            "apiVersion": V1, "kind": OPERATOR_GROUP, "metadata": {"namespace": namespace, "name": name}, "spec": spec,
        })
    };
    vec![
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"namespace": namespace, "name": Options::ACCOUNT},
        }),
        json!({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": everything}, "rules": rules}),
        json!({
            "apiVersion": rbac, "kind": "ClusterRoleBinding",
            "metadata": {"name": format!("olm-operator-binding-{namespace}")},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": everything},
            "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": Options::ACCOUNT}],
        }),
        aggregated("aggregate-olm-edit", &["admin", "edit"], edit_rules()),
        aggregated("aggregate-olm-view", &["admin", "edit", "view"], view_rules()),
        json!({"apiVersion": V1, "kind": OLM_CONFIG, "metadata": {"name": "cluster"}}),
        group(&options.operators_namespace, "global-operators", json!({})),
        group(namespace, "olm-operators", json!({"targetNamespaces": [namespace]})),
    ]
}

/// Shows V0-125.
fn edit_rules() -> Value {
    json!([
        {"apiGroups": [GROUP], "resources": ["subscriptions"], "verbs": ["create", "update", "patch", "delete"]},
        {
            "apiGroups": [GROUP], "verbs": ["delete"],
            "resources": ["clusterserviceversions", "catalogsources", "installplans", "subscriptions"],
        },
    ])
}

fn view_rules() -> Value {
    let verbs = ["get", "list", "watch"];
    json!([
        {
            "apiGroups": [GROUP], "verbs": verbs,
            "resources": [
                "clusterserviceversions", "catalogsources", "installplans", "subscriptions", "operatorgroups",
            ],
        },
        {
            "apiGroups": ["packages.operators.coreos.com"], "verbs": verbs,
            "resources": ["packagemanifests", "packagemanifests/icon"],
        },
    ])
}

/// A role that becomes part of roles for users.
fn aggregated(name: &str, into: &[&str], rules: Value) -> Value {
    let label = |role: &&str| (format!("{RBAC}/aggregate-to-{role}"), json!("true"));
    let labels: serde_json::Map<String, Value> = into.iter().map(label).collect();
    json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole",
        "metadata": {"name": name, "labels": labels}, "rules": rules,
    })
}

/// The cluster, with OLM v0 installed and nothing else in it. Stand-ins for what runs in pods come in before OLM does.
///
/// # Errors
/// [`RunError`]
pub fn cluster(
    options: &Options,
    content: &SharedContent,
    stand_ins: Vec<Box<dyn Controller>>,
    seed: u64,
) -> Result<Cluster, RunError> {
    let mut api =
        control_plane::api_server(&[&options.namespace, &options.operators_namespace], seed, Moment::START);
    for definition in definitions() {
        // An empty cluster refuses none of these.
        let _ = api.install_definition(definition);
    }
    let administrator = Caller::administrator("kubectl-create");
    for object in base_objects(options) {
        let _ = api.create(&administrator, object, WriteOptions::default());
    }
    let mut cluster = Cluster::new(api);
    let controllers: [Box<dyn Controller>; 5] = [
        Box::new(GarbageCollector::default()),
        Box::new(Namespaces::default()),
        Box::new(ServiceAccounts),
        Box::new(RoleAggregation::default()),
        Box::new(Definitions::default()),
    ];
    for controller in controllers.into_iter().chain(stand_ins) {
        cluster.add_controller(controller);
    }
    // OLM starts when everything else is still.
    cluster.run_until_still(SECOND, cluster.now() + MINUTE)?;
    start_olm_operator(&mut cluster, options);
    start_catalog_operator(&mut cluster, options, content);
    cluster.run_until_still(7 * SECOND, cluster.now() + MINUTE)?;
    Ok(cluster)
}

/// Starts olm-operator, or starts it afresh.
pub fn start_olm_operator(cluster: &mut Cluster, options: &Options) {
    replace(cluster, olm_operator::controllers(options));
}

/// Starts catalog-operator, or starts it afresh.
pub fn start_catalog_operator(cluster: &mut Cluster, options: &Options, content: &SharedContent) {
    replace(cluster, catalog_operator::controllers(options, content));
}

fn replace(cluster: &mut Cluster, controllers: Vec<Box<dyn Controller>>) {
    for controller in &controllers {
        cluster.remove_controller(controller.name());
    }
    for controller in controllers {
        cluster.add_controller(controller);
    }
}
