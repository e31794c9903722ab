//! Completion of words in a shell, with what the catalog at hand holds (packages, channels, bundles), and with what fbc
//! knows: codes of rules, budgets, schemas and the parts of a cluster.
//!
//! The script of a shell runs fbc with [`VARIABLE`] set and the words of the line behind `--`. Only local catalogs are
//! read, and whatever goes wrong gives no candidates: nobody asked for a message.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use fbc_app::layout::{find, repository_tree};
use fbc_app::loading::load_tree;
use fbc_lint::schema;
use fbc_model::Catalog;
use fbc_rules::RULES;
#[cfg(feature = "cluster")]
use fbc_simulation::server::parts;
use fbc_source::CatalogSource;

use crate::arguments::command_line;
use crate::limits::raisable;
use crate::settings::Settings;
use crate::terminal;

/// The variable that names the shell whose words are completed.
const VARIABLE: &str = "FBC_COMPLETE";

/// What bash needs besides, which cuts words at `:` and `=`.
const WHOLE_WORDS: &str = include_str!("completion.bash");

/// What is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Packages,
    Channels,
    Bundles,
    Codes,
    /// `PACKAGE[:CHANNEL[:RANGE]]`
    Selections,
    /// `NAME=`, of the budgets that `--limit` sets
    Budgets,
    Schemas,
    /// The parts of a simulated cluster
    Parts,
}

/// Which values are completed: by the name of the flag, or by what stands for the value in help.
const COMPLETED: [(&str, Kind); 17] = [
    ("PACKAGE", Kind::Packages),
    ("P[:CHANNEL[:RANGE]]", Kind::Selections),
    ("CHANNEL", Kind::Channels),
    ("channel", Kind::Channels),
    ("BUNDLE", Kind::Bundles),
    ("installed", Kind::Bundles),
    ("minimum-edge", Kind::Bundles),
    ("replaces", Kind::Bundles),
    ("skips", Kind::Bundles),
    ("skipped-by", Kind::Bundles),
    ("CODE", Kind::Codes),
    ("RULE", Kind::Codes),
    ("select", Kind::Codes),
    ("ignore", Kind::Codes),
    ("limit", Kind::Budgets),
    ("SCHEMA", Kind::Schemas),
    ("PART", Kind::Parts),
];

/// Answers a script, if one asks.
pub(crate) fn answer(arguments: &[OsString], settings: &Settings) -> Option<io::Result<()>> {
    let shell = std::env::var(VARIABLE).ok()?;
    let start = arguments.iter().position(|word| word == "--")? + 1;
    let words = arguments.get(start..).unwrap_or_default().to_vec();
    let builtins = Shells::builtins();
    let completer = builtins.completer(&shell)?;
    let mut command = with_values(command_line(), &words, settings);
    command.build();
    let folder = std::env::current_dir().ok();
    let mut answer = Vec::new();
    Some(completer.write_complete(&mut command, words, folder.as_deref(), &mut answer).and_then(|()| {
        let mut out = terminal::stdout();
        out.write_all(&answer)?;
        out.flush()
    }))
}

/// The script that asks.
pub(crate) fn script(shell: Shell) -> io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let builtins = Shells::builtins();
    let completer = builtins
        .completer(&shell.to_string())
        .ok_or_else(|| io::Error::other(format!("there is no script for {shell}")))?;
    completer.write_registration(VARIABLE, "fbc", "fbc", "fbc", &mut script)?;
    if shell == Shell::Bash {
        let text = String::from_utf8_lossy(&script);
        let registered = text.replace("-F _clap_complete_fbc fbc", "-F _fbc_whole_words fbc");
        script = (registered + WHOLE_WORDS).into_bytes();
    }
    Ok(script)
}

/// Adds what values may be.
fn with_values(command: Command, words: &[OsString], settings: &Settings) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let mut command = command.mut_args(|argument| match kind_of(&argument) {
        Some(kind) => {
            let (words, settings) = (words.to_vec(), settings.clone());
            argument.add(ArgValueCompleter::new(move |current: &OsStr| {
                candidates(kind, &words, current, &settings)
            }))
        }
        None => argument,
    });
    for name in names {
        command = command.mut_subcommand(name, |child| with_values(child, words, settings));
    }
    command
}

fn kind_of(argument: &Arg) -> Option<Kind> {
    let values = argument.get_value_names()?;
    let placeholder = values.first().map(|name| name.as_str()).filter(|_| values.len() == 1)?;
    // A bundle as an argument without a flag is a directory or an image.
    let is_file = argument.is_positional() && placeholder == "BUNDLE";
    let named = |name: &str| argument.get_long() == Some(name) || placeholder == name;
    COMPLETED.iter().find(|(name, _)| named(name) && !is_file).map(|(_, kind)| *kind)
}

fn candidates(
    kind: Kind,
    words: &[OsString],
    current: &OsStr,
    settings: &Settings,
) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let mut found = match kind {
        Kind::Codes => RULES.iter().map(|rule| (rule.code.to_owned(), Some(rule.summary))).collect(),
        Kind::Budgets => raisable().map(|limit| (format!("{}=", limit.name), Some(limit.of))).collect(),
        Kind::Schemas => schema::all().iter().map(|schema| (schema.name.to_owned(), None)).collect(),
        #[cfg(not(feature = "cluster"))]
        Kind::Parts => Vec::new(),
        #[cfg(feature = "cluster")]
        Kind::Parts => {
            parts(settings).unwrap_or_default().into_iter().map(|part| (part.to_owned(), None)).collect()
        }
        Kind::Packages | Kind::Channels | Kind::Bundles | Kind::Selections => {
            catalog_values(kind, words, current, settings)
        }
    };
    found.sort();
    found.dedup();
    found
        .into_iter()
        .filter(|(value, _)| value.starts_with(current))
        .map(|(value, help)| CompletionCandidate::new(value).help(help.map(Into::into)))
        .collect()
}

