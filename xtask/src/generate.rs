//! `cargo xtask gen`: writes the documentation that is generated from the code, or checks that it is up to date.
//!
//! A generator is a function that returns whole files. This module alone touches the disk: it writes each file under
//! a temporary name and renames it, leaves equal files alone, and removes what no generator makes any more from the
//! directories that hold nothing but generated files.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

mod commands;
mod conventions;
mod fields;
mod limits;
mod outputs;
mod page_pictures;
mod picture;
mod profiles;
mod readme;
mod rules;
mod schemas;
mod summary;

/// What to do with the generated files.
#[derive(Args)]
pub(crate) struct Options {
    /// Change nothing; fail when a generated file is missing, differs or is left over
    #[arg(long)]
    check: bool,
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generated {
    /// The path, relative to the root of the workspace.
    pub(crate) path: PathBuf,
    /// The whole content.
    pub(crate) content: String,
}

/// Makes some of the generated files; the argument is the root of the workspace.
type Generator = fn(&Path) -> TaskResult<Vec<Generated>>;

/// All generators. To add one, write a module beside `schemas` and name its function here.
const GENERATORS: [Generator; 11] = [
    commands::page,
    conventions::page,
    fields::pages,
    limits::page,
    outputs::page,
    page_pictures::digests,
    picture::session,
    profiles::page,
    readme::page,
    rules::pages,
    schemas::index,
];

/// Directories that hold nothing but generated files: what no generator makes is removed from them.
const GENERATED_FOLDERS: [&str; 2] = ["docs/rules", "docs/reference"];

/// One file that is not as the generators want it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// The file does not exist.
    Missing(PathBuf),
    /// The file has other content.
    Changed(PathBuf),
    /// No generator makes this file.
    Stale(PathBuf),
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(formatter, "missing: {}", path.display()),
            Self::Changed(path) => write!(formatter, "out of date: {}", path.display()),
            Self::Stale(path) => write!(formatter, "no longer generated: {}", path.display()),
        }
    }
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    if options.check {
        let differences = check(&root)?;
        for difference in &differences {
            println!("{difference}");
        }
        if !differences.is_empty() {
            println!("run: cargo xtask gen");
            return Ok(ExitCode::FAILURE);
        }
    } else {
        page_pictures::draw(&root)?;
        for change in apply(&root, &everything(&root)?)? {
            println!("{change}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The generated files that are not up to date.
pub(crate) fn check(root: &Path) -> TaskResult<Vec<Difference>> {
    differences(root, &everything(root)?)
}

fn everything(root: &Path) -> TaskResult<Vec<Generated>> {
    let mut files = Vec::new();
    for generator in GENERATORS {
        files.extend(generator(root)?);
    }
    files.push(summary::page(root, &files)?);
    Ok(files)
}

/// Compares what should be there with what is there, in the order of the paths.
fn differences(root: &Path, wanted: &[Generated]) -> TaskResult<Vec<Difference>> {
    let wanted = by_path(wanted)?;
    let mut found = Vec::new();
    for (path, content) in &wanted {
        let absolute = root.join(path);
        if !absolute.is_file() {
            found.push(Difference::Missing((*path).to_owned()));
        } else if fs::read(&absolute).context(|| format!("reading {}", path.display()))? != content.as_bytes()
        {
            found.push(Difference::Changed((*path).to_owned()));
        }
    }
    for folder in GENERATED_FOLDERS {
        for file in workspace::files_below(&root.join(folder))? {
            let path = file.strip_prefix(root).unwrap_or(&file);
            if !wanted.contains_key(path) {
                found.push(Difference::Stale(path.to_owned()));
            }
        }
    }
    Ok(found)
}

/// Makes the disk equal to what is wanted and returns what it changed.
fn apply(root: &Path, wanted: &[Generated]) -> TaskResult<Vec<Difference>> {
    let changes = differences(root, wanted)?;
    let wanted = by_path(wanted)?;
    for change in &changes {
        match change {
            Difference::Missing(path) | Difference::Changed(path) => {
                let content = wanted.get(path.as_path()).copied().unwrap_or_default();
                write_and_rename(&root.join(path), content.as_bytes())?;
            }
            Difference::Stale(path) => {
                fs::remove_file(root.join(path)).context(|| format!("removing {}", path.display()))?;
            }
        }
    }
    Ok(changes)
}

/// Refuses paths that leave the workspace and paths that two generators make.
fn by_path(wanted: &[Generated]) -> TaskResult<BTreeMap<&Path, &str>> {
    let mut files = BTreeMap::new();
    for Generated { path, content } in wanted {
        if !path.components().all(|component| matches!(component, Component::Normal(_))) {
            return Err(TaskError::new(format!("{} is not a path inside the workspace", path.display())));
        }
        if files.insert(path.as_path(), content.as_str()).is_some() {
            return Err(TaskError::new(format!("{} is generated twice", path.display())));
        }
    }
    Ok(files)
}

/// A reader sees the old file or the new one, never a part.
fn write_and_rename(path: &Path, content: &[u8]) -> TaskResult {
    let writing = || format!("writing {}", path.display());
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(TaskError::new(format!("{} is not a file", path.display())));
    };
    fs::create_dir_all(folder).context(writing)?;
    let temporary = folder.join(format!(".{}.new", name.to_string_lossy()));
    fs::write(&temporary, content).context(writing)?;
    fs::rename(&temporary, path).context(writing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &str) -> Generated {
        Generated { path: PathBuf::from(path), content: content.to_owned() }
    }

    #[test]
    fn writing_makes_the_check_pass() {
        let root = tempfile::tempdir().unwrap();
        let wanted = [file("docs/rules/FBC001.md", "one\n"), file("docs/reference/exit-codes.md", "two\n")];
        let missing = differences(root.path(), &wanted).unwrap();
        assert_eq!(missing.len(), 2);
        assert!(missing.contains(&Difference::Missing(PathBuf::from("docs/rules/FBC001.md"))));
        assert_eq!(apply(root.path(), &wanted).unwrap(), missing);
        assert_eq!(differences(root.path(), &wanted).unwrap(), []);
        assert_eq!(fs::read_to_string(root.path().join("docs/rules/FBC001.md")).unwrap(), "one\n");
        let left = workspace::files_below(root.path()).unwrap();
        assert_eq!(left.len(), 2, "temporary files are left: {left:?}");
    }

    #[test]
    fn changed_and_stale_files_are_reported_and_repaired() {
        let root = tempfile::tempdir().unwrap();
        apply(root.path(), &[file("docs/rules/old.md", "x"), file("docs/rules/kept.md", "old")]).unwrap();
        let wanted = [file("docs/rules/kept.md", "new")];
        let expected = [
            Difference::Changed(PathBuf::from("docs/rules/kept.md")),
            Difference::Stale(PathBuf::from("docs/rules/old.md")),
        ];
        assert_eq!(differences(root.path(), &wanted).unwrap(), expected);
        assert_eq!(expected[1].to_string(), "no longer generated: docs/rules/old.md");
        apply(root.path(), &wanted).unwrap();
        assert_eq!(differences(root.path(), &wanted).unwrap(), []);
        assert!(!root.path().join("docs/rules/old.md").exists());
    }

    #[test]
    fn files_outside_the_generated_folders_are_never_stale() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs")).unwrap();
        fs::write(root.path().join("docs/architecture.md"), "by hand").unwrap();
        assert_eq!(differences(root.path(), &[]).unwrap(), []);
    }

    #[test]
    fn a_path_outside_the_workspace_or_made_twice_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for path in ["../out.md", "/out.md"] {
            assert!(apply(root.path(), &[file(path, "x")]).is_err(), "{path}");
        }
        let twice = [file("docs/rules/a.md", "x"), file("docs/rules/a.md", "y")];
        assert_eq!(apply(root.path(), &twice).unwrap_err().to_string(), "docs/rules/a.md is generated twice");
    }
}
