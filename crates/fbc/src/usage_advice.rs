//! Advice on command lines that are not understood: what words and flags of other programs are here.

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

/// Flags that other programs have.
const FLAGS: &[(&[&str], &str)] = &[
    (&["--json"], "`-o json` writes JSON"),
    (&["--yaml"], "`-o yaml` writes YAML"),
    (
        &["--strict", "--fail-on-warnings", "--warnings-as-errors"],
        "`fbc validate --deny-warnings` fails on warnings",
    ),
    (&["--all-errors"], "`fbc validate` always reports all errors"),
    (
        &["--skip-tls", "--insecure", "--skip-tls-verify"],
        "`--insecure-skip-tls-verify` accepts any certificate; `--plain-http` speaks HTTP",
    ),
];

/// The same error with better advice, where there is some.
pub(crate) fn advised(mut error: clap::Error, commands: &clap::Command) -> clap::Error {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let known = |table: &[(&[&str], &'static str)], word: &str| {
        table.iter().find(|(words, _)| words.contains(&word)).map(|(_, advice)| *advice)
    };
    let advice = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(&error, ContextKind::InvalidSubcommand);
            let advice = known(WORDS, &word);
            if advice.is_some() {
                // Words that look alike mean something else.
                error.remove(ContextKind::SuggestedSubcommand);
            } else if error.get(ContextKind::SuggestedSubcommand).is_none()
                && let Some(meant) = closest(&word, commands.get_subcommands().map(clap::Command::get_name))
            {
                let meant = ContextValue::Strings(vec![meant.to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, meant);
            }
            advice
        }
        ErrorKind::UnknownArgument => {
            // Nobody who misspells a flag means a file of that name.
            error.remove(ContextKind::Suggested);
            known(FLAGS, &text(&error, ContextKind::InvalidArg))
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::command_line;

    #[test]
    fn words_of_other_programs_are_explained() {
        for (line, expected) in [
            ("check catalog", "tip: `fbc validate` checks catalogs"),
            ("alpha list", "tip: `fbc opm …` takes the command line of opm"),
            ("validat catalog", "tip: a similar subcommand exists: 'validate'"),
            ("help validat", "tip: a similar subcommand exists: 'validate'"),
            ("validate --json catalog", "tip: `-o json` writes JSON"),
            ("validate --denywarnings catalog", "tip: a similar argument exists: '--deny-warnings'"),
        ] {
            let words = std::iter::once("fbc").chain(line.split(' '));
            let error = command_line().try_get_matches_from(words).unwrap_err();
            let said = advised(error, &command_line()).to_string();
            assert!(said.contains(expected) && !said.contains("as a value"), "{line}: {said}");
        }
    }

    /// What is a command or a flag here needs no advice.
    #[test]
    fn no_advice_hides_a_command() {
        let commands = command_line();
        let names: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
        for word in WORDS.iter().flat_map(|(words, _)| *words) {
            assert!(!names.contains(word), "{word}");
        }
    }
}
