//! The first revision of an extension that Helm installed.
//!
//! Source: `BoxcutterStorageMigrator` in
//! `operator-framework/operator-controller:internal/operator-controller/applier/boxcutter.go`.

use fbc_cluster::api::{ApiServer, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};

use super::{BoxcutterError, apply_revision, desired, revisions};
use crate::conditions::{self, Condition};
use crate::operator_controller::applier::RevisionMetadata;
use crate::operator_controller::helm::HistoryError;
use crate::{Options, names};

/// What Helm installed last and whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// The bundle.
    pub bundle: RevisionMetadata,
    /// The objects of the manifest.
    pub objects: Vec<Object>,
}

/// Finds the newest deployed release of an extension.
pub type ReleaseSource = Box<dyn Fn(&ApiServer, &Object) -> Result<Option<Release>, HistoryError>>;

/// Makes a revision of the newest deployed release, unless there are revisions. It counts as installed at once.
pub(super) fn migrate(
    extension: &Object,
    releases: Option<&ReleaseSource>,
    options: &Options,
    api: &mut ApiServer,
) -> Result<(), BoxcutterError> {
    let existing = revisions(api, extension);
    if !existing.is_empty() {
        let first = existing.iter().find(|revision| revision.number(&["spec", "revision"]) == Some(1));
        return first.map_or(Ok(()), |first| mark_succeeded(first.name(), options, api));
    }
    let release = match releases {
        Some(releases) => releases(api, extension)?,
        None => None,
    };
    let Some(release) = release else { return Ok(()) };
    let revision =
        desired::of_release(extension, &release.bundle, release.objects, options.uses_service_accounts);
    let revision = apply_revision(options, revision, api).map_err(BoxcutterError::Migration)?;
    mark_succeeded(revision.name(), options, api)
}

/// Says of a migrated revision that it rolled out: the version from which to update must be known at once.
fn mark_succeeded(name: &str, options: &Options, api: &mut ApiServer) -> Result<(), BoxcutterError> {
    let found = api.find(names::GROUP, names::CLUSTER_OBJECT_SET, &ObjectName::cluster(name));
    let Some(mut revision) = found.map(|found| Object::clone(found)) else { return Ok(()) };
    let is_migrated = revision.label(names::MIGRATED_FROM_HELM) == Some("true");
    if !is_migrated || revision.condition_status("Succeeded") == "True" {
        return Ok(());
    }
    let message = "Revision succeeded - migrated from Helm release";
    conditions::set(&mut revision, &Condition::new("Succeeded", "True", "Succeeded", message), api.now());
    let caller = options.operator_controller();
    api.update(&caller, revision, Subresource::Status, WriteOptions::default())
        .map(drop)
        .map_err(BoxcutterError::during("updating migrated revision status"))
}
