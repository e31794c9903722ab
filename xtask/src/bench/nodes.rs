//! Large clusters: nodes and pods that are placed, run, and leave a fifth of the nodes; how time and memory grow.

use std::ffi::OsStr;
use std::path::Path;

use super::measure::in_own_process;
use crate::error::{TaskError, TaskResult};
use crate::{process, workspace};

/// Nodes and pods.
const SIZES: [(usize, usize); 4] = [(500, 10_000), (1_000, 20_000), (2_500, 50_000), (5_000, 100_000)];

/// Builds the example that measures, and runs it with each size in a process of its own, the largest one only where
/// there is time for it.
pub(super) fn run(root: &Path, quick: bool) -> TaskResult {
    let build = ["build", "--release", "--package", "fbc-cluster", "--example", "node_scale"];
    process::run(workspace::cargo(root).args(build))?;
    let program = workspace::target_folder(root)?.join("release/examples/node_scale");
    println!(
        "\nnodes and pods, placed and running, then a taint that drives all pods off a fifth of the nodes:"
    );
    let mut first = None;
    for (nodes, pods) in SIZES.iter().take(if quick { 2 } else { SIZES.len() }) {
        let numbers = [nodes.to_string(), pods.to_string()];
        let command: [&OsStr; 3] = [program.as_os_str(), numbers[0].as_ref(), numbers[1].as_ref()];
        match in_own_process(&command) {
            Ok(measured) if measured.exit_code == Some(0) => {
                let each = measured.wall_seconds / *pods as f64;
                let growth = each / *first.get_or_insert(each);
                println!(
                    "{nodes} nodes, {pods} pods: {:.1} s, peak {:.0} MiB; per pod {growth:.2} times the time of the first row",
                    measured.wall_seconds, measured.peak_mebibytes
                );
            }
            Ok(measured) => {
                return Err(TaskError::new(format!("{nodes} nodes: exit code {:?}", measured.exit_code)));
            }
            Err(reason) => return Err(TaskError::new(format!("{nodes} nodes: {reason}"))),
        }
    }
    Ok(())
}
