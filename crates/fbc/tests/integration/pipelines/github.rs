//! The scripts of the GitHub Action.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::comments::Comments;
use super::workspace::{Workspace, are_installed, pipelines};

fn script(name: &str) -> String {
    pipelines().join("github").join(name).display().to_string()
}

#[test]
fn validate_reports_and_leaves_judging_to_the_last_step() {
    if !are_installed(&["bash", "git"]) {
        return;
    }
    let workspace = Workspace::new();
    let variables = [("FBC_CATALOGS", "catalog\n"), ("FBC_BASE", "HEAD"), ("FBC_ARGUMENTS", "")];
    let (code, text) = workspace.run(&script("validate.sh"), &variables);
    assert_eq!(code, 0, "{text}");
    assert!(workspace.text("runner/output").contains("exit-code=0\n"));
    workspace.break_catalog();
    let (code, text) = workspace.run(&script("validate.sh"), &variables);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("::error file=catalog/broken/catalog.yaml"), "{text}");
    assert!(workspace.text("runner/output").contains("exit-code=1\n"));
    let sarif: Value = serde_json::from_str(&workspace.text("runner/fbc.sarif")).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
    let (code, text) = workspace.run(&script("validate.sh"), &[("FBC_CATALOGS", "missing")]);
    assert_eq!(code, 2, "{text}");
    assert!(workspace.text("runner/output").ends_with("exit-code=2\n"));
    let (code, text) =
        workspace.run(&script("validate.sh"), &[("FBC_ARGUMENTS", "--profile olmv1\n--deny-warnings\n")]);
    assert_eq!(code, 0, "{text}");
}

/// Writes the comment of a pull request, and returns what the script prints.
fn comment(workspace: &Workspace, comments: &Comments) -> String {
    comment_on(workspace, comments, "catalog", "HEAD")
}

fn comment_on(workspace: &Workspace, comments: &Comments, catalogs: &str, base: &str) -> String {
    let variables = [
        ("FBC_CATALOGS", catalogs),
        ("FBC_BASE", base),
        ("FBC_PULL_REQUEST", "7"),
        ("GITHUB_API_URL", &comments.address),
        ("GITHUB_REPOSITORY", "me/catalogs"),
        ("GITHUB_TOKEN", "token"),
        ("NO_PROXY", "127.0.0.1"),
    ];
    let (code, text) = workspace.run(&script("comment.sh"), &variables);
    assert_eq!(code, 0, "{text}");
    text
}

#[test]
fn a_comment_is_about_the_change_alone() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    let git = |words: &str| {
        let mut command = workspace.command("sh");
        assert!(command.args(["-c", words]).status().success(), "{words}");
    };
    git("git branch --quiet change");
    fs::remove_dir_all(workspace.path("repository/catalog/tide-operator")).unwrap();
    workspace.commit("repository");
    git("git checkout --quiet change");
    workspace.break_catalog();
    let comments = Comments::serve(&[]);
    // The base goes on after the branch began, and catalogs may be named by their whole path.
    let catalog = workspace.path("repository").canonicalize().unwrap().join("catalog");
    comment_on(&workspace, &comments, &catalog.display().to_string(), "main");
    let written = comments.bodies().concat();
    assert!(written.contains("`broken`") && !written.contains("tide-operator"), "{written}");
}

#[test]
fn one_comment_is_updated() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    workspace.break_catalog();
    let comments = Comments::serve(&["somebody says something"]);
    comment(&workspace, &comments);
    let first = comments.bodies();
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[1].starts_with("<!-- fbc diff -->\n### "), "{}", first[1]);
    assert!(first[1].contains("`broken`"), "{}", first[1]);
    fs::remove_dir_all(workspace.path("repository/catalog/broken")).unwrap();
    comment(&workspace, &comments);
    let second = comments.bodies();
    assert_eq!(second.len(), 2, "a second comment was written");
    assert!(!second[1].contains("`broken`"), "{}", second[1]);
    assert!(workspace.text("runner/summary").contains("fbc diff"));
}

#[test]
fn there_is_no_comment_without_a_change_and_one_about_what_cannot_be_loaded() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    let comments = Comments::serve(&[]);
    comment(&workspace, &comments);
    assert_eq!(comments.bodies(), [] as [&str; 0]);
    let file = workspace.path("repository/catalog/lighthouse-operator/catalog.yaml");
    fs::write(&file, "schema: [\n").unwrap();
    comment(&workspace, &comments);
    let bodies = comments.bodies();
    assert!(bodies.concat().contains("catalog cannot be compared"), "{bodies:?}");
}

