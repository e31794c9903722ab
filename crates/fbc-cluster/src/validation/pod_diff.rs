//! The difference of two pods, as a refusal shows it.

use serde_json::Value;

use super::internal::difference;
use crate::object::{Object, ObjectFields};

/// The difference of two pods in what must not change. As in the reference, what may change is taken from the new one.
pub(super) fn pod_spec_diff(old: &Object, new: &Object) -> String {
    let empty = Value::Null;
    let after = new.get("spec").unwrap_or(&empty);
    let mut before = old.get("spec").cloned().unwrap_or_default();
    for field in ["activeDeadlineSeconds", "tolerations"] {
        match after.get(field) {
            Some(value) => before.set(&[field], value.clone()),
            None => drop(before.remove(&[field])),
        }
    }
    for list in ["containers", "initContainers"] {
        let images: Vec<Value> =
            after.list(&[list]).iter().map(|container| container["image"].clone()).collect();
        if let Some(Value::Array(containers)) = before.get_mut(list) {
            for (container, image) in containers.iter_mut().zip(images) {
                container.set(&["image"], image);
            }
        }
    }
    difference(&before, after, "core", "PodSpec")
}
