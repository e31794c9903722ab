//! Help and usage, laid out as cobra does.

use fbc_go::text::padded;

use super::commands::{Action, Command, GLOBAL_FLAGS};
use super::flags::{Flag, FlagKind};

/// What `--help` prints.
pub(super) fn help(command: &Command) -> String {
    format!("{}\n\n{}", command.purpose, usage(command))
}

/// How a command is called.
pub(super) fn usage(command: &Command) -> String {
    let name = command.full_name();
    let mut text = "Usage:\n".to_owned();
    let children: Vec<&Command> = command.children().filter(|child| child.is_shown()).collect();
    if command.action != Action::Help {
        let arguments =
            if command.arguments.is_empty() { String::new() } else { format!(" {}", command.arguments) };
        text.push_str(&format!("  {name}{arguments} [flags]\n"));
    }
    if !children.is_empty() {
        text.push_str(&format!("  {name} [command]\n\nAvailable Commands:\n"));
        let width = children
            .iter()
            .filter_map(|child| child.path.last())
            .map(|word| word.len())
            .max()
            .unwrap_or(0)
            .max(11);
        for child in &children {
            let word = child.path.last().copied().unwrap_or_default();
            text.push_str(&format!("  {} {}\n", padded(word, width), child.purpose));
        }
    }
    let word = command.path.last().copied().unwrap_or("opm");
    let help_line = ("  -h, --help".to_owned(), format!("help for {word}"));
    let mut lines: Vec<(String, String)> = flag_lines(command.flags.iter());
    lines.push(help_line);
    lines.sort_by(|(a, _), (b, _)| a.get(6..).cmp(&b.get(6..)));
    push_lines(&mut text, "\nFlags:\n", &lines);
    let is_own = |global: &Flag| command.flags.iter().any(|flag| flag.name == global.name);
    let global = flag_lines(GLOBAL_FLAGS.iter().filter(|global| !is_own(global)));
    if !global.is_empty() {
        push_lines(&mut text, "\nGlobal Flags:\n", &global);
    }
    if !children.is_empty() {
        text.push_str(&format!("\nUse \"{name} [command] --help\" for more information about a command.\n"));
    }
    text
}

fn flag_lines<'f>(flags: impl Iterator<Item = &'f Flag>) -> Vec<(String, String)> {
    flags.filter(|flag| flag.is_shown()).map(flag_line).collect()
}

fn flag_line(flag: &Flag) -> (String, String) {
    let short = flag.short.map_or("    ".to_owned(), |short| format!("-{short}, "));
    match flag.kind {
        FlagKind::Switch => (format!("  {short}--{}", flag.name), flag.purpose.to_owned()),
        FlagKind::List => (format!("  {short}--{} strings", flag.name), flag.purpose.to_owned()),
        FlagKind::Text("") => (format!("  {short}--{} string", flag.name), flag.purpose.to_owned()),
        FlagKind::Text(default) => {
            (format!("  {short}--{} string", flag.name), format!("{} (default \"{default}\")", flag.purpose))
        }
    }
}

fn push_lines(text: &mut String, heading: &str, lines: &[(String, String)]) {
    text.push_str(heading);
    let width = lines.iter().map(|(left, _)| left.len()).max().unwrap_or(0);
    for (left, right) in lines {
        text.push_str(&format!("{}   {right}\n", padded(left, width)));
    }
}

impl Command {
    /// Whether help and completions name the command.
    pub(super) fn is_shown(&self) -> bool {
        let is_there = !matches!(self.action, Action::Absent(_) | Action::Complete { .. });
        is_there && self.deprecated.is_none() && (shows_alpha() || self.path != ["alpha"])
    }
}

impl Flag {
    /// Whether help and completions name the flag.
    pub(super) fn is_shown(&self) -> bool {
        !self.is_hidden || shows_alpha() && self.name.starts_with("alpha-")
    }
}

/// opm hides what may still change unless this is set.
fn shows_alpha() -> bool {
    std::env::var_os("HELP_ALPHA").is_some_and(|value| value == "true")
}
