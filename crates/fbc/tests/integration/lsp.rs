//! The language server as editors start it: Neovim itself, and clients that say nonsense or die.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use fbc_testing::{Running, testdata};

/// What it expects does not come.
const SCENARIO: &str = "\
title: a config map is applied
steps:
- apply:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: keel, namespace: default}
  expect:
  - object: ConfigMap/default/mast
    within: 1m
";

#[test]
fn neovim_gets_findings_hovers_fixes_and_renames() {
    if !fbc_testing::is_installed("nvim") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog/lighthouse-operator");
    fs::create_dir_all(&catalog).unwrap();
    let file = catalog.join("catalog.yaml");
    let text = fs::read_to_string(testdata("sample-catalog/lighthouse-operator/catalog.yaml")).unwrap();
    fs::write(&file, &text).unwrap();
    fs::write(folder.path().join("scenario.yaml"), SCENARIO).unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/editor.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "--noplugin", "-n", "-i", "NONE", "-S"])
        .arg(script)
        .env("FBC", crate::FBC)
        .env("FBC_FILE", &file)
        .env("FBC_ROOT", folder.path())
        .env("FBC_OUT", &out)
        .env("HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{stderr}", read("failed"));
    let line = text.lines().position(|line| line == "- name: lighthouse-operator.v1.0.0").unwrap() + 2;
    let finding = read("finding");
    assert!(finding.starts_with(&format!("{line}\n9\n")), "{finding}");
    assert!(finding.contains("lists \"lighthouse-operator.v1.0.0\" a second time"), "{finding}");
    let hover = read("hover");
    assert!(hover.contains("OLM v1: updates to `lighthouse-operator.v1.1.1`"), "{hover}");
    assert_eq!(read("fixed"), text);
    assert_eq!(read("actions"), "FBC018: remove the second entry\nFBC018: add a waiver with reason\n");
    let name = "lighthouse-operator.v1.1.0";
    let renamed: String = text
        .split_inclusive('\n')
        .map(|line| match line.trim_end().ends_with(name) {
            true => line.replace(name, "lighthouse-operator.v1.1.0-renamed"),
            false => line.to_owned(),
        })
        .collect();
    assert_eq!(read("renamed"), renamed);
    let completed = read("completed");
    assert_eq!(completed.lines().next(), Some("lighthouse-operator.v1.1.0"), "{completed}");
    let unmet = read("unmet");
    assert!(unmet.starts_with("8\nunmet expectation: "), "{unmet}");
    let (entry, _) =
        read("entry").split_once("---").map(|(entry, rest)| (entry.to_owned(), rest.to_owned())).unwrap();
    for shown in [&finding, &entry, &read("actions"), &completed, &unmet] {
        assert_in_guide(shown);
    }
    // Nothing was saved.
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

/// Every line that an editor shows stands in the walk of the guide. Numbers of lines, help and what Markdown adds do not;
/// Neovim writes line breaks of a message as zeros.
fn assert_in_guide(shown: &str) {
    let guide = fbc_testing::repository("docs/guides/editors.md");
    let guide = fs::read_to_string(guide).unwrap();
    let words = |line: &str| line.replace(['*', '`'], "").trim().to_owned();
    let lines =
        shown.split(['\n', '\0']).map(words).filter(|line| line.len() > 3 && !line.starts_with("help:"));
    for line in lines {
        assert!(guide.contains(&line), "docs/guides/editors.md does not show {line:?}");
    }
}

fn start() -> Running {
    crate::fbc()
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// What becomes of the server when all it hears is this.
fn after(input: &[u8]) -> (Option<i32>, String) {
    let mut server = start();
    let mut stdin = server.stdin.take().unwrap();
    // The server may be gone before it has heard everything.
    let _ = stdin.write_all(input);
    drop(stdin);
    let mut stdout = Vec::new();
    server.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    let mut stderr = String::new();
    server.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (server.wait().unwrap().code(), stderr)
}

fn message(json: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{json}", json.len()).into_bytes()
}

#[test]
fn clients_that_say_nonsense_or_die() {
    let initialize =
        message(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#);
    let initialized = message(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
    for (what, input) in [
        ("nothing", Vec::new()),
        ("no protocol", b"hello\r\n\r\n".to_vec()),
        ("a length that is none", b"Content-Length: -1\r\n\r\n{}".to_vec()),
        ("no JSON", message("{")),
        ("something else first", message(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#)),
        ("death after the handshake", [initialize.clone(), initialized.clone()].concat()),
        (
            "death in a message",
            [initialize.clone(), initialized.clone(), b"Content-Length: 100\r\n\r\n{".to_vec()].concat(),
        ),
    ] {
        let (code, stderr) = after(&input);
        assert_eq!(code, Some(2), "{what}: {stderr}");
        assert!(stderr.contains("language server"), "{what}: {stderr}");
        assert!(!stderr.contains("panicked"), "{what}: {stderr}");
    }
    let end = [
        message(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#),
        message(r#"{"jsonrpc":"2.0","method":"exit"}"#),
    ]
    .concat();
    let (code, stderr) = after(&[initialize, initialized, end].concat());
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}
