//! `cargo xtask size`: lines, public items and build time of each crate, crates of each build, and the size of the binary.
//!
//! [`budgets`] says what may not be passed; `cargo xtask test --only size` fails if something is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use self::timings::Timings;
use crate::error::{Context as _, TaskError, TaskResult};
use crate::workspace;

mod budgets;
mod builds;
mod timings;

/// Which numbers to print.
#[derive(Args)]
pub(crate) struct Options {
    /// The page that `cargo build --timings` wrote, for build times [default: that of the last such build]
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

/// Something that is counted and has a budget.
#[derive(Debug, PartialEq, Eq)]
struct Measured {
    /// What is counted, as in `crates of the default build`.
    what: String,
    /// How many there are.
    count: usize,
    /// How many there may be.
    most: usize,
}

impl Measured {
    /// A sentence if the budget is passed.
    fn fault(&self) -> Option<String> {
        let Self { what, count, most } = self;
        (count > most).then(|| format!("{count} {what}; the budget is {most} (xtask/src/size/budgets.rs)"))
    }
}

/// Prints the tables, the largest crate first. A budget that is passed is a finding: exit code 1.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let page = match &options.timings {
        Some(page) => Some(page.clone()),
        None => timings::last_page(&root)?,
    };
    let timings = page.as_deref().map(timings::read).transpose()?;
    let mut sizes = sizes(&root)?;
    let measured = measured(&root, &sizes)?;
    print!("{}", table(&mut sizes, timings.as_ref()));
    print!("\n{}", budget_table(&measured));
    match (&page, &timings) {
        (Some(page), Some(Timings { whole, units, .. })) => {
            println!("\nbuild: {whole:.1} s for {units} units ({})", page.display());
        }
        _ => println!("\nbuild: not measured; run: cargo build --release --timings"),
    }
    let binaries = builds::binaries(&root)?;
    for (profile, bytes) in &binaries {
        println!("binary ({profile}): {:.1} MB", *bytes as f64 / 1e6);
    }
    if binaries.is_empty() {
        println!("binary: not built; run: cargo build --release");
    }
    let faults: Vec<String> = measured.iter().filter_map(Measured::fault).collect();
    faults.iter().for_each(|fault| println!("error: {fault}"));
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The budgets that are passed, as sentences.
pub(crate) fn passed_budgets(root: &Path) -> TaskResult<Vec<String>> {
    Ok(measured(root, &sizes(root)?)?.iter().filter_map(Measured::fault).collect())
}

/// The crates with their sizes, in the order of their names, `xtask` last.
fn sizes(root: &Path) -> TaskResult<Vec<(String, Size)>> {
    let mut sizes = Vec::new();
    for folder in workspace::folders_in(&root.join("crates"))? {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        sizes.push((name, size_of(&folder)?));
    }
    sizes.push(("xtask".to_owned(), size_of(&root.join("xtask"))?));
    Ok(sizes)
}

/// What has a budget, counted.
fn measured(root: &Path, sizes: &[(String, Size)]) -> TaskResult<Vec<Measured>> {
    let mut measured = Vec::new();
    for build in &budgets::BUILDS {
        let what = format!("crates of the build `{}`", build.name);
        measured.push(Measured { what, count: build.crates(root)?, most: build.most_crates });
    }
    for (name, most) in budgets::LINES {
        let (_, size) = sizes
            .iter()
            .find(|(crate_name, _)| crate_name == name)
            .ok_or_else(|| TaskError::new(format!("there is no crate `{name}`, which has a budget")))?;
        measured.push(Measured { what: format!("lines of the crate `{name}`"), count: size.lines, most });
    }
    Ok(measured)
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

fn table(sizes: &mut [(String, Size)], timings: Option<&Timings>) -> String {
    sizes.sort_by(|(left_name, left), (right_name, right)| {
        let all = |size: &Size| size.lines + size.test_lines;
        all(right).cmp(&all(left)).then_with(|| left_name.cmp(right_name))
    });
    let whole: usize = sizes.iter().map(|(_, size)| size.lines + size.test_lines).sum();
    let mut text =
        format!("{:<16}{:>9}{:>9}{:>8}{:>9}{:>9}\n", "crate", "lines", "tests", "share", "public", "build");
    for (name, size) in sizes.iter() {
        let share = (size.lines + size.test_lines) * 1000 / whole.max(1);
        let build = timings
            .and_then(|timings| timings.crates.get(name))
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

fn budget_table(measured: &[Measured]) -> String {
    let mut text = format!("{:<48}{:>9}{:>9}\n", "what has a budget", "count", "budget");
    for Measured { what, count, most } in measured {
        text.push_str(&format!("{what:<48}{count:>9}{most:>9}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
        let crates = BTreeMap::from([("large".to_owned(), 1.25)]);
        assert_eq!(
            table(&mut sizes, Some(&Timings { crates, whole: 1.25, units: 1 })),
            "crate               lines    tests   share   public    build\n\
             large                  29        1    75.0%        2    1.2 s\n\
             small                   9        1    25.0%        2        -\n"
        );
    }

    #[test]
    fn what_passes_its_budget_is_named() {
        let measured = |count| Measured { what: "lines of the crate `a`".to_owned(), count, most: 7 };
        assert_eq!(measured(7).fault(), None);
        let fault = "8 lines of the crate `a`; the budget is 7 (xtask/src/size/budgets.rs)";
        assert_eq!(measured(8).fault().as_deref(), Some(fault));
    }
}
