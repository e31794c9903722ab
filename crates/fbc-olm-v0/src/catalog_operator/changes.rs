//! From an answer of the resolver to what is changed: steps of a plan, bundles to unpack, Subscriptions that move.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/resolver/step_resolver.go`.

use std::collections::BTreeMap;

use fbc_cluster::object::Object;
use fbc_model::bundle_object;
use fbc_resolve_v0::property::annotation_of;
use fbc_resolve_v0::{NewOperator, Resolution};
use serde_json::Value;

use super::connections::Snapshot;
use super::steps::{self, BundleToInstall, StepsError};
use crate::look_error::LookError;

/// A bundle that comes by image.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    pub(super) operator: NewOperator,
}

/// What is changed.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) steps: Vec<Value>,
    pub(super) lookups: Vec<Lookup>,
    /// The new `status.currentCSV` of Subscriptions that move.
    pub(super) moved: BTreeMap<String, String>,
}

impl Changes {
    /// What an answer changes in a namespace. The manifests of inline bundles are read from the blobs of their catalog.
    pub(super) fn of(
        resolution: Resolution,
        namespace: &str,
        snapshot: &mut dyn FnMut(&NewOperator) -> Result<Snapshot, LookError>,
    ) -> Result<Self, StepsError> {
        let mut changes = Self::default();
        for operator in resolution.operators {
            if operator.is_up_to_date {
                continue;
            }
            let name = operator.entry.name().to_owned();
            for subscription in &operator.moved {
                changes.moved.insert(subscription.clone(), name.clone());
            }
            if operator.entry.bundle.image.is_empty() {
                let blobs = snapshot(&operator).map_err(|error| StepsError::Retried(error.into()))?.blobs;
                let objects = operator.entry.bundle.number.and_then(|number| blobs.bundles.get(number));
                let bundle = BundleToInstall {
                    name: &name,
                    namespace,
                    replaces: &operator.replaces,
                    properties: &annotation_of(operator.entry.bundle.annotated_properties()),
                    catalog: &operator.catalog,
                    objects: objects.map(inline_objects).unwrap_or_default(),
                };
                changes.steps.extend(bundle.steps().map_err(|error| match error {
                    StepsError::Fatal(text) | StepsError::Retried(text) => {
                        StepsError::Retried(format!("failed to turn bundle into steps: {text}"))
                    }
                })?);
                changes.subscription(&operator, namespace);
            } else {
                changes.subscription(&operator, namespace);
                changes.lookups.push(Lookup { operator });
            }
        }
        changes.steps = steps::in_order(std::mem::take(&mut changes.steps));
        Ok(changes)
    }

    fn subscription(&mut self, operator: &NewOperator, namespace: &str) {
        if let Some(generated) = &operator.generated {
            self.steps.push(steps::of_subscription(generated, namespace));
        }
    }
}

/// The manifests that a bundle carries along.
fn inline_objects(bundle: &fbc_model::Bundle) -> Vec<Object> {
    let properties =
        bundle.properties.iter().filter(|property| property.kind == bundle_object::PROPERTY_TYPE);
    let values = properties.filter_map(|property| property.value.as_ref());
    let data = values.filter_map(|value| value.node().get_str("data").map(str::to_owned));
    data.filter_map(|data| {
        let bytes = fbc_go::base64::decode(&data).ok()?;
        let document = fbc_yaml::stream::read_one(&bytes).ok()?;
        serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).ok()
    })
    .collect()
}
