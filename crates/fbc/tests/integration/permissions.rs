//! What an ordinary user may not read is never taken for what is not there. Tests run as root drop their rights for fbc.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use fbc_testing::Fbc;

/// `nobody`, on any system.
const USER: u32 = 65534;

/// A repository of catalogs for two releases that an ordinary user owns, with a program that this user may run.
struct Place {
    folder: tempfile::TempDir,
    is_root: bool,
}

impl Place {
    /// Nothing where root cannot drop its rights, or where there is no git.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let is_root = fs::metadata(folder.path()).unwrap().uid() == 0;
        if !fbc_testing::is_installed("git") || is_root && !fbc_testing::is_installed("setpriv") {
            return None;
        }
        let place = Self { folder, is_root };
        fs::set_permissions(place.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let program = place.folder.path().join("fbc");
        if fs::hard_link(crate::FBC, &program).is_err() {
            fs::copy(crate::FBC, &program).unwrap();
        }
        let sample = fbc_testing::testdata("repositories/directories");
        place.copy(&sample, &place.path(""));
        place.run("git", &["init", "--quiet", "--initial-branch=main"]);
        place.run("git", &["add", "--all"]);
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        assert_eq!(place.run("git", &[&who[..], &["commit", "--quiet", "--message=1"]].concat()).0, 0);
        Some(place)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("repository").join(path)
    }

    fn copy(&self, from: &Path, to: &Path) {
        if from.is_dir() {
            fs::create_dir(to).unwrap();
            for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
                self.copy(&entry.path(), &to.join(entry.file_name()));
            }
        } else {
            fs::write(to, fs::read(from).unwrap()).unwrap();
        }
        if self.is_root {
            chown(to, Some(USER), Some(USER)).unwrap();
        }
    }

    /// The exit code and all output of a program that the ordinary user runs.
    fn run(&self, program: &str, words: &[&str]) -> (i32, String) {
        let mut command = Fbc::at(if self.is_root { "setpriv" } else { program });
        if self.is_root {
            let user = USER.to_string();
            command.args(["--reuid", &user, "--regid", &user, "--clear-groups", program]);
        }
        command.args(words).current_dir(self.path("")).env("HOME", self.path(""));
        let output = command.output();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8_lossy(&text).into_owned())
    }

    fn fbc(&self, words: &[&str]) -> (i32, String) {
        self.run(self.folder.path().join("fbc").to_str().unwrap(), words)
    }

    fn with_mode<T>(&self, path: &str, mode: u32, work: impl FnOnce() -> T) -> T {
        let path = self.path(path);
        let before = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let result = work();
        fs::set_permissions(&path, before).unwrap();
        result
    }
}

#[test]
fn what_may_not_be_read_is_not_missing() {
    let Some(place) = Place::new() else { return };
    assert_eq!(place.fbc(&["validate", ".", "--base", "main"]).0, 0);
    let old = fs::read_dir(place.path("v4.16/catalog")).unwrap().count();
    for closed in [
        "v4.16/catalog/beacon-operator/catalog.yaml",
        "v4.16/catalog/beacon-operator",
        "v4.16/catalog",
        "v4.16",
    ] {
        for words in [
            &["validate", "."][..],
            &["validate", ".", "--base", "main"],
            &["validate", "v4.16/catalog", "--base", "main"],
            &["render", "v4.16/catalog"],
            &["list", "packages", "."],
            &["diff", "HEAD:"],
            &["diff", "v4.17/catalog", "v4.16/catalog"],
            &["images", "."],
            &["graph", "v4.16/catalog"],
            &["build", "v4.16/catalog", "--base", "scratch", "--no-validate", "--to", "oci:layout"],
            &["generate", "--check", "--offline"],
            &["generate", "--offline"],
        ] {
            let (code, told) = place.with_mode(closed, 0o000, || place.fbc(words));
            assert!(code == 1 || code == 2, "{closed}, {words:?}: {code} {told}");
            assert!(told.to_lowercase().contains("permission denied"), "{closed}, {words:?}: {code} {told}");
        }
        assert!(!place.path("layout").exists(), "{closed}");
    }
    // Named from where the command runs.
    let closed = "v4.16/catalog/beacon-operator/catalog.yaml";
    let root = place.path("").display().to_string();
    let words = ["generate", "--check", "--offline", "--repository", &root];
    let (_, told) = place.with_mode(closed, 0o000, || place.fbc(&words));
    assert!(told.contains(&place.path(closed).display().to_string()), "{told}");
    assert_eq!(fs::read_dir(place.path("v4.16/catalog")).unwrap().count(), old);
    for closed in [".git", ".git/index", ".git/objects"] {
        let (code, told) = place.with_mode(closed, 0o000, || place.fbc(&["validate", ".", "--base", "main"]));
        assert_eq!(code, 2, "{closed}: {told}");
    }
    fs::write(place.path("fbc.toml"), "[[catalogs]]\npath = \"v4.16/catalog\"\n").unwrap();
    for words in [&["validate", "."][..], &["validate", ".", "--base", "main"], &["generate"]] {
        let (code, told) = place.with_mode("fbc.toml", 0o000, || place.fbc(words));
        assert_eq!(code, 2, "{words:?}: {told}");
    }
    fs::remove_file(place.path("fbc.toml")).unwrap();
    // What nobody asks for is noted, and keeps nobody from working.
    fs::create_dir(place.path("data")).unwrap();
    let (code, told) = place.with_mode("data", 0o000, || place.fbc(&["validate", ".", "--base", "main"]));
    assert_eq!(code, 0, "{told}");
}

/// Git does not trust the repositories of others.
#[test]
fn repositories_of_others_are_named_as_such() {
    let Some(place) = Place::new() else { return };
    if !place.is_root {
        return fbc_testing::skip("only root can give a repository away");
    }
    chown(place.path(".git"), Some(0), Some(0)).unwrap();
    chown(place.path(""), Some(0), Some(0)).unwrap();
    for words in [&["validate", ".", "--base", "main"][..], &["render", "HEAD:v4.16/catalog"]] {
        let (code, told) = place.fbc(words);
        assert!(code == 2 && told.contains("safe.directory"), "{words:?}: {code} {told}");
    }
}

/// A catalog that is replaced while it is read is one state or the other, or refused: never taken for an empty one.
#[test]
fn catalogs_that_change_while_they_are_read() {
    let Some(place) = Place::new() else { return };
    let (file, other) = ("v4.16/catalog/beacon-operator/catalog.yaml", place.folder.path().join("other"));
    let text = fs::read_to_string(place.path(file)).unwrap();
    let (before, after) = (text.clone(), text.replace("beacon-operator", "tower-operator"));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut is_old = true;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                // Renamed, removed and written anew, cut and grown.
                fs::write(&other, if is_old { &after } else { &before }).unwrap();
                fs::rename(&other, place.path(file)).unwrap();
                fs::write(place.path(file), &text[..text.len() / 2]).unwrap();
                fs::remove_file(place.path(file)).unwrap();
                fs::write(place.path(file), &before).unwrap();
                is_old = !is_old;
            }
        });
        for _ in 0..20 {
            for words in [
                &["validate", "v4.16/catalog", "--base", "main"][..],
                &["render", "v4.16/catalog"],
                &["diff", "HEAD:v4.16/catalog", "v4.16/catalog", "--fail-on", "none"],
            ] {
                let (code, told) = place.fbc(words);
                assert!((0..=2).contains(&code), "{words:?}: {code} {told}");
                assert!(!told.contains("panicked"), "{words:?}: {told}");
            }
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
