//! `fbc build --sbom --provenance`: documents that refer to the image, found by fbc and by other clients.

use fbc_testing::registry::Registry;
use serde_json::{Value, json};

use super::support::{Place, done, refused, testdata};

#[test]
fn documents_are_attached_to_what_is_pushed() {
    let (place, registry) = (Place::new(), Registry::in_thread());
    let image = format!("{}/me/catalog:v1", registry.host);
    let build = |more: &[&str]| {
        let sample = testdata("sample-catalog");
        let words = ["build", &sample, "-t", &image, "--push", "--sbom", "--provenance"];
        place.plain(&[&words, more].concat())
    };
    let output = build(&[]);
    let told = super::support::text(&output.stderr);
    let digest = done(output).trim().to_owned();
    assert!(told.contains(": bill of materials, provenance\n"), "{told}");
    // Equal images have equal documents, so nothing is attached twice.
    assert_eq!(done(build(&["-q"])).trim(), digest);
    place.write_image_set(&image);
    done(place.plain(&["mirror", "--config", "set.yaml", "--to-dir", "carried"]));
    let mut documents: Vec<Value> = Vec::new();
    for entry in std::fs::read_dir(place.path().join("carried/blobs/sha256")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        documents.extend(serde_json::from_slice::<Value>(&bytes));
    }
    let manifests: Vec<&Value> =
        documents.iter().filter(|one| one["subject"]["digest"] == digest.as_str()).collect();
    let mut kinds: Vec<&str> = manifests.iter().filter_map(|one| one["artifactType"].as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["application/spdx+json", "application/vnd.in-toto+json"]);
    let spdx = documents.iter().find(|one| one["spdxVersion"] == "SPDX-2.3").unwrap();
    let names: Vec<&str> =
        spdx["packages"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(
        names.contains(&"lighthouse-operator.v1.2.0") && names.contains(&"tide-operator.v0.1.0"),
        "{names:?}"
    );
    let statement =
        documents.iter().find(|one| one["predicateType"] == "https://slsa.dev/provenance/v1").unwrap();
    assert_eq!(format!("sha256:{}", statement["subject"][0]["digest"]["sha256"].as_str().unwrap()), digest);
    let definition = &statement["predicate"]["buildDefinition"];
    assert_eq!(definition["externalParameters"]["compression"], "gzip");
}

#[test]
fn documents_need_a_registry() {
    let place = Place::new();
    let sample = testdata("sample-catalog");
    let told = refused(&place.fbc(&["build", &sample, "--to", "oci:image", "--sbom"]), 2);
    assert!(told.contains("--push"), "{told}");
}

/// The statement of provenance about an image of this name, and its bill of materials, out of a registry.
fn attached(registry: &Registry, name: &str) -> (Value, Value) {
    let state = registry.state.lock().unwrap();
    let documents: Vec<Value> =
        state.blobs.values().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    let find = |is_it: &dyn Fn(&Value) -> bool| documents.iter().find(|one| is_it(one)).unwrap().clone();
    (
        find(&|one| one["subject"][0]["name"] == name),
        find(&|one| one["spdxVersion"].is_string() && one["name"] == name),
    )
}

#[test]
fn provenance_names_the_commit_and_the_base() {
    if !fbc_testing::is_installed("git") {
        return;
    }
    let (place, registry) = (Place::new(), Registry::in_thread());
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
        done(place.program("git", &[&who, arguments].concat()).output()).trim().to_owned()
    };
    let host = &registry.host;
    let base = format!("{host}/me/base:v1");
    place.write("files/x", "x");
    let digest = done(place.plain(&["build", "files", "--no-validate", "--push", "-q", "-t", &base]));
    let hex = digest.trim().strip_prefix("sha256:").unwrap().to_owned();
    done(place.plain(&["pull", &base, "oci:layout:v1", "-q"]));
    place.write("repository/some/catalog/catalog.yaml", "schema: olm.package\nname: a\ndefaultChannel: b\n");
    place.write("repository/else", "else");
    git(&["init", "-q", "repository"]);
    git(&["-C", "repository", "add", "."]);
    git(&["-C", "repository", "commit", "-q", "-m", "first"]);
    let commit = git(&["-C", "repository", "rev-parse", "HEAD"]);
    let build = |name: &str, catalog: &str, more: &[&str]| {
        let image = format!("{host}/built/{name}:v1");
        let build =
            ["build", catalog, "--no-validate", "--push", "-q", "-t", &image, "--sbom", "--provenance"];
        let within = [&build[..], &["--plain-http"], more].concat();
        done(place.command(&within).current_dir(place.path().join("repository")).output());
        let (statement, bill) = attached(&registry, &format!("{host}/built/{name}"));
        let dependencies = &statement["predicate"]["buildDefinition"]["resolvedDependencies"];
        (dependencies.clone(), bill)
    };
    let source = |path: &str, is_modified: bool| {
        json!({"name": "source", "digest": {"gitCommit": commit},
            "annotations": {"path": path, "modified": is_modified}})
    };
    let material = |name: &str| json!({"name": name, "digest": {"sha256": hex}});
    let (dependencies, bill) = build("one", "some/catalog", &["--base", &base]);
    assert_eq!(dependencies, json!([source("some/catalog", false), material(&base)]));
    let relations = bill["relationships"].as_array().unwrap();
    let descends = json!({"spdxElementId": "SPDXRef-image", "relationshipType": "DESCENDANT_OF",
        "relatedSpdxElement": "SPDXRef-base"});
    assert!(relations.contains(&descends), "{bill:#}");
    let packages = bill["packages"].as_array().unwrap();
    let named = packages.iter().find(|one| one["SPDXID"] == "SPDXRef-base").unwrap();
    assert_eq!(named["name"], base);
    assert_eq!(named["checksums"], json!([{"algorithm": "SHA256", "checksumValue": hex}]));
    // A base on disk, and no base. What changes elsewhere does not count.
    place.write("repository/else", "changed");
    let (dependencies, _) = build("two", "some/catalog", &["--base", "oci:../layout:v1"]);
    assert_eq!(dependencies, json!([source("some/catalog", false), material("oci:../layout:v1")]));
    let (dependencies, _) = build("three", "some/catalog", &["--base", "scratch"]);
    assert_eq!(dependencies, json!([source("some/catalog", false)]));
    // What differs from the commit, and what was committed whatever lies in the directory.
    place.write("repository/some/catalog/more.yaml", "schema: custom\nname: x\n");
    let (dependencies, _) = build("four", "some/catalog", &[]);
    assert_eq!(dependencies, json!([source("some/catalog", true)]));
    let (dependencies, _) = build("five", "HEAD:some/catalog", &["--base", &base]);
    assert_eq!(dependencies, json!([source("some/catalog", false), material(&base)]));
}
