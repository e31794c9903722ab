//! Who may do what.

use fbc_cluster::api::{Caller, DeleteOptions, ListOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::world::{World, same_refusal};
use super::{Played, Verdict, recorded, same};
use crate::run::Session;

pub(super) fn all() -> Vec<Played> {
    let Some(recording) = recorded("10h-rbac/cases.json") else { return Vec::new() };
    let mut world = World::new(&["rbac", "other"]);
    for list in ["roles", "bindings"] {
        for object in recording.list(&["setup", list]) {
            let mut object = object.clone();
            object.set(&["metadata", "namespace"], "rbac");
            world.create(object);
        }
    }
    let cases = recording.list(&["cases"]).iter();
    cases.map(|case| (case.text(&["name"]).to_owned(), play(&mut world, case))).collect()
}

fn play(world: &mut World, case: &Value) -> Verdict {
    if case.get("request").is_some() {
        return request(world, case);
    }
    // From here on the recordings had other rules.
    if case["name"] == "bind-with-bind-verb" {
        grant(world);
    }
    let groups = case.list(&["groups"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let mut session = Session {
        namespace: case.text(&["namespace"]).to_owned(),
        user: case.text(&["user"]).to_owned(),
        groups,
        ..Session::default()
    };
    world.play_command(&mut session, case)
}

/// Lets bob bind and escalate roles.
fn grant(world: &mut World) {
    let mut role =
        Object::clone(world.find("rbac.authorization.k8s.io", "Role", "rbac", "role-admin").unwrap());
    role["rules"][0]["verbs"].as_array_mut().unwrap().extend([json!("bind"), json!("escalate")]);
    let caller = Caller::administrator("test");
    world.api().update(&caller, role, Subresource::None, WriteOptions::default()).unwrap();
}

/// A request without a command line, as far as the API server has it.
fn request(world: &mut World, case: &Value) -> Verdict {
    let caller = Caller::user(case.text(&["user"]), &["dev", "system:authenticated"], "test");
    let in_namespace = ObjectName::namespaced("rbac", "x");
    let api = world.api();
    let kind = |group: &str, kind: &str| api.kind_id(group, kind);
    let refusal: Option<ApiError> = match case.text(&["name"]) {
        "api-status-subresource" => {
            let (id, patch) = (kind("", "Pod").unwrap(), Patch::Merge(json!({})));
            let options = WriteOptions::default();
            api.patch(&caller, id, &in_namespace, &patch, Subresource::Status, options).err()
        }
        "api-deletecollection" => {
            let id = kind("", "Pod").unwrap();
            let options = ListOptions { namespace: Some("rbac".to_owned()), ..ListOptions::default() };
            api.delete_collection(&caller, id, &options, &DeleteOptions::default()).err()
        }
        _ => {
            let (method, url) = case.text(&["request"]).split_once(' ').unwrap();
            api.authorizer().check(&caller.user, attributes(method, url)).err()
        }
    };
    match refusal {
        Some(error) => same_refusal(&error, &case["result"], true),
        None => same("refused", &false, &true),
    }
}

/// What a request is about, where nothing but its rights is played.
fn attributes<'u>(method: &str, url: &'u str) -> fbc_cluster::access::Attributes<'u> {
    use fbc_cluster::access::Attributes;
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let steps: Vec<&str> = path.split('/').skip(1).collect();
    let (group, rest) = match steps.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return Attributes::Path { verb: "get", path },
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..] => (*namespace, rest),
        rest => ("", rest),
    };
    let at = |index: usize| rest.get(index).copied().unwrap_or_default();
    let verb = match method {
        "POST" => "create",
        _ if query.contains("watch") => "watch",
        _ => "list",
    };
    Attributes::Resource { verb, group, resource: at(0), subresource: at(2), namespace, name: at(1) }
}
