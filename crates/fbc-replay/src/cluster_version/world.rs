//! A recorded case as a cluster: what is there at first, and what is done to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::api::{Caller, DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::engine::{Cluster, RunError};
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use fbc_model::tree::Tree;
use fbc_openshift::cluster_version::{Answer, ClusterVersionOperator, Generation, Options, Outside};
use serde_json::{Value, json};

use super::ReplayError;
use super::agent::{Agent, Settings, operator_status, operator_version, workload_status};
use super::duration;
use super::initial::fill;
use super::inputs;
use super::metrics::{Answers, Refusing};
use super::order::Write;
use super::payloads::outside;
use super::watcher::{Seen, Watcher};

const SERVICE: &str = "http://update-service.example/graph";
/// What the real programs needed to begin, which takes no time here.
pub(super) const START: Moment = Moment::START;
/// Flags that change nothing here: there are no names to look up, and the operator ends before it updates by itself.
const WITHOUT_EFFECT: [&str; 2] = ["--use-dns-for-services", "--enable-auto-update=true"];

/// What came of playing a case.
pub(super) struct Played {
    pub(super) states: Vec<(u64, Value)>,
    pub(super) objects: BTreeSet<String>,
    /// Steps whose refusals differ.
    pub(super) refusals: Vec<String>,
    /// Every write of an event.
    pub(super) events: Vec<(String, String, String)>,
    /// Every write of something else than a status.
    pub(super) writes: Vec<Write>,
}

/// Plays a case on what was there at first.
pub(super) fn play(recordings: &Arc<dyn Tree>, initial: &Value, case: &Value) -> Result<Played, ReplayError> {
    let (outside, key) = outside(recordings, case)?;
    let outside = Rc::new(RefCell::new(outside));
    let mut api = api_server(&[], 1, START);
    fill(recordings.as_ref(), &mut api, initial, key.as_deref())?;
    let settings = Rc::new(RefCell::new(Settings::default()));
    let agent = Agent::new(Rc::clone(&settings), &api);
    let mut cluster = Cluster::new(api);
    let seen = Rc::new(RefCell::new(Seen::default()));
    cluster.add_controller(Box::new(Watcher { seen: Rc::clone(&seen) }));
    *seen.borrow_mut() = Seen::default();
    cluster.add_controller(Box::new(agent));
    cluster.add_controller(Box::new(fbc_cluster::controllers::definitions::Definitions::default()));
    let processes = case.list(&["cvo"]).iter();
    let periods: Vec<u64> = processes.map(|process| duration(process.text(&["reconcile_period"]))).collect();
    let extra_waits = (0..periods.len()).map(|process| inputs::extra_waits(case, process)).collect();
    let request_durations =
        (0..periods.len()).map(|process| inputs::request_duration(case, process)).collect();
    let mut world = World {
        request_durations,
        cluster,
        outside,
        settings,
        periods,
        extra_waits,
        starts: 0,
        refusals: Vec::new(),
    };
    let starts: Vec<u64> = case.list(&["cvo"]).iter().map(at_ms).collect();
    let steps = case.list(&["steps"]);
    for (index, step) in steps.iter().enumerate() {
        world.run_until(START + at_ms(step))?;
        if ["start-cvo", "restart-cvo"].contains(&step.text(&["do"])) {
            // A process takes a while to become the leader; until then there is none.
            let begins = starts.get(world.starts).copied().unwrap_or_default();
            let next = steps.get(index + 1).map_or(u64::MAX, at_ms);
            if let Some(operator) = world.cluster.controller::<ClusterVersionOperator>() {
                operator.stop();
            }
            if begins > at_ms(step) && begins < next {
                world.run_until(START + begins)?;
            }
        }
        world.step(step);
    }
    // Writes may come a tick later than recorded.
    world.run_until(START + case.number(&["duration_ms"]).unwrap_or_default().unsigned_abs() + 16_000)?;
    let api = &world.cluster.api;
    let kinds: BTreeMap<_, _> = api.registry().iter().map(|(id, kind)| (id, kind.kind.clone())).collect();
    let objects = api.store().iter().map(|(id, name, _)| {
        let kind = kinds.get(&id).cloned().unwrap_or_default();
        format!("{kind}/{name}")
    });
    let seen = seen.take();
    Ok(Played {
        objects: objects.collect(),
        refusals: world.refusals,
        states: seen.states,
        events: seen.events,
        writes: seen.writes,
    })
}

