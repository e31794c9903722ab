//! The controller of ClusterServiceVersions.
//!
//! | module | what it holds |
//! |---|---|
//! | [`look`], `steps` | one look: what comes before the phases, and the steps out of each |
//! | [`phase`] | phases in the status, and their history |
//! | [`requirements`], [`permissions`] | what must be there before anything is installed |
//! | [`install_modes`] | which namespaces an operator can work in |
//! | [`chain`], [`upgradeable`] | who replaces whom, and who lets itself be replaced |
//! | [`disruption`] | pods that are only being moved |
//! | [`ending`] | finalizers, and what a deleted ClusterServiceVersion takes along |
//! | [`wakes`] | which changes make it look again |
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`.

pub mod chain;
pub mod disruption;
pub mod ending;
pub mod install_modes;
pub mod look;
pub mod object;
pub mod permissions;
pub mod phase;
pub mod requirements;
mod steps;
pub mod upgradeable;
pub mod wakes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome, Requeue};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};

use self::look::Look;
use self::object::{has_copy_label, is_copied, is_readable, reason};
use super::operator_groups::member_group;
use super::{CLUSTER_SERVICE_VERSIONS, COPIES, RESYNC, cluster_roles};
use crate::Options;
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{CLUSTER_SERVICE_VERSION, CSV_CLEANUP, EVENT_SOURCE, GROUP};
use crate::retries::Retries;

/// How long a state lasts at least that was left a moment ago: what the reference does in a loop without pause.
const LOOP: Milliseconds = SECOND;

/// Why copies are not made, although there is a phase (V0-089).
const UNCOPIED: [&str; 8] = [
    "Copied",
    "InvalidInstallModes",
    "NoTargetNamespaces",
    "UnsupportedOperatorGroup",
    "NoOperatorGroup",
    "TooManyOperatorGroups",
    "InterOperatorGroupOwnerConflict",
    "CannotModifyStaticOperatorGroupProvidedAPIs",
];

/// Phase, reason and message.
type State = (String, String, String);

/// The controller.
pub struct ClusterServiceVersions {
    options: Options,
    caller: Caller,
    recorder: Recorder,
    retries: Retries,
    requeues: Vec<Requeue>,
    /// What was deleted and not looked at since.
    deleted: BTreeMap<ObjectName, Arc<Object>>,
    /// Those in whose namespace rights or accounts changed.
    rights_changed: BTreeSet<ObjectName>,
    /// Those that the reference looks at without pause, and which of them something has changed for.
    busy: BTreeMap<ObjectName, bool>,
    /// The states that each was in a moment ago, with when it left them.
    left: BTreeMap<ObjectName, Vec<(State, Moment)>>,
}

impl ClusterServiceVersions {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self {
            caller: options.olm_operator(),
            options: options.clone(),
            recorder: Recorder::new(EVENT_SOURCE),
            retries: Retries::default(),
            requeues: Vec::new(),
            deleted: BTreeMap::new(),
            rights_changed: BTreeSet::new(),
            busy: BTreeMap::new(),
            left: BTreeMap::new(),
        }
    }

    fn look(
        &mut self,
        request: &ObjectName,
        found: &Arc<Object>,
        api: &mut ApiServer,
    ) -> Result<(), LookError> {
        if let Some(end) = self.finalize(found, api) {
            return end;
        }
        if is_copied(found) {
            return Ok(());
        }
        let mut version = Arc::clone(found);
        if self.rights_changed.remove(request) && reason(found) == "InstallComponentFailedNoRetry" {
            version = self.start_again(found, api)?;
        }
        let is_woken = self.busy.remove(request).unwrap_or(true);
        let mut look = Look {
            api,
            caller: &self.caller,
            options: &self.options,
            recorder: &mut self.recorder,
            requeues: &mut self.requeues,
            version: Object::clone(&version),
            error: None,
            is_busy: false,
            is_woken,
            is_over: false,
        };
        look.run();
        let Look { version: after, error, is_busy, is_over, .. } = look;
        if is_busy {
            self.busy.insert(request.clone(), false);
        }
        if is_over {
            return error.map_or(Ok(()), |error| Err(error.into()));
        }
        self.finish(&version, &after, error, api)
    }

    /// Writes what a look came to, and does what follows in every phase.
    fn finish(
        &mut self,
        before: &Arc<Object>,
        after: &Object,
        mut error: Option<String>,
        api: &mut ApiServer,
    ) -> Result<(), LookError> {
        let mut client = Client::new(api, &self.caller);
        if !phase::is_as_before(before, after) {
            if let Err(refusal) = object::update_status(&mut client, after) {
                let text = format!("error updating ClusterServiceVersion status: {refusal}");
                error = Some(match error {
                    None => text,
                    Some(first) => format!(
                        "error transitioning ClusterServiceVersion: {first} and error updating CSV status: {text}"
                    ),
                });
            }
            let state = state(before);
            if state != self::state(after) {
                self.left.entry(before.object_name()).or_default().push((state, client.api.now()));
            }
        }
        let Some(group) = member_group(client.api, before) else {
            return error.map_or(Ok(()), |error| Err(error.into()));
        };
        let targets = group.list(&["status", "namespaces"]);
        if targets.len() == 1 && targets[0] == group.namespace() {
            return error.map_or(Ok(()), |error| Err(error.into()));
        }
        if let Err(why) = cluster_roles::lift(&mut client, before, &group) {
            error = Some(why.into());
        }
        if !object::phase(after).is_empty() && !UNCOPIED.contains(&reason(after)) {
            self.requeues.push(Requeue::now(COPIES, after.object_name()));
        }
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Puts an operator whose installation was given up back to its beginning, without an event (V0-116).
    fn start_again(&mut self, found: &Arc<Object>, api: &mut ApiServer) -> Result<Arc<Object>, LookError> {
        let mut version = Object::clone(found);
        let message = "Cluster resources changed state";
        phase::set(&mut version, api.now(), "Pending", "DetectedClusterChange", message);
        object::update_status(&mut Client::new(api, &self.caller), &version)
            .map_err(|error| error.message.into())
    }

    /// Adds the finalizer, or does its work. Gives how the look ends if it ends here.
    fn finalize(&mut self, found: &Arc<Object>, api: &mut ApiServer) -> Option<Result<(), LookError>> {
        let has_finalizer = found.finalizers().any(|finalizer| finalizer == CSV_CLEANUP);
        let mut client = Client::new(api, &self.caller);
        if found.is_terminating() {
            return Some(if has_finalizer { ending::finalize(&mut client, found) } else { Ok(()) });
        }
        if has_finalizer {
            return None;
        }
        let mut version = Object::clone(found);
        let mut finalizers = found.list(&["metadata", "finalizers"]).to_vec();
        finalizers.push(CSV_CLEANUP.into());
        version.set(&["metadata", "finalizers"], finalizers);
        // The change brings it back.
        Some(object::update(&mut client, version).map(drop).map_err(|error| error.message.into()))
    }

    /// How long a state is to last that it has come back to within a moment.
    fn pause(&mut self, found: &Object, now: Moment) -> Option<Milliseconds> {
        let left = self.left.get_mut(&found.object_name())?;
        left.retain(|(_, at)| now.since(*at) < LOOP);
        let state = state(found);
        let (_, at) = left.iter().rev().find(|(one, _)| *one == state)?;
        Some((*at + LOOP).since(now))
    }

    /// How long the phase Installing may still last.
    fn deadline(found: &Object, now: Moment) -> Option<Milliseconds> {
        if object::phase(found) != "Installing" {
            return None;
        }
        let since = Moment::parse(found.text(&["status", "lastTransitionTime"]))?;
        let left = (since + steps::INSTALL_TIMEOUT).since(now);
        (left > 0).then_some(left)
    }
}

fn state(version: &Object) -> State {
    let text = |field| version.text(&["status", field]).to_owned();
    (text("phase"), text("reason"), text("message"))
}

impl Controller for ClusterServiceVersions {
    fn name(&self) -> &'static str {
        CLUSTER_SERVICE_VERSIONS
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        wakes::WATCHES
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let namespace = &change.key.name.namespace;
        for (name, is_woken) in &mut self.busy {
            if namespace.is_empty() || *namespace == name.namespace {
                *is_woken = true;
                requests.push(name.clone());
            }
        }
        if kind == (GROUP, CLUSTER_SERVICE_VERSION) {
            match (&change.before, &change.after) {
                (_, Some(after)) if !has_copy_label(after) => requests.push(change.key.name.clone()),
                (Some(before), None) if !has_copy_label(before) => {
                    self.deleted.insert(change.key.name.clone(), Arc::clone(before));
                    requests.push(change.key.name.clone());
                }
                _ => {}
            }
            return;
        }
        wakes::owners(change, kind, requests);
        if change.after.is_some() && wakes::is_about_rights(kind) {
            let given_up = wakes::given_up(api, namespace);
            requests.extend(given_up.iter().cloned());
            self.rights_changed.extend(given_up);
        }
    }

    fn start_over(&mut self) {
        self.deleted.clear();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if let Some(deleted) = self.deleted.remove(request) {
            self.requeues.extend(ending::after_deletion(&mut Client::new(api, &self.caller), &deleted));
        }
        let found = api.find(GROUP, CLUSTER_SERVICE_VERSION, request).cloned();
        let Some(found) = found.filter(|found| !has_copy_label(found) && is_readable(found)) else {
            self.busy.remove(request);
            self.left.remove(request);
            return Outcome::Done;
        };
        if let Some(wait) = self.pause(&found, api.now()) {
            return Outcome::After(wait);
        }
        let result = self.look(request, &found, api);
        match self.retries.outcome(request, result) {
            Outcome::Done => {
                let now = api.now();
                let after = api.find(GROUP, CLUSTER_SERVICE_VERSION, request);
                after.and_then(|after| Self::deadline(after, now)).map_or(Outcome::Done, Outcome::After)
            }
            failed => failed,
        }
    }

    fn requeues(&mut self) -> Vec<Requeue> {
        std::mem::take(&mut self.requeues)
    }

    fn resync_period(&self) -> Option<Milliseconds> {
        Some(RESYNC)
    }
}
