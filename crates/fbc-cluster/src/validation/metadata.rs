//! Validation of `metadata`.
//!
//! Sources: `kubernetes/apimachinery:pkg/api/validation/objectmeta.go`, `…/pkg/apis/meta/v1/validation`.

use serde_json::{Map, Value};

use super::kinds::strategy_of;
use super::names::{NameForm, label, label_value, qualified_name};
use crate::error::{FieldError, FieldReason};
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// How many bytes all annotations may have together.
const MOST_ANNOTATION_BYTES: usize = 256 * 1024;

/// Groups whose kinds are held to no more than any kind: their API servers do not know the finalizers of the others.
const GENERIC_METADATA: [&str; 3] =
    ["admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"];

/// Finalizers that need no domain.
///
/// Source: `kubernetes/kubernetes:pkg/apis/core/helper/helpers.go` (`IsStandardFinalizerName`).
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// True for a finalizer without a domain that anybody else may use as well.
pub(super) fn is_bare_finalizer(name: &str) -> bool {
    !name.contains('/') && !STANDARD_FINALIZERS.contains(&name)
}

/// Whether Kubernetes' own rules for metadata hold; what definitions bring has the rules of any kind.
fn has_metadata_of_kubernetes(kind: &Kind) -> bool {
    !GENERIC_METADATA.contains(&kind.group.as_str()) && strategy_of(kind).is_some()
}

/// What is wrong with the metadata of an object that is created.
pub fn validate_metadata(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let form = NameForm::of_kind(&kind.group, &kind.kind);
    let mut errors = Vec::new();
    let prefix = object.text(&["metadata", "generateName"]);
    if !prefix.is_empty() {
        push_all(&mut errors, "metadata.generateName", prefix, form.check(prefix, true));
    }
    match object.name() {
        "" => errors.push(FieldError::required("metadata.name", "name or generateName is required")),
        name => push_all(&mut errors, "metadata.name", name, form.check(name, false)),
    }
    errors.extend(common(kind, object));
    errors
}

/// What is wrong with the metadata of an object that is changed.
pub fn validate_metadata_update(kind: &Kind, old: &Object, new: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.is_terminating() {
        let before: Vec<&str> = old.finalizers().collect();
        let mut added: Vec<&str> = new.finalizers().filter(|name| !before.contains(name)).collect();
        added.sort_unstable();
        added.dedup();
        if !added.is_empty() {
            let names: Vec<String> = added.iter().map(|name| format!("{name:?}")).collect();
            let text = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                names.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", text));
        }
    }
    for field in ["name", "namespace", "uid"] {
        let (before, after) = (old.text(&["metadata", field]), new.text(&["metadata", field]));
        if before != after {
            let place = format!("metadata.{field}");
            errors.push(FieldError::invalid_text(place, after, "field is immutable"));
        }
    }
    errors.extend(common(kind, new));
    errors
}

fn common(kind: &Kind, object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let namespace = object.namespace();
    match (kind.namespaced, namespace.is_empty()) {
        (true, true) => errors.push(FieldError::required("metadata.namespace", "")),
        (true, false) => push_all(&mut errors, "metadata.namespace", namespace, label(namespace)),
        (false, false) => {
            errors.push(FieldError::forbidden("metadata.namespace", "not allowed on this type"));
        }
        (false, true) => {}
    }
    errors.extend(validate_labels(object.at(&["metadata", "labels"]), "metadata.labels"));
    let mut size = 0;
    for (key, value) in members(object.at(&["metadata", "annotations"])) {
        size += key.len() + value.as_str().map_or(0, str::len);
        push_all(&mut errors, "metadata.annotations", key, qualified_name(&key.to_lowercase()));
    }
    if size > MOST_ANNOTATION_BYTES {
        let text = format!("may not be more than {MOST_ANNOTATION_BYTES} bytes");
        errors.push(FieldError::new("metadata.annotations", FieldReason::TooLong, "", text));
    }
    errors.extend(owner_references(object));
    for finalizer in object.finalizers() {
        push_all(&mut errors, "metadata.finalizers", finalizer, qualified_name(finalizer));
    }
    let is_bare = |(_, name): &(usize, &str)| is_bare_finalizer(name);
    let mut bare = object.finalizers().enumerate().filter(is_bare).peekable();
    if bare.peek().is_some() && has_metadata_of_kubernetes(kind) {
        for (index, finalizer) in bare {
            let place = format!("metadata.finalizers[{index}]");
            let text = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid_text(place, finalizer, text));
        }
    }
    let has = |name| object.finalizers().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let names: Vec<&str> = object.finalizers().collect();
        let value = serde_json::to_string(&names).unwrap_or_default();
        let text = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::new("metadata.finalizers", FieldReason::Invalid, value, text));
    }
    errors
}

/// What is wrong with labels.
pub fn validate_labels(labels: Option<&Value>, place: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in members(labels) {
        push_all(&mut errors, place, key, qualified_name(key));
        let value = value.as_str().unwrap_or_default();
        push_all(&mut errors, place, value, label_value(value));
    }
    errors
}

