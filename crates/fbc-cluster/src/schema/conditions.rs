//! The conditions of definitions: pure functions that give the next status, for controllers to write.
//!
//! A new definition goes through [`accept_names`], then [`establish`]; a deletion begins with [`begin_deletion`].
//! [`structural_condition`] and [`approval_condition`] are written apart.

use serde_json::{Value, json};

use super::check::{approval, structural};
use super::path::Path;
use crate::error::aggregate;
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

/// The finalizer that holds a definition until all its objects are gone.
pub const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// What a controller makes of a definition.
///
/// Sets the condition; the time changes with its status only. Conditions keep their places, new ones come last.
pub fn set_condition(
    object: &mut Object,
    condition_type: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: Moment,
) {
    let conditions = object.place(&["status", "conditions"]);
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    let index =
        conditions.iter().position(|condition| condition["type"] == condition_type).unwrap_or_else(|| {
            conditions.push(json!({"type": condition_type}));
            conditions.len() - 1
        });
    if let Some(condition) = conditions.get_mut(index) {
        if condition["status"] != status {
            condition.set(&["lastTransitionTime"], now.to_string());
        }
        condition.set(&["status"], status);
        condition.set(&["reason"], reason);
        condition.set(&["message"], message);
    }
}

/// Accepts the names of a definition as far as no other definition of its group has them. `others` are all other
/// definitions. Returns false if nothing changes.
///
/// After a change of accepted names, and after a deletion, the other definitions of the group are due again.
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/controller/status/naming_controller.go`.
pub fn accept_names<'o>(object: &mut Object, others: impl Iterator<Item = &'o Object>, now: Moment) -> bool {
    let wanted = object.at(&["spec", "names"]).cloned().unwrap_or_default();
    let accepted = object.at(&["status", "acceptedNames"]).cloned().unwrap_or_default();
    if wanted == accepted {
        return false;
    }
    let (mut resources, mut kinds): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let group = object.text(&["spec", "group"]).to_owned();
    for other in
        others.filter(|other| other.text(&["spec", "group"]) == group && other.name() != object.name())
    {
        let names = other.at(&["status", "acceptedNames"]).unwrap_or(&Value::Null);
        let texts = ["plural", "singular"].map(|part| names.text(&[part]).to_owned());
        resources.extend(texts);
        resources.extend(names.list(&["shortNames"]).iter().filter_map(Value::as_str).map(str::to_owned));
        kinds.extend(["kind", "listKind"].map(|part| names.text(&[part]).to_owned()));
    }
    let in_use = |name: &str, used: &[String]| used.iter().any(|used| used == name);
    let mut next = accepted.clone();
    let mut conflict: Option<(&str, String)> = None;
    for (part, reason, used) in [
        ("plural", "PluralConflict", &resources),
        ("singular", "SingularConflict", &resources),
        ("shortNames", "ShortNamesConflict", &resources),
        ("kind", "KindConflict", &kinds),
        ("listKind", "ListKindConflict", &kinds),
    ] {
        let taken: Vec<String> = match wanted.get(part) {
            Some(Value::Array(names)) => names
                .iter()
                .filter(|name| !accepted.list(&[part]).contains(name))
                .filter_map(Value::as_str)
                .filter(|name| in_use(name, used))
                .map(|name| format!("{name:?} is already in use"))
                .collect(),
            _ => Some(wanted.text(&[part]))
                .filter(|name| *name != accepted.text(&[part]) && in_use(name, used))
                .map(|name| format!("{name:?} is already in use"))
                .into_iter()
                .collect(),
        };
        match (taken.as_slice(), wanted.get(part)) {
            ([], Some(name)) => next.set(&[part], name.clone()),
            ([], None) => {
                next.remove(&[part]);
            }
            // The last conflict is the one that shows.
            ([only], _) => conflict = Some((reason, only.clone())),
            (many, _) => conflict = Some((reason, format!("[{}]", many.join(", ")))),
        }
    }
    match wanted.get("categories") {
        Some(categories) => next.set(&["categories"], categories.clone()),
        None => {
            next.remove(&["categories"]);
        }
    }
    let (status, reason, message) = match &conflict {
        Some((reason, message)) => ("False", *reason, message.as_str()),
        None => ("True", "NoConflicts", "no conflicts found"),
    };
    let old = object.condition("NamesAccepted");
    let same = old
        .is_some_and(|old| old["status"] == status && old["reason"] == reason && old["message"] == message);
    if same && next == accepted {
        return false;
    }
    object.set(&["status", "acceptedNames"], next);
    set_condition(object, "NamesAccepted", status, reason, message, now);
    if object.condition_status("Established") != "True" && status == "True" {
        set_condition(
            object,
            "Established",
            "False",
            "Installing",
            "the initial names have been accepted",
            now,
        );
    } else if object.condition("Established").is_none() {
        set_condition(object, "Established", "False", "NotAccepted", "not all names are accepted", now);
    }
    true
}

/// Establishes a definition whose names are accepted: from then on its objects are served. False if nothing changes.
pub fn establish(object: &mut Object, now: Moment) -> bool {
    let due = object.condition_status("NamesAccepted") == "True"
        && object.condition_status("Established") != "True";
    if due {
        let message = "the initial names have been accepted";
        set_condition(object, "Established", "True", "InitialNamesAccepted", message, now);
    }
    due
}

/// Writes what is not structural about the schemas, or takes the condition away. False if nothing changes.
pub fn structural_condition(object: &mut Object, now: Moment) -> bool {
    let mut faults = Vec::new();
    if object.at(&["spec", "preserveUnknownFields"]) == Some(&Value::Bool(true)) {
        let field = "spec.preserveUnknownFields";
        faults.push(crate::error::FieldError::new(
            field,
            crate::error::FieldReason::Invalid,
            "true",
            "must be false",
        ));
    }
    for (index, version) in object.list(&["spec", "versions"]).iter().enumerate() {
        if let Some(schema) = version.at(&["schema", "openAPIV3Schema"]) {
            let field = format!("spec.versions[{index}].schema.openAPIV3Schema");
            faults.extend(structural::validate(schema, &Path::Fixed(&field)));
        }
    }
    let condition_type = "NonStructuralSchema";
    if faults.is_empty() {
        let Some(conditions) = object.at(&["status", "conditions"]).and_then(Value::as_array) else {
            return false;
        };
        let kept: Vec<Value> =
            conditions.iter().filter(|condition| condition["type"] != condition_type).cloned().collect();
        let changes = kept.len() < conditions.len();
        object.set(&["status", "conditions"], kept);
        return changes;
    }
    change_condition(object, condition_type, "True", "Violations", &aggregate(&faults), now)
}

/// Writes whether a definition of a protected group is approved. False if nothing changes.
pub fn approval_condition(object: &mut Object, now: Moment) -> bool {
    if !approval::is_protected(object.text(&["spec", "group"])) {
        return false;
    }
    let (approval, message) = approval::of(object);
    let (status, reason) = match approval {
        approval::Approval::Approved => ("True", "ApprovedAnnotation"),
        approval::Approval::Bypassed => ("False", "UnapprovedAnnotation"),
        approval::Approval::Missing => ("False", "MissingAnnotation"),
        approval::Approval::Invalid => ("False", "InvalidAnnotation"),
    };
    change_condition(object, "KubernetesAPIApprovalPolicyConformant", status, reason, &message, now)
}

fn change_condition(
    object: &mut Object,
    name: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: Moment,
) -> bool {
    let old = object.condition(name);
    let same = old
        .is_some_and(|old| old["status"] == status && old["reason"] == reason && old["message"] == message);
    if !same {
        set_condition(object, name, status, reason, message, now);
    }
    !same
}

/// What the API server writes, at once, when a definition is deleted for the first time: the time of deletion, the
/// finalizer that keeps the definition while there are objects, and the condition. From then on no new objects may be
/// made ([`creation_refusal`]).
///
/// Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/etcd.go`.
pub fn begin_deletion(object: &mut Object, now: Moment) {
    if !object.is_terminating() {
        object.set(&["metadata", "deletionTimestamp"], now.to_string());
    }
    let finalizers = object.place(&["metadata", "finalizers"]);
    match finalizers.as_array_mut() {
        Some(finalizers) if finalizers.iter().any(|finalizer| finalizer == FINALIZER) => {}
        Some(finalizers) => finalizers.push(json!(FINALIZER)),
        None => *finalizers = json!([FINALIZER]),
    }
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set_condition(object, "Terminating", "True", "InstanceDeletionPending", message, now);
}

/// Why no new object of the kind may be made, if its definition is being deleted: the cause of a `Forbidden`.
pub fn creation_refusal(definition: &Object) -> Option<&'static str> {
    (definition.condition_status("Terminating") == "True")
        .then_some("create not allowed while custom resource definition is terminating")
}
