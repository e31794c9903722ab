//! A git repository with a catalog and a change, and the folders that a runner gives to scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use fbc_testing::Fbc;
pub(crate) use fbc_testing::testdata;
use fbc_yaml::stream;
use serde_json::Value;

/// The directory of pipelines.
pub(crate) fn pipelines() -> PathBuf {
    fbc_testing::repository("docs/pipelines").canonicalize().unwrap()
}

/// A file that is one document of YAML.
pub(crate) fn document(path: &Path) -> Value {
    stream::read_one(&fs::read(path).unwrap()).unwrap().root().to_json()
}

/// Whether all programs are there; the test counts as skipped where one is not.
pub(crate) fn are_installed(programs: &[&str]) -> bool {
    programs.iter().all(|program| fbc_testing::is_installed(program))
}

/// A repository whose last commit has `catalog/`, and a runner's folders beside it.
pub(crate) struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["repository/catalog", "runner", "bin"] {
            fs::create_dir_all(workspace.path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(crate::FBC, workspace.path("bin/fbc")).unwrap();
        workspace.copy_sample("sample-catalog", &workspace.path("repository/catalog"));
        workspace.commit("repository");
        workspace
    }

    /// Commits all that there is in a directory, which becomes a repository if it is none.
    pub(crate) fn commit(&self, folder: &str) {
        let words = "test -d .git || git init --quiet --initial-branch=main; git add --all && git -c user.name=a \
                     -c user.email=a@example.com -c commit.gpgsign=false commit --quiet --allow-empty --message=all";
        let mut command = self.command("sh");
        assert!(command.args(["-c", words]).current_dir(self.path(folder)).status().success());
    }

    /// Copies a directory of `testdata` over another.
    pub(crate) fn copy_sample(&self, name: &str, to: &Path) {
        fs::create_dir_all(to).unwrap();
        copy(&testdata(name), to);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Adds a package that is not valid: a change of the work tree.
    pub(crate) fn break_catalog(&self) {
        let text = "schema: olm.package\nname: broken\ndefaultChannel: missing\n";
        fs::create_dir_all(self.path("repository/catalog/broken")).unwrap();
        fs::write(self.path("repository/catalog/broken/catalog.yaml"), text).unwrap();
    }

    /// A program in the repository, with this fbc in PATH and nothing that this machine configures.
    pub(crate) fn command(&self, program: &str) -> Fbc {
        let mut command = Fbc::at(program);
        command
            .current_dir(self.path("repository"))
            .programs_in(self.path("bin"))
            .env("RUNNER_TEMP", self.path("runner"))
            .env("GITHUB_OUTPUT", self.path("runner/output"))
            .env("GITHUB_PATH", self.path("runner/path"))
            .env("GITHUB_STEP_SUMMARY", self.path("runner/summary"))
            .env("FBC_OFFLINE", "1")
            .env("FBC_CACHE_DIR", self.path("cache"));
        command
    }

    /// Runs a script with variables.
    pub(crate) fn run(&self, program: &str, variables: &[(&str, &str)]) -> (i32, String) {
        shown(self.command(program).envs(variables.iter().copied()).output())
    }
}

/// The exit code, and both streams.
pub(crate) fn shown(output: Output) -> (i32, String) {
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.code().unwrap(), text)
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
