//! `fbc build --sbom --provenance`: documents that refer to the image, found by fbc and by other clients.

use serde_json::Value;

use crate::support::{Place, done, refused, registry, testdata};

#[test]
fn documents_are_attached_to_what_is_pushed() {
    let (place, registry) = (Place::new(), registry());
    let image = format!("{}/me/catalog:v1", registry.host);
    let build = |more: &[&str]| {
        let sample = testdata("sample-catalog");
        let words = ["build", &sample, "-t", &image, "--push", "--sbom", "--provenance"];
        place.plain(&[&words, more].concat())
    };
    let output = build(&[]);
    let told = crate::support::text(&output.stderr);
    let digest = done(output).trim().to_owned();
    assert!(told.contains(": bill of materials, provenance\n"), "{told}");
    // Equal images have equal documents, so nothing is attached twice.
    assert_eq!(done(build(&["-q"])).trim(), digest);
    let set = format!(
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  additionalImages:\n  - name: {image}\n"
    );
    place.write("set.yaml", set);
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
