//! No program that a repository names is started: of every way that git's documentation knows, one with a stub that
//! leaves a mark.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fbc_testing::Answer;

use super::repository::{Repository, fbc, fbc_with, operators, package};
use super::ways::{ATTRIBUTES, HOOKS, SETTINGS, SWITCHES};

/// A repository whose settings name stubs.
struct Trap {
    repository: Repository,
    /// A directory with the stubs and the marks that they leave.
    stubs: tempfile::TempDir,
}

impl Trap {
    fn new() -> Option<Self> {
        let repository = operators()?;
        let stubs = tempfile::tempdir().unwrap();
        fs::create_dir(stubs.path().join("marks")).unwrap();
        fs::create_dir(stubs.path().join("hooks")).unwrap();
        Some(Self { repository, stubs })
    }

    fn path(&self) -> &Path {
        self.repository.path()
    }

    /// A program that leaves a mark with this name.
    fn stub(&self, name: &str) -> PathBuf {
        let name = name.replace(['/', ':', '='], "_");
        let path = self.stubs.path().join(&name);
        let mark = self.stubs.path().join("marks").join(&name);
        fs::write(&path, format!("#!/bin/sh\n: > '{}'\nexit 1\n", mark.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn setting(&self, name: &str, value: &str) -> String {
        let value = value.replace("{}", self.stub(name).to_str().unwrap());
        let (section, key) = name.rsplit_once('.').unwrap_or(("core", name));
        match section.split_once('.') {
            Some((section, below)) => format!("[{section} \"{below}\"]\n\t{key} = \"{value}\"\n"),
            None => format!("[{section}]\n\t{key} = \"{value}\"\n"),
        }
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, [fs::read(&path).unwrap_or_default(), bytes.to_vec()].concat()).unwrap();
    }

    /// The stubs that were started since.
    fn marks(&self) -> BTreeSet<String> {
        let marks = self.stubs.path().join("marks");
        let names = |entry: std::io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            fs::remove_file(&path).unwrap();
            path.file_name().unwrap().to_string_lossy().into_owned()
        };
        fs::read_dir(marks).unwrap().map(names).collect()
    }

    /// What plain git starts.
    fn plain_git(&self, words: &[&str]) -> BTreeSet<String> {
        let mut command = Command::new("git");
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        self.marks()
    }

    /// Runs all that reads a repository, and what git runs. Nothing may be started.
    fn springs_nothing(&self) {
        let change = package("foo", &["1.2.0"]);
        self.repository.write("catalogs/v4.18/foo/catalog.yaml", &change);
        self.repository.write("catalogs/v4.18/new/catalog.yaml", &package("new", &["1.0.0"]));
        for file in ["ancestor", "other"] {
            self.repository.write(file, &package("foo", &["1.0.0"]));
        }
        self.repository.write("current", &change);
        let layout = format!("oci:{}", self.stubs.path().join("layout").display());
        for words in [
            &["validate", ".", "--base", "main"][..],
            &["validate", "catalogs", "--base", "HEAD^{commit}"],
            &["validate", "catalogs/v4.18", "--base", "topic"],
            &["validate", "catalogs", "--base", "origin/main"],
            &["validate", "HEAD:catalogs/v4.18"],
            &["diff", "HEAD:catalogs", "catalogs"],
            &["diff", "HEAD:"],
            &["render", "HEAD:catalogs/v4.18"],
            &["render", "nothing:catalogs/v4.18"],
            &["build", "catalogs/v4.9", "--base", "scratch", "--no-validate", "--to", &layout],
            &["build", "HEAD:catalogs/v4.9", "--base", "scratch", "--no-validate", "--to", &layout],
            &["merge-driver", "ancestor", "current", "other", "catalogs/README.md"],
            &["merge-driver", "catalogs/README.md", "catalogs/README.md", "other"],
            &["merge-driver", "--install"],
            &["doctor"],
        ] {
            let Answer { code, out, err } = self.repository.fbc(words);
            assert_eq!(self.marks(), BTreeSet::new(), "{words:?} ends with {code}: {out}{err}");
            assert!(code <= 2, "{words:?}: {err}");
        }
        // The repository is named, and where its work tree is must be found.
        for folder in ["", "catalogs"] {
            let git_dir = self.path().join(".git");
            let variables = [("GIT_DIR", git_dir.to_str().unwrap()), ("GIT_INDEX_FILE", "index")];
            for words in [&["validate", ".", "--base", "main"][..], &["diff", "HEAD:"], &["doctor"]] {
                let answer = fbc_with(&self.path().join(folder), words, &variables);
                assert_eq!(self.marks(), BTreeSet::new(), "{folder}: {words:?}: {}", answer.err);
                assert!(answer.code <= 2, "{folder}: {words:?}: {}", answer.err);
            }
        }
    }
}

fn names(of: &[&str]) -> BTreeSet<String> {
    of.iter().map(|&name| name.to_owned()).collect()
}

/// All settings in a file that the configuration of the repository leads to by its own way.
#[test]
fn settings_start_nothing() {
    for place in ["config", "config.worktree", "included", "included for this directory"] {
        let Some(trap) = Trap::new() else { return };
        let mut settings: String = SWITCHES.iter().map(|(name, value)| trap.setting(name, value)).collect();
        settings.extend(SETTINGS.iter().map(|(name, value)| trap.setting(name, value)));
        trap.append(".git/info/attributes", ATTRIBUTES.as_bytes());
        trap.append(".git/info/attributes", b"catalogs/README.md filter=\xff\n");
        let mut bytes = settings.into_bytes();
        bytes.extend(b"[filter \"\xff\"]\n\tclean = ");
        bytes.extend(trap.stub("not_utf8").to_str().unwrap().bytes());
        bytes.push(b'\n');
        match place {
            "config" => trap.append(".git/config", &bytes),
            "config.worktree" => {
                trap.append(
                    ".git/config",
                    b"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
                );
                trap.append(".git/config.worktree", &bytes);
            }
            place => {
                let condition =
                    if place == "included" { "[include]" } else { "[includeIf \"gitdir:**/.git\"]" };
                trap.append(".git/settings", &bytes);
                trap.append(".git/config", format!("{condition}\n\tpath = settings\n").as_bytes());
            }
        }
        trap.springs_nothing();
        // All of them are such as plain git starts.
        fs::write(trap.path().join("catalogs/README.md"), "Not A Catalog.\n").unwrap();
        let quiet = ["-c", "core.fsmonitor=false", "-c", "filter.evil.required=false"];
        for (words, started) in [
            (&["diff", "main"][..], &["core.fsmonitor", "filter.evil.clean"][..]),
            (&["diff", "main", "--", "catalogs/v4.18"], &["core.fsmonitor", "filter.evil.clean"]),
            (&["diff", "--stat", "main", "--", "catalogs/README.md"], &["core.fsmonitor", "not_utf8"]),
            (&["hash-object", "--path=a.json", "current"], &["filter.a_b.clean"]),
            (&["cat-file", "--textconv", "HEAD:catalogs/v4.18/foo/catalog.yaml"], &["filter.evil.smudge"]),
            (&["rebase", "--interactive", "HEAD"], &["core.fsmonitor"]),
        ] {
            let seen = trap.plain_git(words);
            assert!(seen.is_superset(&names(started)), "{place}: {words:?} started {seen:?}");
        }
        for (words, started) in [
            (&["diff", "main", "--", "catalogs/v4.18"][..], "diff.evil.command"),
            (&["cat-file", "--textconv", "HEAD:catalogs/v4.18/foo/catalog.yaml"], "diff.evil.textconv"),
        ] {
            let seen = trap.plain_git(&[&quiet[..], words].concat());
            assert!(seen.contains(started), "{place}: {words:?} started {seen:?}");
        }
    }
}

#[test]
fn hooks_start_nothing() {
    for is_elsewhere in [false, true] {
        let Some(trap) = Trap::new() else { return };
        let folder =
            if is_elsewhere { trap.stubs.path().join("hooks") } else { trap.path().join(".git/hooks") };
        fs::create_dir_all(&folder).unwrap();
        for hook in HOOKS {
            fs::copy(trap.stub(hook), folder.join(hook)).unwrap();
        }
        if is_elsewhere {
            trap.append(".git/config", format!("[core]\n\thooksPath = {}\n", folder.display()).as_bytes());
        }
        trap.springs_nothing();
        let started = trap.plain_git(&["update-index", "--force-remove", "catalogs/README.md"]);
        assert_eq!(started, names(&["post-index-change"]));
    }
}

#[test]
fn submodules_start_nothing() {
    let (Some(trap), Some(inner)) = (Trap::new(), Repository::new()) else { return };
    inner.write("a.yaml", "a: 1\n");
    inner.commit();
    for place in ["operators/foo/1.0.0/sub", "catalogs/v4.18/sub"] {
        let url = inner.path().to_str().unwrap();
        trap.repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, place]);
    }
    trap.repository.commit();
    for place in ["operators/foo/1.0.0/sub", "catalogs/v4.18/sub"] {
        let folder = format!(".git/modules/{place}");
        trap.append(&format!("{folder}/info/attributes"), ATTRIBUTES.as_bytes());
        for (name, value) in [("filter.evil.clean", "{}"), ("core.fsmonitor", "{}")] {
            trap.append(&format!("{folder}/config"), trap.setting(name, value).as_bytes());
        }
        // Of the same size, so that git has to look into it.
        trap.repository.write(&format!("{place}/a.yaml"), "b: 2\n");
    }
    trap.springs_nothing();
    let started = trap.plain_git(&["-c", "core.fsmonitor=false", "diff", "main"]);
    assert!(started.contains("filter.evil.clean"), "{started:?}");
}

