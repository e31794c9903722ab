//! The engine of the feature gate `BoxcutterRuntime`: a bundle becomes a revision, a ClusterObjectSet, which the
//! controller in [`crate::revisions`] rolls out.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/applier/boxcutter.go`.

mod desired;
mod error;
mod migration;
mod phases;
mod probes;
mod secrets;
mod states;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use fbc_bundle::permissions::Applier;
use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use serde_json::{Value, json};

use self::desired::{Desired, DesiredRevisions};
use self::secrets::Packer;
use super::applier::{RevisionMetadata, RevisionStates};
use super::preflight::{self, DefinitionUpgrades};
use super::rendering::Rendered;
use crate::{Options, names};

pub use error::BoxcutterError;
pub use migration::{Release, ReleaseSource};
#[cfg(test)]
pub(crate) use probes::defaults as default_probes;
pub use secrets::PackError;

/// How many of the newest revisions are kept, whatever their state; older ones go once they are archived.
const KEPT_REVISIONS: usize = 5;

/// The engine.
pub struct Boxcutter {
    options: Options,
    releases: Option<ReleaseSource>,
    upgrades: DefinitionUpgrades,
    desired: DesiredRevisions,
}

impl Boxcutter {
    /// An engine that migrates nothing.
    pub fn new(options: Options) -> Self {
        let (upgrades, desired) = (DefinitionUpgrades::default(), DesiredRevisions::default());
        Self { options, releases: None, upgrades, desired }
    }

    /// Migrates releases that Helm installed.
    #[must_use]
    pub fn with_releases(mut self, releases: ReleaseSource) -> Self {
        self.releases = Some(releases);
        self
    }
}

/// The revisions of an extension, the oldest first.
fn revisions(api: &ApiServer, extension: &Object) -> Vec<Arc<Object>> {
    let Some(kind) = api.kind_id(names::GROUP, names::CLUSTER_OBJECT_SET) else { return Vec::new() };
    let mut revisions: Vec<Arc<Object>> =
        api.store().with_label(kind, names::OWNER_NAME, extension.name()).cloned().collect();
    revisions.sort_by_key(|revision| revision.number(&["spec", "revision"]));
    revisions
}

/// Applies a revision on the server's side; takes all fields.
fn apply_revision(options: &Options, revision: Object, api: &mut ApiServer) -> Result<Arc<Object>, ApiError> {
    let ((kind, _), name) = (api.kind_of(&revision)?, revision.object_name());
    let patch = Patch::Apply { configuration: revision, force: true };
    let caller = Caller { manager: names::EXTENSION_MANAGER.into(), ..options.operator_controller() };
    api.patch(&caller, kind, &name, &patch, Subresource::None, WriteOptions::default())
}

impl Boxcutter {
    /// Takes over what Helm left behind.
    pub(super) fn migrate(&self, extension: &Object, api: &mut ApiServer) -> Result<(), BoxcutterError> {
        migration::migrate(extension, self.releases.as_ref(), &self.options, api)
    }

    /// What is installed, and what is on its way.
    pub(super) fn revision_states(&self, extension: &Object, api: &ApiServer) -> RevisionStates {
        states::read(&revisions(api, extension))
    }

    /// Brings a bundle into the cluster, and writes into the status of the extension what only this engine reports.
    /// `Installed`, and `Progressing` of failures, stay with the caller.
    pub(super) fn apply(
        &self,
        extension: &mut Object,
        resolved: &RevisionMetadata,
        rendered: Option<&Arc<Rendered>>,
        states: &RevisionStates,
        api: &mut ApiServer,
    ) -> Result<(), BoxcutterError> {
        self.ensure(extension, resolved, rendered, api)?;
        states::mirror(states, extension);
        Ok(())
    }

    /// Sees to it that the newest revision is the one that is wanted.
    fn ensure(
        &self,
        extension: &Object,
        resolved: &RevisionMetadata,
        rendered: Option<&Arc<Rendered>>,
        api: &mut ApiServer,
    ) -> Result<(), BoxcutterError> {
        let existing = revisions(api, extension);
        let Some(rendered) = rendered else {
            return if existing.is_empty() { Err(BoxcutterError::NothingToKeep) } else { Ok(()) };
        };
        let account_counts = self.options.uses_service_accounts;
        let desired = self.desired.get(extension, resolved, rendered, account_counts);
        if let Some(current) = existing.last()
            && self.is_unchanged(&desired, current, extension, api)?
        {
            return self.own_secrets(current, "ensuring ownerReferences on ref Secrets", api);
        }
        let enforcement = ["spec", "install", "preflight", "crdUpgradeSafety", "enforcement"];
        if extension.text(&enforcement) != "None" {
            self.upgrades.check(desired.objects(), api, self.options.target)?;
        }
        self.create(&desired, extension, rendered, &existing, api)
    }

