//! The commands by what they are for, in one table: `fbc --help`, the README and the reference show them in these groups.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;
use fbc_go::text::padded;

/// Commands that serve one purpose.
#[derive(Clone, Copy, Debug)]
pub struct CommandGroup {
    /// The heading.
    pub title: &'static str,
    /// The names of the commands, in the order in which they are shown.
    pub commands: &'static [&'static str],
}

/// All commands that help shows; the definition of the command line has the same order.
pub static COMMAND_GROUPS: [CommandGroup; 8] = [
    group(
        "Create and edit",
        &["init", "add", "deprecate", "template", "generate", "catalog", "filter", "lifecycle"],
    ),
    group("Check", &["validate", "diff", "bundle", "crd", "explain", "merge-reports"]),
    group("Inspect", &["list", "render", "query", "graph", "paths", "resolve", "range", "images"]),
    group(
        "Build and distribute",
        &["build", "push", "pull", "unpack", "sign", "verify", "mirror", "serve", "cache"],
    ),
    group("Simulate", &["simulate", "cluster"]),
    group("Repositories", &["repository", "pin", "merge-driver"]),
    group("OpenShift and migration", &["release", "updates", "migrate-to-v1"]),
    group("Setup and help", &["doctor", "lsp", "completions", "schema", "man", "version", "opm", "help"]),
];

const fn group(title: &'static str, commands: &'static [&'static str]) -> CommandGroup {
    CommandGroup { title, commands }
}

/// What clap says of the command that it adds itself.
const HELP: &str = "Print this message or the help of a command";

impl CommandGroup {
    /// The commands of the group with their summaries, but for those that this program is built without.
    pub fn summaries<'c>(&self, root: &'c Command) -> impl Iterator<Item = (&'static str, String)> + use<'c> {
        self.commands.iter().filter_map(|&name| match (root.find_subcommand(name), name) {
            (Some(command), _) => command.get_about().map(|about| (name, about.to_string())),
            (None, "help") => Some((name, HELP.to_owned())),
            (None, _) => None,
        })
    }
}

/// The command line, whose help shows commands in their groups.
pub(crate) fn with_groups(command: Command) -> Command {
    let style = command.get_styles().clone();
    let (header, literal) = (style.get_header(), style.get_literal());
    let width = COMMAND_GROUPS.iter().flat_map(|group| group.commands).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let mut text = StyledStr::new();
    // Writing to a text cannot fail.
    let _ = write!(text, "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n");
    for group in &COMMAND_GROUPS {
        let _ = write!(text, "\n{header}{}:{header:#}\n", group.title);
        for (name, about) in group.summaries(&command) {
            let _ = writeln!(text, "  {literal}{}{literal:#}  {about}", padded(name, width));
        }
    }
    let _ = write!(text, "\n{header}Global options:{header:#}\n{{options}}{{after-help}}");
    command.help_template(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::command_line;

    #[test]
    fn every_shown_command_is_in_one_group_in_the_order_of_its_definition() {
        let listed: Vec<&str> = COMMAND_GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        let root = command_line();
        let mut shown: Vec<&str> =
            root.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        shown.push("help");
        assert_eq!(listed, shown);
    }

    #[test]
    fn help_shows_the_groups() {
        let help = command_line().render_help().to_string();
        for part in
            ["\nCheck:\n  validate       Report", "\nGlobal options:\n", "  -q, --quiet", "Exit codes: "]
        {
            assert!(help.contains(part), "{part} is missing in {help}");
        }
        let longest = help.lines().take_while(|line| *line != "Global options:").map(str::len).max().unwrap();
        assert!(longest <= 100, "a summary does not fit into a line of 100 characters: {longest}");
    }
}
