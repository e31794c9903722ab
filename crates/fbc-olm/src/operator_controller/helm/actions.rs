//! What Helm does with the objects of a release.
//!
//! Sources: `helm/helm:pkg/action/install.go`, `upgrade.go`, `validate.go`, `pkg/kube/client.go`, and `Reconcile` of
//! `operator-framework/helm-operator-plugins:pkg/client/actionclient.go`.

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::client::Client;
use super::error::{HelmError, INSTALL};
use super::release::{Release, Status};
use super::{difference, manifest};

/// What a dry run finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// There is no release.
    NeedsInstall,
    /// The last release is another, or failed.
    NeedsUpgrade,
    /// The last release is this one.
    Unchanged,
}

/// Finds out what is to be done, without writing anything. `history` has the newest release first.
pub(super) fn dry_run(
    wanted: &Arc<Vec<Value>>,
    history: &[Arc<Release>],
    name: &str,
    client: &Client<'_>,
) -> Result<State, HelmError> {
    client.map(wanted).map_err(|error| HelmError::PostRender(Box::new(error)))?;
    let Some(last) = history.first() else {
        adoptable(wanted.iter(), name, client).map_err(HelmError::to_continue(INSTALL))?;
        return Ok(State::NeedsInstall);
    };
    let current = current(history).ok_or_else(|| HelmError::NotDeployed(name.to_owned()))?;
    adopted(&current.manifest, wanted, name, client)?;
    let is_same_manifest = Arc::ptr_eq(wanted, &last.manifest) || *wanted == last.manifest;
    let is_same = is_same_manifest && !matches!(last.status, Status::Failed | Status::Superseded);
    Ok(if is_same { State::Unchanged } else { State::NeedsUpgrade })
}

/// The objects that an upgrade starts from: those of the current release, and those that an upgrade which failed has made
/// already, which Helm takes over as if the current release had them.
pub(super) fn upgraded_from(
    current: &[Value],
    wanted: &[Value],
    name: &str,
    client: &Client<'_>,
) -> Result<Vec<Value>, HelmError> {
    let adopted = adopted(current, wanted, name, client)?;
    Ok(current.iter().chain(adopted).cloned().collect())
}

/// The objects of a manifest that the current release does not have and that are there already. Those that belong to
/// somebody else refuse it.
fn adopted<'m>(
    current: &[Value],
    wanted: &'m [Value],
    name: &str,
    client: &Client<'_>,
) -> Result<Vec<&'m Value>, HelmError> {
    let new = wanted.iter().filter(|object| !contains(current, object));
    adoptable(new, name, client).map_err(HelmError::to_continue("update"))
}

/// The release that an upgrade starts from: the one that is deployed, else the last one if it failed.
pub(super) fn current(history: &[Arc<Release>]) -> Option<&Arc<Release>> {
    let deployed = history.iter().find(|release| release.status == Status::Deployed);
    let failed = || history.first().filter(|last| matches!(last.status, Status::Failed | Status::Superseded));
    deployed.or_else(failed)
}

/// The objects that are there already and belong to the release. Others that are there refuse it.
fn adoptable<'m>(
    objects: impl IntoIterator<Item = &'m Value>,
    release: &str,
    client: &Client<'_>,
) -> Result<Vec<&'m Value>, HelmError> {
    let mut adoptable = Vec::new();
    for object in objects {
        let name = client.name_of(object);
        let found = client.get(object).map_err(|error| {
            let shown = format!("{} {:?} in namespace {:?}", object.kind(), name.name, name.namespace);
            HelmError::during(format!("could not get information about the resource {shown}"))(error)
        })?;
        let Some(found) = found else { continue };
        if !manifest::belongs_to(&found, release, client.namespace) {
            return Err(HelmError::Foreign {
                kind: object.kind().to_owned(),
                reasons: ownership_faults(&found, release, client.namespace).join("; "),
                name: name.name,
                namespace: name.namespace,
            });
        }
        adoptable.push(object);
    }
    Ok(adoptable)
}

