//! Statements that tests and recorded sessions name.

use std::fs;
use std::path::Path;

use super::{Showing, list};
use crate::error::{Context, TaskResult};
use crate::workspace;

/// Everything that tests and sessions of the workspace name.
pub(super) fn showings(root: &Path) -> TaskResult<Vec<Showing>> {
    let mut found = Vec::new();
    for path in workspace::files_below(&root.join("crates"))? {
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let reading = || format!("reading {relative}");
        if is_session(&relative) {
            let text = fs::read_to_string(&path).context(reading)?;
            found.extend(ids(&text).into_iter().map(|id| showing(id, relative.clone())));
        } else if relative.ends_with(".rs") {
            found.extend(of_source(&relative, &fs::read_to_string(&path).context(reading)?));
        }
    }
    Ok(found)
}

fn is_session(path: &str) -> bool {
    path.contains("/tests/commands/") && path.ends_with(".md")
}

fn showing(statement: String, by: String) -> Showing {
    Showing { statement, by, result: "tested" }
}

/// True for files that hold nothing but tests.
fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
    path.split('/').any(|folder| folder == "tests") || name.ends_with("tests") || name == "statements"
}

/// What the comments and names of tests in a source file name. Comments of code that ships only refer to statements.
fn of_source(path: &str, text: &str) -> Vec<Showing> {
    let mut found = Vec::new();
    let mut is_test = is_test_file(path);
    let mut test = "";
    let mut waiting: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        is_test |= line == "#[cfg(test)]";
        if !is_test {
            continue;
        }
        if let Some(comment) = line.strip_prefix("//") {
            waiting.extend(ids(comment));
            continue;
        }
        if let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
            test = name;
            waiting.extend(ids_of_name(name));
        } else if line.starts_with('#') || line.is_empty() {
            // Attributes and blank lines stand between a comment and its test.
            continue;
        } else if let Some((_, comment)) = line.split_once(" // ") {
            waiting.extend(ids(comment));
        }
        let by = if test.is_empty() { path.to_owned() } else { format!("{path} {test}") };
        found.extend(waiting.drain(..).map(|id| showing(id, by.clone())));
    }
    found.extend(waiting.drain(..).map(|id| showing(id, path.to_owned())));
    found
}

/// The ids in a text; `D-UPD-16 to D-UPD-20` stands for all between.
fn ids(text: &str) -> Vec<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '-';
    let words: Vec<&str> =
        text.split(|character| !is_part(character)).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let word = word.trim_end_matches('-');
        if !list::is_id(word) {
            continue;
        }
        let before = index.checked_sub(2).and_then(|first| words.get(first..index));
        if let Some([first, "to"]) = before {
            found.extend(between(first, word));
        }
        found.push(word.to_owned());
    }
    found
}

/// The ids after the first up to the one before the last, if both are of one kind.
fn between(first: &str, last: &str) -> Vec<String> {
    let parts = |id: &str| {
        let (words, number) = id.rsplit_once('-')?;
        Some((words.to_owned(), number.parse::<u32>().ok()?))
    };
    match (parts(first), parts(last)) {
        (Some((words, first)), Some((same, last))) if words == same => {
            // Numbers of one width are filled up with zeros.
            let width = if words == "V0" { 3 } else { 1 };
            (first + 1..last).map(|number| format!("{words}-{number:0width$}")).collect()
        }
        _ => Vec::new(),
    }
}

/// The ids at the start of a test's name: `d_cat_6_and_8_an_applied_catalog`, `x_13_stars`.
fn ids_of_name(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let (prefix, rest) = match words.as_slice() {
        ["d", kind, rest @ ..] => (format!("D-{}", kind.to_uppercase()), rest),
        ["x", rest @ ..] => ("X".to_owned(), rest),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for word in rest.iter().filter(|word| **word != "and") {
        let id = format!("{prefix}-{word}");
        if !word.starts_with(|first: char| first.is_ascii_digit()) || !list::is_id(&id) {
            break;
        }
        found.push(id);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_names_hold_ids() {
        assert_eq!(ids("Shows D-EXT-3, D-UPD-9a (b) and X-13."), ["D-EXT-3", "D-UPD-9a", "X-13"]);
        assert_eq!(ids("D-UPD-16 to D-UPD-18: blocks"), ["D-UPD-16", "D-UPD-17", "D-UPD-18"]);
        assert_eq!(ids("Shows V0-008 to V0-010"), ["V0-008", "V0-009", "V0-010"]);
        assert_eq!(ids("UTF-8, X-ray, sha-256"), [] as [String; 0]);
        assert_eq!(ids_of_name("d_cat_6_and_8_an_applied"), ["D-CAT-6", "D-CAT-8"]);
        assert_eq!(ids_of_name("d_crd_5a_default"), ["D-CRD-5a"]);
        assert_eq!(ids_of_name("x_13_stars"), ["X-13"]);
        assert_eq!(ids_of_name("durations_are_read"), [] as [String; 0]);
    }

    #[test]
    fn comments_belong_to_the_next_test() {
        let source = "//! D-FBC-1 is elsewhere.\nfn code() {} // D-FBC-2\n#[cfg(test)]\nmod tests {\n    /// D-EXT-1: one.\n    \
                      #[test]\n    fn first() {\n        // Shows D-EXT-2\n        assert!(true);\n    }\n    #[test]\n    \
                      fn d_ext_3_second() {}\n}\n";
        let found: Vec<(String, String)> =
            of_source("crates/a/src/b.rs", source).into_iter().map(|one| (one.statement, one.by)).collect();
        let by = |name: &str| format!("crates/a/src/b.rs {name}");
        assert_eq!(
            found,
            [
                ("D-EXT-1".to_owned(), by("first")),
                ("D-EXT-2".to_owned(), by("first")),
                ("D-EXT-3".to_owned(), by("d_ext_3_second")),
            ]
        );
        assert_eq!(of_source("crates/a/tests/table.rs", "//! D-EXT-1\n")[0].by, "crates/a/tests/table.rs");
    }
}
