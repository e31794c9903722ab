//! Turns what was written by creating an object into what was applied on the server's side, so that later
//! applications own the fields.
//!
//! Source: `kubernetes/client-go:util/csaupgrade/upgrade.go`.

use serde_json::{Value, json};

use fbc_cluster::apply::{FieldSet, unpack};
use fbc_cluster::object::{Object, ObjectFields};

/// The JSON patch that turns the entries that a manager has for plain writes into one for applications, if it has any.
pub(super) fn upgrade_patch(object: &Object, manager: &str) -> Option<Value> {
    let is_of = |entry: &Value, operation: &str| {
        entry["manager"] == manager
            && entry["operation"] == operation
            && entry.text(&["subresource"]).is_empty()
    };
    let mut object = object.clone();
    unpack(&mut object);
    let entries = object.list(&["metadata", "managedFields"]);
    let plain = entries.iter().find(|entry| is_of(entry, "Update"))?;
    let mut fields = FieldSet::from_json(plain["fieldsV1"].clone());
    let applied = entries.iter().find(|entry| is_of(entry, "Apply"));
    let mut whole = applied.unwrap_or(plain).clone();
    if let Some(applied) = applied {
        fields.add(&FieldSet::from_json(applied["fieldsV1"].clone()));
    }
    whole.set(&["operation"], "Apply");
    whole.set(&["fieldsV1"], fields.into_json());
    let mut upgraded = vec![whole];
    upgraded
        .extend(entries.iter().filter(|entry| !is_of(entry, "Update") && !is_of(entry, "Apply")).cloned());
    Some(json!([
        {"op": "replace", "path": "/metadata/managedFields", "value": upgraded},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": object.text(&["metadata", "resourceVersion"])},
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_writes_join_applications() {
        let entry = |manager: &str, operation: &str, field: &str| json!({"manager": manager, "operation": operation, "fieldsV1": {field: {}}});
        let object = |entries: Value| json!({"metadata": {"resourceVersion": "7", "managedFields": entries}});
        let upgraded =
            |entries: Value| upgrade_patch(&object(entries), "me").map(|patch| patch[0]["value"].clone());
        let status = json!({"manager": "me", "operation": "Update", "subresource": "status", "fieldsV1": {}});
        for (before, after) in [
            (json!([entry("me", "Apply", "f:a"), entry("you", "Update", "f:b"), status]), None),
            (
                json!([entry("you", "Update", "f:b"), entry("me", "Update", "f:a")]),
                Some(json!([entry("me", "Apply", "f:a"), entry("you", "Update", "f:b")])),
            ),
            (
                json!([entry("me", "Update", "f:a"), entry("me", "Apply", "f:b")]),
                Some(json!([{"manager": "me", "operation": "Apply", "fieldsV1": {"f:a": {}, "f:b": {}}}])),
            ),
        ] {
            assert_eq!(upgraded(before), after);
        }
    }
}
