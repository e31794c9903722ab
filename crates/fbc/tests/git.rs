//! Revisions of a real repository as catalogs, and what a change in one brings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// An empty repository; nothing if there is no git.
    fn new() -> Option<Self> {
        Self::with(&[])
    }

    fn with(options: &[&str]) -> Option<Self> {
        if !fbc_testing::is_installed("git") {
            return None;
        }
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&[&["init", "--quiet", "--initial-branch=main"], options].concat());
        Some(repository)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) {
        git(self.path(), arguments);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=change"]);
    }

    fn fbc(&self, arguments: &[&str]) -> Answer {
        fbc(self.path(), arguments)
    }
}

fn git(folder: &Path, arguments: &[&str]) {
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

struct Answer {
    code: i32,
    out: String,
    err: String,
}

fn fbc(folder: &Path, arguments: &[&str]) -> Answer {
    let output = Command::new(env!("CARGO_BIN_EXE_fbc"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    Answer {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn package(name: &str, versions: &[&str]) -> String {
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
fn operators() -> Option<Repository> {
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

#[test]
fn revisions_are_read_as_folders_are() {
    let Some(repository) = operators() else { return };
    let on_disk = repository.fbc(&["render", "catalogs/v4.18"]);
    for reference in ["HEAD:catalogs/v4.18", "main:./catalogs/v4.18", "main:catalogs/../catalogs/v4.18/"] {
        let answer = repository.fbc(&["render", reference]);
        assert_eq!((answer.code, &answer.out), (0, &on_disk.out), "{reference}: {}", answer.err);
    }
    let below = fbc(&repository.path().join("catalogs"), &["diff", "HEAD:./v4.18", "v4.18"]);
    assert_eq!((below.code, below.out.as_str()), (0, "no changes in 2 packages\n"), "{}", below.err);
    let file =
        repository.fbc(&["diff", "HEAD:catalogs/v4.9/foo/catalog.yaml", "catalogs/v4.18/foo/catalog.yaml"]);
    assert_eq!(file.out, "no changes in 1 package\n");
    let place = repository.fbc(&["validate", "HEAD:catalogs/v4.9/bar", "--format=concise"]);
    assert!(place.out.contains("HEAD:catalogs/v4.9/bar/catalog.yaml:"), "{}", place.out);
}

#[test]
fn what_git_has_not_is_an_error() {
    let Some(repository) = operators() else { return };
    for (reference, message, help) in [
        ("nope:catalogs", "there is no revision \"nope\"", "git fetch"),
        ("HEAD:nope", "revision \"HEAD\" has no nope", "HEAD:./nope"),
        ("HEAD:../../etc", "leads out of the repository", "root of the repository"),
        ("HEAD:/etc", "leads out of the repository", "root of the repository"),
        ("--help:x", "there is no revision \"--help\"", "git branch --all"),
    ] {
        let answer = repository.fbc(&["diff", "--", reference, "catalogs/v4.9"]);
        assert_eq!(answer.code, 2, "{reference}: {}", answer.err);
        assert!(answer.err.contains(message) && answer.err.contains(help), "{reference}: {}", answer.err);
    }
    // Only what may be a branch can be fetched.
    for (base, is_branch) in [("HEAD~50", false), ("/nonexist", false), ("nope", true), ("my/topic", true)] {
        let answer = repository.fbc(&["validate", "catalogs", "--base", base]);
        assert_eq!((answer.code, answer.err.contains("git fetch")), (2, is_branch), "{base}: {}", answer.err);
    }
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("catalog")).unwrap();
    let answer = fbc(outside.path(), &["validate", "catalog", "--base", "main"]);
    assert!(answer.code == 2 && answer.err.contains("not in a git repository"), "{}", answer.err);
}

#[test]
fn shallow_clones_say_how_to_get_more() {
    let Some(repository) = operators() else { return };
    repository.git(&["branch", "old"]);
    repository.write("catalogs/v4.9/foo/catalog.yaml", &package("foo", &["1.0.0", "1.1.0", "1.2.0"]));
    repository.commit();
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth=1", "--branch=main", &url, "clone"]);
    let folder = clone.path().join("clone");
    let answer = fbc(&folder, &["validate", "catalogs", "--base", "origin/old"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("fetch-depth: 0"), "{}", answer.err);
    assert!(answer.err.contains("git fetch --depth=1 origin old:refs/remotes/origin/old"), "{}", answer.err);
    // As advised: the revision is there, a common history is not.
    git(&folder, &["fetch", "--quiet", "--depth=1", "origin", "old:refs/remotes/origin/old"]);
    let answer = fbc(&folder, &["validate", "catalogs", "--base", "origin/old"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("no common history"), "{}", answer.err);
    assert!(answer.err.contains("catalogs/v4.9: 1 of 2 packages changed: foo"), "{}", answer.err);
}

#[test]
fn links_modes_and_odd_names() {
    let Some(repository) = Repository::new() else { return };
    repository.write("shared/foo.yaml", &package("foo", &["1.0.0"]));
    repository.write("catalog/.indexignore", "*.txt\n");
    repository.write("catalog/notes.txt", "no catalog");
    let name = OsStr::from_bytes(b"b\xc3\xbc\n\t\"r.yaml");
    fs::write(repository.path().join("catalog").join(name), package("bar", &["1.0.0"])).unwrap();
    symlink("../shared/foo.yaml", repository.path().join("catalog/link.yaml")).unwrap();
    symlink("shared", repository.path().join("folder-link")).unwrap();
    repository.commit();
    let on_disk = repository.fbc(&["--follow-links", "render", "catalog"]);
    let answer = repository.fbc(&["render", "HEAD:catalog"]);
    assert_eq!((answer.code, &answer.out), (0, &on_disk.out), "{}", answer.err);
    assert!(answer.out.contains("foo.v1.0.0") && answer.out.contains("bar.v1.0.0"));
    // A link to a directory may be named, as on disk.
    assert_eq!(repository.fbc(&["list", "packages", "HEAD:folder-link"]).code, 0);
    // Links out of the repository lead nowhere.
    symlink("/etc/hostname", repository.path().join("catalog/out.yaml")).unwrap();
    symlink("loop.yaml", repository.path().join("catalog/loop.yaml")).unwrap();
    repository.commit();
    let answer = repository.fbc(&["validate", "HEAD:catalog", "--format=concise"]);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("out.yaml") && answer.out.contains("loop.yaml"), "{}", answer.out);
}

#[test]
fn repositories_with_sha256() {
    let Some(repository) = Repository::with(&["--object-format=sha256"]) else { return };
    repository.write("catalog/foo.yaml", &package("foo", &["1.0.0"]));
    repository.commit();
    assert_eq!(repository.fbc(&["diff", "HEAD:catalog", "catalog"]).out, "no changes in 1 package\n");
}

#[test]
fn only_what_the_change_brings() {
    let Some(repository) = operators() else { return };
    repository.git(&["checkout", "--quiet", "-b", "change"]);
    let all = repository.fbc(&["validate", "catalogs", "--format=concise"]);
    assert!(
        all.out.contains("IMG204") && all.err.contains("catalogs holds the catalogs v4.9, v4.18"),
        "{}",
        all.err
    );
    let nothing = repository.fbc(&["validate", "catalogs", "--base", "main", "--format=concise"]);
    assert_eq!((nothing.code, nothing.out.contains("IMG204")), (0, false), "{}", nothing.out);
    assert!(nothing.err.contains("catalogs/v4.18: nothing changed"), "{}", nothing.err);

    // A new version in place of the old ones, not yet committed: whoever has those is stranded.
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.2.0"]));
    let answer = repository.fbc(&[
        "validate",
        "catalogs",
        "--changed-since",
        "main",
        "--format=concise",
        "--deny-warnings",
    ]);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("REP003") && answer.out.contains("REP005"), "{}", answer.out);
    assert!(!answer.out.contains("IMG204") && !answer.out.contains("v4.9"), "{}", answer.out);
    assert!(answer.err.contains("catalogs/v4.18: 1 of 2 packages changed: foo"), "{}", answer.err);
    assert!(answer.err.contains("catalogs/v4.9: nothing changed"), "{}", answer.err);

    // Whole packages: a deprecation in a file of its own is judged with the rest of its package.
    repository.git(&["checkout", "--quiet", "--", "."]);
    let deprecation = "schema: olm.deprecations\npackage: foo\nentries:\n\
                       - reference: {schema: olm.bundle, name: foo.v9.9.9}\n  message: Gone.\n";
    repository.write("catalogs/v4.9/foo/deprecations.yaml", deprecation);
    let answer = repository.fbc(&["validate", "catalogs", "--base", "main", "--format=concise"]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.out.contains("foo.v9.9.9") && answer.out.lines().any(|line| line.contains("DEP")),
        "{}",
        answer.out
    );
}

#[test]
fn what_cannot_be_loaded_hides_no_breakage_elsewhere() {
    let Some(repository) = operators() else { return };
    // Broken before and after, and untouched.
    repository.write("catalogs/v4.18/baz/catalog.yaml", "schema: [\n");
    repository.commit();
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.2.0"]));
    let validate =
        || repository.fbc(&["validate", "catalogs", "--base=HEAD", "--format=concise", "--deny-warnings"]);
    let answer = validate();
    assert!(answer.code == 1 && answer.out.contains("REP003"), "{}{}", answer.out, answer.err);
    assert!(!answer.out.contains("REP105") && !answer.out.contains("baz"), "{}", answer.out);
    // Mended: what it held before is not known.
    repository.git(&["checkout", "--quiet", "--", "."]);
    repository.write("catalogs/v4.18/baz/catalog.yaml", &package("baz", &["1.0.0"]));
    let answer = validate();
    assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
    assert!(answer.out.contains("REP105") && answer.out.contains("\"baz\""), "{}", answer.out);
    // Broken by the change: its packages do not seem to be removed, those of other files are compared.
    repository.git(&["checkout", "--quiet", "--", "."]);
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.2.0"]));
    repository.write("catalogs/v4.18/bar/catalog.yaml", "schema: [\n");
    let answer = validate();
    assert!(answer.out.contains("REP105") && answer.out.contains("REP003"), "{}", answer.out);
    assert!(!answer.out.contains("REP001"), "{}", answer.out);
}

#[test]
fn the_base_moves_on_without_the_change() {
    let Some(repository) = operators() else { return };
    repository.git(&["branch", "change"]);
    repository.write("catalogs/v4.9/foo/catalog.yaml", &package("foo", &["1.0.0", "1.1.0", "1.2.0"]));
    repository.commit();
    repository.git(&["checkout", "--quiet", "change"]);
    // Against the tip of main, 1.2.0 would seem to be removed.
    let answer = repository.fbc(&["validate", "catalogs", "--base", "main", "--deny-warnings"]);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
}

#[test]
fn new_and_removed_catalogs() {
    let Some(repository) = operators() else { return };
    repository.git(&["rm", "-r", "--quiet", "catalogs/v4.9"]);
    repository.write("catalogs/v4.20/foo/catalog.yaml", &package("foo", &["1.0.0"]));
    let answer = repository.fbc(&["validate", "catalogs", "--base", "HEAD", "--format=concise"]);
    assert!(
        answer.err.contains("catalogs/v4.20: the base does not have it, so everything in it is new"),
        "{}",
        answer.err
    );
    assert_eq!(answer.out.matches("REP001").count(), 2, "{}", answer.out);
}

#[test]
fn a_deleted_package_may_be_named() {
    let Some(repository) = operators() else { return };
    fs::remove_dir_all(repository.path().join("catalogs/v4.18/foo")).unwrap();
    for path in ["catalogs/v4.18/foo", "catalogs/v4.18/foo/catalog.yaml"] {
        let answer = repository.fbc(&["validate", path, "--base", "HEAD", "--format=concise"]);
        assert!(answer.code <= 1 && answer.out.contains("REP001"), "{path}: {}{}", answer.out, answer.err);
    }
    let answer = repository.fbc(&["validate", "catalogs/v4.18/fo", "--base", "HEAD"]);
    assert!(answer.code == 2 && answer.err.contains("does not exist"), "{}", answer.err);
}

#[test]
fn folders_of_catalogs_have_folders_of_catalogs_as_base() {
    let Some(repository) = operators() else { return };
    let older = tempfile::tempdir().unwrap();
    git(older.path(), &["clone", "--quiet", repository.path().to_str().unwrap(), "older"]);
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.2.0"]));
    let old = older.path().join("older/catalogs");
    for base in [old.to_str().unwrap(), "HEAD:catalogs"] {
        let answer = repository.fbc(&["validate", "catalogs", "--base", base, "--format=concise"]);
        assert!(answer.err.contains("catalogs/v4.9: nothing changed"), "{}", answer.err);
        assert!(answer.err.contains("catalogs/v4.18: 1 of 2 packages changed: foo"), "{}", answer.err);
        assert!(answer.out.contains("REP003") && !answer.out.contains("IMG204"), "{}", answer.out);
    }
}

#[test]
fn change_sets_of_the_repository() {
    let Some(repository) = operators() else { return };
    repository.write("operators/foo/1.0.0/manifests/foo.yaml", "kind: Edited\n");
    repository.write("catalogs/v4.18/bar/catalog.yaml", &package("bar", &["1.0.0"]));
    let answer = repository.fbc(&["validate", "catalogs", "--base", "HEAD", "--format=concise"]);
    for code in ["REP101", "REP103", "REP104"] {
        assert!(answer.out.contains(code), "{code}: {}{}", answer.out, answer.err);
    }
    assert!(answer.out.contains("operators/foo/1.0.0/manifests/foo.yaml"), "{}", answer.out);
    repository.git(&["checkout", "--quiet", "--", "."]);
    fs::remove_dir_all(repository.path().join("operators/foo/1.0.0")).unwrap();
    let catalogs =
        fbc(&repository.path().join("catalogs"), &["validate", ".", "--base", "HEAD", "--format=concise"]);
    assert!(
        catalogs.out.contains("REP102") && catalogs.out.contains("v4.18"),
        "{}{}",
        catalogs.out,
        catalogs.err
    );
}

#[test]
fn what_is_a_path_and_a_revision_is_neither() {
    let Some(repository) = operators() else { return };
    fs::create_dir(repository.path().join("main")).unwrap();
    let answer = repository.fbc(&["validate", "catalogs", "--base", "main"]);
    assert!(answer.code == 2 && answer.err.contains("both a path and a revision"), "{}", answer.err);
    assert_eq!(repository.fbc(&["validate", "catalogs", "--base", "main:"]).code, 0);
}

#[test]
fn sarif_leads_to_the_new_catalog() {
    let Some(repository) = operators() else { return };
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.0.0"]));
    let answer = repository.fbc(&["diff", "HEAD:catalogs/v4.18", "catalogs/v4.18", "--format=sarif"]);
    assert_eq!(answer.code, 1);
    let log: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let back = results.iter().find(|result| result["ruleId"] == "REP004").unwrap();
    let place = &back["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "catalogs/v4.18/foo/catalog.yaml");
    assert!(place["region"]["startLine"].as_u64().unwrap() > 5);
}

#[test]
fn folders_of_catalogs_are_no_one_catalog() {
    let Some(repository) = operators() else { return };
    fs::remove_dir_all(repository.path().join("catalogs/v4.18/foo")).unwrap();
    let answer = repository.fbc(&["diff", "HEAD:catalogs", "catalogs"]);
    assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
    assert!(answer.out.starts_with("=== catalogs/v4.9\nno changes in 2 packages\n=== catalogs/v4.18\n"));
    assert!(answer.out.contains("package \"foo\" was removed") || answer.out.contains("1 breaking"));
    let json = repository.fbc(&["diff", "HEAD:catalogs", "catalogs", "--format=json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["catalogs"][1]["old"], "HEAD:catalogs/v4.18");
    assert_eq!(json["catalogs"][1]["summary"]["breaking"], 1);
    let sarif = repository.fbc(&["diff", "HEAD:catalogs", "catalogs", "--format=sarif"]);
    assert!(sarif.code == 1 && sarif.out.contains("REP001"), "{}{}", sarif.out, sarif.err);
    let markdown = repository.fbc(&["diff", "HEAD:catalogs", "catalogs", "--format=markdown"]);
    assert!(markdown.out.contains("`HEAD:catalogs/v4.18` → `catalogs/v4.18`"), "{}", markdown.out);
    let answer = repository.fbc(&["diff", "HEAD:catalogs/v4.9", "catalogs"]);
    assert!(answer.code == 2 && answer.err.contains("such as catalogs/v4.9"), "{}", answer.err);
    // A catalog that only one side has is new or removed as a whole.
    fs::remove_dir_all(repository.path().join("catalogs/v4.9")).unwrap();
    let answer = repository.fbc(&["diff", "HEAD:catalogs", "catalogs", "-p", "bar"]);
    assert!(answer.code == 1 && answer.out.starts_with("=== catalogs/v4.9\nbar\n"), "{}", answer.out);
    fs::create_dir(repository.path().join("empty")).unwrap();
    let answer = repository.fbc(&["diff", "HEAD:catalogs", "empty"]);
    assert!(answer.code == 1 && answer.out.contains("=== empty/v4.18\n"), "{}{}", answer.out, answer.err);
    repository.git(&["checkout", "--quiet", "--", "catalogs/v4.9"]);
    let answer = repository.fbc(&["list", "packages", "catalogs"]);
    let warning = "warning: catalogs holds the catalogs v4.9, v4.18; they are taken as one";
    assert_eq!(answer.err.matches(warning).count(), 1, "{}", answer.err);
    assert!(repository.fbc(&["render", "HEAD:catalogs"]).err.contains("holds the catalogs"));
    assert!(!repository.fbc(&["opm", "render", "catalogs"]).err.contains("warning"));
    assert_eq!(repository.fbc(&["render", "catalogs/v4.9"]).err, "");
    for reference in ["HEAD:catalogs/v4.9", "HEAD:catalogs/v4.9/foo/catalog.yaml"] {
        let answer = repository.fbc(&["deprecate", reference, "foo", "--message", "Gone."]);
        assert!(answer.code == 2 && answer.err.contains("is in a revision"), "{}", answer.err);
    }
}
