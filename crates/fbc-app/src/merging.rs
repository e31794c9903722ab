//! Merges of catalogs and templates by blob and entry, for git: its merge driver, and the settings that name it.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fbc_model::tree::read_file;
use fbc_repository::merge::{Conflict, Unmerged, has_blobs, merge};
use fbc_source::Error;
use fbc_source::git::{Repository, merge_file};

use crate::layout::{find, repository_tree};
use crate::output::file::{edit_files, replace_files, root_for};
use crate::settings::Settings;

/// What git calls the driver.
const NAME: &str = "fbc";
const ATTRIBUTES: &str = ".gitattributes";

/// How a merge ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Without a conflict.
    Clean,
    /// With conflicts, which the file has markers for.
    Conflicts,
    /// What is named merges without markers, and the result is not valid.
    NotValid(&'static str),
}

/// What was installed.
pub struct Installed {
    /// What git merges with the driver.
    pub patterns: BTreeSet<String>,
    /// The file that says so.
    pub path: PathBuf,
    /// Whether it was written.
    pub is_written: bool,
}

/// Merges into the current version, as git wants it; `tell` hears of each conflict between blobs.
///
/// # Errors
/// If a version cannot be read, the merged one cannot be written, or git does not run.
pub fn merge_files(
    [base, ours, theirs]: [&Path; 3],
    settings: &Settings,
    tell: &dyn Fn(&Conflict),
) -> Result<Merged, Error> {
    let read = |path: &Path| read_file(path).map_err(|error| Error::io("read", path, &error));
    let texts = [read(base)?, read(ours)?, read(theirs)?];
    if !texts.iter().any(|text| has_blobs(text)) {
        // No catalog or template, so that its lines are all there is to merge.
        let has_conflicts = merge_file(ours, base, theirs, settings.budgets.git)?;
        return Ok(if has_conflicts { Merged::Conflicts } else { Merged::Clean });
    }
    let [base_text, ours_text, theirs_text] = &texts;
    match merge(base_text, ours_text, theirs_text) {
        Ok(merged) => {
            edit_files(ours, settings, [(ours, Some(merged.as_slice()))])?;
            Ok(Merged::Clean)
        }
        Err(Unmerged { conflicts, merged }) => {
            conflicts.iter().for_each(tell);
            let merges = match merged {
                Some(merged) => {
                    edit_files(ours, settings, [(ours, Some(merged.as_slice()))])?;
                    Some("blobs")
                }
                None => (!merge_file(ours, base, theirs, settings.budgets.git)?).then_some("lines"),
            };
            Ok(merges.map_or(Merged::Conflicts, Merged::NotValid))
        }
    }
}

/// Names the driver in the configuration of this clone, and what it merges in `.gitattributes`: the catalogs and templates of the
/// repository, and `further` patterns.
///
/// # Errors
/// If there is no repository or nothing to merge, or a file cannot be written.
pub fn install(further: &[String], settings: &Settings) -> Result<Installed, Error> {
    let repository = Repository::around(Path::new("."), settings.budgets.git)?;
    let root = repository.way_up()?;
    let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
    let mut patterns = patterns(&root, settings)?;
    patterns.extend(further.iter().cloned());
    if patterns.is_empty() {
        return Err(Error::refusal("no catalogs or templates are found in the repository")
            .help("name them with --pattern, such as `--pattern 'catalog/**'`"));
    }
    let writable = root_for(&root, settings)?;
    let path = root.join(ATTRIBUTES);
    // A link that leads out is refused before anything is written.
    writable.place(Path::new(ATTRIBUTES)).map_err(|error| Error::io("write", &path, &error))?;
    repository.set(&[
        (&format!("merge.{NAME}.name"), "catalogs and templates by blob and entry"),
        (&format!("merge.{NAME}.driver"), "fbc merge-driver %O %A %B %P"),
    ])?;
    let old = match read_file(&path) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::io("read", &path, &error)),
    };
    let text = with_patterns(&old, &patterns);
    if text != old {
        replace_files(&writable, [(Path::new(ATTRIBUTES), Some(text.as_bytes()))])?;
    }
    Ok(Installed { patterns, path, is_written: text != old })
}

/// The catalogs and templates of a repository, as .gitattributes names them.
fn patterns(root: &Path, settings: &Settings) -> Result<BTreeSet<String>, Error> {
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
