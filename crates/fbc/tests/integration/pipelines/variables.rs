//! What scripts and expressions name.

use std::collections::BTreeSet;

/// The names that stand behind a prefix, such as those of `inputs.`.
pub(crate) fn names_after(text: &str, prefix: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let ends = text.split(prefix).skip(1);
    ends.map(|end| end.split(|letter| !is_part(letter)).next().unwrap().to_owned()).collect()
}

/// The variables of the environment that a script reads: names in capitals.
pub(crate) fn variables(script: &str) -> BTreeSet<String> {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let code = lines.collect::<Vec<_>>().join("\n").replace("${", "$");
    let mut names = names_after(&code, "$");
    names.retain(|name| name.contains('_') && *name == name.to_uppercase());
    names
}