fn at_ms(value: &Value) -> u64 {
    value.number(&["at_ms"]).unwrap_or_default().unsigned_abs()
}

struct World {
    cluster: Cluster,
    outside: Rc<RefCell<Outside>>,
    settings: Rc<RefCell<Settings>>,
    periods: Vec<u64>,
    extra_waits: Vec<Vec<u64>>,
    request_durations: Vec<Option<u64>>,
    starts: usize,
    refusals: Vec<String>,
}

impl World {
    fn run_until(&mut self, at: Moment) -> Result<(), RunError> {
        self.cluster.run_until(at)
    }

    fn step(&mut self, step: &Value) {
        let user = Caller::administrator("user");
        if let Some(agent) = step.get("agent") {
            self.settings.borrow_mut().value = agent.clone();
        }
        let api = &mut self.cluster.api;
        match step.text(&["do"]) {
            "start-cvo" | "restart-cvo" => {
                let options = self.options(step);
                match self.cluster.controller::<ClusterVersionOperator>() {
                    Some(operator) => operator.restart(options),
                    None => {
                        let operator = ClusterVersionOperator::new(options, Rc::clone(&self.outside));
                        self.cluster.add_controller(Box::new(operator));
                    }
                }
                self.cluster.poke("cluster-version-operator", ObjectName::cluster("version"));
            }
            "stop-cvo" => {
                if let Some(operator) = self.cluster.controller::<ClusterVersionOperator>() {
                    operator.stop();
                }
            }
            "create" => {
                let outcome = api.create(&user, step["object"].clone(), WriteOptions::default());
                self.outcome(step, outcome.err().map(|error| error.message));
            }
            "patch" => {
                let (kind, name) = object(step.text(&["object"]));
                let id =
                    self.cluster.api.registry().iter().find(|(_, one)| one.kind == kind).map(|(id, _)| id);
                let patch = Patch::Merge(step["patch"].clone());
                let subresource =
                    if step["subresource"] == "status" { Subresource::Status } else { Subresource::None };
                let Some(id) = id else { return };
                let outcome =
                    self.cluster.api.patch(&user, id, &name, &patch, subresource, WriteOptions::default());
                self.outcome(step, outcome.err().map(|error| error.message));
            }
            "delete" => {
                let (kind, name) = object(step.text(&["object"]));
                let id = api.registry().iter().find(|(_, one)| one.kind == kind).map(|(id, _)| id);
                let Some(id) = id else { return };
                // Who does not say what becomes of the pods of a Job leaves them.
                let propagation = if kind == "Job" { Propagation::Orphan } else { Propagation::Background };
                let options = DeleteOptions { propagation, ..DeleteOptions::default() };
                let outcome = api.delete(&user, id, &name, &options);
                self.outcome(step, outcome.err().map(|error| error.message));
            }
            "update-service" => {
                let body = match &step["body"] {
                    Value::String(text) => text.clone(),
                    Value::Null => String::new(),
                    body => body.to_string(),
                };
                let status = match step.number(&["status"]).unwrap_or(200) {
                    200 => "200 OK",
                    204 => "204 No Content",
                    400 => "400 Bad Request",
                    404 => "404 Not Found",
                    503 => "503 Service Unavailable",
                    _ => "500 Internal Server Error",
                };
                let answer = Answer { status: status.to_owned(), body: body.into_bytes(), by_channel: false };
                self.outside.borrow_mut().update_services.insert(SERVICE.to_owned(), answer);
            }
            "metrics" => {
                let answers = step["answers"].as_object().cloned().unwrap_or_default();
                self.outside.borrow_mut().metrics = Some(Box::new(Answers::new(answers)));
            }
            "agent" => {
                let mut settings = self.settings.borrow_mut();
                for (key, value) in step["set"].as_object().into_iter().flatten() {
                    settings.value.set(&[key], value.clone());
                }
            }
            "agent-release" => {
                for operator in step.list(&["operators"]).iter().filter_map(Value::as_str) {
                    let hold: Vec<Value> = self
                        .settings
                        .borrow()
                        .value
                        .list(&["hold"])
                        .iter()
                        .filter(|one| **one != operator)
                        .cloned()
                        .collect();
                    self.settings.borrow_mut().value.set(&["hold"], hold);
                    let version = api
                        .all("apps", "Deployment")
                        .find_map(|one| operator_version(one).filter(|(name, _)| name == operator))
                        .map(|(_, version)| version);
                    operator_status(api, operator, &json!({"version": version}));
                }
            }
            "operator-status" => {
                let name = step.text(&["operator"]);
                operator_status(api, name, step);
            }
            "workload-status" => {
                let (kind, name) = object(step.text(&["object"]));
                workload_status(api, &kind, &name, step.text(&["mode"]));
            }
            // What was seen, not what was done.
            "observed" => {}
            other => self.refusals.push(format!("the step {other:?} is not known")),
        }
    }

