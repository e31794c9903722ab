//! The report of `cargo build --timings`: a page that holds the times of all units as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Context as _, TaskError, TaskResult};
use crate::workspace;

/// How long a build took.
#[derive(Debug, PartialEq)]
pub(super) struct Timings {
    /// Seconds of all units of a crate, by its name.
    pub(super) crates: BTreeMap<String, f64>,
    /// Seconds from the start of the first unit to the end of the last one.
    pub(super) whole: f64,
    /// How many units were compiled.
    pub(super) units: usize,
}

/// Where cargo leaves the page of the last build with `--timings`; nothing if there was none.
pub(super) fn last_page(root: &Path) -> TaskResult<Option<PathBuf>> {
    let page = workspace::target_folder(root)?.join("cargo-timings/cargo-timing.html");
    Ok(page.is_file().then_some(page))
}

/// Reads a page.
pub(super) fn read(page: &Path) -> TaskResult<Timings> {
    let text = fs::read_to_string(page).context(|| format!("reading {}", page.display()))?;
    let units = units(&text)
        .ok_or_else(|| TaskError::new(format!("{} is not a page of cargo's timings", page.display())))?;
    Ok(timings(&units))
}

fn units(page: &str) -> Option<Vec<Value>> {
    let (_, rest) = page.split_once("UNIT_DATA = ")?;
    serde_json::from_str(rest.split_once(";\n")?.0).ok()
}

fn timings(units: &[Value]) -> Timings {
    let mut timings = Timings { crates: BTreeMap::new(), whole: 0.0, units: units.len() };
    for unit in units {
        let name = unit["name"].as_str().unwrap_or_default();
        let seconds = unit["duration"].as_f64().unwrap_or_default();
        *timings.crates.entry(name.to_owned()).or_default() += seconds;
        timings.whole = timings.whole.max(unit["start"].as_f64().unwrap_or_default() + seconds);
    }
    timings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_a_crate_are_summed_and_the_last_one_ends_the_build() {
        let page = "<script>\nconst UNIT_DATA = [\n\
            {\"name\": \"a\", \"start\": 0.5, \"duration\": 1.0},\n\
            {\"name\": \"b\", \"start\": 1.0, \"duration\": 4.5},\n\
            {\"name\": \"a\", \"start\": 2.0, \"duration\": 0.5}];\nconst OTHER = [];\n";
        let crates = BTreeMap::from([("a".to_owned(), 1.5), ("b".to_owned(), 4.5)]);
        assert_eq!(timings(&units(page).unwrap()), Timings { crates, whole: 5.5, units: 3 });
        assert!(units("<html>").is_none());
    }
}
