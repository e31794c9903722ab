//! What plans say of bundles that come by image, and the steps that are read from unpacked ones.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/catalog/manifests.go`.

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{ObjectFields, ObjectName};
use fbc_resolve_v0::SourceKey;
use fbc_resolve_v0::property::annotation_of;
use serde_json::{Value, json};

use super::changes::Lookup;
use super::steps::BundleToInstall;
use crate::extraction;
use crate::look_error::LookError;

/// The text of a lookup in the status of a plan.
pub(super) fn in_plan(lookup: &Lookup) -> Value {
    let operator = &lookup.operator;
    json!({
        "path": operator.entry.bundle.image, "identifier": operator.entry.name(), "replaces": operator.replaces,
        "catalogSourceRef": {"namespace": operator.catalog.namespace, "name": operator.catalog.name},
        "properties": annotation_of(operator.entry.bundle.annotated_properties()),
    })
}

/// What the manifest of a step says that lies in an unpacked bundle.
pub(super) struct Reference {
    pub(super) name: String,
    pub(super) catalog: SourceKey,
    pub(super) replaces: String,
    pub(super) properties: String,
}

impl Reference {
    /// Shows V0-065.
    pub(super) fn text(&self) -> String {
        let fields = [
            ("kind", "ConfigMap"),
            ("name", &self.name),
            ("namespace", &self.catalog.namespace),
            ("catalogSourceName", &self.catalog.name),
            ("catalogSourceNamespace", &self.catalog.namespace),
            ("replaces", &self.replaces),
            ("properties", &self.properties),
        ];
        let members: Vec<String> =
            fields.iter().map(|(name, value)| format!("{:?}:{}", name, Value::from(*value))).collect();
        fbc_go::json::escape_html(&format!("{{{}}}", members.join(",")))
    }
}

/// The reference that a manifest is, if it is one.
pub(super) fn reference(manifest: &Value) -> Option<Reference> {
    let text = |field: &str| manifest.text(&[field]).to_owned();
    let catalog = SourceKey { namespace: text("catalogSourceNamespace"), name: text("catalogSourceName") };
    let is_whole = manifest.kind() == "ConfigMap"
        && ["name", "namespace", "catalogSourceName", "catalogSourceNamespace"]
            .iter()
            .all(|field| !manifest.text(&[field]).is_empty());
    is_whole.then(|| Reference {
        name: text("name"),
        catalog,
        replaces: text("replaces"),
        properties: text("properties"),
    })
}

/// The steps of an unpacked bundle with their manifests.
pub(super) fn steps_of(
    reference: &Reference,
    version: &str,
    namespace: &str,
    api: &ApiServer,
) -> Result<Vec<Value>, LookError> {
    let Reference { name, catalog, replaces, properties } = reference;
    let map = api.find("", "ConfigMap", &ObjectName::namespaced(&*catalog.namespace, &**name));
    let map = map.ok_or_else(|| {
        format!("error finding unpacked bundle configmap for ref {name}: configmap {name:?} not found")
    })?;
    let objects = extraction::manifests(map);
    BundleToInstall { name: version, namespace, replaces, properties, catalog, objects }
        .steps()
        .map_err(|error| LookError::from(format!("error calculating steps for ref {name}: {error}")))
}
