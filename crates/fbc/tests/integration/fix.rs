//! `fbc validate --fix` and `fbc bundle validate --fix` as users meet them, and fixes in output for programs.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

const CATALOG: &str = "\
# Kept.
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0 # the newest
  skips: [\"\"]
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: quay.io/foo/foo:v1
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: quay.io/foo/foo:v2
properties:
- {type: olm.package, value: {packageName: foo, version: v1.1.0}}
";

fn fbc(folder: &Path, arguments: &[&str]) -> Output {
    crate::fbc().args(arguments).current_dir(folder).output()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn catalog() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), CATALOG).unwrap();
    folder
}

fn now(folder: &Path) -> String {
    fs::read_to_string(folder.join("catalog.yaml")).unwrap()
}

#[test]
fn safe_fixes_then_unsafe_ones() {
    let folder = catalog();
    let folder = folder.path();
    let shown = fbc(folder, &["validate", "catalog.yaml", "--diff"]);
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown.stderr));
    assert!(text(&shown.stdout).contains("-  skips: [\"\"]\n+  skips: []\n"), "{}", text(&shown.stdout));
    assert_eq!(now(folder), CATALOG, "--diff writes nothing");

    let fixed = fbc(folder, &["validate", "catalog.yaml", "--fix"]);
    // Two heads are left: no safe fix says which edge is meant.
    assert_eq!(fixed.status.code(), Some(1));
    assert!(text(&fixed.stdout).contains("GRF002"), "{}", text(&fixed.stdout));
    assert!(text(&fixed.stderr).contains("fixed: catalog.yaml: GRF009"), "{}", text(&fixed.stderr));
    let left = "fixes of 1 finding may change what is meant: they need --unsafe-fixes";
    assert!(text(&fixed.stderr).contains(left), "{}", text(&fixed.stderr));
    let shown = fbc(folder, &["validate", "catalog.yaml", "--fix", "--diff"]);
    let said = text(&shown.stderr);
    assert!(shown.status.success() && said.contains(left) && !said.contains("nothing to fix"), "{said}");
    let safe = CATALOG.replace("skips: [\"\"]", "skips: []").replace("v1.1.0}}", "1.1.0}}");
    assert_eq!(now(folder), safe);

    let fixed = fbc(folder, &["validate", "catalog.yaml", "--unsafe-fixes"]);
    assert_eq!(fixed.status.code(), Some(0), "{}{}", text(&fixed.stdout), text(&fixed.stderr));
    let whole = safe.replace("  skips: []\n", "  skips: []\n  replaces: foo.v1.0.0\n");
    assert_eq!(now(folder), whole);
    let nothing = fbc(folder, &["validate", "catalog.yaml", "--unsafe-fixes", "--diff"]);
    assert_eq!((nothing.status.code(), nothing.stdout.len()), (Some(0), 0));
}

/// What a misspelt key was to say is all that the other finding lacks.
#[test]
fn one_suggestion_stands_for_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let misspelt = "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\n\
                    entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replace: foo.v1.0.0\n";
    fs::write(folder.path().join("catalog.yaml"), misspelt).unwrap();
    let output = fbc(folder.path(), &["validate", "catalog.yaml", "-o", "markdown"]);
    let markdown = text(&output.stdout);
    assert!(markdown.contains("| GRF002 |") && markdown.contains("| FBC203 |"), "{markdown}");
    assert_eq!(markdown.matches("\n`catalog.yaml:11` ").count(), 1, "{markdown}");
    assert!(!markdown.contains("GRF002: "), "{markdown}");
    assert!(markdown.contains("  replaces: foo.v1.0.0\n"), "{markdown}");
}

#[test]
fn what_is_waived_stays() {
    let folder = catalog();
    let waiver = "[[waivers]]\ncode = \"GRF009\"\nreason = \"a test\"\n";
    fs::write(folder.path().join("fbc.toml"), waiver).unwrap();
    fbc(folder.path(), &["validate", "catalog.yaml", "--fix"]);
    assert!(now(folder.path()).contains("skips: [\"\"]"));
}

#[test]
fn what_cannot_be_fixed_in_place_is_refused() {
    let folder = catalog();
    let output = fbc(folder.path(), &["validate", "-", "--fix"]);
    assert_eq!(output.status.code(), Some(2));
    let output = fbc(folder.path(), &["validate", "catalog.yaml", "--fix", "--base", "catalog.yaml"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn output_for_programs_holds_fixes() {
    let folder = catalog();
    let run = |format: &str| text(&fbc(folder.path(), &["validate", "catalog.yaml", "-o", format]).stdout);
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let of = |code: &str| {
        json["findings"].as_array().unwrap().iter().find(|one| one["code"] == code).unwrap().clone()
    };
    let fix = &of("GRF009")["fixes"][0];
    assert_eq!(fix["safety"], "safe");
    let edit = &fix["edits"][0];
    assert_eq!((&edit["op"], &edit["pointer"]), (&Value::from("remove"), &Value::from("/entries/1/skips/0")));
    assert_eq!((&edit["file"], &edit["document"]), (&Value::from("catalog.yaml"), &Value::from(1)));

    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let result = results.iter().find(|one| one["ruleId"] == "GRF009").unwrap();
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "catalog.yaml");
    assert_eq!(change["replacements"][0]["deletedRegion"]["startLine"], 12);
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "  skips: []\n");

    let markdown = run("markdown");
    assert!(markdown.contains("```suggestion\n  skips: []\n```\n"), "{markdown}");
}

#[test]
fn bundles_are_fixed_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let annotations =
        "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v2 # why?\n";
    write("metadata/annotations.yaml", annotations);
    write(
        "manifests/csv.yaml",
        "kind: ClusterServiceVersion\nmetadata: {name: foo.v1.0.0}\nspec: {version: v1.0.0}\n",
    );
    fbc(folder.path(), &["bundle", "validate", ".", "--fix"]);
    let fixed = fs::read_to_string(folder.path().join("metadata/annotations.yaml")).unwrap();
    assert!(
        fixed.starts_with(
            "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1 # why?\n"
        ),
        "{fixed}"
    );
    assert!(fixed.contains("bundle.manifests.v1: manifests/"), "{fixed}");
    let csv = fs::read_to_string(folder.path().join("manifests/csv.yaml")).unwrap();
    assert!(csv.contains("version: 1.0.0"), "{csv}");
}
