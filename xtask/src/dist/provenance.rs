//! The statement of provenance: which files were made of which sources, by which compiler (in-toto, SLSA 1.0). Whoever runs
//! the release signs it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Artifact, Release, hexadecimal, read};
use crate::error::TaskResult;

/// The statement, as a line of JSON.
pub(super) fn statement(root: &Path, release: &Release, artifacts: &[Artifact]) -> TaskResult<String> {
    let lock = hexadecimal(&Sha256::digest(read(&root.join("Cargo.lock"))?));
    let compiler = Command::new("rustc").arg("--version").output().ok();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    Ok(format!("{}\n", provenance(release, artifacts, &lock, compiler.as_deref())))
}

fn provenance(release: &Release, artifacts: &[Artifact], lock: &str, compiler: Option<&str>) -> Value {
    let subjects = artifacts
        .iter()
        .map(|artifact| json!({"name": artifact.name, "digest": {"sha256": artifact.sha256}}));
    let mut materials = vec![json!({"name": "Cargo.lock", "digest": {"sha256": lock}})];
    if let Some(commit) = &release.commit {
        materials.push(json!({"name": "fbc", "digest": {"gitCommit": commit}}));
    }
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects.collect::<Vec<_>>(),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:fbc:dist:1",
                "externalParameters": {"version": release.version},
                "internalParameters": {"compiler": compiler},
                "resolvedDependencies": materials,
            },
            "runDetails": {"builder": {"id": "urn:fbc:builder:xtask-dist"}},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_sources_are_named() {
        let release = Release { commit: Some("c0".to_owned()), ..Release::of_test("1.0.0", 0) };
        let artifact = Artifact { name: "a".to_owned(), sha256: "ab".to_owned(), triple: None };
        let statement = provenance(&release, &[artifact], "1c", Some("rustc 1.95.0"));
        assert_eq!(statement["subject"][0]["digest"]["sha256"], "ab");
        let materials = &statement["predicate"]["buildDefinition"]["resolvedDependencies"];
        assert_eq!(
            (&materials[0]["digest"]["sha256"], &materials[1]["digest"]["gitCommit"]),
            (&"1c".into(), &"c0".into())
        );
    }
}
