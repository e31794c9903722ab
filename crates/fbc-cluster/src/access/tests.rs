//! What an API server allowed and refused.

use serde_json::{Value, json};

use super::writes::Write;
use super::{Attributes, Authorizer, User, default_objects, escalation, owner_references};
use crate::api::Subresource;
use crate::error::ApiError;
use crate::kind::{Kind, Registry};
use crate::object::{Object, ObjectFields, ObjectName};

const CLUSTER_WIDE: [&str; 4] = ["nodes", "namespaces", "clusterroles", "clusterrolebindings"];

fn cluster() -> Authorizer {
    let mut authorizer = Authorizer::default();
    default_objects().iter().for_each(|object| authorizer.observe(object));
    authorizer
}

/// The requests of a recorded command in their order; the first that is refused ends it.
fn requests(arguments: &[&str]) -> Vec<(String, String, String, String)> {
    let mut words = Vec::new();
    let mut namespace = "rbac".to_owned();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-n" => namespace = (*rest.next().unwrap()).to_owned(),
            "-A" => namespace.clear(),
            "-f" | "-p" => drop(rest.next()),
            word if word.starts_with('-') => {}
            word => words.push(word),
        }
    }
    let plural = |kind: &str| {
        let group = match kind.trim_end_matches('s') {
            "deployment" => ".apps",
            "rolebinding" | "clusterrolebinding" | "clusterrole" | "role" => ".rbac.authorization.k8s.io",
            _ => "",
        };
        format!("{}s{group}", kind.trim_end_matches('s'))
    };
    let request = |verb: &str, kind: &str, name: &str| {
        let resource = plural(kind);
        let is_wide = CLUSTER_WIDE.contains(&resource.split('.').next().unwrap());
        let namespace = if is_wide { String::new() } else { namespace.clone() };
        (verb.to_owned(), resource, namespace, name.to_owned())
    };
    let all = arguments.contains(&"--all");
    match words.as_slice() {
        ["get", kind] => vec![request("list", kind, "")],
        ["get", kind, name] => vec![request("get", kind, name)],
        ["create", kind, ..] => vec![request("create", kind, "")],
        ["delete", kind, ..] if all => vec![request("list", kind, "")],
        ["delete", kind, name] => vec![request("delete", kind, name)],
        ["annotate" | "scale", kind, name, ..] => vec![request("get", kind, name)],
        ["taint", kind, name, ..] => vec![request("get", kind, name)],
        ["cordon" | "drain", name] => vec![request("get", "node", name)],
        ["logs", name] => vec![request("get", "pod", name)],
        ["apply"] if arguments.contains(&"--server-side") => vec![request("patch", "configmap", "x")],
        ["apply"] => vec![request("get", "configmap", "x")],
        _ => Vec::new(),
    }
}

fn ask(
    authorizer: &Authorizer,
    user: &User,
    request: &(String, String, String, String),
) -> Result<(), ApiError> {
    let (verb, resource, namespace, name) = request;
    let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
    authorizer.check(user, Attributes::Resource { verb, group, resource, subresource: "", namespace, name })
}

fn kind(group: &str, kind: &str, plural: &str) -> Kind {
    Kind {
        group: group.into(),
        versions: vec!["v1".into()],
        kind: kind.into(),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: kind == "ConfigMap",
        has_status: false,
        has_generation: false,
    }
}

/// Checks a write of a role or a binding.
fn check_rbac(
    authorizer: &Authorizer,
    user: &User,
    before: Option<&Object>,
    object: &Object,
) -> Result<(), ApiError> {
    let name = object.kind();
    let kind = &kind(super::RBAC_GROUP, name, &format!("{}s", name.to_lowercase()));
    let name_in_path = if before.is_some() { object.name() } else { "" };
    let write = Write { user, kind, subresource: Subresource::None, name_in_path, before, object };
    if name.ends_with("Binding") {
        escalation::check_binding(&write, authorizer)
    } else {
        escalation::check_role(&write, authorizer)
    }
}

