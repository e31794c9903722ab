//! Client-side `kubectl apply`: the manifest that is kept in an annotation, and the patch that follows from it.
//!
//! Sources: `kubernetes/kubectl:pkg/cmd/apply/patcher.go`, `…/pkg/util/apply.go`.

use fbc_go::json::{self, read_value};
use serde_json::{Value, json};

use super::merge_patch::three_way_merge_patch;
use super::strategic_diff::three_way_strategic_patch;
use super::{PatchError, PatchType};
use crate::apply::{LAST_APPLIED, Shape};
use crate::object::{Object, ObjectFields};

/// The patch that `kubectl apply` sends.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreeWay {
    /// The patch; `{}` where nothing is to be done.
    pub patch: Value,
    /// Strategic for built-in kinds, else a merge patch.
    pub of: PatchType,
}

impl ThreeWay {
    /// True if the object needs no change: `unchanged`.
    pub fn is_empty(&self) -> bool {
        self.patch.as_object().is_some_and(serde_json::Map::is_empty)
    }
}

/// A manifest as `kubectl apply` sends it: with itself in the annotation [`LAST_APPLIED`].
pub fn last_applied(manifest: &Object) -> Object {
    let mut annotated = manifest.clone();
    annotated.remove(&["metadata", "annotations", LAST_APPLIED]);
    if annotated.at(&["metadata", "annotations"]).is_none_or(Value::is_null) {
        annotated.set(&["metadata", "annotations"], json!({}));
    }
    let text = format!("{}\n", json::encode(&annotated));
    annotated.set(&["metadata", "annotations", LAST_APPLIED], text);
    annotated
}

/// The patch that brings an object to a manifest. `shape` is that of a built-in kind, or `None` for custom kinds.
///
/// # Errors
/// An item lacks the key that tells items apart.
pub fn three_way_patch(
    manifest: &Object,
    live: &Object,
    shape: Option<&Shape>,
) -> Result<ThreeWay, PatchError> {
    let last = live.annotation(LAST_APPLIED).and_then(|text| read_value(text).ok());
    let last: Value = last.unwrap_or_else(|| json!({}));
    let wanted = last_applied(manifest);
    Ok(match shape {
        Some(shape) => ThreeWay {
            patch: three_way_strategic_patch(&last, &wanted, live, shape)?,
            of: PatchType::Strategic,
        },
        None => ThreeWay { patch: three_way_merge_patch(&last, &wanted, live), of: PatchType::Merge },
    })
}

#[cfg(test)]
mod tests {
    use super::super::patch;
    use super::*;

    fn deployment(containers: Value, extra: Value) -> Value {
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"template": {"spec": {"containers": containers}}},
        });
        for (name, value) in extra.as_object().unwrap() {
            object["spec"][name] = value.clone();
        }
        object
    }

    /// What becomes of an object that was applied once, changed by others, and is applied again.
    fn apply_again(first: &Value, change: impl Fn(&mut Value), second: &Value) -> (ThreeWay, Value) {
        let shape = Shape::built_in("apps", "v1", "Deployment").unwrap();
        let mut live = last_applied(first);
        change(&mut live);
        let three = three_way_patch(second, &live, Some(&shape)).unwrap();
        let patched = patch(&live, &three.patch, three.of, &shape).unwrap();
        (three, patched)
    }

    #[test]
    fn an_unchanged_manifest_changes_nothing() {
        let manifest = deployment(json!([{"name": "a", "image": "i"}]), json!({"replicas": 1}));
        let (three, _) = apply_again(
            &manifest,
            |live| live["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Always".into(),
            &manifest,
        );
        assert!(three.is_empty(), "{:?}", three.patch);
    }

    #[test]
    fn what_others_set_stays_and_what_was_given_up_goes() {
        let first = deployment(
            json!([{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]),
            json!({"replicas": 1, "paused": true}),
        );
        let second = deployment(
            json!([{"name": "c", "image": "k"}, {"name": "a", "image": "j"}]),
            json!({"replicas": 1}),
        );
        let (_, patched) = apply_again(
            &first,
            |live| {
                live["spec"]["minReadySeconds"] = 5.into();
                let containers = live["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
                containers.push(json!({"name": "injected"}));
            },
            &second,
        );
        assert_eq!(patched["spec"]["paused"], Value::Null);
        assert_eq!(patched["spec"]["minReadySeconds"], 5);
        assert_eq!(
            patched["spec"]["template"]["spec"]["containers"],
            json!([{"name": "c", "image": "k"}, {"name": "a", "image": "j"}, {"name": "injected"}])
        );
    }

    #[test]
    fn keys_of_a_strategy_go_with_its_type() {
        let first = deployment(json!([]), json!({"strategy": {"type": "RollingUpdate"}}));
        let second = deployment(json!([]), json!({"strategy": {"type": "Recreate"}}));
        let (_, patched) = apply_again(
            &first,
            |live| live["spec"]["strategy"]["rollingUpdate"] = json!({"maxSurge": 1}),
            &second,
        );
        assert_eq!(patched["spec"]["strategy"], json!({"type": "Recreate"}));
    }
}