/// Partial clones: what is missing is not transferred, whatever the transport.
#[test]
fn missing_objects_start_nothing() {
    let transports: [(&str, &[(&str, &str)]); 6] = [
        ("ext", &[("remote.origin.url", "ext::{} x")]),
        ("file", &[("remote.origin.url", "."), ("remote.origin.uploadpack", "{}")]),
        ("ssh", &[("remote.origin.url", "ssh://localhost/x"), ("core.sshCommand", "{}")]),
        ("git", &[("remote.origin.url", "git://localhost/x"), ("core.gitProxy", "{}")]),
        ("helper", &[("remote.origin.vcs", "ext"), ("remote.origin.url", "{} x")]),
        ("rewritten", &[("url.ext::.insteadOf", "https:"), ("remote.origin.url", "https:{} x")]),
    ];
    for (transport, settings) in transports {
        for object in ["HEAD:catalogs/v4.18/foo/catalog.yaml", "HEAD:catalogs/v4.18", "HEAD^{tree}"] {
            let Some(trap) = Trap::new() else { return };
            let mut config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n\
                              [remote \"origin\"]\n\tpromisor = true\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n"
                .to_owned();
            config.extend(settings.iter().map(|(name, value)| trap.setting(name, value)));
            let id =
                Command::new("git").args(["rev-parse", object]).current_dir(trap.path()).output().unwrap();
            let id = String::from_utf8(id.stdout).unwrap();
            let (folder, name) = id.trim().split_at(2);
            fs::remove_file(trap.path().join(".git/objects").join(folder).join(name)).unwrap();
            trap.append(".git/config", config.as_bytes());
            for words in [
                &["validate", ".", "--base", "main"][..],
                &["validate", "catalogs", "--base", "HEAD"],
                &["validate", "HEAD:catalogs/v4.18"],
                &["diff", "HEAD:catalogs/v4.18/foo", "catalogs/v4.18/foo"],
                &["render", "HEAD:catalogs/v4.18/foo/catalog.yaml"],
            ] {
                let Answer { code, out, err } = trap.repository.fbc(words);
                assert_eq!(trap.marks(), BTreeSet::new(), "{transport}, {words:?}: {out}{err}");
                assert_eq!(code, 2, "{transport}, {words:?}: {out}{err}");
                assert!(err.contains("git fetch"), "{transport}, {words:?}: {err}");
            }
            let started = trap.plain_git(&["cat-file", "-p", id.trim()]);
            assert_eq!(started.len(), 1, "{transport}: {started:?}");
        }
    }
}

/// A catalog that looks like a repository, with a monitor of its own.
#[test]
fn repositories_in_catalogs_start_nothing() {
    let Some(trap) = Trap::new() else { return };
    let inner = trap.path().join("catalogs/v4.18");
    trap.repository.git(&["init", "--quiet", "--bare", "inner"]);
    for part in ["HEAD", "objects", "refs"] {
        fs::rename(trap.path().join("inner").join(part), inner.join(part)).unwrap();
    }
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = foo\n".to_owned()
        + &trap.setting("core.fsmonitor", "{}");
    fs::write(inner.join("config"), config).unwrap();
    for words in [&["validate", ".", "--base", "main"][..], &["diff", "HEAD:./foo", "foo"], &["doctor"]] {
        let answer = fbc(&inner, words);
        assert_eq!(trap.marks(), BTreeSet::new(), "{words:?}: {}", answer.err);
    }
    let answer = trap.repository.fbc(&["validate", "catalogs/v4.18", "--base", "main"]);
    assert_eq!((answer.code, trap.marks()), (2, BTreeSet::new()), "{}", answer.err);
    assert!(answer.err.contains("a repository without a work tree"), "{}", answer.err);
    trap.plain_git(&["-c", "core.fsmonitor=false", "-C", "catalogs/v4.18/foo", "add", "."]);
    assert_eq!(trap.plain_git(&["-C", "catalogs/v4.18", "status"]), names(&["core.fsmonitor"]));
}

/// The configuration of another directory, by a file in the place of `.git` and by a worktree.
#[test]
fn repositories_elsewhere_start_nothing() {
    let Some(trap) = Trap::new() else { return };
    trap.append(".git/info/attributes", ATTRIBUTES.as_bytes());
    for (name, value) in [("filter.evil.clean", "{}"), ("core.fsmonitor", "{}"), ("diff.external", "{}")] {
        trap.append(".git/config", trap.setting(name, value).as_bytes());
    }
    let elsewhere = trap.stubs.path().join("elsewhere");
    fs::rename(trap.path().join(".git"), &elsewhere).unwrap();
    trap.append(".git", format!("gitdir: {}\n", elsewhere.display()).as_bytes());
    trap.springs_nothing();
    let worktree = trap.stubs.path().join("worktree");
    let words = ["-c", "core.fsmonitor=false", "-c", "filter.evil.clean=", "worktree", "add", "--quiet"];
    trap.repository.git(&[&words[..], &["-b", "other", worktree.to_str().unwrap()]].concat());
    trap.marks();
    fs::write(worktree.join("catalogs/v4.18/foo/catalog.yaml"), package("foo", &["1.2.0"])).unwrap();
    let answer = fbc(&worktree, &["validate", "catalogs", "--base", "main", "--format=concise"]);
    assert!(answer.out.contains("REP003"), "{}{}", answer.out, answer.err);
    assert_eq!(trap.marks(), BTreeSet::new());
}
