//! Streams, environment and files: what a session in `tests/commands` cannot show.

use std::path::Path;
use std::process::{Output, Stdio};

use fbc_testing::{Fbc, testdata};

fn fbc(arguments: &[&str]) -> Fbc {
    let mut fbc = crate::fbc();
    fbc.args(arguments).current_dir(testdata("")).env_remove("NO_COLOR");
    fbc
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    fbc(arguments).output_of(input)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn colours_follow_flag_and_environment() {
    let has_color = |fbc: &mut Fbc| fbc.output().stdout.contains(&0x1b);
    let arguments = ["validate", "two-findings"];
    assert!(!has_color(&mut fbc(&arguments)));
    assert!(has_color(fbc(&arguments).env("FORCE_COLOR", "1")));
    assert!(has_color(fbc(&arguments).env("CLICOLOR_FORCE", "1")));
    assert!(!has_color(fbc(&arguments).env("CLICOLOR_FORCE", "0")));
    assert!(!has_color(fbc(&arguments).env("FORCE_COLOR", "1").env("NO_COLOR", "1")));
    assert!(has_color(fbc(&arguments).args(["--color", "always"]).env("NO_COLOR", "1")));
    assert!(!has_color(fbc(&arguments).arg("--color=never").env("FORCE_COLOR", "1")));
    let error = fbc(&["validate", "nowhere", "--color=always"]).output().stderr;
    assert!(error.contains(&0x1b));
}

#[test]
fn machine_formats_have_no_colours() {
    for format in ["json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown", "opm"] {
        let output = fbc(&["validate", "two-findings", "--color=always", "--format", format]).output();
        assert!(!output.stdout.contains(&0x1b), "{format}");
        assert_eq!(output.status.code(), Some(1), "{format}");
    }
}

#[test]
fn standard_input_is_a_catalog() {
    let output = with_input(&["validate", "-", "--format=concise"], b"schema: olm.package\nname: Foo\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("-:2:7: error[FBC012]"), "{output:?}");
    let output = with_input(&["render", "-", "-o", "json"], b"{schema: olm.x, a: 1}\n");
    assert_eq!(text(&output.stdout), "{\n    \"a\": 1,\n    \"schema\": \"olm.x\"\n}\n");
}

/// Nothing refuses an entry that replaces what is not there, so the error about the heads has to speak of it.
#[test]
fn a_misspelt_name_in_replaces_is_named() {
    let catalog = "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\n\
                   name: stable\nentries: [{name: foo.v1.0.0}, {name: foo.v1.1.0, replaces: foo.v1.0.00}]\n";
    let said = with_input(&["validate", "-", "--select", "GRF002"], catalog.as_bytes()).stdout;
    let note = "\"foo.v1.1.0\" replaces \"foo.v1.0.00\", which the channel does not have; did you mean \"foo.v1.0.0\"?";
    assert!(text(&said).contains(note), "{}", text(&said));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = fbc(&["explain"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    drop(child.stdout.take());
    let output = child.wait_with_output();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn a_verdict_holds_though_nobody_reads_it() {
    let definitions = ["lamp-old.yaml", "lamp-cluster-scope.yaml"]
        .map(|name| format!("custom-resource-definitions/{name}"));
    let [old, new] = definitions.each_ref().map(String::as_str);
    for arguments in [
        &["validate", "two-findings"][..],
        &["bundle", "validate", "broken-bundle", "-o", "json"],
        &["bundle", "ready", "dock-bundle", "--ocp", "4.19"],
        &["diff", "sample-catalog", "changed-catalog"],
        &["crd", "diff", old, new],
        &["crd", "diff", old, new, "-o", "json"],
        &["paths", "changed-catalog", "lighthouse-operator"],
        &["paths", "changed-catalog", "lighthouse-operator", "-o", "json"],
        &["range", ">=1.0.0", "0.5.0"],
        &["range", "nonsense", "-o", "json"],
        &["release", "verify", "scenarios/updates/payload-broken"],
        &["resolve", "nothing", "sample-catalog"],
        &["simulate", "scenarios/update-by-poll.yaml", "--until", "5m"],
        &["simulate", "upgrade", "sample-catalog", "changed-catalog", "-q"],
    ] {
        assert_eq!(fbc(arguments).output().status.code(), Some(1), "{arguments:?}");
        let mut child = fbc(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        drop(child.stdout.take());
        let output = child.wait_with_output();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("cannot write"), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn the_exit_status_of_a_query_is_that_of_its_last_answer_though_nobody_reads_it() {
    for (last, code) in [("true", 0), ("null", 1)] {
        let program = format!("range(100000), {last}");
        let mut child =
            fbc(&["query", "-n", "-e", &program]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        drop(child.stdout.take());
        let output = child.wait_with_output();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(code), ""));
    }
}

/// A wrong path must not look as if all were well.
#[test]
fn who_names_an_empty_directory_is_warned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    for (arguments, code) in [
        (&["render", path][..], 0),
        (&["query", ".", path], 0),
        (&["filter", path, "--heads-only"], 0),
        (&["list", "packages", path], 0),
        (&["validate", path], 0),
        (&["validate", path, "--deny-warnings"], 1),
    ] {
        let output = fbc(arguments).output();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains("warning: no blobs found in "), "{arguments:?}: {said}");
    }
}

#[test]
fn the_name_of_a_file_says_the_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, more, begin) in [
        ("a.yaml", &[][..], "---\n"),
        ("b.yml", &[], "---\n"),
        ("c.json", &[], "{\n"),
        ("d", &[], "{\n"),
        ("e.yaml", &["-o", "json"], "{\n"),
    ] {
        let file = folder.path().join(name);
        let arguments =
            [&["render", "sample-catalog", "--output-file", file.to_str().unwrap()], more].concat();
        assert!(fbc(&arguments).status().success(), "{name}");
        assert!(std::fs::read_to_string(&file).unwrap().starts_with(begin), "{name}");
    }
}

#[test]
fn output_files_are_written_whole() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output-files");
    std::fs::create_dir_all(&folder).unwrap();
    let (report, rendered) = (folder.join("report.json"), folder.join("rendered.json"));
    std::fs::write(&rendered, "before").unwrap();
    let status = fbc(&["validate", "two-findings", "--format=json", "--color=always", "--output"])
        .arg(&report)
        .status();
    assert_eq!(status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(report["summary"]["errors"], 3);
    // A catalog that cannot be loaded leaves the old file alone.
    let status = fbc(&["render", "broken-catalog", "--output-file"]).arg(&rendered).status();
    assert_eq!(status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&rendered).unwrap(), "before");
    let status = fbc(&["render", "sample-catalog", "--output-file"]).arg(&rendered).status();
    assert_eq!(status.code(), Some(0));
    let printed = fbc(&["render", "sample-catalog"]).output().stdout;
    assert_eq!(std::fs::read(&rendered).unwrap(), printed);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn batches_of_ranges_answer_line_by_line() {
    let questions = concat!(
        "{\"range\":\">=1.0.0\",\"version\":\"1.2.0\"}\n",
        "{\"range\":\">=1.0.0\",\"version\":\"0.2.0\"}\n",
        "no json\n",
        "{\"range\":\"bogus\",\"version\":\"0.2.0\"}\n",
        "{\"range\":\">=1.0.0\",\"version\":\"1.0\"}",
    );
    let output = with_input(&["range", "--grammar=blang", "--batch"], questions.as_bytes());
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines.len(), 5);
    assert_eq!(&lines[..2], ["{\"matches\":true}", "{\"matches\":false}"]);
    assert!(lines[2..].iter().all(|line| line.starts_with("{\"error\":")), "{lines:?}");
}

#[test]
fn long_lines_and_broken_text_are_shown_in_part() {
    let mut catalog = b"{\"schema\":\"olm.package\",\"description\":\"".to_vec();
    catalog.extend(std::iter::repeat_n(b'x', 1_000_000));
    catalog.extend(b"\xff\",\"name\":\"Foo\"}");
    let output = with_input(&["validate", "-"], &catalog);
    let shown = text(&output.stdout);
    assert!(shown.contains(" --> -:1:1000050\n"), "{shown}");
    assert!(shown.lines().all(|line| line.len() < 400), "{shown}");
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = fbc(&["completions", shell]).output();
        assert!(output.status.success() && text(&output.stdout).contains("FBC_COMPLETE"), "{shell}");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let output = fbc(&["man"]).output();
    assert!(output.status.success() && text(&output.stdout).starts_with(".ie"), "{}", text(&output.stdout));
    assert!(fbc(&["man", "--folder"]).arg(&folder).status().success());
    assert!(folder.join("fbc-validate.1").is_file());
}
