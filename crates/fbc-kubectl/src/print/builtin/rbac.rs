//! Roles and bindings.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::cluster::{CREATED_AT, created_at};
use super::{Column, Definition, always, name, object_age, wide};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) const TABLES: &[Definition] = &[
    Definition { group: GROUP, kind: "Role", columns: CREATED_AT, cells: created_at },
    Definition { group: GROUP, kind: "ClusterRole", columns: CREATED_AT, cells: created_at },
    Definition { group: GROUP, kind: "RoleBinding", columns: BINDING, cells: binding },
    Definition { group: GROUP, kind: "ClusterRoleBinding", columns: BINDING, cells: binding },
];

const BINDING: &[Column] =
    &[always("NAME"), always("ROLE"), always("AGE"), wide("USERS"), wide("GROUPS"), wide("SERVICEACCOUNTS")];

fn binding(object: &Value, now: Moment) -> Vec<String> {
    let subjects = |kind: &str| {
        let names =
            object.list(&["subjects"]).iter().filter(|subject| subject["kind"] == kind).map(|subject| {
                let name = subject.text(&["name"]);
                if kind == "ServiceAccount" {
                    format!("{}/{name}", subject.text(&["namespace"]))
                } else {
                    name.to_owned()
                }
            });
        names.collect::<Vec<_>>().join(", ")
    };
    let role = &object["roleRef"];
    vec![
        name(object),
        format!("{}/{}", role.text(&["kind"]), role.text(&["name"])),
        object_age(object, now),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}
