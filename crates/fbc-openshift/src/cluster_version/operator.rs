//! The controller: what happens when.
//!
//! The operator consists of three loops: one writes the status and takes wishes up, one asks for updates, one applies
//! payloads. They live in one controller with times of their own, since they share what they know.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/cvo.go`, `pkg/cvo/sync_worker.go`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Subresource, WriteOptions};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::random::Random;
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::apply::{Deletions, caller};
use super::options::{Options, Outside};
use super::pass::{Job, Pass, Progress};
use super::retrieval::{self, Retrieval, Retrieved};
use super::status::{self, Context, LoadStatus, WorkerStatus};
use super::sync::{Desired, Taken, Work, desired_of, load_payload, mode_of};
use super::updates::{self, AvailableUpdates, Cluster};
use super::{GROUP, NAMESPACE, VERSION, upgradeable, validation};
use crate::release::{Mode, Payload, Release};
use crate::update_service::RiskCache;

/// The time between two writes that follow from progress alone.
const STATUS_INTERVAL: Milliseconds = 15 * SECOND;
/// Reports that are queued; further ones are dropped.
const MOST_REPORTS: usize = 500;
/// How often a process looks for the ClusterVersion that it needs to begin.
const WAIT_FOR_VERSION: Milliseconds = 3 * SECOND;
/// The gate of risks that administrators accept by name.
const ACCEPT_RISKS: &str = "ClusterUpdateAcceptRisks";
/// More turns at one moment than any work takes.
const MOST_TURNS: usize = 10_000;

/// The Cluster Version Operator.
pub struct ClusterVersionOperator {
    options: Options,
    outside: Rc<RefCell<Outside>>,
    process: Option<Box<Process>>,
    /// Images whose payloads lie on the node.
    on_disk: BTreeSet<String>,
    is_stopped: bool,
    starts: u64,
}

impl ClusterVersionOperator {
    /// An operator that is started as soon as there is a ClusterVersion.
    pub fn new(options: Options, outside: Rc<RefCell<Outside>>) -> Self {
        Self { options, outside, process: None, on_disk: BTreeSet::new(), is_stopped: false, starts: 0 }
    }

    /// Ends the process; what it knew is lost, what it wrote stays.
    pub fn stop(&mut self) {
        if let Some(process) = self.process.take() {
            self.on_disk = process.on_disk;
        }
        self.is_stopped = true;
    }

    /// Starts the process anew, as the container of another release image.
    pub fn restart(&mut self, options: Options) {
        self.stop();
        self.options = options;
        self.is_stopped = false;
    }

    fn start(&mut self, api: &ApiServer) -> Result<(), String> {
        let gate = api.find(GROUP, "FeatureGate", &ObjectName::cluster("cluster"));
        let feature_set = gate.map(|gate| gate.text(&["spec", "featureSet"]).to_owned()).unwrap_or_default();
        self.starts += 1;
        let mut process = Process::new(&self.options, feature_set, self.starts);
        let outside = self.outside.borrow();
        // Which gates are on depends on the version, and the version on the payload.
        let load = |process: &Process| {
            load_payload(&outside, &self.options.image, &process.inclusion(&self.options, &process.gates))
        };
        let payload = load(&process)?;
        process.release = payload.release.clone();
        process.gates = enabled_gates(api, &process.release.version);
        process.own_payload = Rc::new(load(&process)?);
        process.on_disk = std::mem::take(&mut self.on_disk);
        drop(outside);
        process.resync_at = api.now() + self.options.interval;
        self.process = Some(Box::new(process));
        Ok(())
    }
}

