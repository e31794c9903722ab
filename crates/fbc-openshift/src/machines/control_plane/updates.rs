//! Which machines of the control plane are made and deleted next.
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/controllers/controlplanemachineset/updates.go` (MA-22).

use fbc_cluster::object::ObjectFields;

use super::machines::{Indexes, Info};

/// So many machines may be there beyond those that are wanted.
const MAX_SURGE: usize = 1;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Make a machine of this index.
    Create(i64),
    /// Delete the machine of this name.
    Delete(String),
}

/// What to do now, and whether something is waited for that no event tells of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Plan {
    pub(super) actions: Vec<Action>,
    pub(super) waits: bool,
}

/// The replacement comes first, and the machine that it replaces goes when it is ready; the lowest index first.
pub(super) fn rolling(indexes: &Indexes, replicas: usize) -> Plan {
    let mut plan = Plan::default();
    let mut count = indexes.values().map(Vec::len).sum::<usize>();
    for (index, machines) in indexes {
        plan.actions.extend(replaced(machines).map(|info| Action::Delete(info.machine.name().to_owned())));
        plan.waits |= waits(machines);
        let lacks_one = machines.is_empty()
            || machines.iter().any(Info::needs_replacement)
                && !machines.iter().any(|info| info.is_pending() || info.is_updated() && !info.is_deleting());
        if lacks_one && count < replicas + MAX_SURGE {
            plan.actions.push(Action::Create(*index));
            count += 1;
        }
    }
    plan
}

/// Machines are replaced once somebody has deleted them.
pub(super) fn on_delete(indexes: &Indexes) -> Plan {
    let mut plan = Plan::default();
    for (index, machines) in indexes {
        let is_settled = !machines.iter().any(|info| info.needs_replacement() || info.is_pending());
        if is_settled && !machines.is_empty() {
            continue;
        }
        plan.waits |= waits(machines);
        let lacks_one = match machines.as_slice() {
            [] => true,
            [only] => only.is_deleting(),
            _ => false,
        };
        if lacks_one {
            plan.actions.push(Action::Create(*index));
        }
    }
    plan
}

/// The machine of an index that has been replaced, or stands in the way of a replacement, and is not deleted yet.
fn replaced(machines: &[Info]) -> Option<&Info> {
    if machines.len() < 2 {
        return None;
    }
    let mut updated: Vec<&Info> = machines.iter().filter(|info| info.is_updated()).collect();
    updated.sort_by_key(|info| info.machine.text(&["metadata", "creationTimestamp"]).to_owned());
    let chosen = if let [oldest, _, ..] = updated.as_slice() {
        Some(*oldest)
    } else {
        let mut outdated = machines.iter().filter(|info| info.needs_replacement());
        let never_ready = outdated.clone().find(|info| !info.is_ready);
        never_ready.or_else(|| outdated.next().filter(|_| !updated.is_empty()))
    };
    chosen.filter(|info| !info.is_deleting())
}

/// A machine that has joined may still become ready, which no event of machines tells.
fn waits(machines: &[Info]) -> bool {
    let is_pending = machines.iter().any(Info::is_pending);
    let has_ready = machines.iter().any(|info| info.is_ready);
    let has_deleting = machines.iter().any(Info::is_deleting);
    is_pending && (!has_ready && !has_deleting || machines.iter().any(Info::needs_replacement))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    /// `R` ready, `r` not; then `o` outdated; then `d` being deleted.
    fn machines(text: &str) -> Vec<Info> {
        let one = |(number, text): (usize, &str)| {
            let mut machine =
                json!({"metadata": {"name": format!("m{number}"), "creationTimestamp": format!("{number}")}});
            if text.contains('d') {
                machine.set(&["metadata", "deletionTimestamp"], "now");
            }
            Info {
                machine: Arc::new(machine),
                is_ready: text.starts_with('R'),
                needs_update: text.contains('o'),
            }
        };
        text.split_whitespace().enumerate().map(one).collect()
    }

    fn told(plan: &Plan) -> String {
        let actions = plan.actions.iter().map(|action| match action {
            Action::Create(index) => format!("+{index}"),
            Action::Delete(name) => format!("-{name}"),
        });
        actions.chain(plan.waits.then(|| "wait".to_owned())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_index_after_the_other() {
        for (state, rolling_plan, on_delete_plan) in [
            ("R|R|R", "", ""),
            ("Ro|Ro|Ro", "+0", ""),
            ("Ro r|Ro|Ro", "wait", "wait"),
            ("Ro R|Ro|Ro", "-m0", ""),
            ("Rod R|Ro|Ro", "", ""),
            ("R|Ro|Ro", "+1", ""),
            // Of two that are deleted at once one is replaced.
            ("Rd|R|Rd", "+0", "+0 +2"),
            ("R||R", "+1", "+1"),
            // A replacement that never became ready and is outdated itself makes room.
            ("Ro ro|R|R", "-m1", ""),
            ("R R|R|R", "-m0", ""),
        ] {
            let indexes: Indexes = (0..).zip(state.split('|').map(machines)).collect();
            assert_eq!(told(&rolling(&indexes, 3)), rolling_plan, "rolling {state}");
            assert_eq!(told(&on_delete(&indexes)), on_delete_plan, "on delete {state}");
        }
    }
}
