//! `kubectl taint`, `cordon`, `uncordon` on three nodes.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::compare::same;
use super::world::{World, node, recorded_settings};
use crate::Verdict;

pub(crate) fn play(case: &Value) -> Verdict {
    let mut world = World::new(recorded_settings(), &[]);
    for (name, zone, role) in [("node1", "z1", "worker"), ("node2", "z1", "worker"), ("node3", "z2", "infra")]
    {
        world.create(node(name, zone, role))?;
    }
    world.pass(2000)?;
    for (name, state) in case["before"].as_object().into_iter().flatten() {
        let mut taints = state["taints"].clone();
        for taint in taints.as_array_mut().into_iter().flatten() {
            if taint.get("timeAdded").is_some() {
                taint.set(&["timeAdded"], world.cluster.now().to_string());
            }
        }
        world
            .patch_node(name, json!({"spec": {"taints": taints, "unschedulable": state["unschedulable"]}}))?;
    }
    world.pass(500)?;
    let arguments: Vec<&str> = case.list(&["args"]).iter().filter_map(Value::as_str).collect();
    let printed = world.command(&arguments, "", "default", &mut |_| Ok(()))?;
    let lines =
        |lines: &[(i64, String)]| -> String { lines.iter().map(|(_, line)| format!("{line}\n")).collect() };
    let recorded =
        |field: &str| case.text(&[field]).lines().map(|line| format!("{line}\n")).collect::<String>();
    same("stderr", &lines(&printed.stderr), &recorded("stderr"))?;
    same("stdout", &lines(&printed.stdout), &recorded("stdout"))?;
    same("exit code", &json!(printed.exit), &case["exit"])?;
    world.pass(500)?;
    let mut after = json!({});
    for name in ["node1", "node2", "node3"] {
        let node = world.node(name)?;
        let mut state = json!({});
        let mut taints = node.list(&["spec", "taints"]).to_vec();
        for taint in &mut taints {
            if taint.get("timeAdded").is_some() {
                taint.set(&["timeAdded"], "<time>");
            }
        }
        if !taints.is_empty() {
            state.set(&["taints"], taints);
        }
        if node.at(&["spec", "unschedulable"]).is_some_and(|value| value == true) {
            state.set(&["unschedulable"], true);
        }
        if state != json!({}) {
            after.set(&[name], state);
        }
    }
    same("nodes afterwards", &after, &case["after"])
}
