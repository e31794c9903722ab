//! The files of the recordings.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of the recordings; none where they are not.
pub(super) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/cvo");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}

pub(super) fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All cases in the order of their names: topic and name, and the content.
pub(super) fn all(folder: &Path) -> Vec<(String, Value)> {
    let mut cases = Vec::new();
    let entries = |folder: &Path| {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    for topic in entries(&folder.join("cases")) {
        for file in entries(&topic) {
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            cases.push((format!("{}/{}", name(&topic), name(&file)), read(&file)));
        }
    }
    cases
}

/// `3m7.071286369s` in milliseconds.
pub(super) fn duration(text: &str) -> u64 {
    let (mut total, mut number) = (0.0, String::new());
    for character in text.chars() {
        match character {
            'h' | 'm' | 's' => {
                let value: f64 = number.parse().unwrap_or_default();
                number.clear();
                total += value
                    * match character {
                        'h' => 3_600_000.0,
                        'm' => 60_000.0,
                        _ => 1000.0,
                    };
            }
            digit => number.push(digit),
        }
    }
    total as u64
}
