//! Comparing any two definitions: no panic, no overflow, and a definition is always safe after itself.
//! The input is the old and the new definition with a line `---` between them.
#![no_main]

use fbc_bundle::crd_upgrade::{Definition, Enforcement, Target, compare, compare_bundles};
use fbc_yaml::stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let documents: Vec<_> = stream::read(input, &|document| Ok::<_, ()>(document))
        .into_iter()
        .filter_map(|decoded| decoded.outcome.ok())
        .collect();
    let [old, new, ..] = documents.as_slice() else { return };
    for target in [Target::Latest, Target::Ocp419] {
        for enforcement in [Enforcement::Strict, Enforcement::None] {
            let _ = compare_bundles(&[old.root()], &[new.root()], target, enforcement);
        }
        let (Ok(old), Ok(new)) = (Definition::read(old.root()), Definition::read(new.root())) else {
            continue;
        };
        let upgrade = compare(&old, &new, target, Enforcement::Strict);
        assert_eq!(upgrade.is_safe, upgrade.messages.is_empty());
        let same = compare(&old, &old, target, Enforcement::Strict);
        assert!(same.changes.is_empty() || !Definition::is_same(old.object, old.object));
    }
});
