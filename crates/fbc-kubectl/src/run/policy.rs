//! `oc adm policy`: subjects of bindings.

use fbc_cluster::object::{ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::{Failure, Runner, Server};
use crate::command_line::Policy;

impl<S: Server> Runner<'_, S> {
    /// Adds subjects to a binding, or takes them away.
    pub(super) fn policy(&mut self, policy: &Policy) -> Result<(), Failure> {
        const RBAC: &str = "rbac.authorization.k8s.io";
        let binding_kind = if policy.cluster { "ClusterRoleBinding" } else { "RoleBinding" };
        let Some((kind, _)) = self.server.kinds().find(RBAC, binding_kind) else {
            return Err(Failure::Text(format!("the server doesn't have a resource type {binding_kind:?}")));
        };
        let binding = policy.binding.clone().unwrap_or_else(|| policy.role.clone());
        let name = if policy.cluster {
            ObjectName::cluster(binding)
        } else {
            ObjectName::namespaced(&self.namespace, binding)
        };
        let subject = |name: &String| json!({"apiGroup": RBAC, "kind": policy.subject_kind, "name": name});
        let subjects: Vec<Value> = policy.subjects.iter().map(subject).collect();
        match self.server.get(&self.request, kind, &name) {
            Ok(mut object) => {
                let mut all = object.list(&["subjects"]).to_vec();
                all.retain(|subject| !subjects.contains(subject));
                if policy.add {
                    all.extend(subjects);
                }
                object.set(&["subjects"], all);
                self.server.update(&self.request, object)?;
            }
            Err(error) if error.is_not_found() && policy.add => {
                let mut object = json!({"apiVersion": format!("{RBAC}/v1"), "kind": binding_kind, "metadata": {"name": name.name},
                    "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": policy.role}, "subjects": subjects});
                if !policy.cluster {
                    object.set(&["metadata", "namespace"], name.namespace.as_str());
                }
                self.server.create(&self.request, object)?;
            }
            Err(error) => return Err(error.into()),
        }
        let who: Vec<String> = policy.subjects.iter().map(|name| format!("{name:?}")).collect();
        let who = if who.len() == 1 { who.concat() } else { format!("[{}]", who.join(" ")) };
        let role = "clusterrole.rbac.authorization.k8s.io";
        let done = if policy.add { "added" } else { "removed" };
        self.stdout.push_str(&format!("{role}/{} {done}: {who}\n", policy.role));
        Ok(())
    }
}
