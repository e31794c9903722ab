//! Revisions of a repository in place of directories.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::repository::{Repository, fbc, fbc_with, git, operators, package};

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

/// A repository without a work tree answers in its own directory; within a work tree only if it is named.
#[test]
fn bare_clones_are_read() {
    let Some(repository) = operators() else { return };
    let outside = tempfile::tempdir().unwrap();
    let bare = outside.path().join("bare.git");
    let url = repository.path().to_str().unwrap();
    git(outside.path(), &["clone", "--quiet", "--bare", url, bare.to_str().unwrap()]);
    let on_disk = repository.fbc(&["render", "catalogs/v4.18"]);
    for reference in ["HEAD:catalogs/v4.18", "main:./catalogs/v4.18"] {
        let answer = fbc(&bare, &["render", reference]);
        assert_eq!((answer.code, &answer.out), (0, &on_disk.out), "{reference}: {}", answer.err);
    }
    for words in [&["validate", ".", "--base", "HEAD"][..], &["merge-driver", "--install", "--pattern=x"]] {
        let answer = fbc(&bare, words);
        assert_eq!(answer.code, 2, "{words:?}: {}", answer.err);
    }
    assert!(!bare.join(".gitattributes").exists());
    let inner = repository.path().join("inner.git");
    git(outside.path(), &["clone", "--quiet", "--bare", url, inner.to_str().unwrap()]);
    for (folder, told) in [(&inner, "`GIT_DIR=.`"), (&bare.join("refs"), "`GIT_DIR=PATH`")] {
        let answer = fbc(folder, &["render", "HEAD:catalogs/v4.18"]);
        assert!(answer.code == 2 && answer.err.contains(told), "{}", answer.err);
    }
    let answer = fbc_with(&inner, &["render", "HEAD:catalogs/v4.18"], &[("GIT_DIR", ".")]);
    assert_eq!((answer.code, &answer.out), (0, &on_disk.out), "{}", answer.err);
}

#[test]
fn limits_of_git_are_raised() {
    let Some(repository) = operators() else { return };
    let answer = repository.fbc(&["render", "HEAD:catalogs/v4.18", "--limit", "git-bytes=100"]);
    assert!(
        answer.code == 2
            && answer.err.contains("(limit git-bytes)")
            && answer.err.contains("--limit git-bytes=N"),
        "{}",
        answer.err
    );
    for words in [&["validate", "catalogs", "--base", "HEAD"][..], &["diff", "HEAD:catalogs", "catalogs"]] {
        let answer = repository.fbc(&[words, &["--limit", "git-bytes=400"]].concat());
        assert!(answer.code == 2 && answer.err.contains("(limit git-bytes)"), "{words:?}: {}", answer.err);
    }
}

/// The bundle of the template is one that a catalog of the repository holds, so that no registry is asked.
#[test]
fn templates_in_revisions_are_expanded() {
    let Some(repository) = operators() else { return };
    let one = package("solo", &["1.0.0"]);
    repository.write("catalogs/v4.18/solo/catalog.yaml", &one);
    let digest = "1".repeat(64);
    let template = format!(
        "schema: olm.template.basic\nentries:\n- {{schema: olm.package, name: solo, defaultChannel: stable}}\n\
         - schema: olm.channel\n  package: solo\n  name: stable\n  entries: [{{name: solo.v1.0.0}}]\n\
         - {{schema: olm.bundle, image: 'quay.io/x/solo@sha256:{digest}'}}\n"
    );
    repository.write("templates/solo.yaml", &template);
    repository.commit();
    let rendered = repository.fbc(&["render", "HEAD:templates/solo.yaml", "--offline"]);
    let expected = repository.fbc(&["render", "catalogs/v4.18/solo"]);
    assert_eq!((rendered.code, &rendered.out), (0, &expected.out), "{}", rendered.err);
    let base = repository.fbc(&["validate", "templates/solo.yaml", "--base", "HEAD", "--offline"]);
    assert!(base.code == 0 && base.err.contains("templates/solo.yaml: nothing changed"), "{}", base.err);
    // Wherever the command runs.
    let outside = tempfile::tempdir().unwrap();
    let path = repository.path().join("templates/solo.yaml").display().to_string();
    let elsewhere = fbc(outside.path(), &["validate", &path, "--base", "HEAD", "--offline"]);
    assert!(elsewhere.code == 0 && elsewhere.err.contains("nothing changed"), "{}", elsewhere.err);
    repository.write("templates/solo.yaml", &template.replace("name: stable", "name: beta"));
    let changes = repository.fbc(&["diff", "HEAD:templates/solo.yaml", "templates/solo.yaml", "--offline"]);
    assert!(
        changes.code == 1 && changes.out.contains("channel \"stable\""),
        "{}{}",
        changes.out,
        changes.err
    );
}

/// The bundle lies in a directory, which is read as it was then.
#[test]
fn directories_of_templates_are_those_of_the_revision() {
    let Some(repository) = operators() else { return };
    let manifest = |text: &str| {
        format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: solo.v1.0.0}}\n\
             spec: {{version: 1.0.0, displayName: {text}, installModes: [{{type: AllNamespaces, supported: true}}]}}\n"
        )
    };
    let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: solo}\n";
    repository.write("bundle/metadata/annotations.yaml", annotations);
    repository.write("bundle/manifests/csv.yaml", &manifest("before"));
    repository.write(
        "templates/solo.yaml",
        "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: solo, defaultChannel: stable}\n\
         - schema: olm.channel\n  package: solo\n  name: stable\n  entries: [{name: solo.v1.0.0}]\n\
         - {schema: olm.bundle, image: bundle}\n",
    );
    repository.commit();
    repository.write("bundle/manifests/csv.yaml", &manifest("after"));
    let changes =
        repository.fbc(&["diff", "HEAD:templates/solo.yaml", "templates/solo.yaml", "--fail-on", "any"]);
    assert_eq!(changes.code, 1, "{}{}", changes.out, changes.err);
    let old = repository.fbc(&["render", "HEAD:templates/solo.yaml", "--migrate"]);
    assert!(old.out.contains("\"displayName\": \"before\""), "{}{}", old.out, old.err);
}

#[test]
fn a_revision_alone_is_no_catalog() {
    let Some(repository) = operators() else { return };
    let answer = repository.fbc(&["diff", "HEAD"]);
    let said = "HEAD is a revision: `HEAD:PATH` names a catalog in it";
    assert!(answer.code == 2 && answer.err.contains(said), "{}", answer.err);
    // The root of a revision is compared with the root of the work tree, wherever the command runs.
    let below = fbc(&repository.path().join("catalogs"), &["diff", "HEAD:"]);
    assert_eq!((below.code, below.err.as_str()), (0, ""), "{}", below.out);
}

#[test]
fn what_git_has_not_is_an_error() {
    let Some(repository) = operators() else { return };
    for (base, command) in
        [("origin/main", "git fetch --depth=1 origin main:"), ("topic", "git fetch --depth=1 origin topic")]
    {
        let answer = repository.fbc(&["validate", "catalogs", "--base", base]);
        assert!(answer.err.contains(command), "{base}: {}", answer.err);
    }
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
fn what_is_a_path_and_a_revision_is_neither() {
    let Some(repository) = operators() else { return };
    fs::create_dir(repository.path().join("main")).unwrap();
    let answer = repository.fbc(&["validate", "catalogs", "--base", "main"]);
    assert!(answer.code == 2 && answer.err.contains("both a path and a revision"), "{}", answer.err);
    assert_eq!(repository.fbc(&["validate", "catalogs", "--base", "main:"]).code, 0);
}
