//! The commands of the README and the guides, run as in a fresh clone: each does what it is shown for.
//!
//! Of blocks marked `sh` or `console` those are run that name something in `testdata`, line by line. In a session (`console`)
//! a command stands behind `$ `; `? N` behind it is its exit code, and the other lines are found in what it prints, in
//! their order: `…` alone stands for lines that are left out, at the end of a line for its rest. Without an exit code the
//! command may find something (1), but it must run.

mod clone;
mod readme;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clone::Clone;
use fbc_testing::repository;

/// How a clone builds and runs fbc in one command; the test runs the fbc that was built for it.
const BUILD_AND_RUN: &str = "cargo run --release -- ";

/// Lines that start what is not part of fbc, or what a test must not do.
const LEFT_OUT: [&str; 3] = ["cargo ", "git clone", "# "];

/// A command of a page, and what the page says of it.
#[derive(Debug, Default)]
struct Shown {
    line: String,
    code: Option<i32>,
    output: Vec<String>,
}

/// The commands of a page that are run.
fn commands(page: &str) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut block: Option<(bool, Vec<&str>)> = None;
    for line in page.lines() {
        match (&mut block, line) {
            (None, "```sh") => block = Some((false, Vec::new())),
            (None, "```console") => block = Some((true, Vec::new())),
            (Some((is_session, lines)), "```") => {
                if lines.iter().any(|line| line.contains("testdata/")) {
                    all.extend(commands_of(*is_session, lines));
                }
                block = None;
            }
            (Some((_, lines)), line) => lines.push(line),
            (None, _) => {}
        }
    }
    all
}

fn commands_of(is_session: bool, lines: &[&str]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for line in lines {
        let typed = if is_session { line.strip_prefix("$ ") } else { Some(*line) };
        let typed = typed.map(|typed| match typed.strip_prefix(BUILD_AND_RUN) {
            Some(arguments) => format!("fbc {arguments}"),
            None => typed.to_owned(),
        });
        match (typed, shown.last_mut()) {
            (Some(typed), _) if typed.is_empty() || LEFT_OUT.iter().any(|start| typed.starts_with(start)) => {
            }
            (Some(line), _) => shown.push(Shown { line, ..Shown::default() }),
            (None, Some(last)) => match line.strip_prefix("? ") {
                Some(code) => last.code = code.parse().ok(),
                None => last.output.push((*line).to_owned()),
            },
            (None, None) => {}
        }
    }
    shown
}

/// The first line that is shown and not printed where it should be.
fn missing<'s>(shown: &'s [String], printed: &str) -> Option<&'s String> {
    let mut printed = printed.lines();
    let mut may_skip = false;
    for line in shown {
        if line == "…" {
            may_skip = true;
            continue;
        }
        let fits = |printed: &str| match line.strip_suffix('…') {
            Some(start) => printed.starts_with(start),
            None => printed.trim_end() == line.trim_end(),
        };
        let found = match may_skip {
            true => printed.any(fits),
            false => printed.next().is_some_and(fits),
        };
        if !found {
            return Some(line);
        }
        may_skip = false;
    }
    None
}

#[test]
fn every_command_does_what_it_is_shown_for() {
    if !fbc_testing::is_installed("git") || !fbc_testing::is_installed("sh") {
        return;
    }
    let root = repository("");
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root.join("docs/guides")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.extend(["README.md", "docs/start.md"].map(|page| root.join(page)));
    pages.sort();
    let (mut wrong, mut count) = (String::new(), 0);
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let shown = commands(&fs::read_to_string(&page).unwrap());
        if shown.is_empty() {
            continue;
        }
        let clone = Clone::new();
        for Shown { line, code, output } in shown {
            if line.contains("kubectl") && !fbc_testing::is_installed("kubectl") {
                continue;
            }
            count += 1;
            let (exit, text) = clone.shell(&line);
            let runs = match code {
                Some(code) => exit == Some(code),
                None if output.is_empty() => matches!(exit, Some(0 | 1)) && !text.starts_with("error: "),
                None => exit == Some(0),
            };
            if !runs {
                writeln!(wrong, "{name}: {line}: exit {exit:?}\n{text}").unwrap();
            } else if let Some(line) = missing(&output, &text) {
                writeln!(wrong, "{name}: {line:?} is not where it is shown:\n{text}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 25, "only {count} commands are run");
}

#[test]
fn the_readme_begins_with_how_to_run_and_how_to_test() {
    let readme = readme::text();
    let beginning: Vec<&str> = readme.lines().take(30).collect();
    let run = format!("{BUILD_AND_RUN}validate testdata/sample-catalog");
    assert!(beginning.contains(&run.as_str()), "{beginning:?}");
    assert!(beginning.contains(&"cargo xtask test"), "{beginning:?}");
    assert!(commands(&readme).iter().any(|shown| shown.line == "fbc validate testdata/sample-catalog"));
}

#[test]
fn sessions_are_compared_with_what_is_left_out() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (shown, printed, is_missing) in [
        ("a\nb", "a\nb\nc", false),
        ("a\n…\nc", "a\nb\nc", false),
        ("a x…", "a xyz", false),
        ("b", "a\nb", true),
        ("…\nd", "a\nb", true),
    ] {
        assert_eq!(missing(&lines(shown), printed).is_some(), is_missing, "{shown}");
    }
}
