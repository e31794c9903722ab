//! Objects that a bundle brings along.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`.

use std::sync::Arc;

use serde_json::Value;

use super::json::with;
use super::kinds::{is_namespaced, is_supported};
use super::{Object, Plan, Refusal};

/// The objects in the order of their files; those of namespaced kinds in the installation's namespace.
pub(super) fn extras(plan: &Plan<'_>) -> Result<Vec<Object>, Refusal> {
    let namespace = Value::String(plan.namespace.to_owned());
    let mut objects = Vec::with_capacity(plan.bundle.extras.len());
    for extra in &plan.bundle.extras {
        let object = Object::new(Arc::clone(&extra.object));
        if !is_supported(&object.kind) {
            return Err(Refusal::of(format!(
                "bundle contains unsupported resource: Name: {}, Kind: {}",
                object.name, object.kind
            )));
        }
        objects.push(if is_namespaced(&object.kind) && object.namespace != plan.namespace {
            Object::new(Arc::new(with(extra.object.root(), &["metadata", "namespace"], &namespace)))
        } else {
            object
        });
    }
    Ok(objects)
}
