//! The state after a step.

use std::collections::BTreeMap;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::noise;

/// What was recorded so far, without references to earlier steps.
#[derive(Default)]
pub(super) struct Recorded {
    /// By step, kind, namespace and name.
    states: BTreeMap<(String, Identity), Value>,
}

type Identity = (String, String, String);

impl Recorded {
    /// The whole of what was recorded of a step.
    pub(super) fn complete(&mut self, number: &str, settled: &[Value]) -> Vec<Value> {
        let mut states = Vec::new();
        for state in settled {
            let identity = identity(state);
            let whole = match state.get("as").and_then(Value::as_str) {
                Some(file) => self.state(file, &identity).cloned().unwrap_or_default(),
                None => {
                    let mut whole = state.clone();
                    self.fill(&mut whole, &identity, &mut Vec::new());
                    whole
                }
            };
            self.states.insert((number.to_owned(), identity), whole.clone());
            states.push(whole);
        }
        // Copies refer to originals of the same step.
        for index in 0..states.len() {
            let original = states.get(index).and_then(|state| state["spec"].as_str()).and_then(of_original);
            let spec = original.and_then(|(namespace, name)| {
                let found = states.iter().find(|one| {
                    one.kind() == "ClusterServiceVersion"
                        && one.namespace() == namespace
                        && one.name() == name
                });
                Some(found?["spec"].clone())
            });
            if let Some((spec, state)) = spec.zip(states.get_mut(index)) {
                state["spec"] = spec;
                self.states.insert((number.to_owned(), identity(state)), state.clone());
            }
        }
        states
    }

    fn state(&self, file: &str, identity: &Identity) -> Option<&Value> {
        self.states.get(&(file.trim_end_matches(".json").to_owned(), identity.clone()))
    }

    /// Puts in what texts such as `<as in 03.json>` stand for.
    fn fill(&self, value: &mut Value, of: &Identity, path: &mut Vec<String>) {
        match value {
            Value::String(text) => {
                let file = text.strip_prefix("<as in ").and_then(|rest| rest.strip_suffix(".json>"));
                let found = file.and_then(|file| self.state(file, of));
                if let Some(found) = found.and_then(|state| state.pointer(&format!("/{}", path.join("/")))) {
                    *value = found.clone();
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    path.push(index.to_string());
                    self.fill(item, of, path);
                    path.pop();
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    path.push(name.replace('~', "~0").replace('/', "~1"));
                    self.fill(member, of, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }
}

/// The original that a text such as `<as in NAMESPACE/NAME>` names.
fn of_original(text: &str) -> Option<(String, String)> {
    let (namespace, name) = text.strip_prefix("<as in ")?.strip_suffix('>')?.split_once('/')?;
    Some((namespace.to_owned(), name.to_owned()))
}

fn identity(state: &Value) -> Identity {
    let field = |name: &str| {
        let top = state.text(&[name]);
        if top.is_empty() { state.text(&["metadata", name]).to_owned() } else { top.to_owned() }
    };
    (state.kind().to_owned(), field("namespace"), field("name"))
}

/// What differs.
pub(super) fn differences(seen: &[Object], recorded: &[Value], is_capped: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let (seen, recorded) = (
        noise::without(seen, recorded, recorded, is_capped),
        noise::without(recorded, seen, recorded, is_capped),
    );
    let mut open: BTreeMap<Identity, &Value> = seen.iter().map(|state| (identity(state), state)).collect();
    for state in &recorded {
        let (kind, namespace, name) = identity(state);
        let title = format!("{kind} {namespace}/{name}");
        match open.remove(&identity(state)) {
            Some(seen) => lines.extend(fields(&title, seen, state)),
            None => lines.push(format!("missing {title}")),
        }
    }
    lines.extend(open.keys().map(|(kind, namespace, name)| format!("extra {kind} {namespace}/{name}")));
    lines
}

/// The fields in which two values differ.
pub(super) fn fields(path: &str, seen: &Value, recorded: &Value) -> Vec<String> {
    // Hashes of what is random are not recorded.
    if seen == recorded || (recorded == "<hash>" && seen.is_string()) {
        return Vec::new();
    }
    match (seen, recorded) {
        (Value::Object(left), Value::Object(right)) => {
            let mut names: Vec<&String> = left.keys().chain(right.keys()).collect();
            names.sort_unstable();
            names.dedup();
            let of = |name: &String| {
                let at =
                    |value: &serde_json::Map<String, Value>| value.get(name).cloned().unwrap_or_default();
                fields(&format!("{path}.{name}"), &at(left), &at(right))
            };
            names.into_iter().flat_map(of).collect()
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            pairs
                .flat_map(|(index, (left, right))| fields(&format!("{path}[{index}]"), left, right))
                .collect()
        }
        _ => vec![format!("{path}: seen {seen}, recorded {recorded}")],
    }
}
