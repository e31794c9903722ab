//! Clients of simulated clusters that are built or fetched first: the crate `kube` and the package `@kubernetes/client-node`.

use std::path::Path;
use std::process::Command;

use super::counts::Counts;
use super::{Outcome, steps};
use crate::error::{Context as _, TaskError, TaskResult};
use crate::{process, workspace};

/// Where the clients lie, and what they walk through.
const CLIENTS: &str = "crates/fbc/tests/clients";

/// Walks through a cluster with each client that is available.
pub(super) fn run(root: &Path) -> TaskResult<Outcome> {
    let binary = process::development_binary(root)?;
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    let clients = [("kube", kube(root)?), ("javascript", javascript(root)?)];
    for (name, client) in clients {
        let command = match client {
            Client::Ready(command) => command,
            Client::Absent(reason) => {
                println!("skipped: {reason}");
                counts.skipped += 1;
                continue;
            }
        };
        match walk(root, &binary, name, &command)? {
            None => counts.passed += 1,
            Some(fault) => {
                counts.failed += 1;
                faults.push(fault);
            }
        }
    }
    Ok(if faults.is_empty() { Outcome::Passed(counts) } else { Outcome::Failed(counts, faults.join("\n")) })
}

/// A client, or why there is none.
enum Client {
    Ready(Vec<String>),
    Absent(String),
}

/// Compiles the client outside of the workspace, with its own lock file.
fn kube(root: &Path) -> TaskResult<Client> {
    let manifest = root.join(CLIENTS).join("kube/Cargo.toml");
    let target = workspace::target_folder(root)?.join("clients");
    let mut command = workspace::cargo(root);
    command.args(["build", "--locked", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(&target);
    let built = process::run_and_keep(&mut command)?;
    if !built.success && built.text.contains("failed to download") {
        return Ok(Client::Absent("the registry of crates cannot be reached".to_owned()));
    }
    if !built.success {
        return Err(TaskError::new(format!("the client cannot be built:\n{}", built.text)));
    }
    Ok(Client::Ready(vec![target.join("debug/fbc-cluster-walk").display().to_string()]))
}

/// Fetches the packages of the client in JavaScript.
fn javascript(root: &Path) -> TaskResult<Client> {
    let directory = root.join(CLIENTS).join("javascript");
    if let Some(reason) = steps::lacks_node() {
        return Ok(Client::Absent(reason));
    }
    let mut command = Command::new("npm");
    command.current_dir(&directory).args(["ci", "--no-audit", "--no-fund"]);
    let installed = process::run_and_keep(&mut command)?;
    if !installed.success && steps::lacks_network(&installed.text) {
        return Ok(Client::Absent("the registry of npm cannot be reached".to_owned()));
    }
    if !installed.success {
        return Err(TaskError::new(format!(
            "the packages of the client cannot be installed:\n{}",
            installed.text
        )));
    }
    Ok(Client::Ready(vec!["node".to_owned(), directory.join("walk.mjs").display().to_string()]))
}

/// Walks through a cluster of its own; what the client prints must be what all clients print, and what it alone does.
fn walk(root: &Path, binary: &Path, name: &str, client: &[String]) -> TaskResult<Option<String>> {
    let clients = root.join(CLIENTS);
    let read = |path: std::path::PathBuf| {
        std::fs::read_to_string(&path).context(|| format!("reading {}", path.display()))
    };
    let mut expected = read(clients.join("expected.txt"))?;
    let own = clients.join(name).join("expected.txt");
    if own.is_file() {
        expected.push_str(&read(own)?);
    }
    let mut command = Command::new(binary);
    command.current_dir(root).args(["cluster", "run", "--nodes", "2"]);
    command.args(["--scenario", "testdata/scenarios/two-versions.yaml", "--"]);
    command.args(client).arg(clients.join("manifests"));
    let output = command.output().context(|| format!("starting {}", process::describe(&command)))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && printed == expected {
        println!("{name}: {}", printed.trim().replace('\n', ", "));
        return Ok(None);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(Some(format!("{name}: {}\n{printed}{errors}", output.status)))
}
