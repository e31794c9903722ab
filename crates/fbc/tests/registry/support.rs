//! A directory for a test, fbc in it without the environment of this machine, and registries in threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc;

use fbc_image::registry::block_on;

use fbc_testing::registry::Registry;

/// A directory that is the home of a test.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// fbc with nothing of this machine but its programs. The cache is `cache`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_fbc"), arguments)
    }

    /// Another program, as fbc runs.
    pub(crate) fn program(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .env("FBC_CACHE_DIR", self.path().join("cache"))
            .env("NO_COLOR", "1");
        command
    }

    pub(crate) fn fbc(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// fbc over plain HTTP, without a pause before it tries again.
    pub(crate) fn plain(&self, arguments: &[&str]) -> Output {
        self.fbc(&[arguments, &["--plain-http", "--retry-delay", "0"]].concat())
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The names in the directory but the cache.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != "cache");
        names.sort();
        names
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The standard output of a command that must succeed.
pub(crate) fn done(output: Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// What a command says that must fail.
pub(crate) fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    text(&output.stderr)
}

pub(crate) fn testdata(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name).display().to_string()
}

/// A registry in a thread of this process; it ends with the process.
pub(crate) fn registry() -> Registry {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        block_on(async {
            sender.send(Registry::start().await).unwrap();
            std::future::pending::<()>().await;
        })
    });
    receiver.recv().unwrap()
}

/// A registry with the sample catalog, whose requests are not counted, and the digest of its image.
pub(crate) fn registry_with_catalog(place: &Place) -> (Registry, String, String) {
    let registry = registry();
    let image = format!("{}/me/catalog:v1", registry.host);
    let digest = done(place.plain(&["build", &testdata("sample-catalog"), "-t", &image, "--push", "-q"]));
    registry.log();
    (registry, image, digest.trim().to_owned())
}
