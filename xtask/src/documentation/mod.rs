//! `cargo xtask book`: checks what people read: links lead somewhere, every page is in the book, and every command line
//! in a page is one that fbc understands. With `--build` mdBook makes the book, which then needs no network.

mod commands;
mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;

use self::markdown::Page;
use crate::error::{Context as _, TaskResult};
use crate::{process, workspace};

/// What to do beside checking.
#[derive(Args)]
pub(crate) struct Options {
    /// Build the book into target/book with mdbook, which must be installed
    #[arg(long)]
    build: bool,
}

/// Directories with pages for readers.
const FOLDERS: [&str; 3] = ["docs", "schemas", "editors/vscode"];

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let problems = check(&root)?;
    problems.iter().for_each(|problem| println!("{problem}"));
    if !problems.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    if options.build {
        process::run(Command::new("mdbook").arg("build").arg(root.join("docs")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with the pages, a line each.
pub(crate) fn check(root: &Path) -> TaskResult<Vec<String>> {
    let pages = pages(root)?;
    let mut problems = Vec::new();
    let summary = linked_from(&pages, "docs/SUMMARY.md");
    for (path, page) in &pages {
        let is_in_book = path.starts_with("docs/") && path != "docs/SUMMARY.md";
        if is_in_book && !summary.contains(path) {
            problems.push(format!("{path}: not in docs/SUMMARY.md"));
        }
        for link in &page.links {
            if let Some(reason) = broken(root, &pages, path, &link.target, is_in_book) {
                problems.push(format!("{path}:{}: {}: {reason}", link.line, link.target));
            }
        }
        for code in &page.code {
            problems.extend(commands::wrong(path, code));
        }
        for (line, code) in &page.inline {
            problems.extend(commands::wrong_inline(path, *line, code));
        }
    }
    Ok(problems)
}

/// What npm installs and what its scripts copy, when the extension was packed in this working copy.
const COPIES_OF_NPM: [&str; 2] = ["editors/vscode/node_modules/", "editors/vscode/schemas/"];

fn pages(root: &Path) -> TaskResult<BTreeMap<String, Page>> {
    let mut files = vec![root.join("README.md")];
    for folder in FOLDERS {
        files.extend(workspace::files_below(&root.join(folder))?);
    }
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
        if COPIES_OF_NPM.iter().any(|directory| name.starts_with(directory)) {
            continue;
        }
        let text = fs::read_to_string(file).context(|| format!("reading {name}"))?;
        pages.insert(name, Page::parse(&text));
    }
    Ok(pages)
}

fn linked_from(pages: &BTreeMap<String, Page>, path: &str) -> BTreeSet<String> {
    let links = pages.get(path).map(|page| page.links.as_slice()).unwrap_or_default();
    links.iter().filter_map(|link| resolved(path, &link.target)).collect()
}

/// Why a link leads nowhere, if it does.
fn broken(
    root: &Path,
    pages: &BTreeMap<String, Page>,
    path: &str,
    target: &str,
    is_in_book: bool,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { Some(path.to_owned()) } else { resolved(path, file) };
    let Some(file) = file else { return Some("it leaves the repository".to_owned()) };
    if !root.join(&file).exists() {
        return Some("there is no such file".to_owned());
    }
    if is_in_book && !file.starts_with("docs/") && file != "docs" {
        return Some("a page of the book may not lead out of docs".to_owned());
    }
    let page = pages.get(&file).filter(|_| !anchor.is_empty())?;
    (!page.anchors.contains(anchor)).then(|| format!("{file} has no such heading"))
}

/// The path of a link from the root of the workspace; nothing for one that leaves it.
fn resolved(page: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().unwrap_or(target);
    let mut path = PathBuf::from(page);
    path.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                if !path.pop() {
                    return None;
                }
            }
            "." | "" => {}
            part => path.push(part),
        }
    }
    Some(path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("README.md", "[a](docs/a.md#one-two) [b](docs/b.md) [c](../c.md)\n");
        write("docs/SUMMARY.md", "- [a](a.md)\n");
        write("docs/a.md", "# One, two\n[out](../README.md) [web](https://example.com)\n");
        write("docs/c.md", "[x](a.md#three)\n\n```\nfbc validate --no-such-flag\n```\n");
        assert_eq!(
            check(root.path()).unwrap(),
            [
                "README.md:1: docs/b.md: there is no such file",
                "README.md:1: ../c.md: it leaves the repository",
                "docs/a.md:2: ../README.md: a page of the book may not lead out of docs",
                "docs/c.md: not in docs/SUMMARY.md",
                "docs/c.md:1: a.md#three: docs/a.md has no such heading",
                "docs/c.md:4: fbc validate --no-such-flag: unexpected argument '--no-such-flag' found",
            ]
        );
    }
}
