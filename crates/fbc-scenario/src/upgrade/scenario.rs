//! The scenario of an upgrade: a version is installed, and another catalog takes the place of the old one.

use fbc_cluster::object::ObjectName;
use serde_json::{Value, json};

use super::{Installed, UpgradeOptions};
use crate::extension::{extension, surroundings};
use crate::fault::Place;
use crate::model::{Action, Manifests, ObjectReference, PatchKind, Publication, Reference, Scenario};

/// The name of the extension, its namespace and the catalog.
const EXTENSION: &str = "extension";
pub(super) const NAMESPACE: &str = "extension";
const CATALOG: &str = "catalog";
/// The old catalog among the contents.
pub const OLD: &str = "old";
/// The new one.
pub const NEW: &str = "new";

/// The name of the step after which the extension may take other versions.
pub(super) const FOLLOW: &str = "follow the catalog";

/// The scenario of one installed version, which is told to watch a namespace if it cannot watch all of them.
pub(super) fn scenario(
    options: &UpgradeOptions,
    (package, version): &Installed,
    watch_namespace: Option<&str>,
) -> Scenario {
    let title = format!("{package} {version}, upgraded");
    let mut scenario = Scenario::new(format!("upgrade of {version}"), title);
    scenario.target = options.target;
    scenario.uses_service_accounts = options.target.facts().uses_service_accounts;
    scenario.seed = options.seed;
    scenario.with.clone_from(&options.with);
    scenario.empty_bundles = true;
    scenario.bundles = options.images.clone();
    let image = scenario.add_catalog(CATALOG, OLD, Some(1));
    scenario.objects =
        surroundings(NAMESPACE).map(|object| Manifests::Inline(object, Place::default())).into();
    let extension = extension(EXTENSION, NAMESPACE, package, version, watch_namespace);
    let apply = Action::Apply(vec![Manifests::Inline(extension, Place::default())]);
    scenario.add_step(format!("install {version}"), apply);
    let follow = json!({"spec": {"source": {"catalog": {"version": null, "channels": channels(options)}}}});
    let object = ObjectReference {
        kind: "ClusterExtension".to_owned(),
        group: None,
        name: ObjectName::cluster(EXTENSION),
        place: Place::default(),
    };
    let content = Reference { text: NEW.to_owned(), place: Place::default() };
    let publication = Publication { image, content, is_bundle: false };
    scenario.add_step("the new catalog takes the place of the old one", Action::Publish(publication));
    // The tag is looked at every minute.
    scenario.add_step("the catalog is polled", Action::Wait(90_000));
    scenario.add_step(FOLLOW, Action::Patch(object, PatchKind::Merge, follow, false));
    scenario.add_step("the catalog is polled again", Action::Wait(90_000));
    scenario
}

fn channels(options: &UpgradeOptions) -> Value {
    if options.channels.is_empty() { Value::Null } else { json!(options.channels) }
}
