//! `validate --base`: what the change since a revision brings.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::repository::{fbc, fbc_with, git, operators, package};

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
    // Fixed: what it held before is not known.
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
    // Code scanning refuses results without a place.
    let answer = repository.fbc(&["validate", "catalogs", "--base", "HEAD", "--format=sarif"]);
    let log: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    for result in log["runs"][0]["results"].as_array().unwrap() {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(uri.as_str().is_some_and(|uri| uri.starts_with("catalogs")), "{result}");
    }
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
    let listed = repository.fbc(&["list", "packages", "catalogs"]);
    assert!(
        listed.err.is_empty() && listed.out.contains("v4.9") && listed.out.contains("\n\n"),
        "{}",
        listed.out
    );
    let answer = repository.fbc(&["render", "catalogs"]);
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

/// Git for Windows writes other ends of lines than the revision has.
#[test]
fn ends_of_lines_are_no_change() {
    let Some(repository) = operators() else { return };
    let outside = tempfile::tempdir().unwrap();
    let url = repository.path().to_str().unwrap();
    git(outside.path(), &["clone", "--quiet", "--config", "core.autocrlf=true", url, "clone"]);
    let clone = outside.path().join("clone");
    let changed = clone.join("catalogs/v4.18/foo/catalog.yaml");
    assert!(fs::read_to_string(&changed).unwrap().contains("\r\n"));
    let validate = || fbc(&clone, &["validate", "catalogs", "--base", "HEAD", "--format=concise"]);
    let answer = validate();
    assert_eq!((answer.code, answer.err.matches(": nothing changed").count()), (0, 2), "{}", answer.err);
    fs::write(changed, package("foo", &["1.2.0"]).replace('\n', "\r\n")).unwrap();
    let answer = validate();
    assert!(answer.err.contains("catalogs/v4.18: 1 of 2 packages changed: foo"), "{}", answer.err);
    assert!(answer.out.contains("REP003"), "{}", answer.out);
}

/// Git sets `GIT_DIR` alone for hooks of linked work trees, and of clones whose directory of git lies elsewhere.
#[test]
fn hooks_see_the_work_tree() {
    let Some(repository) = operators() else { return };
    let outside = tempfile::tempdir().unwrap();
    let path = |name: &str| outside.path().join(name).to_str().unwrap().to_owned();
    repository.git(&["worktree", "add", "--quiet", "-b", "linked", &path("linked")]);
    let separate = format!("--separate-git-dir={}", path("git"));
    git(outside.path(), &["clone", "--quiet", &separate, repository.path().to_str().unwrap(), "apart"]);
    for (work_tree, hooks) in
        [("linked", repository.path().join(".git/hooks")), ("apart", outside.path().join("git/hooks"))]
    {
        let (work_tree, seen) = (outside.path().join(work_tree), outside.path().join("seen"));
        let hook = format!(
            "#!/bin/sh\nexec > '{0}' 2>&1\necho \"GIT_DIR=$GIT_DIR\"\n\
             '{1}' validate catalogs/v4.18 --base HEAD --format=concise\ncd catalogs/v4.18\n\
             '{1}' validate . --base HEAD --format=concise\n'{1}' diff\n:\n",
            seen.display(),
            crate::FBC
        );
        fs::create_dir_all(&hooks).unwrap();
        fs::write(hooks.join("pre-commit"), hook).unwrap();
        fs::set_permissions(hooks.join("pre-commit"), fs::Permissions::from_mode(0o755)).unwrap();
        let changed = work_tree.join("catalogs/v4.18/foo/catalog.yaml");
        fs::write(changed, package("foo", &["1.2.0"])).unwrap();
        let plain = fbc(&work_tree.join("catalogs/v4.18"), &["diff"]);
        git(&work_tree, &["commit", "--quiet", "--all", "--message=change"]);
        let seen = fs::read_to_string(seen).unwrap();
        assert!(seen.starts_with("GIT_DIR=/"), "{seen}");
        assert!(plain.code == 1 && seen.contains(&plain.out), "{}\n---\n{seen}", plain.out);
        assert_eq!(seen.matches("1 of 2 packages changed: foo").count(), 2, "{seen}");
        assert!(seen.contains("REP003") && !seen.contains("REP001"), "{seen}");
    }
}

/// As users set it, relative to where they are.
#[test]
fn the_environment_names_the_repository() {
    let Some(repository) = operators() else { return };
    repository.write("catalogs/v4.18/foo/catalog.yaml", &package("foo", &["1.2.0"]));
    let top = repository.path();
    let (git_dir, top_text) = (top.join(".git").display().to_string(), top.display().to_string());
    let plain = |folder: &str, words: &[&str]| fbc(&top.join(folder), words);
    for (folder, variables) in [
        ("", &[("GIT_DIR", git_dir.as_str())][..]),
        ("", &[("GIT_DIR", ".git")]),
        ("", &[("GIT_INDEX_FILE", ".git/index")]),
        ("catalogs/v4.18", &[("GIT_DIR", "../../.git")]),
        ("catalogs/v4.18", &[("GIT_INDEX_FILE", ".git/index")]),
        ("catalogs/v4.18", &[("GIT_WORK_TREE", "../..")]),
        ("catalogs", &[("GIT_DIR", "../.git"), ("GIT_WORK_TREE", ".."), ("GIT_INDEX_FILE", ".git/index")]),
        ("catalogs", &[("GIT_DIR", git_dir.as_str()), ("GIT_WORK_TREE", top_text.as_str())]),
    ] {
        let named = top.join("catalogs/v4.18");
        let below = way_to_catalog(folder);
        for words in [
            &["validate", named.to_str().unwrap(), "--base", "HEAD", "--deny-warnings"][..],
            &["validate", &below, "--base", "HEAD", "--deny-warnings"],
            &["diff", "HEAD:catalogs/v4.18", &below],
        ] {
            let expected = plain(folder, words);
            let answer = fbc_with(&top.join(folder), words, variables);
            assert_eq!(
                (answer.code, answer.out, answer.err),
                (expected.code, expected.out, expected.err),
                "{folder}: {variables:?} {words:?}"
            );
            assert_eq!(expected.code, 1, "{words:?}");
        }
    }
}

/// The way to the catalog from a directory of the repository.
fn way_to_catalog(folder: &str) -> String {
    match folder {
        "" => "catalogs/v4.18".to_owned(),
        "catalogs/v4.18" => ".".to_owned(),
        _ => "../catalogs/v4.18".to_owned(),
    }
}

/// A directory outside of the work tree has no place in a revision; it was compared with the root.
#[test]
fn what_is_not_in_the_work_tree_is_refused() {
    let (Some(repository), Some(other)) = (operators(), operators()) else { return };
    let catalog = other.path().join("catalogs/v4.18").display().to_string();
    for variables in [&[("GIT_DIR", ".git")][..], &[("GIT_DIR", ".git"), ("GIT_WORK_TREE", "catalogs")]] {
        let answer = fbc_with(repository.path(), &["validate", &catalog, "--base", "HEAD"], variables);
        assert!(answer.code == 2 && answer.err.contains("is not in the work tree"), "{}", answer.err);
    }
    let answer = fbc(&repository.path().join(".git"), &["render", "HEAD:./catalogs/v4.18"]);
    assert!(answer.code == 2 && answer.err.contains("is not in the work tree"), "{}", answer.err);
}