/// What an object lacks to belong to a release.
fn ownership_faults(object: &Object, release: &str, namespace: &str) -> Vec<String> {
    let wanted = [
        ("label", manifest::MANAGED_BY, "Helm", object.label(manifest::MANAGED_BY)),
        ("annotation", manifest::RELEASE_NAME, release, object.annotation(manifest::RELEASE_NAME)),
        (
            "annotation",
            manifest::RELEASE_NAMESPACE,
            namespace,
            object.annotation(manifest::RELEASE_NAMESPACE),
        ),
    ];
    let fault = |(what, key, wanted, found): (&str, &str, &str, Option<&str>)| match found {
        Some(found) if found == wanted => None,
        Some(found) => Some(format!(
            "{what} validation error: key {key:?} must equal {wanted:?}: current value is {found:?}"
        )),
        None => Some(format!("{what} validation error: missing key {key:?}: must be set to {wanted:?}")),
    };
    wanted.into_iter().filter_map(fault).collect()
}

/// Makes all objects, or takes those over that belong to the release already.
pub(super) fn install(wanted: &[Value], release: &str, client: &mut Client<'_>) -> Result<(), HelmError> {
    let present = adoptable(wanted, release, client)
        .map_err(|error| HelmError::to_continue(INSTALL)(error).translated())?;
    if !present.is_empty() {
        let present: Vec<Value> = present.into_iter().cloned().collect();
        return upgrade(&present, wanted, client);
    }
    // All objects are tried; those of one kind side by side.
    let errors: Vec<String> = wanted
        .iter()
        .filter_map(|object| client.create(object).err().map(|error| error.to_string()))
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(HelmError::NotMade(errors)) }
}

/// Brings the objects of one release to the state of another.
pub(super) fn upgrade(old: &[Value], wanted: &[Value], client: &mut Client<'_>) -> Result<(), HelmError> {
    let mut errors = Vec::new();
    for object in wanted {
        let name = client.name_of(object);
        let found =
            client.get(object).map_err(HelmError::during("could not get information about the resource"))?;
        let Some(found) = found else {
            client.create(object).map_err(HelmError::during("failed to create resource"))?;
            continue;
        };
        let original = old.iter().find(|one| is_same_object(one, object)).ok_or_else(|| {
            HelmError::NotInRelease { kind: object.kind().to_owned(), name: name.name.clone() }
        })?;
        let patch = difference::upgrade(original, object, &found)
            .map_err(|error| HelmError::Patch { doing: "failed to create patch", error })?;
        if let Some(patch) = patch
            && let Err(error) = client.patch(object, &patch)
        {
            errors.push(format!("cannot patch {:?} with kind {}: {error}", name.name, object.kind()));
        }
    }
    if !errors.is_empty() {
        return Err(HelmError::NotPatched(errors));
    }
    for object in old.iter().filter(|object| !contains(wanted, object)) {
        let found = client.get(object).ok().flatten();
        let keeps =
            found.as_ref().is_some_and(|found| found.annotation("helm.sh/resource-policy") == Some("keep"));
        if found.is_some() && !keeps {
            // Helm writes failures into its log and goes on.
            let _ = client.delete(object);
        }
    }
    Ok(())
}

/// Brings the objects on the cluster back to what the release says. What others added stays.
///
/// `verified` remembers the states of objects that needed nothing.
pub(super) fn put_right(
    wanted: &[Value],
    verified: &mut Vec<Option<Arc<Object>>>,
    client: &mut Client<'_>,
) -> Result<(), HelmError> {
    client.map(wanted)?;
    verified.resize(wanted.len(), None);
    for (object, verified) in wanted.iter().zip(verified) {
        let found = client.get(object).map_err(HelmError::during("could not get object"))?;
        let Some(found) = found else {
            client.create(object).map_err(HelmError::during("create error"))?;
            continue;
        };
        if verified.as_ref().is_some_and(|verified| Arc::ptr_eq(verified, &found)) {
            continue;
        }
        let patch = difference::drift(object, &found)
            .map_err(|error| HelmError::Patch { doing: "error creating patch", error })?;
        match patch {
            Some(patch) => client.patch(object, &patch).map_err(HelmError::during("patch error"))?,
            None => *verified = Some(found),
        }
    }
    Ok(())
}

fn contains(objects: &[Value], object: &Value) -> bool {
    objects.iter().any(|one| is_same_object(one, object))
}

/// True for two versions of one object.
fn is_same_object(left: &Value, right: &Value) -> bool {
    let group =
        |object: &Value| object.api_version().split_once('/').map_or("", |(group, _)| group).to_owned();
    left.kind() == right.kind()
        && left.name() == right.name()
        && left.namespace() == right.namespace()
        && group(left) == group(right)
}
