//! Waivers and baselines on files that change between runs.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

const CATALOG: &str = "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
name: stable
package: foo
entries: [{name: foo.v1}]
---
schema: olm.bundle
name: foo.v1
package: foo
image: quay.io/foo/foo:latest
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- {type: olm.csv.metadata, value: {}}
";

fn fbc(folder: &Path, arguments: &[&str]) -> Output {
    crate::fbc().args(["validate", "--deny-warnings"]).args(arguments).current_dir(folder).output()
}

fn summary(folder: &Path, arguments: &[&str]) -> Value {
    let output = fbc(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["summary"].clone()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for catalog in ["one", "two"] {
        fs::create_dir_all(folder.path().join(catalog)).unwrap();
        fs::write(folder.path().join(catalog).join("catalog.yaml"), CATALOG).unwrap();
    }
    folder
}

#[test]
fn a_baseline_lets_only_new_findings_fail() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(fbc(path, &["one", "two"]).status.code(), Some(1));
    assert_eq!(fbc(path, &["one", "two", "--write-baseline", "b.json"]).status.code(), Some(0));
    let written = fs::read_to_string(path.join("b.json")).unwrap();
    assert_eq!(fbc(path, &["one", "two", "--baseline", "b.json"]).status.code(), Some(0));
    assert_eq!(summary(path, &["one", "--baseline", "b.json"])["baselined"], 1);

    // Lines above do not matter, wherever the command runs.
    fs::write(path.join("one/catalog.yaml"), format!("# new\n\n{CATALOG}")).unwrap();
    assert_eq!(fbc(&path.join("one"), &[".", "--baseline", "../b.json"]).status.code(), Some(0));

    // A second problem of the same kind is a new one.
    let more = CATALOG.replace("foo:latest", "foo:latest\nrelatedImages: [{name: a, image: foo:v1}]");
    fs::write(path.join("one/catalog.yaml"), more).unwrap();
    let output = fbc(path, &["one", "two", "--baseline", "b.json", "--format", "concise"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() == 1 && text.contains("IMG204"), "{text}");

    // What no longer occurs is a finding about the baseline; the entries of the other catalog stay.
    fs::write(path.join("one/catalog.yaml"), CATALOG.replace("foo:latest", "foo:v1")).unwrap();
    let output = fbc(path, &["one", "--baseline", "b.json", "--format", "concise"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "b.json:1: warning[CFG005] 1 finding of the baseline no longer occurs\n");
    let telling = fbc(path, &["one", "--write-baseline", "b.json"]);
    assert_eq!(telling.status.code(), Some(0));
    let told = String::from_utf8(telling.stderr).unwrap();
    assert!(told.contains("wrote b.json with "), "{told}");
    let rewritten = fs::read_to_string(path.join("b.json")).unwrap();
    assert!(written.contains("\"one/catalog.yaml\"") && !rewritten.contains("\"one/catalog.yaml\""));
    assert!(rewritten.contains("\"two/catalog.yaml\""), "{rewritten}");
}

#[test]
fn a_baseline_is_found_through_the_configuration() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(fbc(path, &["one", "--write-baseline", "fbc-baseline.json"]).status.code(), Some(0));
    fs::write(path.join("fbc.toml"), "baseline = \"fbc-baseline.json\"\n").unwrap();
    assert_eq!(fbc(&path.join("two"), &["../one"]).status.code(), Some(0));
    assert_eq!(fbc(path, &["two"]).status.code(), Some(1));
    // What is not valid is never written over.
    fs::write(path.join("fbc-baseline.json"), "{}").unwrap();
    assert_eq!(fbc(path, &["one", "--write-baseline", "fbc-baseline.json"]).status.code(), Some(2));
    assert_eq!(fs::read_to_string(path.join("fbc-baseline.json")).unwrap(), "{}");
}

#[test]
fn waivers_expire_on_the_day_that_is_given() {
    let folder = folder();
    let path = folder.path();
    let waiver = "[[waivers]]\ncode = \"IMG203\"\nreason = \"r\"\nexpires = 2027-03-31\n";
    fs::write(path.join("fbc.toml"), waiver).unwrap();
    assert_eq!(fbc(path, &["one", "--today", "2027-03-31"]).status.code(), Some(0));
    assert_eq!(summary(path, &["one", "--today", "2027-03-31"])["waived"], 1);
    let late = summary(path, &["one", "--today", "2027-04-01"]);
    assert_eq!((late["errors"].as_u64(), late["warnings"].as_u64()), (Some(1), Some(1)));
    let run = |seconds: &str| {
        let mut fbc = crate::fbc();
        fbc.args(["validate", "one"]).current_dir(path).env("SOURCE_DATE_EPOCH", seconds);
        fbc.output().status.code()
    };
    // 2027-03-31T23:59:59Z, and a second later.
    assert_eq!((run("1806537599"), run("1806537600"), run("soon")), (Some(0), Some(1), Some(2)));
}

#[test]
fn sarif_has_waived_findings_as_suppressed() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("fbc.toml"), "[[waivers]]\ncode = \"IMG203\"\npath = \"one/*\"\nreason = \"r\"\n")
        .unwrap();
    let output = fbc(path, &["one", "two", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let suppressions: Vec<&Value> = results.iter().map(|result| &result["suppressions"]).collect();
    assert_eq!(suppressions.len(), 2);
    assert_eq!(*suppressions[0], serde_json::json!([]));
    assert_eq!(suppressions[1][0]["justification"], "r");
}

#[test]
fn two_configurations_are_refused() {
    let folder = folder();
    for catalog in ["one", "two"] {
        fs::create_dir(folder.path().join(catalog).join("catalog")).unwrap();
        fs::write(folder.path().join(catalog).join("fbc.toml"), "").unwrap();
        let blob = "schema: custom\nname: a\n";
        fs::write(folder.path().join(catalog).join("catalog/catalog.yaml"), blob).unwrap();
    }
    assert_eq!(fbc(folder.path(), &["one/catalog", "two/catalog"]).status.code(), Some(2));
    assert_eq!(fbc(folder.path(), &["one/catalog", "two/catalog", "--no-config"]).status.code(), Some(0));
}

/// The keys that the program knows are those of the schema, and the example of the guide is accepted by both.
#[test]
fn the_schema_and_the_program_take_the_example_of_the_guide() {
    let guide = fs::read_to_string(fbc_testing::repository("docs/guides/policy.md")).unwrap();
    let example = guide.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("fbc.toml"), example).unwrap();
    fs::write(path.join("fbc-baseline.json"), "{\"version\": 1, \"findings\": []}").unwrap();
    let shown = fbc(path, &["one", "--show-config"]);
    assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    // What is shown is a configuration itself.
    fs::write(path.join("fbc.toml"), &shown.stdout).unwrap();
    let again = fbc(path, &["one", "--show-config"]);
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));

    let schema = fbc_lint::schema::by_name("config").unwrap().value();
    let keys: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let lines = example.lines().filter(|line| !line.starts_with('#'));
    let used = lines.filter_map(|line| Some(line.split_once(" = ")?.0.trim()));
    let waiver = schema["properties"]["waivers"]["items"]["properties"].as_object().unwrap();
    for key in used.take_while(|key| *key != "IMG") {
        assert!(keys.contains(&key) || waiver.contains_key(key), "{key}");
    }
}

