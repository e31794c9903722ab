//! A recorded case: what was there, what happened from outside, and what the controllers did.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use serde_json::{Map, Value};

use super::{Suite, Time};

/// A stored write.
#[derive(Debug, Clone)]
pub(crate) struct Transition {
    pub(crate) at: Time,
    pub(crate) by: String,
    /// `Kind/name`.
    pub(crate) object: String,
    /// `ADDED`, `MODIFIED`, `DELETED`.
    pub(crate) event: String,
    /// What was set.
    pub(crate) change: Map<String, Value>,
}

/// Something that happens from outside.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// Somebody else than the controllers writes.
    Write(Transition),
    /// A step that shows in no write.
    Step(String),
}

/// A recorded case.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// What it is about.
    pub note: String,
    /// Which controllers it is of.
    pub suite: Suite,
    pub(crate) initial: BTreeMap<String, Map<String, Value>>,
    pub(crate) steps: Vec<(Time, String)>,
    pub(crate) transitions: Vec<Transition>,
    /// Time, object, reason and message.
    pub(crate) events: Vec<(Time, [String; 3])>,
    end: Time,
}

/// Within so many milliseconds after a step of a recording of a real API server, what the step writes is stored.
const STEP_WRITES: Time = 100;

impl Case {
    pub(super) fn read(value: &Value) -> Option<Self> {
        // Endings of generated names count up in the order of creation, here as there.
        let text = value.to_string();
        let text = (1..100)
            .fold(text, |text, number| text.replace(&format!("<r{number:02}>"), &format!("r{number:02}")));
        let value: Value = serde_json::from_str(&text).ok()?;
        let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let initial: BTreeMap<String, Map<String, Value>> = members(value.get("initial")?)
            .into_iter()
            .map(|(name, object)| (name, members(&object)))
            .collect();
        let mut transitions: Vec<Transition> = value
            .list(&["transitions"])
            .iter()
            .map(|one| Transition {
                at: one.number(&["at_ms"]).unwrap_or_default(),
                by: one.text(&["by"]).to_owned(),
                object: one.text(&["object"]).to_owned(),
                event: one.text(&["event"]).to_owned(),
                change: members(one.get("set").or_else(|| one.get("change")).unwrap_or(&Value::Null)),
            })
            .collect();
        let has = |kind: &str| {
            let objects = initial.keys().chain(transitions.iter().map(|transition| &transition.object));
            objects.into_iter().any(|object| object.starts_with(kind))
        };
        let suite = if has("MachineConfigPool/") || has("ControllerConfig/") {
            Suite::MachineConfig
        } else if has("ControlPlaneMachineSet/") || has("ClusterOperator/") {
            Suite::ControlPlane
        } else if transitions.iter().any(|transition| transition.by == "agent") {
            Suite::RealMachines
        } else {
            Suite::Machines
        };
        if suite == Suite::ControlPlane {
            forget_blips(&mut transitions);
        }
        let steps = value.list(&["steps"]).iter();
        let events = value.list(&["events"]).iter();
        Some(Self {
            note: value.text(&["note"]).to_owned(),
            suite,
            steps: steps
                .map(|step| (step.number(&["at_ms"]).unwrap_or_default(), step.text(&["do"]).to_owned()))
                .collect(),
            events: events
                .map(|event| {
                    let text = |field: &str| event.text(&[field]).to_owned();
                    let at = event.number(&["at_ms"]).unwrap_or_default();
                    (at, [text("object"), text("reason"), without_order(event.text(&["message"]))])
                })
                .collect(),
            end: value.number(&["end_ms"]).unwrap_or_default(),
            initial,
            transitions,
        })
    }

