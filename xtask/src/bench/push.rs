//! `fbc push` beside `skopeo copy`: the same layout to Debian's registry over the loopback interface.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use fbc_testing::registry;

use super::measure::{self, Measurement};
use crate::error::{Context, TaskError, TaskResult};
use crate::random::Random;
use crate::workspace;

/// What cannot be compressed, so that the layer is as large, in bytes.
const NOISE_BYTES: usize = 256 << 20;

/// Shows time and peak memory of both, the median of some runs, each to a registry of its own: skopeo remembers which
/// registry has which blob.
pub(super) fn run(fbc: &Path, root: &Path, runs: usize, is_quick: bool) -> TaskResult {
    for program in ["docker-registry", "skopeo"] {
        if !fbc_testing::is_installed(program) {
            println!("\npush over loopback: skipped, {program} is not installed");
            return Ok(());
        }
    }
    let place = workspace::target_folder(root)?.join("bench/push");
    // A run that was interrupted may have left one.
    let _ = fs::remove_dir_all(&place);
    let bytes = if is_quick { NOISE_BYTES / 8 } else { NOISE_BYTES };
    let layout = layout(fbc, &place, bytes)?;
    println!("\npush of {} MiB over loopback, median of {runs} runs:", bytes >> 20);
    let source = format!("oci:{layout}");
    let theirs = median(&place, runs, |host| {
        let target = format!("docker://{host}/bench/image:v1");
        ["skopeo", "--insecure-policy", "copy", "-q", "--dest-tls-verify=false", &source, &target]
            .map(OsString::from)
            .to_vec()
    })?;
    let ours = median(&place, runs, |host| {
        let target = format!("{host}/bench/image:v1");
        let mut words = vec![fbc.as_os_str().to_owned()];
        words.extend(["push", &source, "-q", "--plain-http", "-t", &target].map(OsString::from));
        words
    })?;
    for (name, measurement) in [("skopeo copy", &theirs), ("fbc push", &ours)] {
        println!(
            "{name:24} {:6.3} s  {:5.1}x  {:6.1} MiB",
            measurement.wall_seconds,
            theirs.wall_seconds / measurement.wall_seconds,
            measurement.peak_mebibytes
        );
    }
    // The layout is large.
    fs::remove_dir_all(&place).context(|| format!("removing {}", place.display()))
}

/// A layout with an image of one large layer.
fn layout(fbc: &Path, place: &Path, bytes: usize) -> TaskResult<String> {
    let folder = place.join("catalog");
    fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
    let mut random = Random::new(7);
    let noise: Vec<u8> = (0..bytes / 8).flat_map(|_| random.next().to_le_bytes()).collect();
    let file = folder.join("noise");
    fs::write(&file, noise).context(|| format!("writing {}", file.display()))?;
    let layout = place.join("layout").display().to_string();
    let target = format!("oci:{layout}");
    let words = ["build", "--no-validate", "-q", "-o", &target];
    let status = Command::new(fbc).args(words).arg(&folder).stdout(Stdio::null()).status();
    let status = status.context(|| "starting fbc build".to_owned())?;
    if !status.success() {
        return Err(TaskError::new(format!("fbc build failed: {status}")));
    }
    Ok(layout)
}

/// The median run of a command, which is made for the address of a registry.
fn median(place: &Path, runs: usize, command: impl Fn(&str) -> Vec<OsString>) -> TaskResult<Measurement> {
    let median = measure::median_of(runs, || {
        let storage = tempfile::tempdir_in(place).context(|| format!("writing to {}", place.display()))?;
        let server = registry::start(storage.path(), "http: {addr: HOST}\n");
        let words = command(&server.host);
        measure::in_own_process(&words.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    })?;
    median.map_err(|reason| TaskError::new(format!("{:?} failed: {reason}", command("HOST"))))
}
