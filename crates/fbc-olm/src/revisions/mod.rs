//! The controller of ClusterObjectSets: revisions of an extension, which it rolls out phase by phase.
//!
//! A revision holds objects, in Secrets or within itself. A phase begins when all objects of the one before pass the
//! probes of the revision. When the last phase is complete, older revisions are archived: what no newer one took over
//! is deleted, the last phase first.
//!
//! | module | what it holds |
//! |---|---|
//! | `content` | the objects of a revision, and digests that tell whether they changed |
//! | `validation` | what a revision must keep to |
//! | `probe` | whether an object is as it should be |
//! | `comparison`, `managers` | how an object differs from the one that is wanted, and who made the difference |
//! | `objects`, `rollout` | what becomes of an object, and of a phase |
//! | `status` | conditions |
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/clusterobjectset_controller.go`,
//! `revision_engine_factory.go`, and version 0.14.0 of `package-operator/boxcutter`.

mod comparison;
mod content;
mod error;
mod managers;
mod objects;
mod probe;
mod reference;
mod rollout;
mod status;
mod validation;
mod watches;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::SECOND;
use serde_json::{Value, json};

use self::content::{Contents, Phase};
use self::error::RevisionError;
use self::probe::Probes;
use self::status::Reporter;
use self::watches::Watches;
use crate::{Options, names};

/// How long to wait before a revision is looked at again that collides with objects of others, or is not valid.
const COLLISION_RETRY: u64 = 10 * SECOND;
/// When an older revision looks again at an object that a newer one changed and whose controller has not answered yet.
/// No event tells it of the answer, as the object names it as an owner no more; the reference sees the answer because
/// it reads the description of the API for every object and so comes late.
const SECOND_LOOK: u64 = SECOND;
/// How long to wait for objects of an archived revision to go.
const TEARDOWN_RETRY: u64 = 5 * SECOND;

/// The controller.
pub struct Revisions {
    options: Options,
    watches: Watches,
    contents: Contents,
    /// The API versions that were served when operator-controller started. It learns of others, but never how their
    /// kinds merge, and so cannot compare objects of them: a fault of the reference, which a restart clears.
    known_versions: BTreeSet<String>,
}

impl Revisions {
    /// The controller as it starts in a cluster.
    pub fn new(options: Options, api: &ApiServer) -> Self {
        Self {
            known_versions: served_versions(api),
            options,
            watches: Watches::default(),
            contents: Contents::default(),
        }
    }

    /// Takes these API versions as those that were served at the start.
    pub fn learn(&mut self, versions: BTreeSet<String>) {
        self.known_versions = versions;
    }
}

/// The API versions that a cluster serves, such as `v1` and `apps/v1`.
pub fn served_versions(api: &ApiServer) -> BTreeSet<String> {
    let versions = api.registry().iter().flat_map(|(_, kind)| {
        let group = if kind.group.is_empty() { String::new() } else { format!("{}/", kind.group) };
        kind.versions.iter().map(move |version| format!("{group}{version}"))
    });
    versions.collect()
}

/// A revision on its way into the cluster.
struct Revision<'r> {
    object: &'r Object,
    number: i64,
    phases: &'r [Phase],
    probes: Probes,
    /// The uids of the other active revisions of the extension.
    siblings: Vec<String>,
    account: Option<ObjectName>,
    options: &'r Options,
    known_versions: &'r BTreeSet<String>,
}

impl Revision<'_> {
    /// With whose rights the objects are written.
    fn caller(&self, manager: &str) -> Caller {
        match &self.account {
            Some(account) => Caller::service_account(&account.namespace, &account.name, manager),
            None => Caller { manager: manager.into(), ..self.options.operator_controller() },
        }
    }

    /// Refuses a service account that is not there: nobody gives a token for it.
    fn authenticate(&self, api: &ApiServer) -> Result<(), RevisionError> {
        let Some(account) = &self.account else { return Ok(()) };
        match api.find("", "ServiceAccount", account) {
            Some(_) => Ok(()),
            None => Err(RevisionError::NoAccount(account.clone())),
        }
    }
}

impl Controller for Revisions {
    fn name(&self) -> &'static str {
        names::REVISION_CONTROLLER
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("*", "*")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind == (names::GROUP, names::CLUSTER_OBJECT_SET) {
            requests.push(change.key.name.clone());
        }
        if !self.watches.covers(kind) {
            return;
        }
        for object in [&change.before, &change.after].into_iter().flatten() {
            let owners = object.owner_references().iter().filter(|owner| {
                owner.kind() == names::CLUSTER_OBJECT_SET && owner.api_version() == names::API_VERSION
            });
            requests.extend(owners.map(|owner| ObjectName::cluster(owner.text(&["name"]))));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(found) = api.find(names::GROUP, names::CLUSTER_OBJECT_SET, request).cloned() else {
            return Outcome::Done;
        };
        let mut revision = Object::clone(&found);
        let outcome = self.reconcile_revision(&found, &mut revision, api);
        if revision.get("status") == found.get("status") {
            return outcome;
        }
        let caller = self.options.operator_controller();
        match api.update(&caller, revision, Subresource::Status, WriteOptions::default()) {
            Ok(_) => outcome,
            // A deleted revision went with its last finalizer.
            Err(error) if error.is_not_found() => outcome,
            Err(error) => Outcome::Failed(format!("error updating status: {error}")),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

impl Revisions {
    /// Works on a revision as it was found, and writes its status into the copy.
    fn reconcile_revision(
        &mut self,
        found: &Arc<Object>,
        revision: &mut Object,
        api: &mut ApiServer,
    ) -> Outcome {
        if revision.is_terminating() {
            // What it owns is the garbage collector's.
            self.forget(revision.name());
            return self.without_finalizer(revision, api);
        }
        let reporter = Reporter::of(revision, api.now());
        let secrets = content::secrets(found, api);
        if let Err(error) = content::check_immutable(&secrets) {
            reporter.blocked(revision, &error.to_string());
            return Outcome::Done;
        }
        let read =
            Probes::of(revision).and_then(|probes| Ok((probes, self.contents.phases(found, &secrets, api)?)));
        let (probes, phases) = match read {
            Ok(read) => read,
            Err(error) => return failed(revision, reporter, error),
        };
        if let Err(error) = content::observe(revision, &phases) {
            reporter.blocked(revision, &error.to_string());
            return Outcome::Done;
        }
        let account = match self.account(revision) {
            Ok(account) => account,
            Err(error) => return failed(revision, reporter, error),
        };
        let is_archived = revision.text(&["spec", "lifecycleState"]) == "Archived";
        if is_archived {
            self.forget(revision.name());
        } else {
            if let Err(error) = self.set_finalizer(revision, true, api) {
                return Outcome::Failed(error.to_string());
            }
            if let Err(error) = self.watches.establish(revision.name(), &phases, api) {
                return failed(revision, reporter, RevisionError::Watch(error));
            }
        }
        let snapshot = revision.clone();
        let target = Revision {
            number: snapshot.number(&["spec", "revision"]).unwrap_or_default(),
            siblings: siblings(&snapshot, api).map(|sibling| sibling.uid().to_owned()).collect(),
            object: &snapshot,
            phases: &phases,
            probes,
            account,
            options: &self.options,
            known_versions: &self.known_versions,
        };
        if is_archived { self.archive(&target, revision, api) } else { self.roll_out(&target, revision, api) }
    }

    /// Forgets a revision that rolls out no more.
    fn forget(&mut self, revision: &str) {
        self.watches.free(revision);
        self.contents.forget(revision);
    }

    fn roll_out(&self, target: &Revision<'_>, revision: &mut Object, api: &mut ApiServer) -> Outcome {
        let reporter = Reporter::of(revision, api.now());
        if let Err(error) = validation::check(revision, target.phases) {
            reporter.retrying(revision, &format!("revision validation error: {error}"));
            return Outcome::After(COLLISION_RETRY);
        }
        let phases = match rollout::roll_out(target, api) {
            Ok(phases) => phases,
            Err(error) => return failed(revision, reporter, error),
        };
        for (index, phase) in phases.iter().enumerate() {
            let collisions = phase.collisions();
            if !collisions.is_empty() {
                let reports = collisions.join("\n\n");
                reporter
                    .retrying(revision, &format!("revision object collisions in phase {index}\n{reports}"));
                return Outcome::After(COLLISION_RETRY);
            }
        }
        let is_complete =
            phases.len() == target.phases.len() && phases.iter().all(rollout::PhaseOutcome::is_complete);
        if !is_complete {
            reporter.rolling_out(revision, &phases);
            let look = phases.iter().any(rollout::PhaseOutcome::is_early).then_some(SECOND_LOOK);
            let wait = look.into_iter().chain(reporter.until_deadline()).min();
            return wait.map_or(Outcome::Done, Outcome::After);
        }
        if let Err(error) = self.archive_older(target, api) {
            return Outcome::Failed(format!("archive previous Revision: {error}"));
        }
        reporter.succeeded(revision);
        Outcome::Done
    }

    /// Archives the active revisions before this one.
    fn archive_older(&self, target: &Revision<'_>, api: &mut ApiServer) -> Result<(), ApiError> {
        let older: Vec<Arc<Object>> = siblings(target.object, api)
            .filter(|sibling| sibling.number(&["spec", "revision"]) < Some(target.number))
            .cloned()
            .collect();
        for revision in older {
            self.patch(&revision, json!({"spec": {"lifecycleState": "Archived"}}), api)?;
        }
        Ok(())
    }

    fn archive(&self, target: &Revision<'_>, revision: &mut Object, api: &mut ApiServer) -> Outcome {
        let reporter = Reporter::of(revision, api.now());
        match rollout::tear_down(target, api) {
            Err(error) => failed(revision, reporter, format!("error archiving revision: {error}")),
            Ok(false) => {
                reporter
                    .retrying(revision, "removing revision resources that are not owned by another revision");
                Outcome::After(TEARDOWN_RETRY)
            }
            // The finalizer goes only after everybody could see that it is over.
            Ok(true) if reporter.archived(revision) => Outcome::Done,
            Ok(true) => self.without_finalizer(revision, api),
        }
    }

    /// The service account with whose rights a revision is applied, if that counts.
    fn account(&self, revision: &Object) -> Result<Option<ObjectName>, RevisionError> {
        if !self.options.uses_service_accounts {
            return Ok(None);
        }
        let name = || revision.name().to_owned();
        let annotations = revision.at(&["metadata", "annotations"]).and_then(Value::as_object);
        if annotations.is_none_or(serde_json::Map::is_empty) {
            return Err(RevisionError::NoAnnotations(name()));
        }
        let annotation = |key, what: &'static str| {
            let text = revision.annotation(key).unwrap_or_default().trim();
            let missing = || RevisionError::NoAccountAnnotation { revision: name(), what };
            if text.is_empty() { Err(missing()) } else { Ok(text) }
        };
        let account = annotation(names::SERVICE_ACCOUNT_NAME, "name")?;
        let namespace = annotation(names::SERVICE_ACCOUNT_NAMESPACE, "namespace")?;
        Ok(Some(ObjectName::namespaced(namespace, account)))
    }

    /// Lets a revision go.
    fn without_finalizer(&self, revision: &mut Object, api: &mut ApiServer) -> Outcome {
        match self.set_finalizer(revision, false, api) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }

    /// Sets or removes the finalizer. The revision is as the API server has it afterwards.
    fn set_finalizer(
        &self,
        revision: &mut Object,
        is_set: bool,
        api: &mut ApiServer,
    ) -> Result<(), RevisionError> {
        let present: Vec<Value> = revision.finalizers().map(Value::from).collect();
        if present.iter().any(|finalizer| finalizer == names::TEARDOWN) == is_set {
            return Ok(());
        }
        let mut finalizers: Vec<Value> =
            present.into_iter().filter(|finalizer| finalizer != names::TEARDOWN).collect();
        if is_set {
            finalizers.push(names::TEARDOWN.into());
        }
        let version = revision.text(&["metadata", "resourceVersion"]);
        let changes = json!({"metadata": {"finalizers": finalizers, "resourceVersion": version}});
        let doing = if is_set {
            "error ensuring teardown finalizer: adding finalizer"
        } else {
            "error removing teardown finalizer: removing finalizer"
        };
        let patched = self.patch(revision, changes, api).map_err(RevisionError::during(doing))?;
        *revision = Object::clone(&patched);
        Ok(())
    }

    fn patch(&self, revision: &Object, changes: Value, api: &mut ApiServer) -> Result<Arc<Object>, ApiError> {
        let (id, _) = api.kind_of(revision)?;
        let (caller, patch) = (self.options.operator_controller(), Patch::Merge(changes));
        api.patch(&caller, id, &revision.object_name(), &patch, Subresource::None, WriteOptions::default())
    }
}

/// Reports a failure that is tried again, at the deadline at the latest.
fn failed(revision: &mut Object, reporter: Reporter, error: impl ToString) -> Outcome {
    let error = error.to_string();
    reporter.retrying(revision, &error);
    match reporter.until_deadline() {
        Some(remaining) => Outcome::FailedWithin(error, remaining),
        None => Outcome::Failed(error),
    }
}

/// The other active revisions of the extension that a revision belongs to.
fn siblings<'a>(revision: &'a Object, api: &'a ApiServer) -> impl Iterator<Item = &'a Arc<Object>> {
    let owner = revision.label(names::OWNER_NAME);
    let kind = api.kind_id(names::GROUP, names::CLUSTER_OBJECT_SET);
    let all = owner.zip(kind).map(|(owner, kind)| api.store().with_label(kind, names::OWNER_NAME, owner));
    all.into_iter().flatten().filter(move |other| {
        other.name() != revision.name()
            && other.text(&["spec", "lifecycleState"]) != "Archived"
            && !other.is_terminating()
    })
}