impl Controller for ClusterVersionOperator {
    fn name(&self) -> &'static str {
        "cluster-version-operator"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, "ClusterVersion"),
            (GROUP, "ClusterOperator"),
            (GROUP, "FeatureGate"),
            ("", "ConfigMap"),
            ("", "Pod"),
            ("apps", "Deployment"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        let request = ObjectName::cluster(VERSION);
        let Some(process) = &mut self.process else {
            if kind == "ClusterVersion" {
                requests.push(request);
            }
            return;
        };
        let is_needed = match kind {
            "ClusterVersion" if name.name == VERSION => {
                process.is_status_due = true;
                process.updates_at = change.after.as_ref().map(|_| api.now()).or(process.updates_at);
                true
            }
            "ClusterOperator" => {
                if let (Some(before), Some(after)) = (&change.before, &change.after) {
                    let told = |operator: &Object| {
                        let condition = |kind| match operator.condition_status(kind) {
                            "" => "Unknown".to_owned(),
                            status => status.to_owned(),
                        };
                        let versions = operator.list(&["status", "versions"]).iter();
                        let version = versions.filter(|one| one["name"] == "operator").map(|one| one["version"].clone()).next();
                        (version.unwrap_or_else(|| json!("")), condition("Available"), condition("Degraded"))
                    };
                    process.is_notified |= told(before) != told(after);
                }
                process.is_notified
            }
            "FeatureGate" => {
                let gates = enabled_gates(api, &process.release.version);
                let changes = gates != process.gates;
                process.gates = gates;
                process.is_status_due |= changes;
                changes
            }
            "Pod" => process.retrieval.as_ref().is_some_and(|retrieval| retrieval.pod == *name),
            "Deployment" => name.namespace == NAMESPACE && name.name == "cluster-version-operator",
            _ => false,
        };
        if is_needed {
            requests.push(request);
        }
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        if self.is_stopped {
            return Outcome::Done;
        }
        self.follow_deployment(api);
        if self.process.is_none() {
            if api.find(GROUP, "ClusterVersion", &ObjectName::cluster(VERSION)).is_none() {
                return Outcome::Routinely(WAIT_FOR_VERSION);
            }
            if let Err(error) = self.start(api) {
                return Outcome::Failed(format!(
                    "the local release contents are invalid - no current version can be determined from disk: {error}"
                ));
            }
        }
        let Some(process) = &mut self.process else { return Outcome::Done };
        let outside = Rc::clone(&self.outside);
        let outside = outside.borrow();
        for _ in 0..MOST_TURNS {
            if !process.turn(api, &outside, &self.options) {
                break;
            }
        }
        let wait = process.next(api.now()).map(|at| at.since(api.now()).max(1));
        match wait {
            Some(wait) if process.is_busy() => Outcome::After(wait),
            Some(wait) => Outcome::Routinely(wait),
            None => Outcome::Done,
        }
    }
}

impl ClusterVersionOperator {
    /// A Deployment of the operator with another release image starts the operator of that image in its place.
    fn follow_deployment(&mut self, api: &ApiServer) {
        const FLAG: &str = "--release-image=";
        let name = ObjectName::namespaced(NAMESPACE, "cluster-version-operator");
        let Some(deployment) = api.find("apps", "Deployment", &name) else { return };
        let containers = deployment.list(&["spec", "template", "spec", "containers"]).iter();
        let arguments = containers.flat_map(|container| container.list(&["args"]));
        let image = arguments.filter_map(Value::as_str).find_map(|argument| argument.strip_prefix(FLAG));
        let known = image.filter(|image| *image != self.options.image && self.outside.borrow().payloads.contains_key(*image));
        if let Some(image) = known {
            let options = Options { image: image.to_owned(), ..self.options.clone() };
            if self.process.is_some() {
                self.restart(options);
            }
        }
    }
}

fn enabled_gates(api: &ApiServer, version: &str) -> BTreeSet<String> {
    let Some(gate) = api.find(GROUP, "FeatureGate", &ObjectName::cluster("cluster")) else { return BTreeSet::new() };
    let of_version = gate.list(&["status", "featureGates"]).iter().find(|one| one["version"] == version);
    let enabled = of_version.map(|one| one.list(&["enabled"])).unwrap_or_default();
    enabled.iter().map(|one| one.text(&["name"]).to_owned()).collect()
}

