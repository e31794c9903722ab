//! What chance and the machine added to a recording: inputs of the replay.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

use super::duration;

/// What chance added to the waits after the failing passes of a process; nothing where something ended the wait early.
pub(super) fn extra_waits(case: &Value, process: usize) -> Vec<u64> {
    let number = |pass: &Value, field: &str| pass.number(&[field]).unwrap_or_default().unsigned_abs();
    let passes: Vec<&Value> =
        case.list(&["passes"]).iter().filter(|pass| number(pass, "process") == process as u64).collect();
    let mut waits = Vec::new();
    for (index, pass) in passes.iter().enumerate() {
        if pass.get("retry_after").is_none() {
            continue;
        }
        let wait = duration(pass.text(&["retry_after"]));
        let due = number(pass, "end_ms") + wait;
        let next = passes.get(index + 1).map_or(0, |next| number(next, "at_ms"));
        // A fifth at most is chance.
        let is_chance = next > due && next - due <= wait / 5 + 500;
        waits.push(if is_chance { next - due } else { 0 });
    }
    waits
}

/// What a manifest took in the passes of a process, as far as they were not held up: how fast the machine was.
pub(super) fn request_duration(case: &Value, process: usize) -> Option<u64> {
    let number = |pass: &Value, field: &str| pass.number(&[field]).unwrap_or_default().unsigned_abs();
    let mut durations: Vec<u64> = case
        .list(&["passes"])
        .iter()
        .filter(|pass| number(pass, "process") == process as u64)
        .filter_map(|pass| {
            let done = pass.list(&["tasks"]).iter().filter(|task| task[1] == "done").count() as u64;
            let took = number(pass, "end_ms").saturating_sub(number(pass, "at_ms"));
            (done > 3 && took < 5000).then(|| (took / done).clamp(1, 100))
        })
        .collect();
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied()
}
