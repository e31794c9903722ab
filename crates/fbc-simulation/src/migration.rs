//! Scenarios of migrations from OLM v0 to OLM v1.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_app::loading::Loader;
use fbc_app::migration::NamedBundle;
use fbc_app::settings::Settings;
use fbc_bundle::migration::Migration;
use fbc_scenario::Scenario;
use fbc_source::{Error, Session};
use fbc_version::Target;
use fbc_yaml::{json_writer, stream};
use serde_json::{Value, json};

/// What a scenario of a migration is made of.
pub struct FirstHour<'a> {
    /// The file that it is written to.
    pub scenario: &'a Path,
    /// The catalog that the extensions come from.
    pub catalog: &'a Path,
    /// The release, as it was named.
    pub target_name: &'a str,
    /// The migrations.
    pub migrations: &'a [Migration],
    /// The bundles that are named for them.
    pub bundles: &'a [Option<NamedBundle>],
    /// The objects that the migrations write, as YAML.
    pub text: &'a [u8],
}

/// The first hour on a cluster of OLM v1.
///
/// # Errors
/// If the catalog cannot be read, or does not have a bundle.
pub fn of_first_hour(wanted: &FirstHour<'_>, session: &Session, settings: &Settings) -> Result<Value, Error> {
    let &FirstHour { scenario, catalog: reference, target_name, migrations, bundles, text } = wanted;
    let target: Target = target_name.parse().unwrap_or_default();
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let scenario = absolute(scenario);
    let directory = scenario.parent().unwrap_or(Path::new(""));
    // Paths of a scenario start from its directory.
    let content = |path: &Path| {
        let found = absolute(path);
        let named = if path.exists() { found.strip_prefix(directory).unwrap_or(&found) } else { path };
        named.display().to_string()
    };
    let loaded = Loader::new(session, settings).all(&[reference.to_path_buf()])?;
    let Some(catalog) = loaded else {
        return Err(Error::new(format!("the catalog {} cannot be read; see above", reference.display())));
    };
    let mut images = Vec::new();
    for NamedBundle { path, bundle, .. } in bundles.iter().flatten() {
        let blob = catalog.bundles.iter().find(|blob| {
            blob.package == bundle.package
                && fbc_graph::bundle_version::find(blob)
                    .is_some_and(|version| bundle.operator().version() == version.version.to_string())
        });
        let blob = blob.ok_or_else(|| {
            Error::refusal(format!(
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
        catalogs.into_iter().map(|name| json!({"name": name, "content": content(reference)})).collect();
    let mut scenario = json!({"title": "The first hour on OLM v1", "target": target_name, "catalogs": catalogs,
        "bundles": images, "emptyBundles": true, "objects": objects, "steps": steps});
    for gate in migrations.iter().flat_map(|one| &one.gates) {
        scenario["featureGates"][*gate] = json!(true);
    }
    Ok(scenario)
}
