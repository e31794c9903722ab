//! The analysis of a large upgrade graph: one channel of 10,000 entries in which every entry has all kinds of edges.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::error::{Context, TaskResult};

/// Entries of the channel.
const ENTRIES: usize = 10_000;

/// The package.
const PACKAGE: &str = "large-operator";

/// Shows how fast the generated channel is analysed.
pub(super) fn analysis(program: &Path, folder: &Path) -> TaskResult {
    fs::create_dir_all(folder).context(|| format!("making {}", folder.display()))?;
    let file = folder.join("graph.json");
    fs::write(&file, catalog(ENTRIES)).context(|| format!("writing {}", file.display()))?;
    println!("\nanalysis of an upgrade graph of {ENTRIES} entries, best of 10:");
    let words = ["graph", "--threads", "1", "--times", "10"].map(OsStr::new);
    println!(
        "{}",
        super::said(program, &[words.as_slice(), &[folder.as_os_str(), PACKAGE.as_ref()]].concat())?
    );
    Ok(())
}

/// Each entry replaces the one before, skips an older one, and covers everything older.
fn catalog(entries: usize) -> String {
    let name = |number: usize| format!("{PACKAGE}.v1.{number}.0");
    let mut channel = Vec::with_capacity(entries);
    let mut bundles = String::new();
    for number in 0..entries {
        let edges = match number {
            0 => String::new(),
            _ => format!(
                ",\"replaces\":\"{}\",\"skips\":[\"{}-gone\"],\"skipRange\":\">=1.0.0 <1.{number}.0\"",
                name(number - 1),
                name(number - 1)
            ),
        };
        channel.push(format!("{{\"name\":\"{}\"{edges}}}", name(number)));
        // Writing to a String cannot fail.
        let _ = writeln!(
            bundles,
            "{{\"schema\":\"olm.bundle\",\"package\":\"{PACKAGE}\",\"name\":\"{}\",\"image\":\"example.com/b:1\",\
             \"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"{PACKAGE}\",\
             \"version\":\"1.{number}.0\"}}}}]}}",
            name(number)
        );
    }
    format!(
        "{{\"schema\":\"olm.package\",\"name\":\"{PACKAGE}\",\"defaultChannel\":\"stable\"}}\n\
         {{\"schema\":\"olm.channel\",\"package\":\"{PACKAGE}\",\"name\":\"stable\",\"entries\":[{}]}}\n{bundles}",
        channel.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_json() {
        let text = catalog(3);
        let documents: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(documents.len(), 5);
        assert_eq!(documents[1]["entries"][2]["replaces"], "large-operator.v1.1.0");
    }
}
