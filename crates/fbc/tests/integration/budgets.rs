//! Small inputs that ask for much: every command ends, says which budget is used up, and exits with 2.

use std::fs;
use std::path::Path;
use std::process::Output;

const TINY: &str = "schema: olm.package\nname: p\ndefaultChannel: s\n";

fn fbc(folder: &Path, arguments: &[&str]) -> Output {
    crate::fbc().current_dir(folder).args(arguments).output()
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
        assert!(said.contains("more than 11 documents (limit documents)"), "{said}");
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
        assert!(refusal(&text, &arguments).contains("(limit alias-bytes)"));
    }
    assert!(refusal(&text, &["query", ".", "."]).contains("(limit alias-bytes)"));
}

#[test]
fn nesting_that_is_all_indentation() {
    let text = format!("{{\"schema\":\"x\",\"v\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
    for arguments in [vec!["render", "."], vec!["render", "--migrate", ".", "--output", "yaml"]] {
        assert!(refusal(&text, &arguments).contains("(limit layout-bytes)"));
    }
}

#[test]
fn charts_that_grow() {
    let mut text = TINY.to_owned() + "---\nschema: olm.channel\npackage: p\nname: s\nentries:\n";
    (1..100).for_each(|n| text += &format!("- {{name: p.v1.{n}.0, skipRange: <1.{n}.0}}\n"));
    let said = refusal(&text, &["graph", ".", "--limit", "chart-bytes=1Ki"]);
    assert!(said.contains("more than 1024 bytes (limit chart-bytes)"), "{said}");
}

/// A repository with a catalog and a Dockerfile whose variables double from line to line.
fn doubling_repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (1..=60).map(|n| format!("ARG A{n}=$A{}$A{}\n", n - 1, n - 1)).collect();
    let release = folder.path().join("v4.17");
    fs::create_dir_all(release.join("catalog")).unwrap();
    fs::write(release.join("catalog/c.yaml"), TINY).unwrap();
    fs::write(
        release.join("Dockerfile"),
        format!("ARG A0=xxxxxxxx\n{lines}FROM $A60\nCOPY catalog /configs\n"),
    )
    .unwrap();
    folder
}

#[test]
fn variables_that_double() {
    let folder = doubling_repository();
    for arguments in [
        &["repository"][..],
        &["validate", "."],
        &["init", "--repository"],
        &["list", "packages", "."],
        &["render", ".", "--ocp", "4.17"],
        &["generate"],
    ] {
        let output = fbc(folder.path(), arguments);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let place =
            "v4.17/Dockerfile:25: `ARG A24` expands to more than 268435456 bytes (limit expansion-bytes)";
        assert!(said.contains(place), "{arguments:?}: {said}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    }
    assert!(!folder.path().join("fbc.toml").exists());
}

#[test]
fn releases_times_paths() {
    let folder = tempfile::tempdir().unwrap();
    let releases: Vec<String> = (0..30).map(|n| format!("\"4.{}..4.{}\"", n * 100, n * 100 + 99)).collect();
    let path = "x".repeat(100_000);
    let text = format!("[[catalogs]]\npath = \"{path}/{{ocp}}\"\nocp = [{}]\n", releases.join(", "));
    fs::write(folder.path().join("fbc.toml"), text).unwrap();
    let output = fbc(folder.path(), &["repository"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("fbc.toml: `catalogs` expands to more than"), "{said}");
    assert!(said.contains("(limit expansion-bytes)"), "{said}");
}

#[test]
fn patterns_times_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("catalog")).unwrap();
    fs::write(folder.path().join("catalog/.indexignore"), "other\n".repeat(20_000)).unwrap();
    for n in 0..=1_000 {
        fs::write(folder.path().join(format!("catalog/{n}.yaml")), "{}").unwrap();
    }
    for arguments in [&["validate", "catalog"][..], &["render", "catalog"]] {
        let output = fbc(folder.path(), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let words = "error: catalog/.indexignore: comparing its patterns with the files of the catalog takes more than \
            20000000 steps (limit expansion-steps)";
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn directories_in_directories() {
    let folder = tempfile::tempdir().unwrap();
    let mut deep = folder.path().join("catalog");
    deep.extend(std::iter::repeat_n("d", 1_500));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("catalog.yaml"), TINY).unwrap();
    let started = std::time::Instant::now();
    for arguments in [&["validate", "catalog"][..], &["render", "catalog"], &["list", "packages", "catalog"]]
    {
        let output = fbc(folder.path(), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {said}");
    }
    // Resolving every prefix of every path takes minutes.
    assert!(started.elapsed().as_secs() < 60);
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
        assert!(said.contains("(limit query-bytes)"), "{program}: {said}");
        assert_eq!(said.lines().count(), 2, "{program}: {said}");
    }
    for program in ["def f: f; f", "last(range(1e18))"] {
        let said = refusal(TINY, &["query", program, ".", "--timeout", "1"]);
        assert!(said.contains("more than 1 seconds (limit query-seconds)"), "{program}: {said}");
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
    assert!(String::from_utf8(output.stderr).unwrap().contains("(limit findings)"));
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
