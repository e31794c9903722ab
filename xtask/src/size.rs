//! `cargo xtask size`: lines, public items and build time of each crate, and its share of all lines.
//!
//! Build times come from a report of `cargo build --timings`, whose page holds the times of all units as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::error::{Context as _, TaskError, TaskResult};
use crate::workspace;

/// Which numbers to print.
#[derive(Args)]
pub(crate) struct Options {
    /// The page that `cargo build --timings` wrote, for build times
    #[arg(long, value_name = "FILE")]
    timings: Option<PathBuf>,
}

/// The numbers of a crate.
#[derive(Debug, Default, PartialEq, Eq)]
struct Size {
    /// Lines of code outside of tests, with comments and blank lines.
    lines: usize,
    /// Lines of tests.
    test_lines: usize,
    /// Items that other crates can name: `pub` at the start of a line or of a member.
    public_items: usize,
}

/// Prints a table, the largest crate first.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let seconds = options.timings.as_deref().map(build_seconds).transpose()?;
    let mut sizes = Vec::new();
    for folder in workspace::folders_in(&root.join("crates"))? {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        sizes.push((name, size_of(&folder)?));
    }
    sizes.push(("xtask".to_owned(), size_of(&root.join("xtask"))?));
    print!("{}", table(&mut sizes, seconds.as_ref()));
    Ok(ExitCode::SUCCESS)
}

fn size_of(folder: &Path) -> TaskResult<Size> {
    let mut size = Size::default();
    for path in workspace::files_below(folder)? {
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).context(|| format!("reading {}", path.display()))?;
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        count(&relative.to_string_lossy(), &text, &mut size);
    }
    Ok(size)
}

/// Adds a file. Tests are files of tests, and modules of that name, which stand at the end of a file.
fn count(path: &str, text: &str, size: &mut Size) {
    let is_test_file = path.split('/').any(|part| part == "tests" || part.ends_with("tests.rs"));
    let mut in_tests = is_test_file;
    for line in text.lines() {
        in_tests |= line.starts_with("mod tests {");
        if in_tests {
            size.test_lines += 1;
        } else {
            size.lines += 1;
            size.public_items += usize::from(line.trim_start().starts_with("pub "));
        }
    }
}

/// Seconds of all units of a crate, by its name.
fn build_seconds(page: &Path) -> TaskResult<BTreeMap<String, f64>> {
    let text = fs::read_to_string(page).context(|| format!("reading {}", page.display()))?;
    let units = text
        .split_once("UNIT_DATA = ")
        .and_then(|(_, rest)| rest.split_once(";\n"))
        .ok_or_else(|| TaskError::new(format!("{} is not a page of cargo's timings", page.display())))?;
    let units: Vec<Value> =
        serde_json::from_str(units.0).context(|| format!("reading the units in {}", page.display()))?;
    let mut seconds = BTreeMap::new();
    for unit in &units {
        if let (Some(name), Some(duration)) = (unit["name"].as_str(), unit["duration"].as_f64()) {
            *seconds.entry(name.to_owned()).or_default() += duration;
        }
    }
    Ok(seconds)
}

fn table(sizes: &mut [(String, Size)], seconds: Option<&BTreeMap<String, f64>>) -> String {
    sizes.sort_by(|(left_name, left), (right_name, right)| {
        let all = |size: &Size| size.lines + size.test_lines;
        all(right).cmp(&all(left)).then_with(|| left_name.cmp(right_name))
    });
    let whole: usize = sizes.iter().map(|(_, size)| size.lines + size.test_lines).sum();
    let mut text =
        format!("{:<16}{:>9}{:>9}{:>8}{:>9}{:>9}\n", "crate", "lines", "tests", "share", "public", "build");
    for (name, size) in sizes.iter() {
        let share = (size.lines + size.test_lines) * 1000 / whole.max(1);
        let build = seconds
            .and_then(|seconds| seconds.get(name))
            .map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1} s"));
        text.push_str(&format!(
            "{name:<16}{:>9}{:>9}{:>6}.{}%{:>9}{build:>9}\n",
            size.lines,
            size.test_lines,
            share / 10,
            share % 10,
            size.public_items,
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests_are_counted_apart() {
        let mut size = Size::default();
        count(
            "src/a.rs",
            "pub fn a() {}\nfn b() {}\n    pub field: u8,\n#[cfg(test)]\nmod tests {\n}\n",
            &mut size,
        );
        count("src/a/tests.rs", "pub fn c() {}\n", &mut size);
        count("tests/d.rs", "fn d() {}\n", &mut size);
        assert_eq!(size, Size { lines: 4, test_lines: 4, public_items: 2 });
    }

    #[test]
    fn the_largest_crate_comes_first() {
        let size = |lines| Size { lines, test_lines: 1, public_items: 2 };
        let mut sizes = vec![("small".to_owned(), size(9)), ("large".to_owned(), size(29))];
        let seconds = BTreeMap::from([("large".to_owned(), 1.25)]);
        assert_eq!(
            table(&mut sizes, Some(&seconds)),
            "crate               lines    tests   share   public    build\n\
             large                  29        1    75.0%        2    1.2 s\n\
             small                   9        1    25.0%        2        -\n"
        );
    }
}
