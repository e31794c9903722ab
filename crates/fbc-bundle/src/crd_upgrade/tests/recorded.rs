//! Upgrades of real definitions get the answers that were recorded.

use super::*;

/// Words of a bracketed list in one order, for the reference's is random.
fn ordered(message: &str) -> String {
    let Some((before, list)) = message.split_once("new required fields: [") else {
        return message.to_owned();
    };
    let mut names: Vec<&str> = list.trim_end_matches(']').split(' ').collect();
    names.sort_unstable();
    format!("{before}new required fields: [{}]", names.join(" "))
}

#[test]
fn real_upgrades() {
    let Some(folder) = fbc_testing::recordings("crd") else { return };
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected = read(std::str::from_utf8(&expected).unwrap());
    assert!(expected.root().items().next().is_some());
    for case in expected.root().items() {
        let pair = case.get_str("pair").unwrap();
        let file = |name: &str| {
            fbc_yaml::stream::read_one(&std::fs::read(folder.join("pairs").join(pair).join(name)).unwrap())
                .unwrap()
        };
        let (old, new) = (file("old.yaml"), file("new.yaml"));
        let told = upgrade(&old, &new, Target::Latest);
        assert_eq!(Some(told.is_safe), case.get("safe").unwrap().as_bool(), "{pair}");
        let mut messages: Vec<String> = told.messages.iter().map(|message| ordered(message)).collect();
        let mut recorded: Vec<String> =
            case.get("messages").unwrap().items().map(|message| ordered(message.as_str().unwrap())).collect();
        messages.sort();
        recorded.sort();
        assert_eq!(messages, recorded, "{pair}");
        // What neither definition nor target can bring down.
        let _ = upgrade(&new, &old, Target::Ocp419);
        assert!(upgrade(&old, &old, Target::Ocp419).changes.is_empty());
    }
}
