//! `docs/reference/profiles.md`: the profiles, and the checks that each turns on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc_lint::Profile;
use fbc_rules::RULES;

use super::Generated;
use crate::error::TaskResult;

/// The page.
pub(super) fn page(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut text =
        "# Profiles\n\nWhich rules count, and how much: `fbc validate --profile NAME`, or `profile` in \
        [`fbc.toml`](../guides/policy.md).\n\n| profile | what counts |\n|---|---|\n"
            .to_owned();
    // Writing to a String cannot fail.
    for profile in Profile::ALL {
        let _ = writeln!(text, "| `{}` | {} |", profile.name(), profile.purpose());
    }
    for profile in Profile::ALL {
        section(&mut text, profile);
    }
    Ok(vec![Generated { path: PathBuf::from("docs/reference/profiles.md"), content: text }])
}

fn section(text: &mut String, profile: Profile) {
    let mut levels = profile.levels().peekable();
    if levels.peek().is_none() {
        return;
    }
    let _ = write!(text, "\n## `{}`\n\n| rule | level | what asks for it |\n|---|---|---|\n", profile.name());
    for (code, severity, check) in levels {
        let name = RULES.find(code).map(|rule| rule.name).unwrap_or_default();
        let _ = writeln!(text, "| [{code}](../rules/{code}.md) {name} | {} | {check} |", severity.name());
    }
    let parameters = profile.parameters();
    for (key, values) in [
        ("allowed-registries", &parameters.allowed_registries),
        ("allowed-related-registries", &parameters.allowed_related_registries),
        ("required-features", &parameters.required_features),
        ("allowed-kinds", &parameters.allowed_kinds),
        ("allowed-base-images", &parameters.allowed_base_images),
    ] {
        if !values.is_empty() {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            let _ = writeln!(text, "\n`{key}`: {}", values.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_names_a_rule() {
        for profile in Profile::ALL {
            for (code, ..) in profile.levels() {
                assert!(RULES.find(code).is_some(), "{} names {code}", profile.name());
            }
        }
        let pages = page(Path::new("")).unwrap();
        let text = &pages.first().unwrap().content;
        assert!(text.contains("[FBC230](../rules/FBC230.md)"), "{text}");
    }
}
