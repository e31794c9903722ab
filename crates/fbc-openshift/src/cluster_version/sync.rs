//! From the release that ClusterVersion asks for to work: choosing, retrieving, loading, accepting.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/cvo.go` (`sync`), `pkg/cvo/sync_worker.go` (`Update`, `syncPayload`).

use std::collections::BTreeSet;
use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::capability_sets::Capabilities;
use super::options::{Options, Outside};
use super::process::{Process, STATUS_INTERVAL};
use super::retrieval::RetrievalError;
use super::status::LoadStatus;
use super::{preconditions, retrieval, signatures};
use crate::release::payload::LoadError;
use crate::release::{Inclusion, Mode, Payload};

/// The release that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Desired {
    pub(super) version: String,
    pub(super) image: String,
    pub(super) force: bool,
}

impl Desired {
    /// Whether both are the same to the operator; versions do not count.
    fn is_same(&self, other: &Self) -> bool {
        self.image == other.image && self.force == other.force
    }
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Work {
    pub(super) generation: i64,
    pub(super) desired: Desired,
    pub(super) overrides: Vec<Value>,
    pub(super) capabilities: Capabilities,
    pub(super) gates: BTreeSet<String>,
    pub(super) mode: Mode,
}

impl Work {
    /// Whether nothing changed that a pass depends on.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.desired.is_same(&other.desired) && self.has_same_settings(other)
    }

    fn has_same_settings(&self, other: &Self) -> bool {
        self.overrides == other.overrides
            && self.capabilities.enabled == other.capabilities.enabled
            && self.gates == other.gates
    }
}

/// The wanted release of a spec, if it can be told.
pub(super) fn desired_of(version: &Object, own_architecture: &str) -> Option<Desired> {
    let update = version.at(&["spec", "desiredUpdate"]).filter(|update| update.is_object())?;
    let text = |field: &str| update.text(&[field]);
    let force = update["force"] == true;
    if !text("image").is_empty() {
        return Some(Desired { version: text("version").to_owned(), image: text("image").to_owned(), force });
    }
    let wanted = match text("architecture") {
        "Multi" if own_architecture != "Multi" => version.text(&["status", "desired", "version"]),
        _ => text("version"),
    };
    let available = version.list(&["status", "availableUpdates"]).iter();
    let found =
        available.into_iter().find(|one| one["version"] == wanted && !one.text(&["image"]).is_empty())?;
    Some(Desired { version: wanted.to_owned(), image: found.text(&["image"]).to_owned(), force })
}

/// What the history says the operator is at.
pub(super) fn mode_of(version: &Object, desired: &Desired) -> Mode {
    let history = version.list(&["status", "history"]);
    if history.iter().all(|entry| entry["state"] != "Completed") {
        return Mode::Initializing;
    }
    match history.first() {
        Some(first) if first["state"] == "Completed" && first.text(&["image"]) == desired.image => {
            Mode::Reconciling { attempt: 0 }
        }
        _ => Mode::Updating,
    }
}

/// What became of a wish.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is work now, or was refused, or is what is done already.
    Settled,
    /// A payload is on its way; ask again when it is there.
    Retrieving,
}

