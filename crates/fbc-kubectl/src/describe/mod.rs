//! What `describe` prints.
//!
//! [`describe`] takes an object and a [`Look`] for what belongs to it. Kinds without a description of their own, custom
//! resources among them, are described field by field.
//!
//! Source of the layouts: `kubernetes/kubectl:pkg/describe/describe.go`, and the recorded descriptions.

mod config;
mod events;
mod generic;
mod node;
mod page;
mod pod;
mod pod_parts;
mod workloads;

use serde_json::Value;

use fbc_cluster::kind::Kind;
use fbc_cluster::object::Object;
use fbc_cluster::time::Moment;

pub use events::event_age;
use page::Page;

/// Where descriptions find what belongs to an object.
pub trait Look {
    /// All objects of a kind, in one namespace or everywhere; nothing for kinds that are not served or not allowed.
    fn list(&self, group: &str, kind: &str, namespace: Option<&str>) -> Vec<Object>;
    /// False for `--show-events=false`.
    fn shows_events(&self) -> bool {
        true
    }
}

/// Writes the description of one kind.
type Describe = fn(&mut Page, &Value, &dyn Look, Moment);

const APPS: &str = "apps";
const RBAC: &str = "rbac.authorization.k8s.io";

const DESCRIPTIONS: &[(&str, &str, Describe)] = &[
    ("", "Node", node::node),
    ("", "Pod", pod::pod),
    (APPS, "Deployment", workloads::deployment),
    (APPS, "ReplicaSet", workloads::replica_set),
    (APPS, "StatefulSet", workloads::stateful_set),
    (APPS, "DaemonSet", workloads::daemon_set),
    ("batch", "Job", workloads::job),
    ("policy", "PodDisruptionBudget", config::budget),
    ("", "Namespace", config::namespace),
    ("", "ServiceAccount", config::service_account),
    ("", "ConfigMap", config::config_map),
    ("", "Secret", config::secret),
    ("", "Service", config::service),
    (RBAC, "Role", config::role),
    (RBAC, "ClusterRole", config::role),
    (RBAC, "RoleBinding", config::role_binding),
    (RBAC, "ClusterRoleBinding", config::role_binding),
];

/// Describes an object.
pub fn describe(kind: &Kind, object: &Value, look: &dyn Look, now: Moment) -> String {
    let known = DESCRIPTIONS.iter().find(|(group, name, _)| *group == kind.group && *name == kind.kind);
    let mut page = Page::default();
    known.map_or(generic::generic as Describe, |(_, _, describe)| *describe)(&mut page, object, look, now);
    page.finish()
}

#[cfg(test)]
mod tests;
