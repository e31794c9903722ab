//! Any objects and patches: patches of every kind are refused or applied, twice the same is once the same, and a
//! three-way patch brings what is wanted.
#![no_main]

use fbc_cluster::apply::Shape;
use fbc_cluster::apply::patch::{
    PatchType, json_patch, merge_patch, patch, three_way_merge_patch, three_way_strategic_patch,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: (&[u8], &[u8], &[u8])| {
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
    let (Some(last), Some(wanted), Some(current)) = (read(input.0), read(input.1), read(input.2)) else {
        return;
    };
    let merged = merge_patch(current.clone(), &wanted);
    assert_eq!(merge_patch(merged.clone(), &wanted), merged);
    let _ = json_patch(&current, wanted.get("patch").unwrap_or(&wanted));
    let changes = three_way_merge_patch(&last, &wanted, &current);
    let changed = merge_patch(current.clone(), &changes);
    assert_eq!(merge_patch(changed.clone(), &three_way_merge_patch(&wanted, &wanted, &changed)), changed);
    for shape in [
        Shape::built_in("apps", "v1", "Deployment"),
        Shape::built_in("", "v1", "Pod"),
        Some(Shape::untyped()),
    ]
    .into_iter()
    .flatten()
    {
        let _ = patch(&current, &wanted, PatchType::Strategic, &shape);
        if let Ok(changes) = three_way_strategic_patch(&last, &wanted, &current, &shape) {
            let _ = patch(&current, &changes, PatchType::Strategic, &shape);
        }
    }
});
