//! Drawings and paths as other programs see them: JSON against its schemas, dot in graphviz, the page in Chromium.

use std::fs;
use std::process::Command;

use fbc_testing::{browser, repository, testdata};
use serde_json::Value;

const SAMPLES: [(&str, &str); 3] = [
    ("sample-catalog", "lighthouse-operator"),
    ("sample-catalog", "tide-operator"),
    ("broken-catalog/graph", "buoy-operator"),
];

/// What a command says on standard output, whatever its exit code.
fn fbc(arguments: &[&str]) -> String {
    let output = crate::fbc().args(arguments).current_dir(testdata("")).output();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Directories with real packages, where the recorded data lies beside the checkout.
fn real_catalogs() -> Vec<String> {
    let Some(folder) = fbc_testing::recordings("catalogs") else { return Vec::new() };
    fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().to_string_lossy().into_owned()).collect()
}

fn check(schema: &str, document: &str, what: &str) {
    let schema = fs::read(repository("schemas/output").join(schema)).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}");
}

#[test]
fn json_fits_its_schemas() {
    for semantics in ["v0", "v1"] {
        for (catalog, package) in SAMPLES {
            let options = ["--semantics", semantics];
            let graph = fbc(&[&["graph", catalog, "--format", "json"], &options[..]].concat());
            check("graph.json", &graph, catalog);
            let table = fbc(&[&["paths", catalog, package, "-o", "json"], &options[..]].concat());
            check("paths.json", &table, package);
            let one =
                fbc(&[&["paths", catalog, package, "-o", "json", "--from", "0.0.1"], &options[..]].concat());
            check("paths.json", &one, package);
        }
        for catalog in real_catalogs() {
            let graph = fbc(&["graph", &catalog, "--format", "json", "--semantics", semantics]);
            check("graph.json", &graph, &catalog);
        }
    }
}

#[test]
fn graphviz_accepts_the_drawing() {
    let catalogs = real_catalogs();
    let folders =
        ["sample-catalog", "broken-catalog/graph"].into_iter().chain(catalogs.iter().map(String::as_str));
    for catalog in folders {
        let text = fbc(&["graph", catalog, "--format", "dot"]);
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let Ok(output) = Command::new("dot").arg("-Tcanon").arg(file.path()).output() else {
            return fbc_testing::skip("graphviz is not installed");
        };
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_page_works_in_chromium() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("graph.html");
    fs::write(&page, fbc(&["graph", "sample-catalog", "--format", "html"])).unwrap();
    let Some(plain) = browser::elements(&page, "") else { return };
    for part in
        ["data-ready=\"true\"", "data-semantics=\"v1\"", "class=\"fbc-graph shown v1\"", "any channel"]
    {
        assert!(plain.contains(part), "{part}");
    }
    // The switch to OLM v0, and the details of a version with its route.
    let chosen = browser::elements(&page, "#package=lighthouse-operator&semantics=v0&version=1.0.0").unwrap();
    for part in [
        "data-semantics=\"v0\"",
        "class=\"fbc-graph shown v0\"",
        "updates to 1.1.1 by replaces (stable)",
        "1.0.0 → 1.1.1 → 1.2.0",
        "lets lamps go out",
    ] {
        assert!(chosen.contains(part), "{part}");
    }
    assert!(chosen.contains("chosen") && chosen.matches("on-route").count() >= 3);
}

/// Each skipRange draws an edge from all that it covers; mermaid does not draw so many.
#[test]
fn a_chart_with_many_edges_comes_with_a_warning() {
    use std::fmt::Write as _;
    let place = tempfile::tempdir().unwrap();
    let told = |count: usize| {
        let mut catalog = String::from("{schema: olm.package, name: p, defaultChannel: c}\n");
        let mut entries = String::new();
        for number in 0..count {
            write!(
                catalog,
                "---\n{{schema: olm.bundle, name: p.v1.0.{number}, package: p, image: i, \
                 properties: [{{type: olm.package, value: {{packageName: p, version: 1.0.{number}}}}}]}}\n"
            )
            .unwrap();
            writeln!(entries, "- {{name: p.v1.0.{number}, skipRange: '<1.0.{number}'}}").unwrap();
        }
        write!(catalog, "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{entries}").unwrap();
        let path = place.path().join("catalog.yaml");
        std::fs::write(&path, catalog).unwrap();
        let output = crate::fbc().args(["graph", path.to_str().unwrap()]).output();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(told(100), "");
    let many = told(220);
    assert!(many.contains("the chart has 24090 edges") && many.contains("-o html"), "{many}");
}

/// An empty chart would look as if something had been understood.
#[test]
fn what_holds_no_channel_is_not_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let output = crate::fbc().args(["graph", "-o", "mermaid"]).arg(directory.path()).output();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{said}");
    assert!(said.contains("there is no upgrade graph"), "{said}");
}