/// What is wrong with a label selector.
pub fn validate_selector(selector: Option<&Value>, place: &str) -> Vec<FieldError> {
    let Some(selector) = selector else { return Vec::new() };
    let mut errors = validate_labels(selector.get("matchLabels"), &format!("{place}.matchLabels"));
    for (index, requirement) in selector.list(&["matchExpressions"]).iter().enumerate() {
        let place = format!("{place}.matchExpressions[{index}]");
        let values = requirement.list(&["values"]);
        match requirement.text(&["operator"]) {
            "In" | "NotIn" if values.is_empty() => errors.push(FieldError::required(
                format!("{place}.values"),
                "must be specified when `operator` is 'In' or 'NotIn'",
            )),
            "Exists" | "DoesNotExist" if !values.is_empty() => errors.push(FieldError::forbidden(
                format!("{place}.values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            )),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => errors.push(FieldError::invalid_text(
                format!("{place}.operator"),
                other,
                "not a valid selector operator",
            )),
        }
        let key = requirement.text(&["key"]);
        push_all(&mut errors, &format!("{place}.key"), key, qualified_name(key));
        for (index, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            push_all(&mut errors, &format!("{place}.values[{index}]"), value, label_value(value));
        }
    }
    errors
}

fn owner_references(object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for (index, owner) in object.owner_references().iter().enumerate() {
        let place = format!("metadata.ownerReferences[{index}]");
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner.text(&[field]).is_empty() {
                errors.push(FieldError::required(format!("{place}.{field}"), "must not be empty"));
            }
        }
        let version = owner.api_version();
        if version.split('/').count() > 2 || version.ends_with('/') {
            errors.push(FieldError::invalid_text(
                format!("{place}.apiVersion"),
                version,
                "must be <group>/<version> or <version>",
            ));
        }
        if owner["controller"] == true {
            let name = format!("{}/{}", owner.kind(), owner.text(&["name"]));
            match &controller {
                Some(first) => {
                    let value = object.at(&["metadata", "ownerReferences"]).map(Value::to_string);
                    let text = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} \
                         and {name}"
                    );
                    errors.push(FieldError::new(
                        "metadata.ownerReferences",
                        FieldReason::Invalid,
                        value.unwrap_or_default(),
                        text,
                    ));
                }
                None => controller = Some(name),
            }
        }
    }
    errors
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// An error for each text about a value.
pub(super) fn push_all(errors: &mut Vec<FieldError>, place: &str, value: &str, texts: Vec<String>) {
    errors.extend(texts.into_iter().map(|text| FieldError::invalid_text(place, value, text)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::kinds::builtin_kinds;
    use super::super::texts;
    use super::*;

    fn kind(name: &str) -> Kind {
        builtin_kinds().into_iter().find(|kind| kind.kind == name).unwrap()
    }

    #[test]
    fn metadata_is_judged() {
        let config_map = kind("ConfigMap");
        for (metadata, expected) in [
            (json!({"name": "a", "namespace": "b"}), &[][..]),
            (
                json!({"namespace": "b"}),
                &["metadata.name: Required value: name or generateName is required"][..],
            ),
            (json!({"name": "a"}), &["metadata.namespace: Required value"][..]),
            (
                json!({"name": "a", "namespace": "b", "labels": {"x": "-"}}),
                &["metadata.labels: Invalid value: \"-\": a valid label must be"][..],
            ),
            (
                json!({"name": "a", "namespace": "b", "annotations": {"A/B/c": ""}}),
                &["metadata.annotations: Invalid value: \"A/B/c\": a valid label key must"][..],
            ),
            (
                json!({"name": "a", "namespace": "b", "finalizers": ["a b"]}),
                &[
                    "metadata.finalizers: Invalid value: \"a b\": name part must",
                    "metadata.finalizers[0]: Invalid value: \"a b\": name is neither a standard finalizer name nor",
                ][..],
            ),
            (
                json!({"name": "a", "namespace": "b", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]}),
                &["metadata.ownerReferences[0].uid: Required value: must not be empty"][..],
            ),
        ] {
            let found = texts(&validate_metadata(&config_map, &json!({"metadata": metadata})));
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.starts_with(expected), "{found}");
            }
        }
        let namespaced = json!({"metadata": {"name": "n", "namespace": "b"}});
        assert_eq!(
            texts(&validate_metadata(&kind("Node"), &namespaced)),
            ["metadata.namespace: Forbidden: not allowed on this type"]
        );
    }

    #[test]
    fn names_stay_and_finalizers_do_not_come_late() {
        let old =
            json!({"metadata": {"name": "a", "namespace": "b", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let mut new = old.clone();
        new.set(&["metadata", "name"], "c");
        new.set(&["metadata", "finalizers"], json!(["x/y"]));
        assert_eq!(
            texts(&validate_metadata_update(&kind("ConfigMap"), &old, &new)),
            [
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found \
                 new finalizers []string{\"x/y\"}",
                "metadata.name: Invalid value: \"c\": field is immutable",
            ]
        );
    }
}
