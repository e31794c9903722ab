//! A directory for a test, fbc in it without the environment of this machine, and registries in threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::mpsc;

use fbc_testing::Fbc;
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

    /// fbc at home here. The cache is `cache`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Fbc {
        self.program(crate::FBC, arguments)
    }

    /// Another program, as fbc runs.
    pub(crate) fn program(&self, program: &str, arguments: &[&str]) -> Fbc {
        let mut command = Fbc::at(program);
        command
            .args(arguments)
            .current_dir(self.path())
            .env("HOME", self.path())
            .env("FBC_CACHE_DIR", self.path().join("cache"));
        command
    }

    pub(crate) fn fbc(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output()
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

    /// An ImageSetConfiguration of one image, as `set.yaml`.
    pub(crate) fn write_image_set(&self, image: &str) {
        let set = format!(
            "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  additionalImages:\n  - name: {image}\n"
        );
        self.write("set.yaml", set);
    }

    /// A catalog whose layer is large enough to be interrupted, in a directory of this name.
    pub(crate) fn write_large_catalog(&self, folder: &str) {
        self.write(&format!("{folder}/.indexignore"), "noise\n");
        self.write(&format!("{folder}/noise"), noise(2_000_000));
        self.write(&format!("{folder}/catalog.yaml"), "schema: olm.package\nname: a\ndefaultChannel: b\n");
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

/// Bytes that are no repetition of anything.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
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
    fbc_testing::testdata(name).display().to_string()
}

/// A registry with the sample catalog, whose requests are not counted, and the digest of its image.
pub(crate) fn registry_with_catalog(place: &Place) -> (Registry, String, String) {
    let registry = Registry::in_thread();
    let image = format!("{}/me/catalog:v1", registry.host);
    let digest = done(place.plain(&["build", &testdata("sample-catalog"), "-t", &image, "--push", "-q"]));
    registry.log();
    (registry, image, digest.trim().to_owned())
}

/// What hears of connections that stall.
pub(crate) fn stalling(registry: &Registry) -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel();
    registry.state.lock().unwrap().stalled = Some(sender);
    receiver
}

/// Sends a signal to a process.
pub(crate) fn terminate(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
