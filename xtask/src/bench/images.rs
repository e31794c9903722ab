//! `fbc build` beside `tar c | gzip -6` of the same directory.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::measure::{self, Measurement};
use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

/// Shows time and peak memory of both, the median of some runs, and how many times faster the build is.
fn compare(fbc: &Path, folder: &Path, place: &Path, runs: usize) -> TaskResult {
    println!("\nimage of {}, median of {runs} runs:", folder.display());
    fs::create_dir_all(place).context(|| format!("making {}", place.display()))?;
    let (layout, archive) = (place.join("layout"), place.join("archive"));
    // A run that was interrupted may have left one.
    let _ = fs::remove_dir_all(&layout);
    let layout_target = format!("oci:{}", layout.display());
    let script = r#"tar c -C "$1" . | gzip -6 > "$2""#;
    // Not every catalog of the world is valid.
    let build: [&OsStr; 7] = [
        fbc.as_os_str(),
        "build".as_ref(),
        folder.as_os_str(),
        "-o".as_ref(),
        OsStr::new(&layout_target),
        "-q".as_ref(),
        "--no-validate".as_ref(),
    ];
    let tar: [&OsStr; 6] = [
        "sh".as_ref(),
        "-c".as_ref(),
        script.as_ref(),
        "sh".as_ref(),
        folder.as_os_str(),
        archive.as_os_str(),
    ];
    let tar = median(&tar, runs, &layout)?;
    show("tar | gzip -6", &tar, &tar);
    show("fbc build --no-validate", &median(&build, runs, &layout)?, &tar);
    Ok(())
}

/// The median run; what a run leaves at `made` is removed in between.
fn median(command: &[&OsStr], runs: usize, made: &Path) -> TaskResult<Measurement> {
    let median = measure::median_of(runs, || {
        let measurement = measure::in_own_process(command);
        // Not every command makes it.
        let _ = fs::remove_dir_all(made);
        measurement
    })?;
    median.map_err(|reason| TaskError::new(format!("{command:?} failed: {reason}")))
}

fn show(name: &str, measurement: &Measurement, tar: &Measurement) {
    println!(
        "{name:24} {:6.3} s  {:5.1}x  {:6.1} MiB",
        measurement.wall_seconds,
        tar.wall_seconds / measurement.wall_seconds,
        measurement.peak_mebibytes
    );
}

/// Compares on the directory of all real catalogs, or where there is none on the generated one.
pub(super) fn run(fbc: &Path, root: &Path, generated: &Path, runs: usize) -> TaskResult {
    let real = workspace::conformance_folder(root).join("catalogs");
    let place = workspace::target_folder(root)?.join("bench/images");
    compare(fbc, if real.is_dir() { &real } else { generated }, &place, runs)
}
