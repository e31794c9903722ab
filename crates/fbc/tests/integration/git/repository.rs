//! Repositories, git and fbc in them.

use std::fs;
use std::path::Path;
use std::process::Command;

use fbc_testing::Answer;

pub(crate) struct Repository {
    pub(crate) folder: tempfile::TempDir,
}

impl Repository {
    /// An empty repository; nothing if there is no git.
    pub(crate) fn new() -> Option<Self> {
        Self::with(&[])
    }

    pub(crate) fn with(options: &[&str]) -> Option<Self> {
        if !fbc_testing::is_installed("git") {
            return None;
        }
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&[&["init", "--quiet", "--initial-branch=main"], options].concat());
        Some(repository)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        git(self.path(), arguments);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
    }

    pub(crate) fn fbc(&self, arguments: &[&str]) -> Answer {
        fbc(self.path(), arguments)
    }
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "protocol.file.allow=always", "-c", "core.quotePath=true"])
        .args(arguments);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.com");
        command.env(format!("GIT_{who}_DATE"), "2024-01-01T00:00:00Z");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn fbc(folder: &Path, arguments: &[&str]) -> Answer {
    fbc_with(folder, arguments, &[])
}

pub(crate) fn fbc_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Answer {
    crate::fbc().args(arguments).current_dir(folder).envs(variables.iter().copied()).answer()
}

pub(crate) fn package(name: &str, versions: &[&str]) -> String {
    let mut text = format!("schema: olm.package\nname: {name}\ndefaultChannel: stable\n---\n");
    text += &format!("schema: olm.channel\npackage: {name}\nname: stable\nentries:\n");
    for (index, version) in versions.iter().enumerate() {
        let replaces = index.checked_sub(1).map(|before| format!(", replaces: {name}.v{}", versions[before]));
        text += &format!("- {{name: {name}.v{version}{}}}\n", replaces.unwrap_or_default());
    }
    for version in versions {
        text += &format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: quay.io/x/{name}@sha256:{}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n",
            "1".repeat(64)
        );
    }
    text
}

/// A repository with catalogs of two OpenShift versions, and bundles beside them.
pub(crate) fn operators() -> Option<Repository> {
    let repository = Repository::new()?;
    for version in ["v4.9", "v4.18"] {
        repository
            .write(&format!("catalogs/{version}/foo/catalog.yaml"), &package("foo", &["1.0.0", "1.1.0"]));
        // An old problem that nobody is asked to fix: an image without a registry.
        let bar = package("bar", &["1.0.0"]).replace("quay.io/x/bar", "bar");
        repository.write(&format!("catalogs/{version}/bar/catalog.yaml"), &bar);
    }
    repository.write("catalogs/README.md", "Not a catalog.\n");
    repository.write("operators/foo/1.0.0/manifests/foo.yaml", "kind: ClusterServiceVersion\n");
    repository.commit();
    Some(repository)
}
