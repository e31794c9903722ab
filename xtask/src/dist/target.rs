//! The systems that releases are built for.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Release;
use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

/// Those of a release: static programs for Linux, that run in any image.
pub(super) const OF_RELEASES: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// A system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) triple: String,
}

/// The targets that are named; without any those of a release that can be built here, else this machine's.
pub(super) fn chosen(named: &[String]) -> TaskResult<Vec<Target>> {
    if !named.is_empty() {
        return Ok(named.iter().map(|triple| Target { triple: triple.clone() }).collect());
    }
    let mut targets = Vec::new();
    for triple in OF_RELEASES {
        match is_installed(triple) {
            true => targets.push(Target { triple: triple.to_owned() }),
            false => println!("skipped: {triple} is not installed; run: rustup target add {triple}"),
        }
    }
    if targets.is_empty() {
        targets.push(Target { triple: host()? });
    }
    Ok(targets)
}

/// Whether the standard library for a target is there.
fn is_installed(triple: &str) -> bool {
    let mut command = Command::new("rustc");
    let output = command.args(["--print", "target-libdir", "--target", triple]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn host() -> TaskResult<String> {
    let output = Command::new("rustc").arg("-vV").output().context(|| "starting rustc".to_owned())?;
    host_line(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| TaskError::new("rustc -vV names no host"))
}

fn host_line(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(|triple| triple.trim().to_owned())
}

impl Target {
    /// The name of the program.
    pub(super) fn program(&self) -> &'static str {
        if self.triple.contains("windows") { "fbc.exe" } else { "fbc" }
    }

    /// The name of an archive without its ending, which is that of the directory in it.
    pub(super) fn archive_name(&self, version: &str) -> String {
        format!("fbc-{version}-{}", self.triple)
    }

    /// What Debian calls the machine; nothing for other systems.
    pub(super) fn debian_architecture(&self) -> Option<&'static str> {
        match self.triple.split_once("-unknown-linux-")?.0 {
            "x86_64" => Some("amd64"),
            "aarch64" => Some("arm64"),
            _ => None,
        }
    }

    /// The command of cargo that builds: for other machines `zigbuild`, if it is installed, as zig compiles C for all of them.
    fn builder(&self, root: &Path) -> TaskResult<&'static str> {
        let host = host()?;
        let machine = |triple: &str| (triple.split('-').next().map(str::to_owned), triple.contains("apple"));
        let is_other = machine(&self.triple) != machine(&host);
        Ok(if is_other && workspace::cargo_has(root, "zigbuild") { "zigbuild" } else { "build" })
    }

    /// Builds the program. Paths of this machine are not in it, neither those of Rust sources nor those of C, and no moment
    /// but that of the commit, which C compilers write for `__DATE__` and `__TIME__`.
    pub(super) fn build(
        &self,
        root: &Path,
        folder: &Path,
        release: &Release,
        is_quick: bool,
    ) -> TaskResult<PathBuf> {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let places =
            [(Some(root.to_owned()), "/fbc"), (home, "/cargo"), (Some(folder.to_owned()), "/target")];
        let mut rust = Vec::new();
        let mut c = Vec::new();
        for (from, to) in places.iter().filter_map(|(from, to)| Some((from.as_ref()?.display(), to))) {
            rust.push(format!("--remap-path-prefix={from}={to}"));
            c.push(format!("-ffile-prefix-map={from}={to}"));
        }
        let mut build = workspace::cargo(root);
        build
            .args([self.builder(root)?, "--locked", "--profile", if is_quick { "dev" } else { "dist" }])
            .args(["--package", "fbc", "--bin", "fbc"])
            .args(["--target", &self.triple])
            .arg("--target-dir")
            .arg(folder)
            .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"))
            .env("CFLAGS", c.join(" "))
            .env("SOURCE_DATE_EPOCH", release.moment.to_string());
        process::run(&mut build)?;
        let profile = if is_quick { "debug" } else { "dist" };
        Ok(folder.join(&self.triple).join(profile).join(self.program()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_by_their_triples() {
        let target = |triple: &str| Target { triple: triple.to_owned() };
        assert_eq!(target("aarch64-unknown-linux-musl").debian_architecture(), Some("arm64"));
        assert_eq!(target("aarch64-apple-darwin").debian_architecture(), None);
        assert_eq!(target("x86_64-pc-windows-msvc").program(), "fbc.exe");
        assert_eq!(chosen(&["a".to_owned()]).unwrap(), [target("a")]);
        assert!(is_installed(&host().unwrap()));
        assert!(!is_installed("no-such-target"));
    }

    #[test]
    fn the_host_is_read_from_the_compiler() {
        let text = "rustc 1.95.0\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(host_line(text).as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host_line("rustc 1.95.0\n"), None);
    }
}