/// What a report says that makes it urgent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Report {
    generation: i64,
    image: String,
    is_reconciling: bool,
    has_failed: bool,
}

/// A running operator.
pub(super) struct Process {
    pub(super) release: Release,
    pub(super) own_payload: Rc<Payload>,
    pub(super) feature_set: String,
    pub(super) gates: BTreeSet<String>,
    pub(super) on_disk: BTreeSet<String>,
    pub(super) random: Random,
    recorder: Recorder,

    pub(super) payload: Option<Rc<Payload>>,
    pub(super) is_payload_verified: bool,
    pub(super) work: Option<Work>,
    pub(super) has_new_work: bool,
    pub(super) status: WorkerStatus,
    pub(super) retrieval: Option<Retrieval>,
    pub(super) retrieved: Option<Retrieved>,

    /// What the applying loop works on.
    applied: Option<Work>,
    attempt: u64,
    completed: u64,
    failures: u32,
    pub(super) pass: Option<Pass>,
    pass_at: Option<Moment>,
    before_pass: WorkerStatus,
    next_pass: Option<Moment>,
    is_notified: bool,
    since: BTreeMap<String, Moment>,
    deletions: Deletions,

    reports: VecDeque<Report>,
    last_report: Report,
    /// When the bucket of reports is full again.
    bucket: Option<Moment>,
    held_report: Option<Moment>,

    updates: Option<AvailableUpdates>,
    cache: RiskCache,
    updates_at: Option<Moment>,
    is_status_due: bool,
    resync_at: Moment,
    has_signatures: bool,
}

impl Process {
    fn new(options: &Options, feature_set: String, number: u64) -> Self {
        let empty = Payload {
            release: Release { image: options.image.clone(), ..Release::default() },
            previous: Vec::new(),
            images: BTreeMap::new(),
            manifests: Vec::new(),
            excluded: Vec::new(),
            skipped: Vec::new(),
            hash: String::new(),
        };
        Self {
            release: empty.release.clone(),
            own_payload: Rc::new(empty),
            feature_set,
            gates: BTreeSet::new(),
            on_disk: BTreeSet::new(),
            random: Random::of(number, "cluster-version-operator"),
            recorder: Recorder::new("version"),
            payload: None,
            is_payload_verified: false,
            work: None,
            has_new_work: false,
            status: WorkerStatus::default(),
            retrieval: None,
            retrieved: None,
            applied: None,
            attempt: 0,
            completed: 0,
            failures: 0,
            pass: None,
            pass_at: None,
            before_pass: WorkerStatus::default(),
            next_pass: None,
            is_notified: false,
            since: BTreeMap::new(),
            deletions: Deletions::new(),
            reports: VecDeque::new(),
            last_report: Report::default(),
            bucket: None,
            held_report: None,
            updates: None,
            cache: RiskCache::default(),
            updates_at: Some(Moment(0)),
            is_status_due: true,
            resync_at: Moment(0),
            has_signatures: false,
        }
    }

    /// Does one thing that is due. False if there is none.
    fn turn(&mut self, api: &mut ApiServer, outside: &Outside, options: &Options) -> bool {
        let now = api.now();
        self.keep_signatures(api);
        if self.updates_at.is_some_and(|at| at <= now) {
            self.updates_at = None;
            self.look_for_updates(api, outside, options);
            return true;
        }
        if now >= self.resync_at {
            self.resync_at = now + options.interval;
            self.updates_at = Some(now);
            self.is_status_due = true;
            return true;
        }
        if self.finish_retrieval(api, outside) {
            self.is_status_due = true;
            return true;
        }
        if self.is_status_due && self.retrieval.is_none() {
            self.is_status_due = false;
            self.sync(api, outside, options);
            return true;
        }
        if self.notify(now) {
            return true;
        }
        self.apply(api, options)
    }

