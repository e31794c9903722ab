//! Regular expressions have one door, `fbc_go::regexp`, which counts what they may take before they are compiled and while
//! they are matched: any other library would compile what a stranger wrote.

use super::rust_text;

/// The door.
const DOOR: &str = "crates/fbc-go/src/regexp/";

/// The names of libraries for regular expressions. Tests of a file may use them; patterns of `jq` run in a process of
/// their own, with those that its library brings.
const LIBRARIES: [&str; 6] =
    ["regex", "regex_lite", "regex_automata", "regex_syntax", "regex_bites", "fancy_regex"];

/// Every use of a library for regular expressions besides the door, one message each.
pub(super) fn check(path: &str, text: &str) -> Vec<String> {
    if path.starts_with(DOOR) {
        return Vec::new();
    }
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let uses =
        code.lines().enumerate().filter(|(_, line)| LIBRARIES.iter().any(|library| uses(line, library)));
    uses.map(|(index, _)| {
        format!("{path}:{}: regular expressions are compiled and matched by fbc_go::regexp only", index + 1)
    })
    .collect()
}

/// True if the line has a path that begins with the library, or imports it.
fn uses(line: &str, library: &str) -> bool {
    line.match_indices(library).any(|(start, found)| {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let before = line[..start].trim_end();
        let after = &line[start + found.len()..];
        let begins =
            !line[..start].ends_with(is_part) && !before.ends_with("fbc_go::") && !before.ends_with('.');
        begins && (after.starts_with("::") || before.ends_with("use") && after.starts_with([';', ' ']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_ways_to_match_are_found() {
        for text in [
            "let a = regex::Regex::new(text);",
            "use regex::RegexBuilder;",
            "use regex as other;",
            "fn f() -> fancy_regex::Regex {}",
            "let set = ::regex::RegexSet::new(all);",
        ] {
            assert_eq!(check("crates/fbc-mirror/src/a.rs", text).len(), 1, "{text}");
        }
        let found = check("crates/fbc-mirror/src/a.rs", "\nuse regex::Regex;");
        assert_eq!(
            found,
            [
                "crates/fbc-mirror/src/a.rs:2: regular expressions are compiled and matched by fbc_go::regexp only"
            ]
        );
    }

    #[test]
    fn the_door_and_words_are_not() {
        for text in [
            "use fbc_go::regexp::Pattern;",
            "let regex = 1; regex.find();",
            "// regex::Regex",
            "const A: &str = \"regex::Regex\";",
            "#[cfg(test)] mod tests { use regex::Regex; }",
        ] {
            assert_eq!(check("crates/fbc-mirror/src/a.rs", text), [""; 0], "{text}");
        }
        assert_eq!(check("crates/fbc-go/src/regexp/class.rs", "regex_syntax::parse(a)"), [""; 0]);
    }
}
