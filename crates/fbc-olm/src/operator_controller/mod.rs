//! operator-controller: installs and updates what ClusterExtensions ask for.
//!
//! | module | what it holds |
//! |---|---|
//! | `steps` | the steps of a reconciliation |
//! | `resolution` | which bundle an extension is to have |
//! | [`rendering`] | bundles as objects |
//! | [`status`], [`deprecation`] | what the status says |
//! | `drift` | which changes of managed objects wake an extension |
//! | [`helm`] | the engine of the default gates: Helm releases |
//! | [`applier`] | what engines answer: what is installed, and what is on its way |
//! | [`boxcutter`] | the engine of the gate `BoxcutterRuntime` |
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/clusterextension_controller.go`.

pub mod applier;
pub mod boxcutter;
pub mod deprecation;
mod drift;
pub mod helm;
pub mod preflight;
pub mod rendering;
mod resolution;
pub mod status;
mod steps;

#[cfg(test)]
pub(super) mod tests;

use fbc_cluster::api::{ApiServer, Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use self::boxcutter::Boxcutter;
use self::drift::Watches;
use self::helm::Helm;
use self::rendering::Renderings;
use self::resolution::Catalogs;
use self::status::Failure;
use super::Options;
use super::content::SharedImages;
use super::names::{
    CLEANUP_CONTENT_MANAGER, CLEANUP_UNPACK_CACHE, CLUSTER_CATALOG, CLUSTER_EXTENSION, CLUSTER_OBJECT_SET,
    GROUP, OPERATOR_CONTROLLER,
};

/// The finalizers in the order in which they are added here; the reference's is random.
const FINALIZERS: [&str; 2] = [CLEANUP_UNPACK_CACHE, CLEANUP_CONTENT_MANAGER];

/// What applies bundles, with what it remembers.
enum EngineState {
    /// Helm releases.
    Helm(Box<Helm>),
    /// Revisions.
    Revisions(Box<Boxcutter>),
}

/// The controller of ClusterExtensions.
pub struct OperatorController {
    options: Options,
    images: SharedImages,
    caller: Caller,
    engine: EngineState,
    renderings: Renderings,
    catalogs: Catalogs,
    watches: Watches,
}

impl OperatorController {
    /// operator-controller with the engine that the gate `BoxcutterRuntime` chooses.
    pub fn new(options: Options, images: SharedImages) -> Self {
        let engine = if options.gates.boxcutter_runtime {
            let releases = helm::release_source(&options);
            EngineState::Revisions(Box::new(Boxcutter::new(options.clone()).with_releases(releases)))
        } else {
            EngineState::Helm(Box::new(Helm::new(options.clone())))
        };
        let caller = options.operator_controller();
        Self {
            options,
            images,
            caller,
            engine,
            renderings: Renderings::default(),
            catalogs: Catalogs::default(),
            watches: Watches::default(),
        }
    }

    /// Writes the status first and finalizers afterwards, each only if it changed.
    fn write(&self, before: &Object, after: Object, api: &mut ApiServer) -> Result<(), ApiError> {
        let name = before.object_name();
        let finalizers = after["metadata"]["finalizers"].clone();
        let finalizers_changed = before["metadata"]["finalizers"] != finalizers;
        if before["status"] != after["status"] {
            api.update(&self.caller, after, Subresource::Status, WriteOptions::default())?;
        }
        if finalizers_changed && let Some(id) = api.kind_id(GROUP, CLUSTER_EXTENSION) {
            let patch = Patch::Merge(json!({"metadata": {"finalizers": finalizers}}));
            api.patch(&self.caller, id, &name, &patch, Subresource::None, WriteOptions::default())?;
        }
        Ok(())
    }
}

impl Controller for OperatorController {
    fn name(&self) -> &'static str {
        OPERATOR_CONTROLLER
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("*", "*")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        match kind {
            (GROUP, CLUSTER_EXTENSION) => requests.push(change.key.name.clone()),
            (GROUP, CLUSTER_CATALOG) if drift::is_other_content(change) => {
                requests.extend(api.all(GROUP, CLUSTER_EXTENSION).map(|extension| extension.object_name()));
            }
            (GROUP, CLUSTER_CATALOG) => {}
            (GROUP, CLUSTER_OBJECT_SET) => drift::owners(change, requests),
            _ => self.watches.requests(change, requests),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(before) = api.find(GROUP, CLUSTER_EXTENSION, request).cloned() else {
            self.forget(&request.name);
            return Outcome::Done;
        };
        let mut after = Object::clone(&before);
        let result = self.steps(&mut after, api);
        if let Err(error) = self.write(&before, after, api) {
            return Outcome::Failed(format!("error updating status: {error}"));
        }
        match result {
            Err(failure) if !failure.is_terminal() => Outcome::Failed(failure.message),
            _ => Outcome::Done,
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

impl OperatorController {
    /// Forgets an extension that is gone.
    fn forget(&mut self, name: &str) {
        self.watches.forget(name);
        match &mut self.engine {
            EngineState::Helm(helm) => helm.forget(name),
            EngineState::Revisions(boxcutter) => boxcutter.forget(name),
        }
    }

    /// Adds or runs the finalizers. True if the reconciliation ends here.
    fn finalize(&mut self, extension: &mut Object) -> Result<bool, Failure> {
        let is_terminating = extension.is_terminating();
        if is_terminating {
            self.forget(extension.name());
        }
        let place = extension.place(&["metadata", "finalizers"]);
        if !place.is_array() {
            *place = Value::Array(Vec::new());
        }
        let Some(finalizers) = place.as_array_mut() else { return Ok(true) };
        let before = finalizers.len();
        for finalizer in FINALIZERS {
            if is_terminating {
                finalizers.retain(|one| one != finalizer);
            } else if !finalizers.iter().any(|one| one == finalizer) {
                finalizers.push(finalizer.into());
            }
        }
        let has_changed = finalizers.len() != before;
        if finalizers.is_empty() {
            extension.remove(&["metadata", "finalizers"]);
        }
        Ok(has_changed || is_terminating)
    }
}
