//! Commands do not use commands: what two of them share lies beside `crate::command`, or in a library crate.

use std::collections::BTreeSet;

use super::rust_text;

/// Where the commands are.
const FOLDER: &str = "crates/fbc/src/command/";

/// What hands command lines on to the commands.
const DISPATCHER: &str = "crates/fbc/src/arguments.rs";

/// The command that a source file belongs to, with the number of modules between the file and `crate::command`.
fn command_of(path: &str) -> Option<(&str, usize)> {
    let below = path.strip_prefix(FOLDER)?.strip_suffix(".rs")?;
    let modules: Vec<&str> = below.split('/').filter(|name| *name != "mod").collect();
    Some((modules.first().copied()?, modules.len()))
}

/// The names of the commands among the paths of sources.
pub(super) fn names<'p>(paths: impl IntoIterator<Item = &'p str>) -> BTreeSet<String> {
    paths.into_iter().filter_map(command_of).map(|(name, _)| name.to_owned()).collect()
}

/// What uses a command and is not the dispatcher, nor the command itself; one message for each use.
pub(super) fn check(path: &str, text: &str, commands: &BTreeSet<String>) -> Vec<String> {
    if !path.starts_with("crates/fbc/src/") || path == DISPATCHER {
        return Vec::new();
    }
    let code: String = rust_text::without_tests(&rust_text::code_only(text))
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(" ::", "::")
        .replace(":: ", "::");
    let (own, depth) = command_of(path).unwrap_or(("", 0));
    let mut used = names_behind(&code, "crate::command::");
    if depth > 0 {
        used.extend(names_behind(&code, &"super::".repeat(depth)));
    }
    let others = used.iter().filter(|name| **name != own && commands.contains(**name));
    others
        .map(|name| match own {
            "" => format!("{path}: only the dispatcher uses commands, and this uses `{name}`"),
            own => format!("{path}: command `{own}` uses command `{name}`; what both need lies beside them"),
        })
        .collect()
}

/// The first names behind a prefix of paths, also in a group such as `crate::command::{build, graph::draw}`.
fn names_behind<'c>(code: &'c str, prefix: &str) -> BTreeSet<&'c str> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let mut names = BTreeSet::new();
    for (start, _) in code.match_indices(prefix) {
        // The end of a longer name or of a longer path.
        if code[..start].ends_with(|before: char| is_name(before) || before == ':') {
            continue;
        }
        let rest = &code[start + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.extend(rest.split(|character| !is_name(character)).next());
            continue;
        };
        let mut depth = 0_usize;
        let mut is_first = true;
        for (index, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                character if is_first && is_name(character) => {
                    is_first = false;
                    names.extend(group[index..].split(|character| !is_name(character)).next());
                }
                _ => {}
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        let commands = names([
            "crates/fbc/src/command/build.rs",
            "crates/fbc/src/command/build/base.rs",
            "crates/fbc/src/command/graph.rs",
            "crates/fbc/src/command/release/mod.rs",
            "crates/fbc/src/arguments.rs",
        ]);
        assert_eq!(commands, ["build", "graph", "release"].map(str::to_owned).into());
        check(path, text, &commands)
    }

    #[test]
    fn a_command_that_uses_another_is_found() {
        let cases = [
            ("command/release/mod.rs", "use crate::command::graph::draw;", vec!["graph"]),
            ("command/release/info.rs", "fn f() { crate::command::build::run() }", vec!["build"]),
            (
                "command/release/info.rs",
                "use crate::command::{build, graph::{draw, page}};",
                vec!["build", "graph"],
            ),
            ("command/build.rs", "use super::graph::draw;", vec!["graph"]),
            ("command/release/mod.rs", "use super::{build, release};", vec!["build"]),
            ("command/release/info.rs", "use super::super::graph;", vec!["graph"]),
            ("command/release/info.rs", "use super\n    ::super::graph;", vec!["graph"]),
            // Modules of the command itself, other names, tests and comments.
            ("command/release/info.rs", "use super::graph; use super::build::Base;", vec![]),
            ("command/release/mod.rs", "use crate::command::release::source; use super::closest;", vec![]),
            (
                "command/build.rs",
                "use crate::commands::graph; use self::graph::x; // crate::command::graph",
                vec![],
            ),
            ("command/build.rs", "#[cfg(test)] mod tests { use super::graph; }", vec![]),
        ];
        for (file, text, used) in cases {
            let path = format!("crates/fbc/src/{file}");
            let own = command_of(&path).unwrap().0;
            let expected: Vec<String> = used
                .iter()
                .map(|name| {
                    format!("{path}: command `{own}` uses command `{name}`; what both need lies beside them")
                })
                .collect();
            assert_eq!(messages(&path, text), expected, "{text}");
        }
    }

    #[test]
    fn only_the_dispatcher_uses_commands() {
        let text = "use crate::command::build;";
        assert_eq!(
            messages("crates/fbc/src/language_server/mod.rs", text),
            [
                "crates/fbc/src/language_server/mod.rs: only the dispatcher uses commands, and this uses `build`"
            ]
        );
        assert_eq!(messages("crates/fbc/src/arguments.rs", text), [""; 0]);
        assert_eq!(messages("crates/fbc-lsp/src/lib.rs", text), [""; 0]);
    }
}
