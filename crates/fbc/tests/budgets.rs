//! Small inputs that ask for much: every command ends, says which budget is used up, and exits with 2.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TINY: &str = "schema: olm.package\nname: p\ndefaultChannel: s\n";

fn fbc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fbc")).current_dir(folder).args(arguments).output().unwrap()
}

/// Runs a command line on a catalog that is refused for a budget; what it says.
fn refusal(text: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    let output = fbc(folder.path(), arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    said
}

#[test]
fn too_many_documents() {
    let text = "{}\n".repeat(12);
    for command in ["validate", "render", "list"] {
        let arguments: &[&str] = if command == "list" { &["list", "packages", "."] } else { &[command, "."] };
        let said = refusal(&text, &[arguments, &["--limit", "documents=11"]].concat());
        assert!(said.contains("more than 11 documents (budget documents)"), "{said}");
        assert!(said.contains("--limit documents=N"), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    assert_eq!(fbc(folder.path(), &["validate", ".", "--limit", "documents=12"]).status.code(), Some(1));
}

#[test]
fn aliases_that_grow() {
    let text = format!("schema: x\na: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1_000));
    for arguments in [["render", "."], ["validate", "."]] {
        assert!(refusal(&text, &arguments).contains("(budget alias-bytes)"));
    }
    assert!(refusal(&text, &["query", ".", "."]).contains("(budget alias-bytes)"));
}

#[test]
fn nesting_that_is_all_indentation() {
    let text = format!("{{\"schema\":\"x\",\"v\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
    for arguments in [vec!["render", "."], vec!["render", "--migrate", ".", "--output", "yaml"]] {
        assert!(refusal(&text, &arguments).contains("(budget layout-bytes)"));
    }
}

#[test]
fn charts_that_grow() {
    let mut text = TINY.to_owned() + "---\nschema: olm.channel\npackage: p\nname: s\nentries:\n";
    (1..100).for_each(|n| text += &format!("- {{name: p.v1.{n}.0, skipRange: <1.{n}.0}}\n"));
    let said = refusal(&text, &["graph", ".", "--limit", "chart-bytes=1Ki"]);
    assert!(said.contains("more than 1024 bytes (budget chart-bytes)"), "{said}");
}

#[test]
fn programs_that_take_too_much() {
    for program in [
        "[range(1e12)]",
        "def f: 1 + f; f",
        "def f: [f]; f",
        "[repeat(\"x\")]",
        "\"x\" | until(false; . + .)",
    ] {
        let said = refusal(TINY, &["query", program, ".", "--limit", "query-bytes=40Mi"]);
        assert!(said.contains("(budget query-bytes)"), "{program}: {said}");
        assert_eq!(said.lines().count(), 2, "{program}: {said}");
    }
    for program in ["def f: f; f", "last(range(1e18))"] {
        let said = refusal(TINY, &["query", program, ".", "--timeout", "1"]);
        assert!(said.contains("more than 1 seconds (budget query-seconds)"), "{program}: {said}");
    }
}

#[test]
fn findings_beyond_the_budget_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), "{}\n".repeat(10_005)).unwrap();
    let output = fbc(folder.path(), &["validate", ".", "--format", "concise"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        shown.contains("\n5 findings more not shown (--max-findings)\n"),
        "{}",
        &shown[shown.len() - 300..]
    );
    let output = fbc(folder.path(), &["validate", ".", "--max-findings", "20000", "--format", "concise"]);
    assert!(!String::from_utf8(output.stdout).unwrap().contains("not shown"));
    let output = fbc(folder.path(), &["validate", ".", "--write-baseline", "b.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("(budget findings)"));
    assert!(!folder.path().join("b.json").exists());
}

#[test]
fn workers_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let many: String = (0..3_000).map(|n| format!("---\nschema: olm.package\nname: p{n}\n")).collect();
    fs::write(folder.path().join("catalog.yaml"), many).unwrap();
    let run = |threads| fbc(folder.path(), &["validate", ".", "--threads", threads]).stdout;
    assert_eq!(run("1"), run("16"));
}
