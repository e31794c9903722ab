//! `fbc merge-driver`: git merges catalogs and templates by blob and entry.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fbc_model::tree::read_file;
use fbc_repository::merge::{Conflict, Unmerged, has_blobs, merge};
use fbc_source::git::{Repository, merge_file};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::settings::Settings;
use crate::terminal;
use fbc_app::layout::{find, repository_tree};
use fbc_app::output::file::{edit_files, replace_files, root_for};

/// Merge catalogs and templates by blob and entry, as git's merge driver
///
/// `fbc merge-driver --install` in a repository is all there is to do: it names the driver in the configuration of the
/// clone, and the catalogs and templates of the repository in .gitattributes. From then on, git merge, rebase and
/// cherry-pick put changes of different blobs, and of different entries of a channel, together. What two branches
/// changed differently is a conflict: the file gets git's conflict markers, and standard error says why. Where the
/// blobs go together and only the graph of a channel breaks, the file holds what both branches did, without markers, and
/// standard error says which edges to edit before `git add`. Files without blobs are merged by lines.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The common ancestor, the current version, the other version, and the path in the repository, as git gives them
    #[arg(value_names = ["BASE", "OURS", "THEIRS", "PATH"], num_args = 3..=4, required_unless_present = "install",
          value_hint = ValueHint::FilePath)]
    versions: Vec<PathBuf>,
    /// Name the driver in the configuration of this clone, and what it merges in .gitattributes
    #[arg(long, conflicts_with = "versions")]
    install: bool,
    /// With --install: merge these patterns too
    #[arg(long, value_name = "PATTERN", requires = "install")]
    pattern: Vec<String>,
}

/// What git calls the driver.
const NAME: &str = "fbc";
const ATTRIBUTES: &str = ".gitattributes";

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match arguments.versions.as_slice() {
        [base, ours, theirs, rest @ ..] => {
            merge_files([base, ours, theirs], rest.first().unwrap_or(ours), settings)
        }
        _ => install(arguments, settings),
    }
}

/// Merges into the current version, as git wants it.
fn merge_files([base, ours, theirs]: [&Path; 3], shown: &Path, settings: &Settings) -> Result<u8, Failure> {
    let read = |path: &Path| read_file(path).map_err(|error| Failure::io("read", path, &error));
    let texts = [read(base)?, read(ours)?, read(theirs)?];
    if !texts.iter().any(|text| has_blobs(text)) {
        // No catalog or template, so that its lines are all there is to merge.
        return Ok(if merge_file(ours, base, theirs, settings.budgets.git)? { FINDINGS } else { CLEAN });
    }
    let [base_text, ours_text, theirs_text] = &texts;
    match merge(base_text, ours_text, theirs_text) {
        Ok(merged) => {
            edit_files(ours, settings, [(ours, Some(merged.as_slice()))])?;
            Ok(CLEAN)
        }
        Err(Unmerged { conflicts, merged }) => {
            for Conflict { place, reason } in &conflicts {
                terminal::tell(format_args!("{}: {place}: {reason}", shown.display()));
            }
            let merges = match merged {
                Some(merged) => {
                    edit_files(ours, settings, [(ours, Some(merged.as_slice()))])?;
                    Some("blobs")
                }
                None => (!merge_file(ours, base, theirs, settings.budgets.git)?).then_some("lines"),
            };
            if let Some(what) = merges {
                terminal::tell(format_args!(
                    "{}: the {what} merge without conflict markers, and the result is not valid: correct the file before `git add`",
                    shown.display()
                ));
            }
            Ok(FINDINGS)
        }
    }
}

fn install(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let repository = Repository::around(Path::new("."), settings.budgets.git)?;
    let root = repository.way_up()?;
    let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
    let mut patterns = patterns(&root, settings)?;
    patterns.extend(arguments.pattern.iter().cloned());
    if patterns.is_empty() {
        return Err(Failure::refusal("no catalogs or templates are found in the repository")
            .help("name them with --pattern, such as `--pattern 'catalog/**'`"));
    }
    let writable = root_for(&root, settings)?;
    let path = root.join(ATTRIBUTES);
    // A link that leads out is refused before anything is written.
    writable.place(Path::new(ATTRIBUTES)).map_err(|error| Failure::io("write", &path, &error))?;
    repository.set(&[
        (&format!("merge.{NAME}.name"), "catalogs and templates by blob and entry"),
        (&format!("merge.{NAME}.driver"), "fbc merge-driver %O %A %B %P"),
    ])?;
    let old = match read_file(&path) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::io("read", &path, &error)),
    };
    let text = with_patterns(&old, &patterns);
    if text != old {
        replace_files(&writable, [(Path::new(ATTRIBUTES), Some(text.as_bytes()))])?;
    }
    if !settings.quiet {
        terminal::tell(format_args!("git merges {} in this clone", list(&patterns)));
        if text != old {
            terminal::tell(format_args!(
                "wrote {}; commit it, and install the driver in other clones too",
                path.display()
            ));
        }
    }
    Ok(CLEAN)
}

/// The catalogs and templates of a repository, as .gitattributes names them.
fn patterns(root: &Path, settings: &Settings) -> Result<BTreeSet<String>, Failure> {
    let tree = repository_tree(root, settings)?;
    let mut patterns = BTreeSet::new();
    for catalog in find(tree.as_ref())?.catalogs {
        let path = catalog.path.display().to_string();
        patterns.extend(match (path.as_str(), root.join(&catalog.path).is_dir()) {
            ("" | ".", _) => ["yaml", "yml", "json"].map(|end| format!("**/*.{end}")).to_vec(),
            (path, true) => vec![format!("{path}/**")],
            (path, false) => vec![path.to_owned()],
        });
        patterns.extend(catalog.templates.iter().map(|template| template.path.display().to_string()));
    }
    Ok(patterns)
}

/// The text of .gitattributes with the driver for all patterns. Lines that are there stay.
fn with_patterns(old: &str, patterns: &BTreeSet<String>) -> String {
    let mut text = old.to_owned();
    for pattern in patterns {
        // Git takes a pattern with blanks in quotation marks.
        let quoted =
            if pattern.contains(char::is_whitespace) { format!("{pattern:?}") } else { pattern.clone() };
        let line = format!("{quoted} merge={NAME}");
        if !old.lines().any(|known| known.trim() == line) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn list(patterns: &BTreeSet<String>) -> String {
    patterns.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
