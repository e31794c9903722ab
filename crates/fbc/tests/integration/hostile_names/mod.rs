//! Names that others wrote, through every command and format: nothing in them drives a terminal, a CI system or the
//! page of a pull request.

mod inputs;
mod medium;
mod rows;

use std::path::Path;

use self::rows::Row;

#[test]
fn names_stay_names_in_every_command_and_format() {
    let folder = tempfile::tempdir().unwrap();
    inputs::write(folder.path());
    let mut elsewhere = Vec::new();
    for (rows, is_refused) in [(rows::accepted(), false), (rows::refused(), true)] {
        for row in &rows {
            // A row that ends in another place than it is meant for tests nothing.
            if run(row, folder.path()) != is_refused {
                elsewhere.push(format!("{:?}", row.words));
            }
        }
    }
    assert!(elsewhere.is_empty(), "rows that do not reach what they test:\n{}", elsewhere.join("\n"));
}

/// Runs a row and judges what it says. True if it only says how to call the command.
fn run(row: &Row, folder: &Path) -> bool {
    let mut is_refused = false;
    for color in ["never", "always"] {
        let output = crate::fbc().args(&row.words).args(["--color", color]).current_dir(folder).output();
        let shown = format!("{:?} --color {color}", row.words);
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "{shown}: {code:?}");
        let text = |bytes: Vec<u8>| without_colors(String::from_utf8(bytes).unwrap(), color);
        medium::check(&shown, row.medium, &text(output.stdout), false);
        let errors = text(output.stderr);
        medium::check(&shown, row.medium, &errors, true);
        is_refused = errors.contains("Usage:") || errors.contains("try '--help'");
    }
    is_refused
}

/// The text without the sequences that set colours, where there may be some.
fn without_colors(text: String, color: &str) -> String {
    if color == "never" {
        return text;
    }
    let mut plain = String::new();
    for (number, part) in text.split("\u{1b}[").enumerate() {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        match (number, part[end..].strip_prefix('m')) {
            (0, _) => plain.push_str(part),
            (_, Some(rest)) => plain.push_str(rest),
            (_, None) => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
}

/// The commands of the test are those of the program: none lacks, but those that write no names of others.
#[test]
fn no_command_is_forgotten() {
    let tested: Vec<String> =
        rows::accepted().into_iter().filter_map(|row| row.words.into_iter().next()).collect();
    let own = ["cache", "completions", "version", "man", "opm", "help", "lsp"];
    for command in fbc::command_line().get_subcommands() {
        let name = command.get_name();
        assert!(own.contains(&name) || tested.iter().any(|first| first == name), "{name}");
    }
}
