//! Whole updates of clusters: a large payload over pools of growing size, and a fleet of small clusters.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fbc_model::tree::Tree as _;
use fbc_openshift::cluster_update::sample;

use super::measure::in_own_process;
use super::median_of_command;
use crate::error::{Context, TaskError, TaskResult};

const VERSIONS: [&str; 2] = ["4.19.0", "4.19.1"];
/// Manifests and operators of a payload like those of real releases.
const MANIFESTS: usize = 653;
const OPERATORS: usize = 33;
/// Nodes of the clusters, in three pools.
const NODES: [usize; 3] = [10, 100, 1_000];
/// Clusters of the fleet; each has a small payload and six nodes.
const CLUSTERS: usize = 1_000;

/// Writes payloads, plays updates, and prints time and memory.
pub(super) fn run(fbc: &Path, folder: &Path, runs: usize) -> TaskResult {
    for version in VERSIONS {
        write(&folder.join("large").join(version), version, OPERATORS, MANIFESTS)?;
        write(&folder.join("small").join(version), version, 5, 20)?;
    }
    println!("\nUpdates of clusters, {MANIFESTS} manifests and {OPERATORS} operators:");
    for nodes in NODES {
        let workers = nodes - 3;
        let pools = [
            "master=3".to_owned(),
            format!("worker={}:10%", workers / 2),
            format!("infra={}:10%", workers - workers / 2),
        ];
        let mut arguments = arguments(&folder.join("large"));
        arguments.extend(["--from", "4.19.0", "--give-up-after", "72h"].map(str::to_owned));
        arguments.extend(pools.into_iter().flat_map(|pool| ["--pool".to_owned(), pool]));
        measure(fbc, &format!("{nodes} nodes"), &arguments, runs)?;
    }
    let mut fleet = String::new();
    for number in 0..CLUSTERS {
        // Writing to a String cannot fail.
        let _ =
            writeln!(fleet, "- {{name: cluster-{number}, from: 4.19.0, pools: {{master: 3, worker: 3}}}}");
    }
    let file = folder.join("fleet.yaml");
    fs::write(&file, fleet).context(|| format!("writing {}", file.display()))?;
    let mut arguments = arguments(&folder.join("small"));
    arguments.extend(["--fleet".to_owned(), file.display().to_string()]);
    measure(fbc, &format!("a fleet of {CLUSTERS} small clusters"), &arguments, 1)
}

/// Upgrades every installed version of a real catalog to a later one, and prints time and memory.
pub(super) fn installed_versions(fbc: &Path, catalogs: &Path) -> TaskResult {
    let [old, new] = ["community-v4.16", "community-v4.18"].map(|name| catalogs.join(name));
    println!("\nUpgrades of every installed version, community-v4.16 to community-v4.18:");
    if !old.is_dir() || !new.is_dir() {
        println!("skipped (no recorded data beside the checkout)");
        return Ok(());
    }
    let command =
        [fbc.as_os_str(), "simulate".as_ref(), "upgrade".as_ref(), old.as_os_str(), new.as_os_str()];
    let measured = in_own_process(&command)?;
    // Versions that are stuck are an answer.
    if !matches!(measured.exit_code, Some(0 | 1)) {
        return Err(TaskError::new(format!("exit code {:?}", measured.exit_code)));
    }
    println!(
        "{:.2} s, {:.2} s of processors, peak {:.0} MiB",
        measured.wall_seconds, measured.cpu_seconds, measured.peak_mebibytes
    );
    Ok(())
}

fn arguments(payloads: &Path) -> Vec<String> {
    let mut arguments = ["simulate", "cluster-update", "--to", "4.19.1"].map(str::to_owned).to_vec();
    for version in VERSIONS {
        arguments.extend(["--payload".to_owned(), payloads.join(version).display().to_string()]);
    }
    arguments
}

fn measure(fbc: &Path, what: &str, arguments: &[String], runs: usize) -> TaskResult {
    let mut command = vec![fbc.as_os_str()];
    command.extend(arguments.iter().map(OsStr::new));
    match median_of_command(&command, runs)? {
        Ok(measured) if measured.exit_code == Some(0) => {
            println!("{what}: {:.2} s, peak {:.0} MiB", measured.wall_seconds, measured.peak_mebibytes);
        }
        Ok(measured) => return Err(TaskError::new(format!("{what}: exit code {:?}", measured.exit_code))),
        Err(reason) => return Err(TaskError::new(format!("{what}: {reason}"))),
    }
    Ok(())
}

fn write(folder: &Path, version: &str, operators: usize, manifests: usize) -> TaskResult {
    let payload = sample::payload(version, operators, manifests);
    for directory in ["manifests", "release-manifests"] {
        let (inside, outside) = (Path::new(directory), folder.join(directory));
        fs::create_dir_all(&outside).context(|| format!("making {}", outside.display()))?;
        for entry in payload.list(inside).context(|| "listing a payload".to_owned())? {
            let bytes = payload.read(&inside.join(&entry.name)).context(|| "reading a payload".to_owned())?;
            let path = outside.join(&entry.name);
            fs::write(&path, bytes).context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(())
}
