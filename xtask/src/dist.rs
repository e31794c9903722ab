//! `cargo xtask dist`: builds the binary for distribution and writes it beside its SHA-256 checksum.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

/// What to build.
#[derive(Args)]
pub(crate) struct Options {
    /// The target triple; without it, that of this machine
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// Programs that print `<checksum>  <file>` for SHA-256, in the order in which they are tried.
const CHECKSUM_PROGRAMS: [(&str, &[&str]); 2] = [("sha256sum", &[]), ("shasum", &["-a", "256"])];

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let mut build = workspace::cargo(&root);
    build.args(["build", "--locked", "--profile", "dist", "--package", "fbc", "--bin", "fbc"]);
    let mut built = workspace::target_folder(&root)?;
    let folder = built.join("dist");
    if let Some(target) = &options.target {
        build.args(["--target", target]);
        built.push(target);
    }
    process::run(&mut build)?;
    let triple = match &options.target {
        Some(target) => target.clone(),
        None => host_triple()?,
    };
    let suffix = if triple.contains("windows") { ".exe" } else { "" };
    let name = format!("fbc-{}-{triple}{suffix}", env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
    let from = built.join("dist").join(format!("fbc{suffix}"));
    fs::copy(&from, folder.join(&name)).context(|| format!("copying {}", from.display()))?;
    let line = checksum_line(&folder, &name)?;
    let sums = folder.join(format!("{name}.sha256"));
    fs::write(&sums, &line).context(|| format!("writing {}", sums.display()))?;
    println!("{}", folder.join(&name).display());
    print!("{line}");
    Ok(ExitCode::SUCCESS)
}

/// The line that `sha256sum --check` reads, for a file in the directory.
fn checksum_line(folder: &Path, name: &str) -> TaskResult<String> {
    for (program, arguments) in CHECKSUM_PROGRAMS {
        if let Ok(output) = Command::new(program).args(arguments).arg(name).current_dir(folder).output() {
            if !output.status.success() {
                return Err(TaskError::new(format!("{program} {name}: {}", output.status)));
            }
            return String::from_utf8(output.stdout).context(|| format!("reading the answer of {program}"));
        }
    }
    Err(TaskError::new("neither sha256sum nor shasum is installed"))
}

fn host_triple() -> TaskResult<String> {
    let output = Command::new("rustc").arg("-vV").output().context(|| "starting rustc".to_owned())?;
    host_line(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| TaskError::new("rustc -vV names no host"))
}

fn host_line(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(|triple| triple.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("fbc"), "abc").unwrap();
        assert_eq!(
            checksum_line(folder.path(), "fbc").unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  fbc\n"
        );
        assert!(checksum_line(folder.path(), "missing").is_err());
    }

    #[test]
    fn the_host_is_read_from_the_compiler() {
        let text = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(host_line(text).as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host_line("rustc 1.95.0\n"), None);
        assert!(host_triple().is_ok());
    }
}