    /// When something is due next.
    fn next(&self, now: Moment) -> Option<Moment> {
        let idle = self.pass.is_none();
        [
            self.updates_at,
            Some(self.resync_at),
            self.held_report,
            self.pass_at,
            self.next_pass.filter(|_| idle),
            self.retrieval.as_ref().map(|retrieval| retrieval.deadline),
        ]
        .into_iter()
        .flatten()
        .map(|at| at.max(now))
        .min()
    }

    /// Whether something is going on besides routine.
    fn is_busy(&self) -> bool {
        let is_reconciling = |work: &Work| matches!(work.mode, Mode::Reconciling { .. });
        self.pass.is_some() || self.retrieval.is_some() || self.applied.as_ref().is_some_and(|work| !is_reconciling(work))
    }

    fn version(&self, api: &ApiServer) -> Option<Object> {
        api.find(GROUP, "ClusterVersion", &ObjectName::cluster(VERSION)).map(|version| Object::clone(version))
    }

    fn knows_accepted_risks(&self) -> bool {
        self.gates.contains(ACCEPT_RISKS)
    }

    /// Writes an event about the ClusterVersion.
    pub(super) fn event(&mut self, api: &mut ApiServer, kind: &str, reason: &str, message: &str) {
        let about = json!({
            "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
            "metadata": {"name": VERSION, "namespace": NAMESPACE},
        });
        match kind {
            "Normal" => self.recorder.normal(api, &about, reason, message),
            _ => self.recorder.warning(api, &about, reason, message),
        }
    }

