//! The scenario of a migration.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_bundle::migration::Migration;
use fbc_scenario::Scenario;
use fbc_version::Target;
use fbc_yaml::{json_writer, stream};
use serde_json::{Value, json};

use super::Arguments;
use crate::failure::Failure;
use crate::settings::Settings;
use fbc_app::loading::Loader;
use fbc_app::migration::NamedBundle;

/// The first hour on a cluster of OLM v1.
pub(super) fn of_first_hour(
    arguments: &Arguments,
    target: Target,
    migrations: &[Migration],
    bundles: &[Option<NamedBundle>],
    text: &[u8],
    settings: &Settings,
) -> Result<Value, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let scenario = absolute(arguments.scenario.as_deref().unwrap_or(Path::new(".")));
    let directory = scenario.parent().unwrap_or(Path::new(""));
    // Paths of a scenario start from its directory.
    let content = |path: &Path| {
        let found = absolute(path);
        let named = if path.exists() { found.strip_prefix(directory).unwrap_or(&found) } else { path };
        named.display().to_string()
    };
    let reference = arguments.catalog.clone().unwrap_or_default();
    let loaded = Loader::new(&arguments.images.session([&reference], settings), settings)
        .all(std::slice::from_ref(&reference))?;
    let Some(catalog) = loaded else {
        return Err(Failure::new(format!("the catalog {} cannot be read; see above", reference.display())));
    };
    let mut images = Vec::new();
    for NamedBundle { path, bundle, .. } in bundles.iter().flatten() {
        let blob = catalog.bundles.iter().find(|blob| {
            blob.package == bundle.package
                && fbc_graph::bundle_version::find(blob)
                    .is_some_and(|version| bundle.operator().version() == version.version.to_string())
        });
        let blob = blob.ok_or_else(|| {
            Failure::refusal(format!(
                "the catalog {} does not have the bundle {}",
                reference.display(),
                path.display()
            ))
        })?;
        images.push(json!({"image": blob.image, "content": content(path)}));
    }
    let cluster = Scenario { target, ..Scenario::new("", "") };
    let namespaces: BTreeSet<&str> = migrations.iter().map(|one| one.namespace.as_str()).collect();
    let mut objects: Vec<Value> = namespaces
        .into_iter()
        .filter(|name| !cluster.has_namespace(name))
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
        .collect();
    let mut steps = Vec::new();
    for document in stream::read::<_, ()>(text, &|document| Ok(document)) {
        let Ok(document) = document.outcome else { continue };
        let object: Value = serde_json::from_str(&json_writer::compact(document.root())).unwrap_or_default();
        match object["kind"].as_str() {
            Some("ClusterExtension") => steps.push(object),
            Some(_) => objects.push(object),
            // Comments alone.
            None => {}
        }
    }
    let steps: Vec<Value> = steps
        .into_iter()
        .map(|extension| {
            let name = extension["metadata"]["name"].clone();
            json!({"name": "the extension takes over", "apply": extension, "expect": [{
                "object": format!("ClusterExtension/{}", name.as_str().unwrap_or_default()),
                "condition": {"type": "Installed", "status": "True"}, "within": "1h"}]})
        })
        .chain([json!({"name": "the first hour", "wait": "1h"})])
        .collect();
    let catalogs: BTreeSet<&str> = migrations.iter().map(|one| one.catalog.as_str()).collect();
    let catalogs: Vec<Value> =
        catalogs.into_iter().map(|name| json!({"name": name, "content": content(&reference)})).collect();
    let mut scenario = json!({"title": "The first hour on OLM v1", "target": arguments.target, "catalogs": catalogs,
        "bundles": images, "emptyBundles": true, "objects": objects, "steps": steps});
    for gate in migrations.iter().flat_map(|one| &one.gates) {
        scenario["featureGates"][*gate] = json!(true);
    }
    Ok(scenario)
}
