//! Which bundle an extension is to have: the catalogs of the cluster as the resolver sees them.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/catalogmetadata/client/client.go` and
//! `…/resolve/catalog.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_resolve::{
    ClusterCatalog, Content, DuplicateCatalog, InstalledBundle, LabelSelector, Request, Requirement,
    ResolveError, Resolver, Rules, UpgradePolicy,
};
use serde_json::Value;

use super::applier::RevisionMetadata;
use super::deprecation::CatalogData;
use crate::Options;
use crate::content::Images;
use crate::names::{CLUSTER_CATALOG, GROUP};

/// Looking at so many bundles costs as much as looking at an object of the cluster.
const BUNDLES_OF_A_UNIT: usize = 16;

/// What was resolved.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    /// The bundle.
    pub(super) bundle: RevisionMetadata,
    /// The deprecations of its package.
    pub(super) deprecations: CatalogData,
}

/// The catalogs of the cluster, put together again only when one of them changed.
#[derive(Debug, Default)]
pub(super) struct Catalogs {
    objects: Vec<Arc<Object>>,
    resolver: Option<Resolver>,
}

/// Why there is no bundle for an extension, in the words of the reference.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum ResolutionError {
    Resolve(#[from] ResolveError),
    Catalogs(#[from] DuplicateCatalog),
}

impl Catalogs {
    /// Resolves what an extension asks for.
    ///
    /// # Errors
    /// [`ResolutionError`]: nothing fits.
    pub(super) fn resolve(
        &mut self,
        extension: &Object,
        installed: Option<&RevisionMetadata>,
        api: &ApiServer,
        images: &Images,
        options: &Options,
    ) -> Result<Resolved, ResolutionError> {
        let rules = options.resolution_rules();
        let request = request(extension, installed);
        let resolver = self.resolver(api, images, rules)?;
        api.count_work((resolver.count_bundles(&request.package) / BUNDLES_OF_A_UNIT) as u64);
        let resolution = resolver.resolve(&request)?;
        let bundle = RevisionMetadata {
            package: request.package.clone(),
            image: resolution.bundle.blob.image.clone(),
            name: resolution.bundle.blob.name.clone(),
            version: resolution.reported_version(rules),
            release: resolution.reported_release(rules),
            ..RevisionMetadata::default()
        };
        let entries =
            resolution.deprecations.map(|served| served.blob.entries().to_vec()).unwrap_or_default();
        Ok(Resolved { bundle, deprecations: CatalogData::Known(entries) })
    }

    fn resolver(
        &mut self,
        api: &ApiServer,
        images: &Images,
        rules: Rules,
    ) -> Result<&Resolver, DuplicateCatalog> {
        let present = || api.all(GROUP, CLUSTER_CATALOG);
        let is_same = present().count() == self.objects.len()
            && present().zip(&self.objects).all(|(present, known)| Arc::ptr_eq(present, known));
        let known = self.resolver.take().filter(|_| is_same);
        let resolver = match known {
            Some(resolver) => resolver,
            None => {
                self.objects = present().cloned().collect();
                let catalogs = self.objects.iter().map(|catalog| catalog_of(catalog, images));
                Resolver::new(rules, catalogs)?
            }
        };
        Ok(self.resolver.insert(resolver))
    }
}

/// What the extension asks for.
fn request(extension: &Object, installed: Option<&RevisionMetadata>) -> Request {
    let no_source = Value::Null;
    let source = extension.at(&["spec", "source", "catalog"]).unwrap_or(&no_source);
    Request {
        package: source.text(&["packageName"]).to_owned(),
        version: source.text(&["version"]).to_owned(),
        channels: texts(source.list(&["channels"])),
        selector: selector(extension),
        policy: UpgradePolicy::from_name(source.text(&["upgradeConstraintPolicy"])).unwrap_or_default(),
        installed: installed.map(|installed| InstalledBundle {
            name: installed.name.clone(),
            version: installed.version.clone(),
            release: installed.release.clone(),
        }),
    }
}

fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
}

/// The selector of the extension; none for all catalogs.
fn selector(extension: &Object) -> Option<LabelSelector> {
    let selector =
        extension.at(&["spec", "source", "catalog", "selector"]).filter(|value| value.is_object())?;
    let expressions = selector.list(&["matchExpressions"]).iter().map(|expression| Requirement {
        key: expression.text(&["key"]).to_owned(),
        operator: expression.text(&["operator"]).to_owned(),
        values: texts(expression.list(&["values"])),
    });
    Some(LabelSelector {
        match_labels: labels(selector.at(&["matchLabels"])),
        match_expressions: expressions.collect(),
    })
}

fn labels(labels: Option<&Value>) -> BTreeMap<String, String> {
    let members = labels.and_then(Value::as_object).into_iter().flatten();
    members.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
}

/// A ClusterCatalog with what it serves.
fn catalog_of(catalog: &Object, images: &Images) -> ClusterCatalog {
    let priority = catalog.number(&["spec", "priority"]).unwrap_or_default();
    ClusterCatalog {
        name: catalog.name().to_owned(),
        labels: labels(catalog.at(&["metadata", "labels"])),
        priority: i32::try_from(priority).unwrap_or_default(),
        is_available: catalog.text(&["spec", "availabilityMode"]) != "Unavailable",
        content: content(catalog, images),
    }
}

fn content(catalog: &Object, images: &Images) -> Content {
    let name = catalog.name();
    if catalog.condition_status("Serving") != "True" {
        return Content::Refused(format!("catalog {name:?} is not being served"));
    }
    let missing =
        |field: &str| Content::Refused(format!("error: catalog {name:?} has a nil status.{field} value"));
    if catalog.at(&["status", "resolvedSource"]).is_none() {
        return missing("resolvedSource");
    }
    if catalog.at(&["status", "resolvedSource", "image"]).is_none() {
        return missing("resolvedSource.image");
    }
    if catalog.at(&["status", "urls"]).is_none() {
        return missing("urls");
    }
    // What is served is what the status says, and every image stays reachable by its digest.
    match images.pull(catalog.text(&["status", "resolvedSource", "image", "ref"])) {
        Ok(pulled) => Content::Served(pulled.image.catalog().index.clone()),
        Err(_) => Content::Refused(format!("cache for catalog {name:?} not found")),
    }
}

/// Whether the cluster has a catalog that the extension would take bundles from, available or not.
pub(super) fn has_catalogs(extension: &Object, api: &ApiServer) -> bool {
    let selector = selector(extension);
    api.all(GROUP, CLUSTER_CATALOG).any(|catalog| {
        let labels = labels(catalog.at(&["metadata", "labels"]));
        selector.as_ref().is_none_or(|selector| selector.matches(&labels))
    })
}
