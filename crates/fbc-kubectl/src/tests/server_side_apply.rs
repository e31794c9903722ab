//! Configurations that are applied, and the managers of fields.

use fbc_cluster::api::{Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::apply::unpack;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::world::{World, same_answer};
use super::{Played, Verdict, played, same};
use crate::run::Session;

/// The entries as they are recorded: without times and the constant type.
fn managed_fields(object: &Object) -> Value {
    let mut object = object.clone();
    unpack(&mut object);
    let entries = object.list(&["metadata", "managedFields"]).iter().map(|entry| {
        let mut entry = entry.clone();
        entry.remove(&["time"]);
        entry.remove(&["fieldsType"]);
        entry
    });
    Value::Array(entries.collect())
}

pub(super) fn all() -> Vec<Played> {
    let mut world = World::new(&["ssa"]);
    let mut session = Session { namespace: "ssa".to_owned(), ..Session::default() };
    played("10g-server-side-apply/cases.json", |case| {
        if case.get("steps").is_none() {
            return refused_first(&mut world, case);
        }
        case.list(&["steps"]).iter().enumerate().try_for_each(|(index, step)| {
            // Managers and times of writes in one second fall together; the recordings took longer.
            world.pass(1000);
            play(&mut world, &mut session, step).map_err(|text| format!("step {index}: {text}"))
        })
    })
}

fn apply(
    world: &mut World,
    object: &Object,
    name: &str,
    manager: &str,
    force: bool,
) -> Result<std::sync::Arc<Object>, ApiError> {
    let configuration = object.clone();
    let (id, _) = world.api().kind_of(&configuration)?;
    let (name, patch) = (ObjectName::namespaced("ssa", name), Patch::Apply { configuration, force });
    let caller = Caller::administrator(manager);
    world.api().patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())
}

fn play(world: &mut World, session: &mut Session, step: &Value) -> Verdict {
    let manager = step.text(&["fieldManager"]);
    let answer = match step.text(&["do"]) {
        "apply" => apply(world, &step["object"], step["object"].name(), manager, step["force"] == true),
        "create" => {
            let mut object = step["object"].clone();
            object.set(&["metadata", "namespace"], "ssa");
            world.api().create(&Caller::administrator(manager), object, WriteOptions::default())
        }
        "merge patch" => {
            let group = if step.text(&["kind"]) == "ConfigMap" { "" } else { "apps" };
            let id = world.api().kind_id(group, step.text(&["kind"])).unwrap();
            let name = ObjectName::namespaced("ssa", step.text(&["name"]));
            let patch = Patch::Merge(step["patch"].clone());
            let caller = Caller::administrator(manager);
            world.api().patch(&caller, id, &name, &patch, Subresource::None, WriteOptions::default())
        }
        "kubectl" => return world.play_command(session, step),
        _ => {
            let group = if step.text(&["kind"]) == "ConfigMap" { "" } else { "apps" };
            let object = world.find(group, step.text(&["kind"]), "ssa", step.text(&["name"])).unwrap();
            // Controllers of the recordings wrote a status; what is compared is what clients wrote.
            let entries = |value: Value| {
                let entries = value.as_array().cloned().unwrap_or_default().into_iter();
                entries.filter(|entry| entry.get("subresource").is_none()).collect::<Vec<_>>()
            };
            let recorded = entries(step["managedFields"].clone());
            same("managers", &entries(managed_fields(object)), &recorded)?;
            for part in ["data", "spec"] {
                same(part, &object.get(part), &step["object"].get(part))?;
            }
            return Ok(());
        }
    };
    let result = &step["result"];
    same_answer(answer, result, false, |object| {
        let own = |value: &Value| {
            let entries = value.as_array().cloned().unwrap_or_default().into_iter();
            entries.filter(|entry| entry.get("subresource").is_none()).collect::<Vec<_>>()
        };
        same("managers", &own(&managed_fields(object)), &own(&result["managedFields"]))?;
        match result.get("data") {
            Some(data) => same("data", &object.get("data").cloned().unwrap_or_default(), data),
            None => Ok(()),
        }
    })
}

fn refused_first(world: &mut World, case: &Value) -> Verdict {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "zz"}});
    let mut manager = "a";
    match case.text(&["name"]) {
        "apply-name-differs-from-url" => object["metadata"]["name"] = "yy".into(),
        "apply-without-field-manager" => manager = "",
        "apply-with-managed-fields" => {
            object["metadata"]["managedFields"] = json!([{"manager": "a", "operation": "Apply"}]);
        }
        _ => object["metadata"]["resourceVersion"] = "1".into(),
    }
    same_answer(apply(world, &object, "zz", manager, false), &case["result"], true, |_| Ok(()))
}
