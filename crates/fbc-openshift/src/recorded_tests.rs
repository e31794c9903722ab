//! Recordings of real programs, for tests.

use serde_json::Value;

/// The cases of a file of recordings, unless there are none here.
pub(crate) fn cases(file: &str) -> Option<Vec<Value>> {
    let cases = fbc_testing::recorded_json(file)?;
    Some(serde_json::from_value(cases).unwrap())
}

/// Says how many cases agree, and fails unless those that do not are the ones that are known to differ.
pub(crate) fn compare(
    file: &str,
    mut difference: impl FnMut(&Value) -> Option<String>,
    known: &[(&str, &str)],
) {
    let Some(cases) = cases(file) else { return };
    let mut unexpected = Vec::new();
    let mut differing = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let name = case["name"].as_str().map_or_else(|| index.to_string(), str::to_owned);
        let found = difference(case);
        let is_known = known.iter().any(|(known, _)| *known == name);
        if let Some(text) = found {
            differing.push(name.clone());
            if !is_known {
                unexpected.push(format!("{name}: {text}"));
            }
        }
    }
    println!("{file}: {} of {} agree", cases.len() - differing.len(), cases.len());
    assert!(unexpected.is_empty(), "{} differ:\n{}", unexpected.len(), unexpected.join("\n"));
    let agree_now: Vec<_> =
        known.iter().filter(|(name, _)| !differing.iter().any(|one| one == name)).collect();
    assert!(agree_now.is_empty(), "these agree now: {agree_now:?}");
}

/// A difference, if there is one.
pub(crate) fn unequal(what: &str, ours: &Value, theirs: &Value) -> Option<String> {
    (ours != theirs).then(|| format!("{what}\n  ours   {ours}\n  theirs {theirs}"))
}
