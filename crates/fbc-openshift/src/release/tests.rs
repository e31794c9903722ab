//! Payloads that are recorded with the real operator.

use std::path::PathBuf;

use fbc_model::tree::DiskTree;
use serde_json::Value;

use super::check::check;
use super::*;

fn payloads() -> Option<PathBuf> {
    fbc_testing::recordings("cvo/payloads")
}

fn load(name: &str) -> Option<Result<Payload, LoadError>> {
    use sha2::{Digest as _, Sha256};
    let tree = DiskTree { root: payloads()?.join(name) };
    let inclusion = Inclusion { gates: ["OtherThing".to_owned()].into(), ..Inclusion::default() };
    let digest = Sha256::digest(format!("release {name}"));
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Payload::load(&tree, &format!("example.com/ocp/release@sha256:{digest}"), &inclusion))
}

#[test]
fn the_texts_of_refusals_are_the_operators() {
    for (name, expected) in [
        (
            "bad-yaml-4.19.1",
            "Error loading manifests from /x: parse 0000_20_gamma-operator_01_config.yaml: error parsing: error converting YAML to JSON: yaml: line 5: did not find expected ',' or ']'",
        ),
        ("image-references-kind-4.19.1", "image-references is a *v1.ConfigMap, not a v1 ImageStream"),
        (
            "image-references-name-4.19.1",
            "version from image-references (4.19.7) differs from release-metadata (4.19.1)",
        ),
        ("metadata-kind-4.19.1", "unrecognized Cincinnati metadata kind \"something-else\""),
        (
            "metadata-version-4.19.1",
            "invalid Cincinnati metadata version \"four\": No Major.Minor.Patch elements found",
        ),
        (
            "no-kind-4.19.1",
            "Error loading manifests from /x: parse 0000_20_gamma-operator_01_config.yaml: error parsing: error unmarshaling JSON: while decoding JSON: unable to decode manifest: Object 'Kind' is missing in '{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"gamma-config\",\"namespace\":\"openshift-gamma\"}}'",
        ),
        (
            "two-bad-files-4.19.1",
            "Error loading manifests from /x: [parse 0000_20_gamma-operator_01_config.yaml: error parsing: error converting YAML to JSON: yaml: line 5: did not find expected ',' or ']', parse 0000_30_delta-operator_01_config.yaml: error parsing: unexpected EOF]",
        ),
    ] {
        let Some(loaded) = load(name) else { return };
        assert_eq!(loaded.map_err(|error| error.text("/x")).map(|_| ()), Err(expected.to_owned()), "{name}");
    }
}

#[test]
fn findings_name_rule_and_place() {
    let Some(directory) = payloads() else { return };
    for (name, expected) in [
        ("small-4.19.0", &[][..]),
        ("bad-yaml-4.19.1", &["PLD002 0000_20_gamma-operator_01_config.yaml:6"]),
        ("no-image-references-4.19.1", &["PLD001 image-references"]),
        ("duplicate-two-files-4.19.1", &["PLD003"]),
        ("no-versions-4.19.1", &["PLD006"]),
        ("both-feature-annotations-4.19.1", &["PLD008"]),
        ("invalid-object-4.19.1", &["PLD010"]),
        ("missing-namespace-4.19.1", &["PLD010"]),
        ("unknown-kind-4.19.1", &["PLD011"]),
        ("tombstone-bad-value-4.19.1", &["PLD008"]),
    ] {
        let tree = DiskTree { root: directory.join(name) };
        let inclusion = Inclusion { gates: ["OtherThing".to_owned()].into(), ..Inclusion::default() };
        let (findings, _) = check(&tree, "example.com/ocp/release", &inclusion);
        let texts: Vec<String> = findings
            .iter()
            .map(|one| {
                format!("{} {}:{} {}", one.rule.code, one.file, one.line.unwrap_or_default(), one.message)
            })
            .collect();
        assert_eq!(texts.len(), expected.len(), "{name}: {texts:#?}");
        for (text, expected) in texts.iter().zip(expected) {
            let mut words = expected.split(' ');
            assert!(text.starts_with(words.next().unwrap_or_default()), "{name}: {text}");
            assert!(words.all(|word| text.contains(word)), "{name}: {text}");
        }
    }
}

#[test]
fn hashes_are_the_operators() {
    let Some(recorded) = fbc_testing::recordings("cvo/initial") else { return };
    for name in ["small-4.19.0", "order-4.19.0", "jobs-4.19.0", "unverified-4.19.0"] {
        let Some(loaded) = load(name) else { return };
        let text = std::fs::read_to_string(recorded.join(format!("inst-{name}.json")))
            .expect("the recording is there");
        let objects: Value = serde_json::from_str(&text).expect("the recording is JSON");
        let mut found = None;
        find_hash(&objects, &mut found);
        let payload = loaded.expect("the payload can be loaded");
        assert_eq!(Some(payload.hash), found, "{name}");
    }
}

fn find_hash(value: &Value, found: &mut Option<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(hash)) = members.get("versionHash") {
                *found = Some(hash.clone());
            }
            members.values().for_each(|member| find_hash(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| find_hash(item, found)),
        _ => {}
    }
}