    /// Applies the desired state on the present revision. Its phases cannot change: if they would have to, the
    /// API server calls it invalid.
    fn is_unchanged(
        &self,
        desired: &Desired,
        current: &Object,
        extension: &Object,
        api: &mut ApiServer,
    ) -> Result<bool, BoxcutterError> {
        let desired = desired
            .packed(&current["spec"]["revision"], &self.packer(current.name(), extension))
            .map_err(|error| BoxcutterError::Pack { doing: "packing for SSA comparison", error })?;
        match apply_revision(&self.options, desired, api) {
            Ok(_) => Ok(true),
            Err(error) if error.reason == Reason::Invalid => Ok(false),
            Err(error) => Err(BoxcutterError::during(format!("patching {} Revision", current.name()))(error)),
        }
    }

    /// Makes a new revision: first the Secrets with its objects, then the revision, which then becomes their owner.
    fn create(
        &self,
        desired: &Desired,
        extension: &Object,
        rendered: &Rendered,
        existing: &[Arc<Object>],
        api: &mut ApiServer,
    ) -> Result<(), BoxcutterError> {
        let number = existing.last().and_then(|last| last.number(&["spec", "revision"])).unwrap_or(0) + 1;
        let name = format!("{}-{number}", extension.name());
        self.delete_old(existing, api).map_err(BoxcutterError::during(
            "garbage collecting old revisions: deleting archived revision",
        ))?;
        if self.options.gates.preflight_permissions {
            let engine = Applier::Boxcutter { revision: number };
            preflight::preauthorize(extension, &rendered.objects, engine, api)?;
        }
        let (revision, secrets) = desired
            .pack(&number.into(), &self.packer(&name, extension))
            .map_err(|error| BoxcutterError::Pack { doing: "packing objects into Secrets", error })?;
        for secret in secrets {
            let secret_name = secret.name().to_owned();
            match api.create(&self.options.operator_controller(), secret, WriteOptions::default()) {
                Err(error) if !error.is_already_exists() => {
                    return Err(BoxcutterError::during(format!("creating ref Secret {secret_name:?}"))(
                        error,
                    ));
                }
                _ => {}
            }
        }
        let revision = apply_revision(&self.options, revision, api)
            .map_err(BoxcutterError::during("creating new Revision"))?;
        self.own_secrets(&revision, "patching ownerReferences on ref Secrets", api)
    }

    /// Forgets an extension that is gone.
    pub(super) fn forget(&self, extension: &str) {
        self.desired.forget(extension);
    }

    fn packer<'p>(&'p self, revision: &'p str, extension: &'p Object) -> Packer<'p> {
        Packer { revision, owner: extension.name(), namespace: &self.options.system_namespace }
    }

    /// Makes a revision the owner of its Secrets, where it is not yet. An error begins with what that is for.
    fn own_secrets(&self, revision: &Object, doing: &str, api: &mut ApiServer) -> Result<(), BoxcutterError> {
        let Some(kind) = api.kind_id("", "Secret") else { return Ok(()) };
        let is_owner = |secret: &Object| {
            secret.owner_references().iter().any(|owner| owner.text(&["uid"]) == revision.uid())
        };
        let secrets: Vec<(ObjectName, Vec<Value>)> = api
            .store()
            .with_label(kind, names::REVISION_NAME, revision.name())
            .filter(|secret| secret.namespace() == self.options.system_namespace && !is_owner(secret))
            .map(|secret| (secret.object_name(), secret.owner_references().to_vec()))
            .collect();
        for (name, mut owners) in secrets {
            owners.push(controller_reference(revision));
            let patch = Patch::Merge(json!({"metadata": {"ownerReferences": owners}}));
            let caller = self.options.operator_controller();
            api.patch(&caller, kind, &name, &patch, Subresource::None, WriteOptions::default()).map_err(
                BoxcutterError::during(format!("{doing}: patching ownerReference on Secret {name}")),
            )?;
        }
        Ok(())
    }

    /// Deletes archived revisions but the newest.
    fn delete_old(&self, existing: &[Arc<Object>], api: &mut ApiServer) -> Result<(), ApiError> {
        let Some(kind) = api.kind_id(names::GROUP, names::CLUSTER_OBJECT_SET) else { return Ok(()) };
        let old = existing.len().saturating_sub(KEPT_REVISIONS);
        for revision in existing.iter().take(old) {
            if revision.text(&["spec", "lifecycleState"]) != "Archived" {
                continue;
            }
            let caller = self.options.operator_controller();
            match api.delete(&caller, kind, &revision.object_name(), &DeleteOptions::default()) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}