#[test]
fn the_comment_is_found_behind_many_others() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    workspace.break_catalog();
    // GitHub gives a hundred at a time.
    let before = [&["somebody says something"; 130][..], &["<!-- fbc diff -->\nold"], &["thanks"]].concat();
    let comments = Comments::serve(&before);
    comment(&workspace, &comments);
    let after = comments.bodies();
    assert_eq!(after.len(), before.len(), "a second comment was written");
    assert!(after[130].starts_with("<!-- fbc diff -->\n### "), "{}", after[130]);
    // Where none of a full page is ours, an empty one ends the search.
    let comments = Comments::serve(&before[..100]);
    comment(&workspace, &comments);
    assert_eq!(comments.bodies().len(), 101);
}

#[test]
fn a_refused_comment_is_a_warning() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    workspace.break_catalog();
    for before in [&["<!-- fbc diff -->\nold"][..], &[]] {
        let comments = Comments::serve(before);
        comments.refuse_changes();
        let text = comment(&workspace, &comments);
        let warning = "::warning::the comment cannot be written: Resource not accessible by integration\n";
        assert!(text.contains(warning), "{text}");
        assert_eq!(comments.bodies(), before);
    }
}

#[test]
fn a_hidden_directory_is_compared_and_refused_comments_end_nothing() {
    if !are_installed(&["bash", "git", "curl", "jq"]) {
        return;
    }
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("repository/.konflux")).unwrap();
    fs::rename(workspace.path("repository/catalog"), workspace.path("repository/.konflux/catalog")).unwrap();
    workspace.commit("repository");
    let variables = [
        ("FBC_CATALOGS", ".konflux/catalog\n./.konflux/catalog\nelsewhere"),
        ("FBC_BASE", "HEAD"),
        ("FBC_PULL_REQUEST", "7"),
        // Nobody listens there.
        ("GITHUB_API_URL", "http://127.0.0.1:1"),
        ("GITHUB_REPOSITORY", "me/catalogs"),
        ("GITHUB_TOKEN", "token"),
        ("NO_PROXY", "127.0.0.1"),
    ];
    let (code, text) = workspace.run(&script("comment.sh"), &variables);
    assert!(code == 0 && text.contains("::warning::comments cannot be read"), "{text}");
    let comment = workspace.text("runner/fbc-comment.md");
    assert_eq!(comment.matches("is new").count(), 1, "{comment}");
    assert!(comment.contains("elsewhere is new"), "{comment}");
}

#[test]
fn install_checks_what_it_downloads() {
    if !are_installed(&["bash", "curl", "tar", "sha256sum"])
        || !cfg!(all(target_os = "linux", target_arch = "x86_64"))
    {
        return;
    }
    let workspace = Workspace::new();
    let name = "fbc-1.2.3-x86_64-unknown-linux-musl";
    let releases = workspace.path("releases");
    fs::create_dir_all(releases.join(name)).unwrap();
    std::os::unix::fs::symlink(crate::FBC, releases.join(name).join("fbc")).unwrap();
    let archive = format!("{name}.tar.gz");
    let make = format!("tar -czf {archive} {name} && sha256sum {archive} >{archive}.sha256");
    assert!(Command::new("sh").args(["-c", &make]).current_dir(&releases).status().unwrap().success());
    let url = format!("file://{}", releases.display());
    let variables = [("FBC_VERSION", "1.2.3"), ("FBC_DOWNLOAD_URL", url.as_str())];
    let (code, text) = workspace.run(&script("install.sh"), &variables);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("fbc 0."), "{text}");
    assert!(workspace.text("runner/path").trim_end().ends_with(name));
    fs::write(releases.join(format!("{archive}.sha256")), format!("{}  {archive}\n", "0".repeat(64)))
        .unwrap();
    let (code, _) = workspace.run(&script("install.sh"), &variables);
    assert_ne!(code, 0);
    let missing = [("FBC_VERSION", "9.9.9"), ("FBC_DOWNLOAD_URL", url.as_str())];
    let (code, text) = workspace.run(&script("install.sh"), &missing);
    assert!(code == 2 && text.contains("::error::cannot download"), "{text}");
    let (code, text) = workspace.run(&script("install.sh"), &[("FBC_VERSION", "1.2.3")]);
    assert!(code == 2 && text.contains("::error::set download-url"), "{text}");
}
