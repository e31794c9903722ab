//! What a program answers, and what of it counts.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Context, TaskResult};

/// A program that takes longer is stopped.
const LIMIT: Duration = Duration::from_secs(60);

/// How opm goes on where a number in JSON does not fit a double.
const BEYOND_A_DOUBLE: &str = " into Go value of type float64";

/// How many characters of a differing line are shown.
const SHOWN: usize = 600;

/// What a program answered, without the times of its log lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The exit code; none if it was killed.
    code: Option<i32>,
    output: Vec<u8>,
    /// Standard error as lines, without the usage that follows an error of the command line.
    errors: Vec<String>,
}

impl Answer {
    /// Runs a command.
    pub(super) fn run(command: &mut Command, input: &[u8]) -> TaskResult<Self> {
        let starting = || "starting a program".to_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context(starting)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input closes it.
            drop(stdin.write_all(input));
        }
        let id = child.id();
        let (done, watch) = std::sync::mpsc::channel::<()>();
        let watcher = thread::spawn(move || {
            let start = Instant::now();
            if watch.recv_timeout(LIMIT).is_err() && start.elapsed() >= LIMIT {
                drop(Command::new("kill").args(["-9", &id.to_string()]).status());
            }
        });
        let output = child.wait_with_output().context(starting)?;
        drop(done);
        drop(watcher.join());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Self { code: output.status.code(), output: output.stdout, errors: error_lines(&errors) })
    }

    /// Whether two answers are the same but for the order of what opm prints at random.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.code == other.code
            && sorted_lines(&self.errors) == sorted_lines(&other.errors)
            && (self.output == other.output
                || (is_help(&self.output) && is_help(&other.output))
                || tree_lines(&self.output).is_some_and(|ours| Some(ours) == tree_lines(&other.output)))
    }

    /// What differs, ours and theirs.
    pub(super) fn difference(&self, theirs: &Self) -> String {
        let mut text = String::new();
        if self.code != theirs.code {
            text += &format!("  exit code: fbc {:?}, opm {:?}\n", self.code, theirs.code);
        }
        let lines = |output: &[u8]| -> Vec<String> {
            String::from_utf8_lossy(output).lines().map(str::to_owned).collect()
        };
        for (name, ours, theirs) in [
            ("output", lines(&self.output), lines(&theirs.output)),
            ("errors", sorted_lines(&self.errors), sorted_lines(&theirs.errors)),
        ] {
            text += &differing_lines(name, &ours, &theirs);
        }
        if self.output != theirs.output && lines(&self.output) == lines(&theirs.output) {
            text += "  output: the same lines, other line ends\n";
        }
        text
    }
}

/// Help texts say the same in other words.
fn is_help(output: &[u8]) -> bool {
    String::from_utf8_lossy(output).lines().any(|line| line == "Usage:")
}

/// The first lines that differ, and how many of them follow.
fn differing_lines(name: &str, ours: &[String], theirs: &[String]) -> String {
    let mut text = String::new();
    let count = ours.len().max(theirs.len());
    let mut shown = 0;
    for index in 0..count {
        let (ours, theirs) = (ours.get(index), theirs.get(index));
        if ours == theirs {
            continue;
        }
        shown += 1;
        if shown > 3 {
            text += &format!("  {name}: and so on, of {count} lines\n");
            break;
        }
        let show = |line: Option<&String>| match line {
            Some(line) => line.chars().take(SHOWN).collect(),
            None => "(nothing)".to_owned(),
        };
        text += &format!("  {name} line {}\n    fbc: {}\n    opm: {}\n", index + 1, show(ours), show(theirs));
    }
    text
}

/// The lines of standard error that count: times of logs are cut off, and quoted messages taken apart.
fn error_lines(errors: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let all: Vec<&str> = errors.lines().collect();
    let is_usage =
        |line: &&str| line.starts_with("Usage:") || *line == "Examples:" || line.starts_with("Aliases:");
    let end = if errors.starts_with("Error: ") || errors.contains("\nError: ") {
        all.iter().position(is_usage).unwrap_or(all.len())
    } else {
        all.len()
    };
    if errors.starts_with("panic: ") || errors.contains("\npanic: ") || errors.contains("\ngoroutine ") {
        return vec!["(opm crashed)".to_owned()];
    }
    for line in all.get(..end).unwrap_or_default() {
        // What follows shows the text around a number beyond a double, which fbc does not.
        let (line, is_cut) = match line.split_once(BEYOND_A_DOUBLE) {
            Some((before, _)) => (before, true),
            None => (*line, false),
        };
        let line = match line.strip_prefix("time=\"").and_then(|rest| rest.split_once("\" ")) {
            Some((_, rest)) => rest,
            None => without_go_time(line),
        };
        // In a quoted message, line breaks are escaped; what is a tree comes in any order.
        lines.extend(line.split("\\n").map(normalised));
        if is_cut {
            break;
        }
    }
    lines
}

