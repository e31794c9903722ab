//! Controllers that own lifecycle hooks, as data: each does its work on a machine that is to go, and then removes its
//! hook.
//!
//! What they do (an application that moves, storage that is detached, logs that are exported) is a span of time here.

use std::collections::BTreeMap;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::GROUP;
use super::hooks::{Point, hooks};
use crate::DataError;
use crate::writer::{Writer, outcome};

/// What an owner does about hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookBehaviour {
    owner: String,
    /// Only this hook of it; all if empty.
    hook: String,
    /// What the names of the machines begin with.
    machine: String,
    /// Where it adds the hook to machines that are not to go, if it does.
    adds: Option<Point>,
    /// How long its work takes; none if it never ends.
    takes: Option<Milliseconds>,
}

impl HookBehaviour {
    /// Reads `{owner, hook, machine, adds, takes}`: `adds` is `preDrain` or `preTerminate` and needs a hook; `takes` is
    /// seconds, below zero for never.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        const FIELDS: [&str; 5] = ["owner", "hook", "machine", "adds", "takes"];
        let fields = value.as_object().ok_or_else(|| DataError::kind("an owner of hooks", "an object"))?;
        if let Some(unknown) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(DataError::unknown(unknown, &FIELDS));
        }
        let owner = value.text(&["owner"]).to_owned();
        if owner.is_empty() {
            return Err(DataError::Together("owner is missing: a hook belongs to somebody"));
        }
        let hook = value.text(&["hook"]).to_owned();
        let adds = match value.text(&["adds"]) {
            "" => None,
            text => Some(Point::ALL.into_iter().find(|point| point.field() == text).ok_or_else(|| {
                DataError::Value {
                    field: "adds",
                    wanted: "preDrain or preTerminate",
                    found: format!("{text:?}"),
                }
            })?),
        };
        if adds.is_some() && hook.is_empty() {
            return Err(DataError::Together("adds needs the name of a hook"));
        }
        let takes = match fields.get("takes") {
            None => Some(0),
            Some(takes) => {
                let seconds = takes.as_i64().ok_or_else(|| DataError::Value {
                    field: "takes",
                    wanted: "seconds",
                    found: takes.to_string(),
                })?;
                u64::try_from(seconds).ok().map(|seconds| seconds * SECOND)
            }
        };
        Ok(Self { owner, hook, machine: value.text(&["machine"]).to_owned(), adds, takes })
    }

    fn is_for(&self, machine: &Object, hook: &Value) -> bool {
        machine.name().starts_with(&self.machine)
            && hook["owner"] == self.owner.as_str()
            && (self.hook.is_empty() || hook["name"] == self.hook.as_str())
    }
}

/// All owners of hooks.
pub struct HookOwners {
    behaviours: Vec<HookBehaviour>,
    /// Since when hooks are worked on: machine, point and name.
    since: BTreeMap<(ObjectName, &'static str, String), Moment>,
}

impl HookOwners {
    /// Owners that behave like this; hooks of others stay until somebody removes them.
    pub fn new(behaviours: Vec<HookBehaviour>) -> Self {
        Self { behaviours, since: BTreeMap::new() }
    }
}

impl Controller for HookOwners {
    fn name(&self) -> &'static str {
        "hook-owners"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Machine")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(machine) = api.find(GROUP, "Machine", request).cloned() else {
            self.since.retain(|(machine, _, _), _| machine != request);
            return Outcome::Done;
        };
        if !machine.is_terminating() {
            return self.add(api, &machine);
        }
        let now = api.now();
        let mut next: Option<Milliseconds> = None;
        for point in Point::ALL {
            // What comes before an instance goes comes after its node is empty.
            if point == Point::PreTerminate && machine.condition_status("Drained") != "True" {
                continue;
            }
            for hook in hooks(&machine, point) {
                let Some(behaviour) = self.behaviours.iter().find(|one| one.is_for(&machine, hook)) else {
                    continue;
                };
                let Some(takes) = behaviour.takes else { continue };
                let key = (request.clone(), point.field(), hook.text(&["name"]).to_owned());
                let end = *self.since.entry(key).or_insert(now) + takes;
                if now < end {
                    next = Some(next.map_or(end.since(now), |next| next.min(end.since(now))));
                    continue;
                }
                let writer = Writer::new(&behaviour.owner);
                let change = |machine: &mut Object| {
                    let kept: Vec<Value> =
                        hooks(machine, point).iter().filter(|one| *one != hook).cloned().collect();
                    machine.set(&["spec", "lifecycleHooks", point.field()], kept);
                };
                if let Err(error) = writer.change(api, GROUP, "Machine", request, change) {
                    return Outcome::Failed(error.message);
                }
            }
        }
        next.map_or(Outcome::Done, Outcome::After)
    }
}

impl HookOwners {
    /// Adds hooks to a machine that is not to go.
    fn add(&self, api: &mut ApiServer, machine: &Object) -> Outcome {
        for behaviour in &self.behaviours {
            let Some(point) = behaviour.adds else { continue };
            let hook = json!({"name": behaviour.hook, "owner": behaviour.owner});
            let is_there = hooks(machine, point).iter().any(|one| one["name"] == hook["name"]);
            if is_there || !machine.name().starts_with(&behaviour.machine) {
                continue;
            }
            let change = |machine: &mut Object| {
                let mut all = hooks(machine, point).to_vec();
                all.push(hook);
                machine.set(&["spec", "lifecycleHooks", point.field()], all);
            };
            let writer = Writer::new(&behaviour.owner);
            let changed = writer.change(api, GROUP, "Machine", &machine.object_name(), change);
            if changed.is_err() {
                return outcome(changed);
            }
        }
        Outcome::Done
    }
}
