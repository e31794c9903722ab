//! `docs/reference/conventions.md`: what holds for every command: exit codes, shared flags, variables of the environment.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use fbc::variables::VARIABLES;

use super::Generated;
use super::commands::{form, is_shown_by_every_command, meaning};
use crate::error::TaskResult;

/// A flag that fewer commands have is not called shared.
const FEWEST_COMMANDS: usize = 4;

/// What the page says of a flag that commands describe in words of their own.
enum Words {
    /// The commands mean different things by it: it is not shared.
    Different,
    /// Its form, and what holds for all of them.
    Neutral(&'static str, &'static str),
}
use Words::{Different, Neutral};

/// Flags by their long names. Of a flag that is not here all commands say the same.
const FLAGS: [(&str, Words); 22] = [
    ("catalog", Neutral("--catalog [NAME=]REF", "A catalog, with the name of its ClusterCatalog")),
    ("channel", Neutral("--channel CHANNEL", "A channel of the package")),
    ("config", Different),
    ("diff", Different),
    ("dry-run", Neutral("--dry-run", "Write nothing; show what would be done")),
    ("feature-gate", Neutral("--feature-gate NAME[=BOOL]", "A feature gate, and whether it is on")),
    ("force", Neutral("--force", "Go on although something is in the way, such as a file that exists")),
    (
        "image-ref-template",
        Neutral("--image-ref-template TEMPLATE", "How images of bundle directories are named"),
    ),
    ("migrate", Neutral("--migrate", "Bring blobs up to date as far as possible")),
    ("migrate-level", Neutral("--migrate-level LEVEL", "Bring blobs up to date, up to this level")),
    (
        "ocp",
        Neutral(
            "--ocp VERSION",
            "OpenShift releases: those that count, or those whose catalogs of a repository are meant",
        ),
    ),
    ("no-validate", Neutral("--no-validate", "Go on with a catalog that opm would refuse")),
    ("olm", Neutral("--olm GENERATION", "The generation of OLM, `v0` or `v1`; of a cluster also `both`")),
    ("output", Neutral("-o, --output FORMAT", "The format to write")),
    ("output-dir", Neutral("--output-dir DIR", "Write files to this directory")),
    ("output-file", Neutral("--output-file FILE", "Write to a file instead of standard output")),
    ("package", Neutral("-p, --package PACKAGE", "The package that is meant")),
    ("profile", Different),
    ("report", Different),
    ("seed", Neutral("--seed SEED", "The seed of a simulation")),
    ("target", Neutral("--target TARGET", "The release of OLM or OpenShift whose behavior counts")),
    ("to", Different),
];

/// What the table says of a flag.
fn words(long: &str) -> Option<&'static Words> {
    FLAGS.iter().find(|(name, _)| *name == long).map(|(_, words)| words)
}

const HEAD: &str = "\
# Conventions

What holds for every command.

## Exit codes

| code | meaning |
|---|---|
| 0 | done; nothing to report |
| 1 | findings, differences or a refusal: the input was read and judged |
| 2 | could not run: wrong arguments, files that cannot be read, a registry that does not answer, a used-up [limit](limits.md) |
| 129, 130, 143 | ended by SIGHUP, SIGINT or SIGTERM; nothing half-written is left |

Standard output that cannot be written, such as a full disk, gives 2. One that is closed (`>&-`) counts as one that nobody reads:
before a program begins, its runtime opens `/dev/null` in place of closed streams.

A file that a flag names may be a pipe, such as `<(command)`; of what has no end, such as a device, no more is read than the
[limit](limits.md) `input-bytes` allows.

Under the name `opm` the exit codes are those of opm. Some commands say more precisely:

| command | exit codes |
|---|---|
";