/// What a rule found that is off in this run, or in what did not change, may still be there.
#[test]
fn what_was_not_looked_for_is_not_gone() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(fbc(path, &["one", "two", "--write-baseline", "b.json"]).status.code(), Some(0));
    let written = fs::read_to_string(path.join("b.json")).unwrap();
    let code = written.split("\"code\": \"").nth(1).unwrap().split('"').next().unwrap();
    fs::write(path.join("fbc.toml"), format!("[[waivers]]\ncode = \"{code}\"\nreason = \"known\"\n"))
        .unwrap();
    for flags in [["--ignore", code], ["--profile", "opm"], ["--select", "FBC001"]] {
        let output = fbc(path, &[&["one", "two", "--baseline", "b.json"][..], &flags[..]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{flags:?}: {text}");
        fs::write(path.join("c.json"), &written).unwrap();
        let words = [&["one", "two", "--no-config", "--write-baseline", "c.json"][..], &flags[..]].concat();
        assert_eq!(fbc(path, &words).status.code(), Some(0));
        assert_eq!(fs::read_to_string(path.join("c.json")).unwrap(), written, "{flags:?}");
    }
    // Under --base neither waivers nor baseline are judged, but both count.
    fs::create_dir(path.join("empty")).unwrap();
    for (base, known) in [("./two", 0), ("./empty", 1)] {
        let base = ["one", "--base", base];
        let summary = summary(path, &[&base[..], &["--no-config", "--baseline", "b.json"]].concat());
        assert_eq!((&summary["errors"], &summary["warnings"]), (&0.into(), &0.into()), "{base:?} {summary}");
        assert_eq!(summary["baselined"].as_i64().unwrap_or(0), known, "{summary}");
        assert_eq!(fbc(path, &base).status.code(), Some(0), "{base:?}");
    }
    let both = fbc(path, &["one", "--base", "./two", "--write-baseline", "b.json"]);
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(fs::read_to_string(path.join("b.json")).unwrap(), written);
}
