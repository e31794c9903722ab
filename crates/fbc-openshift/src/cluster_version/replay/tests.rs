//! All recorded cases.

use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};
use serde_json::Value;

/// Cases that differ, with the reason.
const DIFFERENT: [(&str, &str); 8] = [
    (
        "accept-risks/risks-signature-stores",
        "spec.signatureStores is not read; signatures are data of the simulation",
    ),
    ("accept-risks/risks-upgradeable", "risks of the cluster itself are not merged into conditional updates"),
    ("capabilities/caps-update-implicit", "the real process ends with a panic; this one goes on"),
    ("conditional/conditional-promql-refused", "the text names an address of the recording machine"),
    ("install/install-cvo-restart", "a state before a restart is told a tick earlier or not at all"),
    ("reconcile/reconcile-job-failed", "a state between two tries is shorter than a tick"),
    ("update/update-missing-clusteroperator", "one retry more falls before the operator is back"),
    ("update/update-same-version-other-image", "the recording wrote its status less often"),
];

#[test]
fn the_recorded_cases_agree() {
    let Some(root) = fbc_testing::recordings("") else { return };
    let recordings: Arc<dyn Tree> = Arc::new(DiskTree { root });
    let only = option_env!("FBC_CVO_CASE").unwrap_or_default();
    let (mut agree, mut all, mut unexpected) = (0, 0, Vec::new());
    for name in names(recordings.as_ref()).into_iter().filter(|name| name.contains(only)) {
        all += 1;
        let bytes = recordings.read(Path::new(&format!("cvo/cases/{name}.json"))).unwrap();
        let case: Value = serde_json::from_slice(&bytes).unwrap();
        let differences = super::play(&recordings, &case).unwrap();
        let reason = DIFFERENT.iter().find(|(case, _)| *case == name).map(|(_, reason)| *reason);
        match (differences.is_empty(), reason) {
            (true, _) => agree += 1,
            (false, Some(reason)) => println!("{name} differs: {reason}"),
            (false, None) => {
                println!("{name}\n  {}", differences.join("\n  "));
                unexpected.push(name);
            }
        }
    }
    println!("{agree} of {all} cases agree");
    assert!(unexpected.is_empty(), "{agree} of {all} cases agree; these differ: {unexpected:#?}");
}

/// `TOPIC/NAME` of all cases.
fn names(recordings: &dyn Tree) -> Vec<String> {
    let inside = |folder: &Path| -> Vec<String> {
        let entries = recordings.list(folder).unwrap().into_iter();
        entries.map(|entry| entry.name.with_extension("").to_string_lossy().into_owned()).collect()
    };
    let cases = Path::new("cvo/cases");
    let topics = inside(cases).into_iter();
    topics
        .flat_map(|topic| inside(&cases.join(&topic)).into_iter().map(move |name| format!("{topic}/{name}")))
        .collect()
}