    fn outcome(&mut self, step: &Value, error: Option<String>) {
        let wanted = step.at(&["error", "message"]).and_then(Value::as_str).map(str::to_owned);
        if error != wanted {
            self.refusals.push(format!("step at {}: {error:?}, recorded {wanted:?}", step["at_ms"]));
        }
    }

    fn options(&mut self, step: &Value) -> Options {
        let mut options = Options::of_image(step.text(&["image"]));
        // The program of 5.0 was recorded, whatever its payloads say.
        options.generation = Some(Generation::of("5.0.0"));
        options.interval = self.periods.get(self.starts).or(self.periods.last()).copied().unwrap_or(120_000);
        options.extra_waits = self.extra_waits.get(self.starts).cloned().unwrap_or_default();
        if let Some(duration) = self.request_durations.get(self.starts).copied().flatten() {
            (options.request_duration, options.task_duration) = (duration, duration);
        }
        self.starts += 1;
        for flag in step.list(&["flags"]).iter().filter_map(Value::as_str) {
            match flag.split_once('=') {
                Some(("--update-service", service)) => service.clone_into(&mut options.update_service),
                Some(("--metrics-url", address)) => {
                    self.outside.borrow_mut().metrics = Some(Box::new(Refusing::new(address)));
                }
                Some(("--always-enable-capabilities", names)) => {
                    options.always_enabled = names.split(',').map(str::to_owned).collect();
                }
                _ if WITHOUT_EFFECT.contains(&flag) => {}
                _ => self.refusals.push(format!("the flag {flag} is not known")),
            }
        }
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap_or_default().to_owned();
            match name.as_str() {
                "EXCLUDE_MANIFESTS" => options.exclude = value,
                "CLUSTER_PROFILE" => options.profile = value,
                other => self.refusals.push(format!("the variable {other} is not known")),
            }
        }
        options
    }
}

/// `Kind/namespace/name`
fn object(text: &str) -> (String, ObjectName) {
    let parts: Vec<&str> = text.split('/').collect();
    match parts.as_slice() {
        [kind, namespace, name] => ((*kind).to_owned(), ObjectName::namespaced(*namespace, *name)),
        [kind, name] => ((*kind).to_owned(), ObjectName::cluster(*name)),
        _ => (String::new(), ObjectName::default()),
    }
}