impl Process {
    /// Makes a wish the work to do, if there is nothing against it.
    pub(super) fn take(
        &mut self,
        api: &mut ApiServer,
        outside: &Outside,
        options: &Options,
        version: &Object,
        desired: Desired,
        mode: Mode,
    ) -> Taken {
        let kept: BTreeSet<String> = match &self.work {
            Some(work) => work.capabilities.enabled.clone(),
            None => {
                let enabled = version.list(&["status", "capabilities", "enabledCapabilities"]);
                enabled.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
        };
        let kept: BTreeSet<String> = kept.union(&options.always_enabled).cloned().collect();
        let mut work = Work {
            generation: version.generation(),
            desired,
            overrides: version.list(&["spec", "overrides"]).to_vec(),
            capabilities: Capabilities::from_version(version, &kept, &self.gates),
            gates: self.gates.clone(),
            mode,
        };
        self.status.implicit = work.capabilities.implicit.clone();
        if let Some(present) = &mut self.work {
            present.generation = work.generation;
            if present.is_same(&work) {
                let present = present.clone();
                let load = &self.status.load;
                if present.desired.image != load.image || present.desired.force != load.force {
                    // Back to the payload that is loaded already.
                    return self.load(api, outside, options, version, &mut present.clone()).1;
                }
                return Taken::Settled;
            }
            if mode == Mode::Initializing && !present.desired.is_same(&work.desired) {
                work.desired = present.desired.clone();
                if present.has_same_settings(&work) {
                    return Taken::Settled;
                }
            }
        } else {
            self.status.generation = work.generation;
            self.status.is_reconciling = matches!(mode, Mode::Reconciling { .. });
            self.status.actual.version.clone_from(&work.desired.version);
            self.status.actual.image.clone_from(&work.desired.image);
        }
        let (is_loaded, taken) = self.load(api, outside, options, version, &mut work);
        if taken == Taken::Retrieving {
            return taken;
        }
        if !is_loaded {
            if let Some(present) = &mut self.work {
                present.overrides = work.overrides;
                present.capabilities = work.capabilities;
                present.gates = work.gates;
                self.status.capabilities = present.capabilities.status();
            }
            return Taken::Settled;
        }
        self.status.implicit = work.capabilities.implicit.clone();
        self.status.capabilities = work.capabilities.status();
        self.work = Some(work);
        if let Some(pass) = &mut self.pass {
            pass.cancel();
        }
        self.has_new_work = true;
        Taken::Settled
    }

    /// Sees to it that the payload of some work is loaded. False if it is refused.
    fn load(
        &mut self,
        api: &mut ApiServer,
        outside: &Outside,
        options: &Options,
        version: &Object,
        work: &mut Work,
    ) -> (bool, Taken) {
        let image = work.desired.image.clone();
        let force = work.desired.force;
        let load = |step, message: String| LoadStatus {
            step,
            message,
            image: image.clone(),
            force,
            ..LoadStatus::default()
        };
        let what = |desired: &Desired| format!("version={:?} image={:?}", desired.version, desired.image);
        let old = self.payload.clone();
        let same_gates = self.work.as_ref().is_none_or(|present| present.gates == work.gates);
        if old.as_ref().is_some_and(|payload| payload.release.image == image) && same_gates {
            if !super::updates::is_same_image(&self.status.load.image, &image) {
                self.report_load(load("PayloadLoaded", format!("Payload loaded {}", what(&work.desired))));
            }
            return (true, Taken::Settled);
        }
        let retrieved = match self.retrieved.take().filter(|retrieved| retrieved.image == image) {
            Some(retrieved) => retrieved,
            None => {
                let message = format!("Retrieving and verifying payload {}", what(&work.desired));
                self.event(api, "Normal", "RetrievePayload", &message);
                self.report_load(load("RetrievePayload", message));
                match self.retrieve(api, outside, options, version, &work.desired) {
                    Some(retrieved) => retrieved,
                    None => return (false, Taken::Retrieving),
                }
            }
        };
        let is_local = image == options.image;
        let fail = |process: &mut Self, api: &mut ApiServer, step, event: &str, text: String| {
            process.event(api, "Warning", event, &text);
            process.report_load(LoadStatus { has_failed: true, is_local, ..load(step, text) });
            (false, Taken::Settled)
        };
        if let Err(error) = &retrieved.outcome {
            let text = format!("Retrieving payload failed {} failure={error}", what(&work.desired));
            // The event is on one line, and says more.
            let told = format!("{text}{}", retrieved.details).replace('\n', " // ");
            self.event(api, "Warning", "RetrievePayloadFailed", &told);
            self.report_load(LoadStatus { has_failed: true, is_local, ..load("RetrievePayload", text) });
            return (false, Taken::Settled);
        }
        let mut accepted_risks = String::new();
        if let Some(error) = &retrieved.verification {
            accepted_risks.clone_from(error);
            self.event(api, "Warning", "RetrievePayload", error);
        }
        self.event(api, "Normal", "LoadPayload", &format!("Loading payload {}", what(&work.desired)));
        let inclusion = self.inclusion(options, &work.gates);
        let loaded = load_payload(outside, &image, &inclusion);
        let payload = match loaded {
            Ok(payload) => Rc::new(payload),
            Err(error) => {
                let text = format!("Loading payload failed {} failure={error}", what(&work.desired));
                return fail(self, api, "LoadPayload", "LoadPayloadFailed", text);
            }
        };
        let own_version = payload.release.version.clone();
        if work.desired.version.is_empty() {
            work.desired.version.clone_from(&own_version);
        } else if work.desired.version != own_version {
            let text = format!(
                "Verifying payload failed {} failure=release image version {own_version} does not match the expected upstream version {}",
                what(&work.desired),
                work.desired.version
            );
            return fail(self, api, "VerifyPayloadVersion", "VerifyPayloadVersionFailed", text);
        }
        if !is_local {
            match preconditions::run(version, &own_version, force, self.generation) {
                Some((true, text)) => {
                    let text =
                        format!("Preconditions failed for payload loaded {}: {text}", what(&work.desired));
                    return fail(self, api, "PreconditionChecks", "PreconditionBlock", text);
                }
                Some((false, text)) => {
                    let message =
                        format!("precondition warning for payload loaded {}: {text}", what(&work.desired));
                    self.event(api, "Warning", "PreconditionWarn", &message);
                    if !accepted_risks.is_empty() {
                        accepted_risks.push('\n');
                    }
                    accepted_risks.push_str(&text);
                }
                None => {}
            }
            let message = format!("preconditions passed for payload loaded {}", what(&work.desired));
            self.event(api, "Normal", "PreconditionsPassed", &message);
        }
        if let Some(old) = &old {
            let followed = work.capabilities.follow(&old.manifests, &payload.manifests, &work.gates);
            if let Err(ended) = followed {
                self.ended = Some(ended);
                return (false, Taken::Settled);
            }
        }
        let architecture = match payload.release.architecture.as_str() {
            "" => "amd64",
            architecture => architecture,
        };
        let message = format!("Payload loaded {} architecture={architecture:?}", what(&work.desired));
        self.event(api, "Normal", "PayloadLoaded", &message);
        self.is_payload_verified = !is_local && retrieved.verification.is_none();
        self.payload = Some(payload);
        self.report_load(LoadStatus { accepted_risks, is_local, ..load("PayloadLoaded", message) });
        (true, Taken::Settled)
    }

    /// Gets a payload to the node; nothing if that takes a while.
    fn retrieve(
        &mut self,
        api: &mut ApiServer,
        outside: &Outside,
        options: &Options,
        version: &Object,
        desired: &Desired,
    ) -> Option<retrieval::Retrieved> {
        let image = desired.image.clone();
        let done = |verification, outcome| {
            let details = String::new();
            Some(retrieval::Retrieved { image: image.clone(), verification, outcome, details })
        };
        if image == options.image {
            return done(None, Ok(()));
        }
        let mut verification = None;
        if let Err(unverified) = signatures::verify(api, outside, &self.own_payload, version, &image) {
            let (error, details) = (&unverified.message, unverified.more());
            if !desired.force {
                let outcome = Err(RetrievalError::Unverified(error.clone()));
                return Some(retrieval::Retrieved { image, verification, outcome, details });
            }
            verification = Some(format!(
                "Target release version={:?} image={image:?} cannot be verified, but continuing anyway because the update was forced: {error}",
                desired.version
            ));
        }
        if self.on_disk.contains(&image) {
            return done(verification, retrieval::confirm(outside, &image).map_err(RetrievalError::Unable));
        }
        match retrieval::start(
            api,
            &mut self.random,
            &options.node,
            &desired.version,
            &image,
            verification.clone(),
        ) {
            Ok(retrieval) => {
                self.retrieval = Some(retrieval);
                None
            }
            Err(error) => {
                // Each message names another pod, so that its write would bring about the next try at once (CV-15).
                self.retry_at = Some(api.now() + STATUS_INTERVAL);
                done(verification, Err(RetrievalError::Unable(error)))
            }
        }
    }

    /// Looks after a payload that is on its way. True once it is decided.
    pub(super) fn finish_retrieval(&mut self, api: &ApiServer, outside: &Outside) -> bool {
        let Some(retrieval) = &self.retrieval else { return false };
        let Some(outcome) = retrieval::outcome(api, retrieval) else { return false };
        let Some(retrieval) = self.retrieval.take() else { return false };
        let outcome = outcome.and_then(|()| retrieval::confirm(outside, &retrieval.image));
        if outcome.is_ok() {
            // A retrieval cleans the directory first.
            self.on_disk = BTreeSet::from([retrieval.image.clone()]);
        }
        self.retrieved = Some(retrieval::Retrieved {
            image: retrieval.image,
            verification: retrieval.verification,
            outcome: outcome.map_err(RetrievalError::Unable),
            details: String::new(),
        });
        true
    }

    pub(super) fn inclusion(&self, options: &Options, gates: &BTreeSet<String>) -> Inclusion {
        Inclusion {
            profile: options.profile.clone(),
            exclude: options.exclude.clone(),
            feature_set: self.feature_set.clone(),
            gates: gates.clone(),
            ..Inclusion::default()
        }
    }
}

/// Why a payload is not loaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotLoaded {
    #[error("there is no payload of {0}")]
    Missing(String),
    #[error("{}", error.text(&retrieval::directory(image)))]
    Faulty { image: String, error: LoadError },
}

/// Loads a payload that is on the node.
pub(super) fn load_payload(
    outside: &Outside,
    image: &str,
    inclusion: &Inclusion,
) -> Result<Payload, NotLoaded> {
    let tree = outside.payloads.get(image).ok_or_else(|| NotLoaded::Missing(image.to_owned()))?;
    Payload::load(tree.as_ref(), image, inclusion)
        .map_err(|error| NotLoaded::Faulty { image: image.to_owned(), error })
}