    /// What happens from outside, in order.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (Time, Input)> {
        let step_times: BTreeSet<Time> = self.steps.iter().map(|(at, _)| *at).collect();
        let is_input = |transition: &&Transition| match (self.suite, transition.by.as_str()) {
            (Suite::RealMachines, _) => self.is_of_user(transition),
            (_, "user" | "setup" | "agent" | "garbage-collector") => true,
            (Suite::MachineConfig, by) => !by.ends_with("-controller"),
            (Suite::ControlPlane, by) => by != "cpms-controller",
            (Suite::Machines, by) => by == "kubelet" && step_times.contains(&transition.at),
        };
        let writes =
            self.transitions.iter().filter(is_input).map(|write| (write.at, Input::Write(write.clone())));
        let steps = self.steps.iter().map(|(at, text)| (*at, Input::Step(text.clone())));
        let mut inputs: Vec<(Time, Input)> = steps.chain(writes).collect();
        inputs.sort_by_key(|(at, _)| *at);
        inputs.into_iter()
    }

    /// Whether a user made a write in a recording of a real API server. One agent plays users, the provider and the nodes there,
    /// and the recording names writers by `managedFields`, which deletions lack.
    fn is_of_user(&self, transition: &Transition) -> bool {
        let follows_step = self.steps.iter().any(|(at, _)| (0..STEP_WRITES).contains(&(transition.at - at)));
        let kind = transition.object.split('/').next().unwrap_or_default();
        let has = |field: &str| transition.change.contains_key(field);
        match (kind, transition.event.as_str()) {
            ("Pod", "MODIFIED") => has("phase"),
            ("Node", _) => follows_step && has("conditions[Ready]"),
            ("Pod", event) => follows_step && event == "ADDED",
            (_, "ADDED") => follows_step && transition.by == "agent",
            _ => follows_step && (has("lifecycleHooks") || has("deletionTimestamp")),
        }
    }

    /// How far our times may be off at a time.
    pub(crate) fn slack(&self, at: Time) -> Time {
        let writes = self.transitions.iter().filter(|transition| transition.at < at).count();
        let events = self.events.iter().filter(|(time, _)| *time < at).count();
        1000 + 50 * Time::try_from(writes + events).unwrap_or_default()
    }

    /// The moments at which the recording rests: after each burst of writes, and before the next one.
    pub(crate) fn samples(&self) -> Vec<Time> {
        let mut times: Vec<Time> = self.transitions.iter().map(|transition| transition.at).collect();
        times.extend(self.events.iter().map(|(at, _)| *at));
        times.extend(self.steps.iter().map(|(at, _)| *at));
        times.sort_unstable();
        times.dedup();
        let mut samples = Vec::new();
        let following = times.iter().skip(1).copied().chain([self.end]);
        for (at, next) in times.iter().copied().zip(following) {
            let slack = self.slack(at);
            if next - at > 2 * slack {
                samples.extend([at + slack, next - slack]);
            }
        }
        if times.last().is_none_or(|last| self.end - last <= 2 * self.slack(*last)) {
            samples.push(self.end);
        }
        samples
    }

    /// What the recording has at a time: every object with its fields, unless it is gone.
    pub(crate) fn state(&self, at: Time) -> BTreeMap<String, Map<String, Value>> {
        let mut state = self.initial.clone();
        for transition in self.transitions.iter().filter(|transition| transition.at <= at) {
            match transition.event.as_str() {
                "DELETED" => drop(state.remove(&transition.object)),
                "ADDED" => drop(state.insert(transition.object.clone(), transition.change.clone())),
                _ => {
                    let object = state.entry(transition.object.clone()).or_default();
                    for (field, value) in &transition.change {
                        if value.is_null() {
                            object.remove(field);
                        } else {
                            object.insert(field.clone(), value.clone());
                        }
                    }
                }
            }
        }
        state
    }

    /// The fields that the recording shows of objects of a kind.
    pub(crate) fn fields(&self, kind: &str) -> BTreeSet<String> {
        let is_of = |object: &str| object.split('/').next() == Some(kind);
        let initial = self.initial.iter().filter(|(object, _)| is_of(object)).map(|(_, fields)| fields);
        let later = self.transitions.iter().filter(|one| is_of(&one.object)).map(|one| &one.change);
        initial.chain(later).flat_map(Map::keys).cloned().collect()
    }
}

/// How long a condition may be another than before and after without counting.
const BLIP: Time = 1000;

/// From when on a condition had a status, the status, and the time that it shows.
type ConditionState = (Time, Value, Value);

/// Conditions that are another for less than a second, as between the appearance of a Node and its `nodeRef`, depend on
/// which cache was faster: the time before them goes on.
fn forget_blips(transitions: &mut [Transition]) {
    let mut known: BTreeMap<(String, String), Vec<ConditionState>> = BTreeMap::new();
    // Which time stands for which.
    let mut instead: BTreeMap<(String, String, String), Value> = BTreeMap::new();
    for transition in transitions {
        let object = transition.object.clone();
        for (field, condition) in
            transition.change.iter_mut().filter(|(field, _)| field.starts_with("conditions["))
        {
            let (status, time) = (condition["status"].clone(), condition["lastTransitionTime"].clone());
            let states = known.entry((object.clone(), field.clone())).or_default();
            let place = (object.clone(), field.clone(), time.to_string());
            if states.last().is_none_or(|(_, last, _)| *last != status) {
                if let [.., (_, before, since), (started, ..)] = states.as_slice()
                    && *before == status
                    && transition.at - started < BLIP
                {
                    instead.insert(place.clone(), since.clone());
                }
                let time = instead.get(&place).cloned().unwrap_or(time);
                states.push((transition.at, status, time));
            }
            if let Some(time) = instead.get(&place) {
                condition.set(&["lastTransitionTime"], time.clone());
            }
        }
    }
}

/// A message without the order of the errors in it, which is random.
pub(crate) fn without_order(message: &str) -> String {
    let Some((before, rest)) = message.split_once('[') else { return message.to_owned() };
    let Some((list, after)) = rest.rsplit_once(']') else { return message.to_owned() };
    let mut parts: Vec<&str> = list.split(", error ").map(|part| part.trim_start_matches("error ")).collect();
    parts.sort_unstable();
    format!("{before}[{}]{after}", parts.join(", "))
}