fn catalog_values(
    kind: Kind,
    words: &[OsString],
    current: &str,
    settings: &Settings,
) -> Vec<(String, Option<&'static str>)> {
    let catalogs = catalogs_at_hand(words, settings);
    let packages: Vec<&str> =
        catalogs.iter().flat_map(|catalog| &catalog.packages).map(|package| package.name.as_str()).collect();
    let is_named = |package: &str| words.iter().any(|word| word == package);
    // Of all packages only those that the line names, if it names some.
    let some_named = packages.iter().any(|package| is_named(package));
    let counts = |package: &str| !some_named || is_named(package);
    let channels = catalogs.iter().flat_map(|catalog| &catalog.channels);
    let values: Vec<String> = match kind {
        Kind::Packages => packages.iter().map(|name| (*name).to_owned()).collect(),
        Kind::Selections if current.contains(':') => {
            channels.map(|channel| format!("{}:{}", channel.package, channel.name)).collect()
        }
        Kind::Selections => packages.iter().map(|name| (*name).to_owned()).collect(),
        Kind::Channels => {
            channels.filter(|channel| counts(&channel.package)).map(|channel| channel.name.clone()).collect()
        }
        Kind::Bundles => catalogs
            .iter()
            .flat_map(|catalog| &catalog.bundles)
            .filter(|bundle| counts(&bundle.package))
            .map(|bundle| bundle.name.clone())
            .collect(),
        Kind::Codes | Kind::Budgets | Kind::Schemas | Kind::Parts => Vec::new(),
    };
    values.into_iter().map(|value| (value, None)).collect()
}

/// The catalogs that the line names as files or directories, also as `NAME=PATH`; else those of the repository here.
fn catalogs_at_hand(words: &[OsString], settings: &Settings) -> Vec<Catalog> {
    let path = |word: &OsString| {
        let text = word.to_str()?;
        let path = text.split_once('=').map_or(text, |(_, path)| path);
        Path::new(path).exists().then(|| PathBuf::from(path))
    };
    // The first word is the program.
    let mut paths: Vec<PathBuf> = words.iter().skip(1).filter_map(path).collect();
    if paths.is_empty() {
        paths = repository_tree(Path::new("."), settings)
            .and_then(|tree| find(tree.as_ref()))
            .unwrap_or_default()
            .catalogs
            .into_iter()
            .map(|catalog| catalog.path)
            .collect();
    }
    let load = |path: PathBuf| {
        let source = CatalogSource::open(&path, &settings.session()).ok()?;
        load_tree(source.tree.as_ref(), settings).ok()
    };
    paths.into_iter().filter_map(load).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn complete(words: &[&str]) -> Vec<String> {
        let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample-catalog");
        let words: Vec<OsString> = words
            .iter()
            .map(|word| OsString::from(word.replace("CATALOG", &catalog.to_string_lossy())))
            .collect();
        let mut command = with_values(command_line(), &words, &Settings::default());
        let last = words.len() - 1;
        let found = clap_complete::engine::complete(&mut command, words, last, None).unwrap();
        found
            .into_iter()
            .filter(|candidate| !candidate.is_hide_set())
            .map(|candidate| candidate.get_value().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn values_of_the_catalog_at_hand() {
        let settings = &Settings::default();
        let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sample-catalog");
        let source = CatalogSource::open(&catalog, &settings.session()).unwrap();
        let catalog = load_tree(source.tree.as_ref(), settings).unwrap();
        let package = catalog.packages.first().unwrap().name.clone();
        let channel = catalog.channels.iter().find(|channel| channel.package == package).unwrap();
        let bundle = catalog.bundles.iter().find(|bundle| bundle.package == package).unwrap();
        for (words, expected) in [
            (vec!["fbc", "list", "channels", "CATALOG", ""], package.clone()),
            (vec!["fbc", "paths", "CATALOG", &package[..2]], package.clone()),
            (vec!["fbc", "graph", "CATALOG", "-p", &package, "-c", ""], channel.name.clone()),
            (
                vec!["fbc", "resolve", &package, "--catalog", "x=CATALOG", "--installed", ""],
                bundle.name.clone(),
            ),
            (vec!["fbc", "explain", "FBC00"], "FBC001".to_owned()),
            (vec!["fbc", "validate", "--ignore", "FBC00"], "FBC001".to_owned()),
            (
                vec!["fbc", "filter", "CATALOG", "-p", &format!("{package}:")],
                format!("{package}:{}", channel.name),
            ),
            (vec!["fbc", "validate", "--limit", "doc"], "documents=".to_owned()),
            (vec!["fbc", "schema", "blob/olm.b"], "blob/olm.bundle".to_owned()),
            (vec!["fbc", "cluster", "up", "--without", "sched"], "scheduler".to_owned()),
            (vec!["fbc", "val"], "validate".to_owned()),
        ] {
            let found = complete(&words);
            assert!(found.contains(&expected), "{words:?}: {expected} is not in {found:?}");
        }
        let found = complete(&["fbc", "paths", "CATALOG", "no-such-package"]);
        assert_eq!(found, [] as [&str; 0]);
    }

    #[test]
    fn every_shell_has_a_script() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let script = String::from_utf8(script(shell).unwrap()).unwrap();
            assert!(script.contains(VARIABLE), "{script}");
        }
    }
}
