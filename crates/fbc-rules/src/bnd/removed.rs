//! Objects of APIs that Kubernetes has removed.

use fbc_kubernetes::removed_apis::{RemovedApi, removed_api};
use fbc_lint::bundle::{BundleContext, Object};
use fbc_version::Version;

/// What to do about a removed API.
pub(super) fn help(removed: &RemovedApi) -> String {
    match removed.replacement {
        "" => "there is nothing in its place: remove the object".to_owned(),
        replacement => format!("write `apiVersion: {replacement}`, and bring the object into its form"),
    }
}

/// The objects of removed APIs.
pub(super) fn objects<'c, 'b>(
    context: &'c BundleContext<'b>,
) -> impl Iterator<Item = (&'c Object<'b>, &'static RemovedApi)> {
    let of_removed =
        |object: &'c Object<'b>| Some((object, removed_api(object.group, object.version, object.kind)?));
    context.objects.iter().filter_map(of_removed)
}

/// The clusters that the bundle says, or the user says, it is for, and that are without the API.
pub(super) fn targets_without(context: &BundleContext<'_>, removed: &RemovedApi) -> Vec<String> {
    let mut clusters = context.targets.clusters();
    if let Some(least) = context.csv.and_then(|csv| Version::parse(csv.spec_text("minKubeVersion")).ok())
        && least.major() == 1
    {
        clusters.push((least.minor(), format!("Kubernetes {least} (`minKubeVersion`)")));
    }
    clusters.into_iter().filter(|(minor, _)| *minor >= removed.since).map(|(_, name)| name).collect()
}
