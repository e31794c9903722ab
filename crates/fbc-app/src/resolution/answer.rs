//! Answers of OLM v1 to extensions, and the catalogs that they are made from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fbc_model::closest::closest;
use fbc_resolve::{
    CatalogIndex, ClusterCatalog, Content, Explanation, Resolution, ResolveError, Resolver, Rules,
};
use fbc_source::{Error, Session};
use serde_json::{Map, Value, json};

use super::advice::Advice;
use super::manifests::Extension;
use super::{deprecations, tree};
use crate::loading::Loader;
use crate::settings::Settings;

/// The answer to one extension.
pub struct Answer<'c> {
    /// The extension.
    pub extension: &'c Extension,
    /// What counts.
    pub rules: Rules,
    /// What OLM would install.
    pub outcome: Result<Resolution<'c>, ResolveError>,
    /// Why, where that is wanted.
    pub explained: Option<(Explanation<'c>, Advice)>,
}

/// Which answers are explained.
#[derive(Clone, Copy)]
pub enum Explain {
    /// All.
    Always,
    /// Those that are errors.
    Errors,
    /// None.
    Never,
}

impl<'c> Answer<'c> {
    /// Answers an extension, and explains the answer where that is wanted.
    #[must_use]
    pub fn to(resolver: &'c Resolver, extension: &'c Extension, explain: Explain) -> Self {
        let (rules, request) = (resolver.rules(), &extension.request);
        let outcome = resolver.resolve(request);
        let is_explained = match explain {
            Explain::Always => true,
            Explain::Errors => outcome.is_err(),
            Explain::Never => false,
        };
        let explained = is_explained.then(|| {
            let explanation = resolver.explain(request);
            let advice = Advice::on(&explanation, request, rules);
            (explanation, advice)
        });
        Self { extension, rules, outcome, explained }
    }

    /// Whether something would be installed.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        self.outcome.is_ok()
    }

    /// The answer as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let request = &self.extension.request;
        let mut object = Map::new();
        let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
        set("name", json!(self.extension.name));
        set("package", json!(request.package));
        if let Some(place) = &self.extension.place {
            set("place", json!(place));
        }
        if let Some(installed) = &request.installed {
            set("installed", json!({ "name": installed.name, "version": installed.version }));
        }
        match &self.outcome {
            Ok(resolution) => {
                set("catalog", json!(resolution.catalog.name));
                set("bundle", json!(resolution.bundle.blob.name));
                set("version", json!(resolution.reported_version(self.rules)));
                if let Some(release) = resolution.reported_release(self.rules) {
                    set("release", json!(release));
                }
                set("image", json!(resolution.bundle.blob.image));
                let deprecations: Vec<Value> = deprecations(resolution, request)
                    .map(|entry| {
                        json!({ "schema": entry.schema, "name": entry.name, "message": entry.message })
                    })
                    .collect();
                if !deprecations.is_empty() {
                    set("deprecations", json!(deprecations));
                }
            }
            Err(error) => {
                set("error", json!(error.to_string()));
            }
        }
        if let Some((explanation, advice)) = &self.explained {
            set("explanation", tree::json(explanation, advice));
        }
        Value::Object(object)
    }
}

/// Where the content of the ClusterCatalogs of the manifests is: where a flag says, else in their images.
///
/// # Errors
/// If a reference is for a catalog that the manifests do not have.
pub fn with_images(
    manifests: &super::manifests::Manifests,
    mut references: BTreeMap<String, PathBuf>,
) -> Result<BTreeMap<String, PathBuf>, Error> {
    let names: Vec<&str> = manifests.catalogs.iter().map(|catalog| catalog.name.as_str()).collect();
    if let Some(name) = references.keys().find(|name| !names.contains(&name.as_str())) {
        let failure =
            Error::new(format!("--catalog {name}: the manifests have no ClusterCatalog of this name"));
        return Err(match closest(name, names.iter().copied()) {
            Some(known) => failure.help(format!("did you mean {known:?}?")),
            None if names.is_empty() => failure.help("add the manifest of the ClusterCatalog to the files"),
            None => failure.help(format!("they have {}", names.join(", "))),
        });
    }
    for catalog in manifests.catalogs.iter().filter(|catalog| catalog.is_available) {
        let Some(image) = manifests.images.get(&catalog.name) else { continue };
        // It is an image, whatever lies on disk under its name.
        let reference = format!("docker://{}", image.trim_start_matches("docker://"));
        references.entry(catalog.name.clone()).or_insert_with(|| PathBuf::from(reference));
    }
    Ok(references)
}

/// Loads the content of the catalogs; nothing if some cannot be loaded, which is told on standard error.
///
/// # Errors
/// What keeps one from being opened.
pub fn load(
    mut catalogs: Vec<ClusterCatalog>,
    references: &BTreeMap<String, PathBuf>,
    rules: Rules,
    session: &Session,
    settings: &Settings,
) -> Result<Option<Vec<ClusterCatalog>>, Error> {
    let mut is_whole = true;
    for catalog in &mut catalogs {
        let Some(reference) = references.get(&catalog.name) else { continue };
        let loaded = Loader::new(session, settings).all(std::slice::from_ref(reference));
        let failed = |failure: Error| {
            let name = &catalog.name;
            let failure = failure.within(&format!("ClusterCatalog {name:?}"));
            match reference.starts_with("docker://") {
                true => failure.help(format!("`--catalog {name}=REF` says where else its content lies")),
                false => failure,
            }
        };
        match loaded.map_err(failed)? {
            Some(blobs) => {
                if blobs.packages.is_empty() {
                    settings.warn(Error::new(format!(
                        "catalog {:?} holds no packages: {}",
                        catalog.name,
                        reference.display()
                    )));
                }
                catalog.content = Content::Served(Arc::new(CatalogIndex::new(blobs, rules)));
            }
            None => is_whole = false,
        }
    }
    Ok(is_whole.then_some(catalogs))
}
