//! All recorded cases.

use fbc_cluster::object::ObjectFields;

use super::{case, compare, world};

/// Cases that differ, with the reason.
const DIFFERENT: [(&str, &str); 0] = [];

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
        let initial = case::read(&folder.join("initial").join(format!("{}.json", recorded.text(&["initial"]))));
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