/// The page.
pub(super) fn page(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut root = fbc::command_line();
    root.build();
    let mut text = HEAD.to_owned();
    walk(&root, "fbc", &mut |name, command| {
        if let Some(codes) = exit_codes(command).filter(|_| name != "fbc") {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| `{name}` | {} |", codes.replace('|', "\\|"));
        }
    });
    text.push_str(
        "\n## Flags of all commands\n\n| flag | meaning |\n|---|---|\n\
         | `-h, --help` | Print help: `-h` in short, `--help` in full, with examples. |\n\
         | `-V, --version` | Print the version. |\n",
    );
    for argument in root.get_arguments().filter(|argument| argument.is_global_set()) {
        let _ = writeln!(text, "| `{}` | {} |", form(argument), meaning(argument));
    }
    text.push_str(
        "\n## Flags that commands share\n\nIn every command `-o` and `--output` are a format, `--output-file` is \
         a file and `--output-dir` a directory. What a flag does to one command exactly is said there. The flags for registries are in \
         [a table of their own](commands.md#registry-options).\n\n| flag | meaning | commands |\n|---|---|---|\n",
    );
    for (long, uses) in &flags_of(&root) {
        shared(&mut text, long, uses);
    }
    let different = FLAGS.iter().filter(|(_, words)| matches!(words, Different));
    let different: Vec<String> = different.map(|(name, _)| format!("`--{name}`")).collect();
    let _ =
        writeln!(text, "\nNot shared are {}: each command says what it means by them.", different.join(", "));
    text.push_str("\n## Environment variables\n\n| variable | meaning |\n|---|---|\n");
    for variable in &VARIABLES {
        let _ = writeln!(text, "| `{}` | {} |", variable.name, variable.meaning);
    }
    text.push_str("\n`fbc doctor` shows what they lead to on this machine.\n");
    Ok(vec![Generated { path: PathBuf::from("docs/reference/conventions.md"), content: text }])
}

/// By long name: the commands with the flag as each defines it.
type Flags = BTreeMap<String, Vec<(String, Arg)>>;

fn walk<'c>(command: &'c Command, name: &str, visit: &mut impl FnMut(&str, &'c Command)) {
    visit(name, command);
    for child in command.get_subcommands().filter(|child| !child.is_hide_set() && child.get_name() != "help")
    {
        walk(child, &format!("{name} {}", child.get_name()), visit);
    }
}

/// All flags that help shows.
fn flags_of(root: &Command) -> Flags {
    let mut flags = Flags::new();
    walk(root, "fbc", &mut |name, command| {
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            if let Some(long) = argument.get_long() {
                flags.entry(long.to_owned()).or_default().push((name.to_owned(), argument.clone()));
            }
        }
    });
    flags
}

/// What a command says of its exit codes behind its help.
fn exit_codes(command: &Command) -> Option<String> {
    let text = command.get_after_help()?.to_string();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Exit codes: "))?;
    Some(line.trim_end_matches('.').to_owned())
}

fn summary(argument: &Arg) -> String {
    argument.get_help().map(ToString::to_string).unwrap_or_default()
}

/// A row, if enough commands have the flag.
fn shared(text: &mut String, long: &str, uses: &[(String, Arg)]) {
    let Some((_, first)) = uses.first() else { return };
    let is_of_registries = first.get_help_heading() == Some("Registry options");
    if uses.len() < FEWEST_COMMANDS || is_of_registries || is_shown_by_every_command(first) {
        return;
    }
    let (shown, said) = match words(long) {
        Some(Different) => return,
        Some(Neutral(shown, said)) => ((*shown).to_owned(), (*said).to_owned()),
        None => (form(first), summary(first)),
    };
    let commands: Vec<String> =
        uses.iter().map(|(name, _)| format!("`{}`", name.strip_prefix("fbc ").unwrap_or(name))).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "| `{shown}` | {} | {} |", said.replace('|', "\\|"), commands.join(", "));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A row says what holds for all commands: they agree, or the table has words for it.
    #[test]
    fn shared_flags_have_one_text() {
        let mut root = fbc::command_line();
        root.build();
        let flags = flags_of(&root);
        let texts = |uses: &[(String, Arg)]| -> BTreeSet<String> {
            uses.iter().map(|(_, argument)| summary(argument)).collect()
        };
        let mut unknown: Vec<String> = Vec::new();
        for (long, uses) in &flags {
            let mut row = String::new();
            shared(&mut row, long, uses);
            if !row.is_empty() && texts(uses).len() > 1 && words(long).is_none() {
                unknown.push(format!("--{long}: {:?}", texts(uses)));
            }
        }
        assert!(unknown.is_empty(), "{}", unknown.join("\n"));
        for (name, _) in FLAGS {
            let uses = flags.get(name).unwrap_or_else(|| panic!("no command has --{name}"));
            assert!(texts(uses).len() > 1, "all commands say the same of --{name}, so the table need not");
        }
    }

    #[test]
    fn tables_hold_what_commands_share() {
        let pages = page(Path::new("")).unwrap();
        let text = &pages.first().unwrap().content;
        for part in [
            "| `-o, --output FORMAT` |",
            "| `--output-file FILE` | Write to a file instead of standard output |",
            "| `fbc simulate` | 0 all that was expected was seen, 1 something was not, 2 could not run |",
            "| `--color WHEN` |",
            "| `NO_COLOR` |",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
