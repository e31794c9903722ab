//! Programs are started in a few places, each of which says whose program it is: an input must not name one.

use super::{rust_text, sources};

/// The source files that start a program, and whose program it is.
const STARTS: [(&str, &str); 7] = [
    ("crates/fbc-registry/src/credentials/helper.rs", "the credential helpers of the user's own file"),
    ("crates/fbc-source/src/git/call.rs", "git, with commands that start nothing that a repository names"),
    ("crates/fbc-staging/src/signals.rs", "what others of this list put together, with signals passed on"),
    ("crates/fbc/src/command/cluster/run.rs", "the program that the command line names"),
    ("crates/fbc/src/command/template/composite.rs", "custom builders, and only with `--allow-commands`"),
    ("crates/fbc/src/opm/bundle/build.rs", "the builder of images that a flag of the command line names"),
    ("crates/fbc/src/query_guard.rs", "fbc itself"),
];

/// The crate that only tests use.
const ONLY_TESTS: &str = "crates/fbc-testing/";

/// What a number may be converted to.
const NUMBERS: [&str; 7] = ["f64", "i32", "i64", "u16", "u32", "u64", "usize"];

/// Whether a source file starts programs outside of its tests, whatever it calls the type.
fn starts_programs(path: &str, text: &str) -> bool {
    if path.starts_with(ONLY_TESTS) || sources::holds_only_tests(path) {
        return false;
    }
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let words = words(&code);
    let places = words.iter().enumerate().filter(|(_, word)| **word == "process");
    places.map(|(index, _)| &words[index + 1..]).any(|after| match after {
        // Under another name it is out of sight; a number that is called so is none of this.
        ["as", name, ..] => !NUMBERS.contains(name),
        [":", ":", "{", group @ ..] => {
            let end = group.iter().position(|word| *word == "}").unwrap_or(group.len());
            !group[..end].split(|word| *word == ",").all(is_harmless)
        }
        [":", ":", "Command" | "*", ..] => true,
        _ => false,
    })
}

/// Whether a name of a group gives no program away: another type may have another name.
fn is_harmless(name: &[&str]) -> bool {
    match name {
        ["self", "as", ..] => false,
        [name, ..] => !["Command", "*"].contains(name),
        [] => true,
    }
}

/// The names and signs of code.
fn words(code: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_name(c)).filter(|end| *end > 0);
        let end = end.unwrap_or(if is_name(first) { rest.len() } else { first.len_utf8() });
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

/// What starts programs and may not, and what may and does not; one message for each file.
pub(super) fn check<'s>(files: impl Iterator<Item = (&'s str, &'s str)>) -> Vec<String> {
    let starting: Vec<&str> =
        files.filter(|(path, text)| starts_programs(path, text)).map(|(path, _)| path).collect();
    let is_allowed = |path: &str| STARTS.iter().any(|(allowed, _)| *allowed == path);
    let strangers = starting.iter().filter(|path| !is_allowed(path)).map(|path| {
        format!("{path} starts a program; git is started by `fbc_source::git`, and others by the files that xtask/src/layering/processes.rs lists with a reason")
    });
    let idle = STARTS.iter().filter(|(path, _)| !starting.contains(path));
    strangers
        .chain(idle.map(|(path, _)| {
            format!("{path} starts no program, and xtask/src/layering/processes.rs says that it does")
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_programs_is_found_under_any_name() {
        for (path, text, starts) in [
            ("crates/a/src/b.rs", "use std::process::Command; fn f() { Command::new(\"git\"); }", true),
            ("crates/a/src/b.rs", "use std::process::{Child, Command as Program};", true),
            ("crates/a/src/b.rs", "use std::{fs, process::{\n    Stdio,\n    Command,\n}};", true),
            ("crates/a/src/b.rs", "use std::process; fn f() { process::Command::new(\"x\"); }", true),
            ("crates/a/src/b.rs", "fn f() { tokio::process::Command::new(\"x\"); }", true),
            ("crates/a/src/b.rs", "use std::process::*;", true),
            ("crates/a/src/b.rs", "use std::process as p; fn f() { p::Command::new(\"x\"); }", true),
            ("crates/a/src/b.rs", "use std::{fs, process as p};", true),
            ("crates/a/src/b.rs", "use std::process::{self as p, Stdio};", true),
            ("crates/a/src/b.rs", "use std::process::{self, Stdio as S};", false),
            ("crates/a/src/b.rs", "fn f(process: usize) -> u64 { process as u64 }", false),
            ("crates/a/src/b.rs", "use std::os::unix::process::CommandExt as _;", false),
            ("crates/a/src/b.rs", "fn f() { process(1); std::process::exit(2) }", false),
            ("crates/a/src/b.rs", "use std::process::{Child, Stdio}; use clap::Command;", false),
            (
                "crates/a/src/b.rs",
                "// std::process::Command\n#[cfg(test)] mod tests { use std::process::Command; }",
                false,
            ),
            ("crates/a/src/tests.rs", "use std::process::Command;", false),
            ("crates/fbc-testing/src/b.rs", "use std::process::Command;", false),
        ] {
            assert_eq!(starts_programs(path, text), starts, "{path}: {text}");
        }
    }

    #[test]
    fn the_list_is_neither_too_short_nor_too_long() {
        let text = "use std::process::Command;";
        let all = || STARTS.iter().map(|(path, _)| (*path, text));
        assert_eq!(check(all()), [""; 0]);
        let messages = check(all().skip(1).chain([("crates/a/src/b.rs", text)]));
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].starts_with("crates/a/src/b.rs starts a program"));
        assert!(messages[1].contains("starts no program"), "{messages:?}");
    }
}