/// The object that a recorded command writes, with the stored one it replaces.
fn written(arguments: &[&str], stdin: &str, stored: &[Object]) -> Option<(Option<Object>, Object)> {
    let rbac = |kind: &str, name: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": name, "namespace": "rbac"},
        })
    };
    match arguments {
        ["create", "-f", "-"] => {
            let mut role: Value = serde_json::from_str(stdin).ok()?;
            role.set(&["metadata", "namespace"], "rbac");
            Some((None, role))
        }
        ["create", "rolebinding", name, role, user] => {
            let (kind, role) = match role.split_once('=')? {
                ("--clusterrole", role) => ("ClusterRole", role),
                (_, role) => ("Role", role),
            };
            let mut binding = rbac("RoleBinding", name);
            binding["roleRef"] = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role});
            binding["subjects"] = json!([{"kind": "User", "name": user.split_once('=')?.1}]);
            Some((None, binding))
        }
        ["patch", "role", name, "--type=json", "-p", patch] => {
            let old = stored.iter().find(|role| role.kind() == "Role" && role.name() == *name)?.clone();
            let patch: Value = serde_json::from_str(patch).ok()?;
            let new = crate::apply::patch::json_patch(&old, &patch).ok()?;
            Some((Some(old), new))
        }
        _ => None,
    }
}

#[test]
fn recorded_requests_are_allowed_and_refused() {
    let Some(recorded) = fbc_testing::recorded_json("kube/10h-rbac/cases.json") else { return };
    let mut authorizer = cluster();
    let mut stored: Vec<Object> = Vec::new();
    for list in ["roles", "bindings"] {
        for object in recorded.list(&["setup", list]) {
            let mut object = object.clone();
            object.set(&["metadata", "namespace"], "rbac");
            authorizer.observe(&object);
            stored.push(object);
        }
    }
    let mut checked = 0;
    for case in recorded.list(&["cases"]) {
        let name = case.text(&["name"]);
        let arguments: Vec<&str> = case.list(&["args"]).iter().filter_map(Value::as_str).collect();
        let groups: Vec<&str> = case.list(&["groups"]).iter().filter_map(Value::as_str).collect();
        let user = User::new(case.text(&["user"]), &groups);
        let stderr = case.text(&["stderr"]);
        if name == "bind-with-bind-verb" {
            let mut role = stored[1].clone();
            let verbs = role["rules"][0]["verbs"].as_array_mut().unwrap();
            verbs.extend([json!("bind"), json!("escalate")]);
            authorizer.observe(&role);
        }
        let outcome = if arguments.is_empty() {
            raw_request(&authorizer, &user, case)
        } else if name == "impersonate" {
            let list = Attributes::Resource {
                verb: "list",
                group: "",
                resource: "pods",
                subresource: "",
                namespace: "rbac",
                name: "",
            };
            authorizer.check_impersonation(&user, &User::new("admin", &[]), list)
        } else if name == "raw-non-resource" {
            authorizer.check(&user, Attributes::Path { verb: "get", path: "/metrics" })
        } else if let ["auth", "can-i", verb, kind] = arguments.as_slice() {
            let request = ((*verb).to_owned(), (*kind).to_owned(), "rbac".to_owned(), String::new());
            assert_eq!(ask(&authorizer, &user, &request).is_ok(), case["exit"] == 0, "{name}");
            checked += 1;
            continue;
        } else if let Some((old, new)) = written(&arguments, case.text(&["stdin"]), &stored) {
            let outcome = check_rbac(&authorizer, &user, old.as_ref(), &new);
            if outcome.is_ok() {
                authorizer.observe(&new);
                stored.push(new);
            }
            outcome
        } else {
            let requests = requests(&arguments);
            assert!(!requests.is_empty() || matches!(name, "can-i-list" | "change-role-ref"), "{name}");
            requests.iter().try_for_each(|request| ask(&authorizer, &user, request))
        };
        checked += 1;
        let refusal = match case.get("result") {
            Some(result) => Some(result.text(&["message"])),
            None if stderr.contains("forbidden: ") || name == "bind-missing-role" => Some(stderr.trim_end()),
            None => None,
        };
        match (outcome, refusal) {
            (Err(error), Some(expected)) => assert!(expected.ends_with(&error.message), "{name}: {error}"),
            (outcome, expected) => {
                assert_eq!(outcome.is_err(), expected.is_some(), "{name}: {outcome:?}");
            }
        }
    }
    assert_eq!(checked, recorded.list(&["cases"]).len());
}

/// `PATCH /api/v1/namespaces/rbac/pods/x/status` and the like.
fn raw_request(authorizer: &Authorizer, user: &User, case: &Value) -> Result<(), ApiError> {
    let (method, url) = case.text(&["request"]).split_once(' ').unwrap();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let (group, rest) = match steps.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return authorizer.check(user, Attributes::Path { verb: &method.to_lowercase(), path }),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..] => (*namespace, rest),
        rest => ("", rest),
    };
    let at = |index: usize| rest.get(index).copied().unwrap_or_default();
    let verb = match (method, at(1)) {
        ("GET", "") if query.contains("watch") => "watch",
        ("GET", "") => "list",
        ("GET", _) => "get",
        ("POST", _) => "create",
        ("DELETE", "") => "deletecollection",
        ("PATCH", _) => "patch",
        _ => "delete",
    };
    let (resource, name, subresource) = (at(0), at(1), at(2));
    authorizer.check(user, Attributes::Resource { verb, group, resource, subresource, namespace, name })
}

