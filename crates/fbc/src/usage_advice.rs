//! Advice on command lines that are not understood: what words and flags of other programs are here.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::closest;

/// Words that stand for a command elsewhere.
const WORDS: &[(&[&str], &str)] = &[
    (&["check", "lint", "test"], "`fbc validate` checks catalogs, `fbc bundle validate` checks bundles"),
    (&["fix", "fmt", "format"], "`fbc validate --fix` fixes what it finds"),
    (
        &["get", "ls", "show", "describe", "inspect"],
        "`fbc list` shows packages, channels and bundles; `fbc query` shows anything",
    ),
    (&["jq"], "`fbc query` runs jq programs on catalogs"),
    (
        &["remove", "delete", "rm", "prune"],
        "`fbc filter` writes a smaller catalog; `fbc deprecate` warns users of a version",
    ),
    (&["upgrade", "update"], "`fbc paths` shows upgrades; `fbc simulate upgrade` tries them on clusters"),
    (&["convert", "render-template"], "`fbc template` renders and converts templates"),
    (&["copy", "sync"], "`fbc push` copies an image; `fbc mirror` copies a catalog with all its images"),
    (&["extract"], "`fbc unpack` writes what an image holds to a directory"),
    (
        &["login", "logout"],
        "fbc reads the credentials that `podman login` and `docker login` write; `fbc doctor` shows where",
    ),
    (&["alpha", "index", "registry"], "`fbc opm …` takes the command line of opm"),
];

/// Flags of other programs for a format, which is a value of `--output` here.
const FORMATS: [(&str, &str); 2] = [("--json", "json"), ("--yaml", "yaml")];

/// Flags that mean that warnings fail the command.
const STRICT: [&str; 3] = ["--strict", "--fail-on-warnings", "--warnings-as-errors"];

/// The same error with better advice, where there is some.
pub(crate) fn advised(
    mut error: clap::Error,
    arguments: &[OsString],
    commands: &clap::Command,
) -> clap::Error {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let words = || arguments.iter().skip(1).filter_map(|word| word.to_str());
    let advice = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(&error, ContextKind::InvalidSubcommand);
            // Commands of commands have advice of clap alone.
            let before = words().take_while(|one| *one != word);
            let is_first = std::ptr::eq(called(commands, before), commands);
            let advice = WORDS.iter().find(|(words, _)| is_first && words.contains(&word.as_str()));
            if advice.is_some() {
                // Words that look alike mean something else.
                error.remove(ContextKind::SuggestedSubcommand);
            } else if is_first
                && error.get(ContextKind::SuggestedSubcommand).is_none()
                && let Some(meant) = closest(&word, commands.get_subcommands().map(clap::Command::get_name))
            {
                let meant = ContextValue::Strings(vec![meant.to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, meant);
            }
            advice.map(|(_, advice)| (*advice).to_owned())
        }
        ErrorKind::UnknownArgument => {
            let flag = text(&error, ContextKind::InvalidArg);
            let is_escape = |value: &ContextValue| value.to_string().contains("as a value");
            if flag.starts_with("--") && error.get(ContextKind::Suggested).is_some_and(is_escape) {
                // Nobody who misspells a flag means a file of that name.
                error.remove(ContextKind::Suggested);
            }
            flag_advice(&flag, called(commands, words()))
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

/// The command that a command line calls, as far as it is known.
fn called<'c, 'w>(commands: &'c clap::Command, words: impl Iterator<Item = &'w str>) -> &'c clap::Command {
    words.fold(commands, |command, word| command.find_subcommand(word).unwrap_or(command))
}

/// What a flag of another program is for a command that has the like.
fn flag_advice(flag: &str, command: &clap::Command) -> Option<String> {
    let find = |name: &str| command.get_arguments().find(|argument| argument.get_long() == Some(name));
    if let Some((_, format)) = FORMATS.iter().find(|(other, _)| *other == flag) {
        let formats = find("output")?.get_possible_values();
        return formats
            .iter()
            .any(|value| value.get_name() == *format)
            .then(|| format!("`-o {format}` writes {}", format.to_uppercase()));
    }
    (STRICT.contains(&flag) && find("deny-warnings").is_some())
        .then(|| "`--deny-warnings` fails on warnings".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::command_line;

    fn said(line: &str) -> String {
        let words: Vec<OsString> =
            std::iter::once("fbc").chain(line.split(' ')).map(OsString::from).collect();
        let error = command_line().try_get_matches_from(&words).unwrap_err();
        advised(error, &words, &command_line()).to_string()
    }

    #[test]
    fn words_of_other_programs_are_explained() {
        for (line, expected) in [
            ("check catalog", "tip: `fbc validate` checks catalogs"),
            ("--color never lint catalog", "tip: `fbc validate` checks catalogs"),
            ("alpha list", "tip: `fbc opm …` takes the command line of opm"),
            ("validat catalog", "tip: a similar subcommand exists: 'validate'"),
            ("help validat", "tip: a similar subcommand exists: 'validate'"),
            ("validate --json catalog", "tip: `-o json` writes JSON"),
            ("bundle validate --json bundle", "tip: `-o json` writes JSON"),
            ("render --yaml catalog", "tip: `-o yaml` writes YAML"),
            ("validate --strict catalog", "tip: `--deny-warnings` fails on warnings"),
            ("validate --denywarnings catalog", "tip: a similar argument exists: '--deny-warnings'"),
            ("--deny-warnings validate catalog", "'validate --deny-warnings' exists"),
        ] {
            let said = said(line);
            assert!(said.contains(expected) && !said.contains("as a value"), "{line}: {said}");
        }
    }

    #[test]
    fn nothing_is_advised_that_a_command_does_not_have() {
        for line in
            ["serve --json catalog", "validate --yaml catalog", "render --strict catalog", "bundle chek x"]
        {
            let said = said(line);
            assert!(!said.contains("tip: `"), "{line}: {said}");
        }
        assert!(!said("catalog serve x").contains("similar subcommand"));
        assert!(!said("bundle bundle x").contains("'bundle' exists"));
        // A program of `query` may begin with a sign.
        assert!(said("query -1 catalog").contains("as a value"));
    }

    /// What is a command here needs no advice.
    #[test]
    fn no_advice_hides_a_command() {
        let commands = command_line();
        for word in WORDS.iter().flat_map(|(words, _)| *words) {
            assert!(commands.find_subcommand(word).is_none(), "{word}");
        }
    }
}