    /// Signatures that were verified are kept in a ConfigMap.
    fn keep_signatures(&mut self, api: &mut ApiServer) {
        if self.has_signatures || retrieval::key_rings(&self.own_payload).is_none() {
            return;
        }
        self.has_signatures = true;
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "signatures-managed", "namespace": "openshift-config-managed",
                "labels": {"release.openshift.io/verification-signatures": ""},
            },
        });
        // It is there already after a restart.
        let _ = api.create(&caller(), map, WriteOptions::default());
    }

    fn look_for_updates(&mut self, api: &ApiServer, outside: &Outside, options: &Options) {
        let Some(version) = self.version(api) else { return };
        let release = self.release.clone();
        let cluster =
            Cluster { options, release: &release, knows_accepted_risks: self.knows_accepted_risks() };
        let looked = updates::sync(&mut self.updates, &mut self.cache, &cluster, &version, outside, api.now());
        self.updates_at = looked.again;
        self.is_status_due |= looked.has_looked;
    }

    /// Takes the wish of ClusterVersion up and writes its status.
    fn sync(&mut self, api: &mut ApiServer, outside: &Outside, options: &Options) {
        let Some(original) = self.version(api) else { return };
        let (faults, cleaned) = validation::check(&original, self.knows_accepted_risks());
        let own = updates::completed(&self.release, self.updates.as_ref());
        let own = Desired { version: own.version, image: own.image, force: false };
        let wanted = desired_of(&cleaned, &self.release.architecture).filter(|_| self.work.is_some());
        if self.work.is_none() {
            // The first time it is always the release of the operator itself; the wish comes next.
            self.is_status_due = true;
        }
        let desired = wanted.unwrap_or(own);
        let mode = mode_of(&cleaned, &desired);
        if self.take(api, outside, options, &cleaned, desired, mode) == Taken::Retrieving {
            self.is_status_due = true;
            return;
        }
        self.write_status(api, &faults);
    }

    fn write_status(&mut self, api: &mut ApiServer, faults: &[String]) {
        let Some(original) = self.version(api) else { return };
        let mut version = original.clone();
        let release = updates::completed(&self.release, self.updates.as_ref());
        let risks = upgradeable::risks(api, &original, &release.version, &self.deletions);
        let mut actual = self.status.actual.clone();
        if actual.image == self.release.image {
            // What the operator's own payload says about itself.
            if actual.version.is_empty() {
                actual.version.clone_from(&self.release.version);
            }
            if actual.url.is_empty() {
                actual.url.clone_from(&self.release.url);
            }
            if actual.channels.is_empty() {
                actual.channels.clone_from(&self.release.channels);
            }
        }
        let desired = updates::completed(&actual, self.updates.as_ref());
        let context = Context {
            updates: self.updates.as_ref(),
            faults,
            risks: &risks,
            since: &self.since,
            knows_accepted_risks: self.knows_accepted_risks(),
            now: api.now(),
        };
        let worker = WorkerStatus { actual, ..self.status.clone() };
        status::write(&mut version, &worker, &desired, &context);
        if version["status"] != original["status"]
            && api.update(&caller(), version, Subresource::Status, WriteOptions::default()).is_err()
        {
            // Somebody else wrote in between, or the definition refuses it; the next sync tries again.
        }
    }

    /// Remembers how far a payload is, and tells it.
    pub(super) fn report_load(&mut self, load: LoadStatus) {
        self.status.load = load;
        self.queue_report();
    }

    fn queue_report(&mut self) {
        if self.reports.len() < MOST_REPORTS {
            self.reports.push_back(Report {
                generation: self.status.generation,
                image: self.status.actual.image.clone(),
                is_reconciling: self.status.is_reconciling,
                has_failed: self.status.failure.is_some(),
            });
        }
    }

    /// Passes one report on, if it is time. Reports of something new are never held back.
    fn notify(&mut self, now: Moment) -> bool {
        let Some(report) = self.reports.front() else { return false };
        match self.held_report {
            Some(at) if now < at => return false,
            Some(_) => self.held_report = None,
            None if *report != self.last_report => {}
            None => {
                // A bucket of two, filled by one every interval.
                let full = self.bucket.unwrap_or(now).max(now);
                let free = full - STATUS_INTERVAL;
                self.bucket = Some(full + STATUS_INTERVAL);
                if free > now {
                    self.held_report = Some(free);
                    return false;
                }
            }
        }
        if let Some(report) = self.reports.pop_front() {
            self.last_report = report;
        }
        self.is_status_due = true;
        true
    }

    /// Reports what the pass is at, unless it tells less than the failure before it.
    fn report(&mut self, report: WorkerStatus) {
        let before = &self.before_pass;
        let fraction = |status: &WorkerStatus| match status.total {
            0 => 0.0,
            total => status.done as f32 / total as f32,
        };
        let is_earlier = before.failure.is_some()
            && report.failure.is_none()
            && before.actual.image == report.actual.image
            && fraction(&report) < fraction(before);
        if is_earlier {
            return;
        }
        let (load, capabilities) = (self.status.load.clone(), self.status.capabilities.clone());
        let implicit = self.status.implicit.clone();
        self.status = WorkerStatus { load, capabilities, implicit, ..report };
        self.queue_report();
    }

    /// The applying loop: begins passes, and goes on with them.
    fn apply(&mut self, api: &mut ApiServer, options: &Options) -> bool {
        let now = api.now();
        if self.pass.is_some() {
            return self.go_on(api, options);
        }
        let is_waited = self.next_pass.is_some_and(|at| at <= now);
        if !is_waited && !self.has_new_work && !self.is_notified {
            return false;
        }
        let Some(wanted) = self.work.clone() else {
            self.is_notified = false;
            return false;
        };
        if is_waited {
            self.next_pass = None;
        } else if self.has_new_work {
            self.has_new_work = false;
        } else {
            self.is_notified = false;
        }
        let changed = self.applied.as_ref().is_none_or(|applied| !applied.is_same(&wanted));
        let mode = match &self.applied {
            None => wanted.mode,
            Some(applied) if changed && applied.mode != Mode::Initializing => Mode::Updating,
            Some(applied) => applied.mode,
        };
        let waits = !is_waited && self.applied.as_ref().is_some_and(|applied| matches!(applied.mode, Mode::Reconciling { .. }));
        if self.applied.is_none() || changed && mode == Mode::Updating {
            self.attempt = 0;
        }
        self.applied = Some(Work { mode, ..wanted });
        if !changed && waits {
            return true;
        }
        self.begin(now, options);
        true
    }

    fn begin(&mut self, now: Moment, options: &Options) {
        let (Some(payload), Some(work)) = (self.payload.clone(), self.applied.clone()) else { return };
        if self.attempt == 0 {
            self.since.clear();
        }
        let mode = match work.mode {
            Mode::Reconciling { .. } => Mode::Reconciling { attempt: self.attempt },
            mode => mode,
        };
        let limit = if mode == Mode::Initializing { options.interval } else { 2 * options.interval };
        self.before_pass = self.status.clone();
        self.pass = Some(Pass::new(Job {
            payload,
            mode,
            overrides: work.overrides,
            capabilities: work.capabilities,
            gates: work.gates,
            task_duration: options.task_duration,
            deadline: now + limit,
        }));
        self.next_pass = None;
        self.pass_at = Some(now);
    }

    /// What a pass reports besides how far it is.
    fn pass_status(&self, pass: &Pass, done: usize) -> WorkerStatus {
        let work = self.applied.as_ref();
        let payload = self.payload.as_ref();
        WorkerStatus {
            generation: work.map_or(0, |work| work.generation).max(self.before_pass.generation),
            is_reconciling: work.is_some_and(|work| matches!(work.mode, Mode::Reconciling { .. })),
            hash: payload.map(|payload| payload.hash.clone()).unwrap_or_default(),
            actual: payload.map(|payload| payload.release.clone()).unwrap_or_default(),
            is_verified: self.is_payload_verified,
            done,
            total: pass.total(),
            ..WorkerStatus::default()
        }
    }

    fn go_on(&mut self, api: &mut ApiServer, options: &Options) -> bool {
        let now = api.now();
        if self.pass_at.is_some_and(|at| at > now) && !self.has_new_work {
            return false;
        }
        let Some(mut pass) = self.pass.take() else { return false };
        let mut reached = Vec::new();
        let progress = pass.step(api, &mut self.since, &mut self.deletions, &mut reached);
        for done in reached {
            let report = self.pass_status(&pass, done);
            self.report(report);
        }
        let finished = match progress {
            Progress::Until(at) => {
                self.pass_at = Some(at);
                self.pass = Some(pass);
                // Nothing else is due of a pass that goes on later, unless it is to be ended.
                return at <= now;
            }
            Progress::Complete(told) => {
                let report = self.pass_status(&pass, pass.done);
                let report = WorkerStatus { completed: self.completed + 1, is_reconciling: true, ..report };
                self.report(report);
                if told.is_some() {
                    let report = WorkerStatus { failure: told, ..self.pass_status(&pass, pass.done) };
                    self.report(report);
                }
                true
            }
            Progress::Failed(error) => {
                if error.is_some() {
                    let report = WorkerStatus { failure: error, ..self.pass_status(&pass, pass.done) };
                    self.report(report);
                }
                false
            }
        };
        self.pass_at = None;
        if finished {
            self.completed += 1;
            self.attempt = 0;
            if let Some(applied) = &mut self.applied {
                applied.mode = Mode::Reconciling { attempt: 0 };
            }
            self.next_pass = Some(now + options.interval);
        } else {
            self.failures += 1;
            let wait = match self.failures {
                1 => options.interval / 8,
                2 => options.interval / 4,
                3 => options.interval / 2,
                _ => options.interval,
            };
            self.next_pass = Some(now + wait);
            self.completed = 0;
            self.attempt += 1;
        }
        true
    }
}