#[test]
fn default_roles_build_on_each_other() {
    let mut authorizer = cluster();
    let binding = |role: &str, user: &str| {
        json!({
            "kind": "RoleBinding", "metadata": {"name": user, "namespace": "a"},
            "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": [{"kind": "User", "name": user}],
        })
    };
    for role in ["admin", "edit", "view"] {
        authorizer.observe(&binding(role, role));
    }
    let ask = |user: &str, verb: &str, resource: &str, namespace: &str| {
        let group = if resource == "deployments" { "apps" } else { "" };
        let attributes = Attributes::Resource { verb, group, resource, subresource: "", namespace, name: "" };
        authorizer.allows(&User::new(user, &[]), attributes)
    };
    for (user, verb, resource, namespace, allowed) in [
        ("view", "list", "pods", "a", true),
        ("view", "list", "secrets", "a", false),
        ("view", "create", "deployments", "a", false),
        ("edit", "create", "deployments", "a", true),
        ("edit", "list", "pods", "a", true),
        ("admin", "list", "secrets", "a", true),
        ("admin", "list", "pods", "b", false),
        ("admin", "list", "nodes", "", false),
    ] {
        assert_eq!(ask(user, verb, resource, namespace), allowed, "{user} {verb} {resource}");
    }
    // A role that a product adds becomes part of the roles that take rules from it.
    authorizer.observe(&json!({
        "kind": "ClusterRole",
        "metadata": {"name": "widgets-view", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get"]}],
    }));
    let widget = Attributes::Resource {
        verb: "get",
        group: "example.com",
        resource: "widgets",
        subresource: "",
        namespace: "a",
        name: "w",
    };
    assert!(authorizer.allows(&User::new("admin", &[]), widget));
    authorizer.forget("ClusterRole", &ObjectName::cluster("widgets-view"));
    assert!(!authorizer.allows(&User::new("admin", &[]), widget));
}

#[test]
fn owners_are_not_blocked_without_the_right_to() {
    let mut registry = Registry::default();
    registry.register(kind("olm.operatorframework.io", "ClusterExtension", "clusterextensions"));
    let config_maps = kind("", "ConfigMap", "configmaps");
    let user = User::service_account("demo-system", "demo-installer");
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "c", "namespace": "demo-system",
            "ownerReferences": [{
                "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "name": "demo", "uid": "1",
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
    });
    let mut authorizer = cluster();
    let check = |authorizer: &Authorizer| {
        let write = Write {
            user: &user,
            kind: &config_maps,
            subresource: Subresource::None,
            name_in_path: "",
            before: None,
            object: &object,
        };
        owner_references::check_write(&write, authorizer, &registry).map_err(|error| error.message)
    };
    assert_eq!(
        check(&authorizer),
        Err("configmaps \"c\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource \
             you can't set finalizers on: , <nil>"
            .to_owned())
    );
    authorizer.observe(&json!({
        "kind": "ClusterRole", "metadata": {"name": "f"},
        "rules": [{"apiGroups": ["olm.operatorframework.io"], "resources": ["clusterextensions/finalizers"], "verbs": ["update"], "resourceNames": ["demo"]}],
    }));
    authorizer.observe(&json!({
        "kind": "ClusterRoleBinding", "metadata": {"name": "f"}, "roleRef": {"kind": "ClusterRole", "name": "f"},
        "subjects": [{"kind": "ServiceAccount", "name": "demo-installer", "namespace": "demo-system"}],
    }));
    assert_eq!(check(&authorizer), Ok(()));
    authorizer.observe(&json!({
        "kind": "RoleBinding", "metadata": {"name": "gone", "namespace": "demo-system"},
        "roleRef": {"kind": "Role", "name": "gone"}, "subjects": [{"kind": "Group", "name": "system:serviceaccounts"}],
    }));
    let secrets = Attributes::Resource {
        verb: "list",
        group: "",
        resource: "secrets",
        subresource: "",
        namespace: "demo-system",
        name: "",
    };
    let error = authorizer.check(&user, secrets).unwrap_err();
    assert!(error.message.ends_with(": RBAC: role.rbac.authorization.k8s.io \"gone\" not found"), "{error}");
}
