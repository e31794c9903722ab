//! Chromium without a window, where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

/// How Chromium is started: alone on the machine, and asking nothing of the network.
pub const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The elements of a page after its script ran; the part of the address behind the file is added to it. Nothing, and the
/// test counts as skipped, where Chromium is not installed.
///
/// # Panics
/// Chromium does not start, or fails.
pub fn elements(page: &Path, choices: &str) -> Option<String> {
    if !crate::is_installed("chromium") {
        return None;
    }
    Some(run(page, choices, &["--dump-dom", "--window-size=1200,800"]))
}

/// Draws a page of 1200 by 800 points as a PNG file. Pictures of one page differ between versions of Chromium.
///
/// # Panics
/// Chromium does not start, or fails.
pub fn picture(page: &Path, choices: &str, file: &Path) {
    run(page, choices, &[&format!("--screenshot={}", file.display()), "--window-size=1200,800"]);
}

fn run(page: &Path, choices: &str, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir().expect("a directory can be made");
    let output = Command::new("timeout")
        .args(["120", "chromium"])
        .args(ARGUMENTS)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}{choices}", page.display()))
        .stderr(Stdio::null())
        .output()
        .expect("Chromium starts");
    assert!(output.status.success(), "Chromium cannot show {}", page.display());
    String::from_utf8(output.stdout).expect("Chromium writes UTF-8")
}
