//! Errors of libraries are types: a bare text says to a person what is wrong, and nothing to a program.

use super::rust_text;
use super::sources;

/// The crates that are not libraries: the binary, which says everything to a person, and what only tests use.
const OTHERS: [&str; 3] = ["fbc", "fbc-bench", "fbc-testing"];

/// Where the text of an error is itself the data: sessions keep what a registry answered, word by word.
const TEXTS_ARE_DATA: &str = "crates/fbc-simulation/src/server/images.rs";

/// Every result of a source file whose error is a text, one message each.
pub(super) fn check(crate_name: &str, path: &str, text: &str) -> Vec<String> {
    if OTHERS.contains(&crate_name) || path == TEXTS_ARE_DATA || sources::holds_only_tests(path) {
        return Vec::new();
    }
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let results = code.match_indices("Result<").filter_map(|(start, word)| {
        let error = last_of_several(&code[start + word.len()..])?;
        let line = 1 + code[..start].matches('\n').count();
        (error == "String").then(|| format!("{path}:{line}: the error of a result is a type, not a text"))
    });
    results.collect()
}

/// The last of several generic arguments that the code begins with, up to their `>`.
fn last_of_several(code: &str) -> Option<&str> {
    let (mut depth, mut start, mut before) = (0_usize, 0, ' ');
    for (index, character) in code.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' if depth == 0 && start == 0 => return None,
            '>' if depth == 0 => return Some(code[start..index].trim().trim_end_matches(',').trim_end()),
            '>' | ')' | ']' => depth = depth.checked_sub(1)?,
            // A comma behind the last argument begins no other.
            ',' if depth == 0 && !code[index + 1..].trim_start().starts_with('>') => start = index + 1,
            _ => {}
        }
        before = character;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        check("fbc-yaml", "a.rs", text)
    }

    #[test]
    fn results_whose_error_is_a_text_are_found() {
        for text in [
            "fn f() -> Result<u8, String> {}",
            "fn f() -> std::result::Result<Vec<(u8, u8)>, String> {}",
            "type Answer<T> = Result<T, String>;",
            "fn f(g: &dyn Fn(&str) -> Result<Box<dyn Fn(u8) -> u8>, String>) {}",
            "fn f() -> Result<\n    Vec<u8>,\n    String,\n> {}",
            "#[cfg(test)] mod tests {} fn f() { x.collect::<Result<_, String>>(); }",
        ] {
            assert_eq!(lines(text), ["a.rs:1: the error of a result is a type, not a text"], "{text}");
        }
        assert_eq!(lines("\n\nfn f() -> Result<u8, String> {}").len(), 1);
        assert!(lines("\n\nfn f() -> Result<u8, String> {}")[0].starts_with("a.rs:3:"));
    }

    #[test]
    fn other_results_and_tests_are_not() {
        for text in [
            "fn f() -> Result<String, Error> {}",
            "fn f() -> io::Result<String> {}",
            "fn f() -> Result<BTreeMap<String, String>, Error> {}",
            "fn f() -> Result<(), Vec<String>> {}",
            "// Result<u8, String>\nconst A: &str = \"Result<u8, String>\";",
            "#[cfg(test)] mod tests { fn f() -> Result<u8, String> {} }",
        ] {
            assert_eq!(lines(text), [""; 0], "{text}");
        }
        assert_eq!(check("fbc-yaml", "crates/x/src/tests.rs", "fn f() -> Result<u8, String>"), [""; 0]);
        assert_eq!(check("fbc", "a.rs", "fn f() -> Result<u8, String>"), [""; 0]);
    }
}
