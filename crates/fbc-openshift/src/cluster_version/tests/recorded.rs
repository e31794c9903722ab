//! All recorded cases.

use fbc_cluster::object::ObjectFields;

use super::{case, compare, world};

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
    let Some(folder) = case::folder() else { return };
    let only = option_env!("FBC_CVO_CASE").unwrap_or_default();
    let (mut agree, mut all, mut unexpected) = (0, 0, Vec::new());
    for (name, recorded) in case::all(&folder) {
        if !name.contains(only) {
            continue;
        }
        all += 1;
        let initial =
            case::read(&folder.join("initial").join(format!("{}.json", recorded.text(&["initial"]))));
        let played = world::play(&folder, &recorded);
        let differences = compare::differences(&initial, &recorded, &played);
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
