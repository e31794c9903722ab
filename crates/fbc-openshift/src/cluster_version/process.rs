//! A running operator: three loops that share what they know.
//!
//! One takes wishes up and writes the status, one asks for updates, one applies payloads.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/cvo.go`, `pkg/cvo/sync_worker.go`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use fbc_cluster::api::{ApiServer, Subresource, WriteOptions};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::random::Random;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::json;

use super::apply::{Deletions, caller};
use super::capability_sets::Ended;
use super::generation::Generation;
use super::options::{Options, Outside};
use super::pass::Pass;
use super::retrieval::{Retrieval, Retrieved};
use super::status::{self, Context, LoadStatus, WorkerStatus};
use super::sync::{Desired, Taken, Work, desired_of, mode_of};
use super::updates::{self, AvailableUpdates, Cluster};
use super::upgradeable::Obstacles;
use super::{GROUP, NAMESPACE, VERSION, signatures, validation};
use crate::release::{Mode, Payload, Release};
use crate::update_service::RiskCache;

/// The time between two writes that follow from progress alone.
pub(super) const STATUS_INTERVAL: Milliseconds = 15 * SECOND;
/// The time between two looks at a ClusterVersion that does not change. The operator draws it from 2 to 4 minutes.
pub(super) const RESYNC: Milliseconds = 60 * SECOND;
/// What a write takes until it comes back to the one who wrote.
pub(super) const ECHO: Milliseconds = 100;
/// Reports that are queued; further ones are dropped.
const MOST_REPORTS: usize = 500;
/// The gate of risks that administrators accept by name.
const ACCEPT_RISKS: &str = "ClusterUpdateAcceptRisks";

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
    pub(super) generation: Generation,
    pub(super) feature_set: String,
    pub(super) gates: BTreeSet<String>,
    pub(super) on_disk: BTreeSet<String>,
    pub(super) random: Random,
    pub(super) recorder: Recorder,

    pub(super) payload: Option<Rc<Payload>>,
    pub(super) is_payload_verified: bool,
    pub(super) work: Option<Work>,
    pub(super) has_new_work: bool,
    pub(super) status: WorkerStatus,
    pub(super) retrieval: Option<Retrieval>,
    pub(super) retrieved: Option<Retrieved>,
    /// When a retrieval is tried again that the API server refused.
    pub(super) retry_at: Option<Moment>,

    /// What the applying loop works on.
    pub(super) applied: Option<Work>,
    pub(super) attempt: u64,
    pub(super) completed: u64,
    pub(super) failures: u32,
    pub(super) failed_passes: usize,
    pub(super) pass: Option<Pass>,
    pub(super) pass_at: Option<Moment>,
    pub(super) before_pass: WorkerStatus,
    pub(super) next_pass: Option<Moment>,
    pub(super) is_notified: bool,
    pub(super) since: BTreeMap<String, Moment>,
    pub(super) deletions: Deletions,

    reports: VecDeque<Report>,
    last_report: Report,
    /// When the bucket of reports is full again.
    pub(super) bucket: Option<Moment>,
    pub(super) held_report: Option<Moment>,

    pub(super) updates: Option<AvailableUpdates>,
    pub(super) cache: RiskCache,
    pub(super) updates_at: Option<Moment>,
    pub(super) is_status_due: bool,
    /// When a write of the status comes back from the API server and is looked at.
    pub(super) echo_at: Option<Moment>,
    pub(super) resync_at: Moment,
    pub(super) has_signatures: bool,
    /// Why the process ended by itself.
    pub(super) ended: Option<Ended>,
}

impl Process {
    pub(super) fn new(options: &Options, feature_set: String, number: u64) -> Self {
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
            generation: Generation::of(""),
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
            retry_at: None,
            applied: None,
            attempt: 0,
            completed: 0,
            failures: 0,
            failed_passes: 0,
            echo_at: None,
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
            ended: None,
        }
    }

    /// Does one thing that is due. False if there is none.
    pub(super) fn turn(&mut self, api: &mut ApiServer, outside: &Outside, options: &Options) -> bool {
        let now = api.now();
        self.keep_signatures(api, outside);
        if self.updates_at.is_some_and(|at| at <= now) {
            self.updates_at = None;
            self.look_for_updates(api, outside, options);
            return true;
        }
        if now >= self.resync_at {
            self.resync_at = now + RESYNC;
            self.updates_at = Some(now);
            self.is_status_due = true;
            return true;
        }
        if self.echo_at.is_some_and(|at| at <= now) {
            self.echo_at = None;
            self.is_status_due = true;
            return true;
        }
        if self.finish_retrieval(api, outside) {
            self.is_status_due = true;
            return true;
        }
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            self.is_status_due = true;
        }
        if self.is_status_due && self.retrieval.is_none() && self.retry_at.is_none() {
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
    pub(super) fn next(&self, now: Moment) -> Option<Moment> {
        let idle = self.pass.is_none();
        [
            self.updates_at,
            Some(self.resync_at),
            self.held_report,
            self.echo_at,
            self.pass_at,
            self.retry_at,
            self.next_pass.filter(|_| idle),
            self.retrieval.as_ref().map(|retrieval| retrieval.deadline),
        ]
        .into_iter()
        .flatten()
        .map(|at| at.max(now))
        .min()
    }

    /// Whether something is going on besides routine.
    pub(super) fn is_busy(&self) -> bool {
        let is_reconciling = |work: &Work| matches!(work.mode, Mode::Reconciling { .. });
        self.pass.is_some()
            || self.retrieval.is_some()
            || self.applied.as_ref().is_some_and(|work| !is_reconciling(work))
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
    fn keep_signatures(&mut self, api: &mut ApiServer, outside: &Outside) {
        let has_looked = std::mem::replace(&mut self.has_signatures, true);
        if has_looked || !signatures::can_verify(outside, &self.own_payload) {
            return;
        }
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

    fn obstacles(&self, api: &ApiServer, version: &Object, release: &str) -> Obstacles {
        Obstacles::find(api, version, release, &self.deletions, self.generation)
    }

    fn look_for_updates(&mut self, api: &ApiServer, outside: &Outside, options: &Options) {
        let Some(version) = self.version(api) else { return };
        let release = self.release.clone();
        let known = updates::completed(&self.release, self.updates.as_ref());
        let obstacles = self.obstacles(api, &version, &known.version);
        let cluster = Cluster {
            options,
            release: &release,
            knows_accepted_risks: self.knows_accepted_risks(),
            risks: &obstacles.risks,
        };
        let looked =
            updates::sync(&mut self.updates, &mut self.cache, &cluster, &version, outside, api.now());
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
        let taken = self.take(api, outside, options, &cleaned, desired, mode);
        if self.ended.is_some() {
            return;
        }
        if taken == Taken::Retrieving {
            self.is_status_due = true;
            return;
        }
        self.write_status(api, &faults, cleaned.text(&["spec", "upstream"]));
    }

    fn write_status(&mut self, api: &mut ApiServer, faults: &[String], upstream: &str) {
        let Some(original) = self.version(api) else { return };
        let mut version = original.clone();
        let release = updates::completed(&self.release, self.updates.as_ref());
        let obstacles = self.obstacles(api, &original, &release.version);
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
            upstream,
            obstacles: &obstacles,
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

    pub(super) fn queue_report(&mut self) {
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
}
