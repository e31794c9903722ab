//! All recorded cases.

use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};
use serde_json::Value;

/// Updates, refusals, steady state and offers of the real operator; vectors 2 to 6, 8, 10 to 12.
///
/// Shows D-CVO-2, D-CVO-3, D-CVO-5, D-CVO-6, D-CVO-11 to D-CVO-16, D-CVO-18, D-CVO-19, D-CVO-25 to D-CVO-34, D-CVO-37,
/// D-CVO-39, D-CVO-41 to D-CVO-44, D-CVO-46
#[test]
fn the_recorded_cases_agree() {
    let Some(root) = fbc_testing::recordings("") else { return };
    let recordings: Arc<dyn Tree> = Arc::new(DiskTree { root });
    let only = option_env!("FBC_CVO_CASE").unwrap_or_default();
    let (mut agree, mut all, mut different) = (0, 0, Vec::new());
    for name in names(recordings.as_ref()).into_iter().filter(|name| name.contains(only)) {
        all += 1;
        let bytes = recordings.read(Path::new(&format!("cvo/cases/{name}.json"))).unwrap();
        let case: Value = serde_json::from_slice(&bytes).unwrap();
        let differences = super::play(&recordings, &case).unwrap();
        if differences.is_empty() {
            agree += 1;
        } else {
            println!("{name}\n  {}", differences.join("\n  "));
            different.push(name);
        }
    }
    assert!(all > 0, "there are no cases");
    assert!(different.is_empty(), "{agree} of {all} cases agree; these differ: {different:#?}");
}

/// `TOPIC/NAME` of all cases.
fn names(recordings: &dyn Tree) -> Vec<String> {
    let inside = |directory: &Path| -> Vec<String> {
        let entries = recordings.list(directory).unwrap().into_iter();
        entries.map(|entry| entry.name.with_extension("").to_string_lossy().into_owned()).collect()
    };
    let cases = Path::new("cvo/cases");
    let topics = inside(cases).into_iter();
    topics
        .flat_map(|topic| inside(&cases.join(&topic)).into_iter().map(move |name| format!("{topic}/{name}")))
        .collect()
}
