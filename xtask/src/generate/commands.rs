//! `docs/reference/commands.md`: every command with its arguments and options.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};

use super::Generated;
use crate::error::TaskResult;

/// The page.
pub(super) fn page(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut root = fbc::command_line();
    root.build();
    let mut text =
        "# Commands\n\n[Conventions](conventions.md) holds the flags that every command has, and the exit \
        codes.\n"
            .to_owned();
    text.push_str(&overview(&root, |name| format!("#fbc-{name}")));
    let mut shared = BTreeMap::new();
    command(&mut text, &root, root.get_name(), &mut shared);
    let _ = writeln!(text, "\n## {SHARED}\n\nOf all commands that speak with registries.");
    table(&mut text, shared.values());
    Ok(vec![Generated { path: PathBuf::from("docs/reference/commands.md"), content: text }])
}

/// A table of the groups of commands, each command with a link.
pub(super) fn overview(root: &Command, link: impl Fn(&str) -> String) -> String {
    let mut text = "\n| | |\n|---|---|\n".to_owned();
    for group in &fbc::COMMAND_GROUPS {
        let is_documented = |name: &&&str| root.find_subcommand(name).is_some() && **name != "help";
        let commands = group.commands.iter().filter(is_documented);
        let commands: Vec<String> = commands.map(|name| format!("[`{name}`]({})", link(name))).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {} | {} |", group.title, commands.join(", "));
    }
    text
}

/// The heading of options that many commands share; the page has them once.
const SHARED: &str = "Registry options";

fn command<'c>(
    text: &mut String,
    described: &'c Command,
    name: &str,
    shared: &mut BTreeMap<&'c str, &'c Arg>,
) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## `{name}`\n\n");
    if let Some(about) = described.get_long_about().or_else(|| described.get_about()) {
        let _ = writeln!(text, "{}\n", about.to_string().trim());
    }
    let usage = described.clone().render_usage().to_string();
    let _ = writeln!(text, "```text\n{}\n```", usage.trim_start_matches("Usage: ").trim());
    let own = described
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && !is_shown_by_every_command(argument));
    let (others, own): (Vec<&Arg>, Vec<&Arg>) =
        own.partition(|argument| argument.get_help_heading() == Some(SHARED));
    table(text, &own);
    if !others.is_empty() {
        text.push_str("\nAlso [registry options](#registry-options)");
        let is_transfer = others.iter().any(|argument| argument.get_id() == "chunk_size");
        text.push_str(if is_transfer { ", with those for whole images.\n" } else { ".\n" });
    }
    for argument in others {
        shared.entry(argument.get_id().as_str()).or_insert(argument);
    }
    if let Some(after) = described.get_after_help() {
        text.push_str(&behind(&after.to_string()));
    }
    for child in
        described.get_subcommands().filter(|child| !child.is_hide_set() && child.get_name() != "help")
    {
        command(text, child, &format!("{name} {}", child.get_name()), shared);
    }
}

/// Whether an argument is one that every command has; `conventions.md` has them once.
pub(super) fn is_shown_by_every_command(argument: &Arg) -> bool {
    argument.is_global_set() || matches!(argument.get_long(), Some("help" | "version"))
}

/// What stands behind the help of a command: paragraphs, then examples as code.
fn behind(text: &str) -> String {
    let (paragraphs, examples) = match text.split_once("Examples:\n") {
        Some((paragraphs, examples)) => (paragraphs.trim(), examples),
        None => (text.trim(), ""),
    };
    let mut shown = String::new();
    if !paragraphs.is_empty() {
        shown = format!("\n{paragraphs}\n");
    }
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().map(str::trim).collect();
        shown.push_str(&format!("\n```sh\n{}\n```\n", lines.join("\n")));
    }
    shown
}

/// Arguments as a table, unless there are none.
fn table<'a>(text: &mut String, arguments: impl IntoIterator<Item = &'a &'a Arg>) {
    for (index, argument) in arguments.into_iter().enumerate() {
        if index == 0 {
            text.push_str("\n| argument | meaning |\n|---|---|\n");
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{}` | {} |", form(argument), meaning(argument));
    }
}

/// `-o, --output FORMAT`, or `PATH...` for what has no name.
pub(super) fn form(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().into_iter().flatten().map(|name| name.to_string()).collect();
    let takes_values = argument.get_action().takes_values();
    let values = if takes_values { values.join(" ") } else { String::new() };
    if argument.is_positional() {
        let many = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
        return if many { format!("{values}...") } else { values };
    }
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    format!("{} {values}", names.join(", ")).trim().to_owned()
}

/// What an argument means, as sentences.
pub(super) fn meaning(argument: &Arg) -> String {
    let help =
        argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut meaning: Vec<String> =
        help.split("\n\n").map(paragraph).filter(|text| !text.is_empty()).collect();
    let takes_values = argument.get_action().takes_values();
    let possible = argument.get_possible_values();
    let choices = possible.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name());
    let choices: Vec<String> = choices.map(|name| format!("`{name}`")).collect();
    if !choices.is_empty() && takes_values {
        meaning.push(format!("One of {}.", choices.join(", ")));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && takes_values {
        meaning.push(format!("Default: {}.", defaults.join(" ")));
    }
    let mut line = String::new();
    for part in &meaning {
        if !line.is_empty() {
            // What comes before and after a list stands on a line of its own.
            let is_list = part.starts_with("- ")
                || line.rsplit("<br>").next().is_some_and(|last| last.starts_with("- "));
            line.push_str(if is_list { "<br>" } else { " " });
        }
        line.push_str(part);
    }
    line.replace('|', "\\|")
}

/// A paragraph of help on one line, ended by a full stop; each item of a list on a line of its own in the cell.
fn paragraph(text: &str) -> String {
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            line.push_str(if part.starts_with("- ") { "<br>" } else { " " });
        }
        line.push_str(part);
    }
    if !line.is_empty() && !line.ends_with(['.', ':', '!', '?']) {
        line.push('.');
    }
    line
}

#[cfg(test)]
mod tests {
    use clap::Arg;
    use clap::builder::PossibleValuesParser;

    use super::*;

    #[test]
    fn commands_are_listed_with_their_options() {
        let pages = page(Path::new("")).unwrap();
        let text = &pages.first().unwrap().content;
        assert!(text.contains("## `fbc validate`"), "{text}");
        assert!(text.contains("| `-o, --output FORMAT"), "{text}");
    }

    #[test]
    fn meanings_are_sentences() {
        let choice = Arg::new("a").long("a").value_parser(PossibleValuesParser::new(["x", "y"]));
        for (argument, expected) in [
            (Arg::new("a").long("a").help("Say more"), "Say more."),
            (Arg::new("a").long("a").help("Why?").long_help("Why?\n\nIt\nhurts"), "Why? It hurts."),
            (Arg::new("a").long("a").help("Of\n- one\n- two"), "Of<br>- one<br>- two."),
            (
                Arg::new("a").long("a").long_help("Which\n\n- one\n- two").help("Which"),
                "Which.<br>- one<br>- two.",
            ),
            (choice.help("How a|b").default_value("x"), "How a\\|b. One of `x`, `y`. Default: `x`."),
        ] {
            assert_eq!(meaning(&argument), expected);
        }
    }
}
