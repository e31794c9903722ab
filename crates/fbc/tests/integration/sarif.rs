//! SARIF output against its schema: ours, which asks for what code scanning services need, and the official
//! one where `FBC_SARIF_SCHEMA` names a copy of `sarif-schema-2.1.0.json`.

use std::path::Path;

use serde_json::Value;

fn log(catalogs: &[&str]) -> Value {
    let output = crate::fbc()
        .args(["validate", "--format=sarif"])
        .args(catalogs)
        .current_dir(fbc_testing::testdata(""))
        .output();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(schema: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    for catalogs in [&["sample-catalog"][..], &["two-findings", "broken-catalog"]] {
        let log = log(catalogs);
        let errors: Vec<String> =
            validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{catalogs:?}: {errors:#?}");
    }
}

#[test]
fn output_fits_our_schema() {
    let schema = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sarif-structure.json"));
    check(&serde_json::from_slice(&schema.unwrap()).unwrap());
}

#[test]
fn output_fits_the_official_schema() {
    let Some(path) = std::env::var_os("FBC_SARIF_SCHEMA") else {
        return fbc_testing::skip("FBC_SARIF_SCHEMA is not set");
    };
    check(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
}

#[test]
fn rule_indexes_lead_to_their_rules() {
    let log = log(&["two-findings", "broken-catalog"]);
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 5);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        let rule = &run["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["markdown"].as_str().unwrap().contains("\n\nSource: "), "{rule}");
    }
}