/// The address of a Go pointer and the column of a tree say nothing.
fn normalised(line: &str) -> String {
    // Names that are not UTF-8 are shown with a character in place of their bytes.
    let line = line.replace("\\xff", "\u{fffd}").replace("\\ufffd", "\u{fffd}");
    // The version of opm that the recordings are of says `catalog`.
    let line = line.replace("rendering index", "rendering catalog");
    // An older opm looks whether a file is a database.
    let line = line.replace("has unsupported file type: {{  } unknown}", "is not a directory: not allowed");
    line.trim_start_matches(['│', '├', '└', '─', ' ']).to_owned()
}

/// `2026/11/21 06:00:17 text` without its time.
fn without_go_time(line: &str) -> &str {
    let digits = line.bytes().take(20).filter(u8::is_ascii_digit).count();
    let is_time = digits == 14 && line.get(4..5) == Some("/") && line.get(19..20) == Some(" ");
    if is_time { line.get(20..).unwrap_or_default() } else { line }
}

fn sorted_lines(lines: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = lines.iter().map(|line| without_random_lists(line)).collect();
    lines.sort();
    lines
}

/// A message with several errors in brackets, which opm prints in any order, by its sorted parts.
fn without_random_lists(line: &str) -> String {
    let Some((before, list)) = line.split_once(" in bundle. found: map[") else { return line.to_owned() };
    // Of several that are missing, any is named.
    let before = before.split_once("couldn't find ").map_or(before, |(before, _)| before);
    let mut parts: Vec<&str> = list.split(":{}").collect();
    parts.sort_unstable();
    format!("{before}found: map{}", parts.join(""))
}

/// The lines of an answer that holds a tree of errors, sorted; nothing where it holds none.
fn tree_lines(output: &[u8]) -> Option<BTreeMap<String, usize>> {
    let text = String::from_utf8_lossy(output).replace("\\ufffd", "\u{fffd}");
    if !text.contains("invalid index") && !text.contains("invalid argument") && !text.starts_with("Version: ")
    {
        return None;
    }
    let mut lines = BTreeMap::new();
    for line in text.split('\n').flat_map(|line| line.split("\\n")) {
        // In JSON, what comes last ends with a quotation mark.
        let line = line.trim_start_matches([' ', '│', '├', '└', '─']).trim_end_matches('"');
        // The version is another program's.
        let line = line.split_once("OpmVersion:").map_or(line, |(before, _)| before);
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_count_is_cut_off() {
        for (errors, lines) in [
            (
                "time=\"2026-11-21T05:42:09Z\" level=fatal msg=\"a\\n└── b\"\n",
                vec!["level=fatal msg=\"a", "b\""],
            ),
            ("2026/11/21 06:00:17 text\n", vec!["text"]),
            ("Error: no\nUsage:\n  opm\n", vec!["Error: no"]),
            ("Usage: no\n", vec!["Usage: no"]),
            (
                "x: cannot unmarshal number 1e400 into Go value of type float64 at offset 3\n{\n}\n",
                vec!["x: cannot unmarshal number 1e400"],
            ),
            ("panic: x\n\ngoroutine 1\n", vec!["(opm crashed)"]),
        ] {
            assert_eq!(error_lines(errors), lines);
        }
    }

    #[test]
    fn trees_agree_in_any_order() {
        let answer = |text: &str| Answer { code: Some(1), output: text.into(), errors: Vec::new() };
        let tree = answer("invalid index:\n├── a\n└── b\n");
        assert!(tree.agrees(&answer("invalid index:\n├── b\n└── a\n")));
        let quoted = answer("\"invalid index:\\n├── a\\n└── b\"");
        assert!(quoted.agrees(&answer("\"invalid index:\\n├── b\\n└── a\"")));
        assert!(!tree.agrees(&answer("invalid index:\n├── b\n└── c\n")));
        assert!(!answer("a\nb\n").agrees(&answer("b\na\n")));
        assert!(tree.difference(&answer("invalid index:\n├── b\n└── c\n")).contains("fbc: ├── a"));
    }
}
