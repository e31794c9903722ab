//! OLM's definitions, against refusals of a cluster that had the same.

use std::path::PathBuf;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::schema::{Definition, strict};
use serde_json::{Value, json};

use crate::definitions::{Edition, definitions};

fn read_yaml(text: &str) -> Value {
    let document = fbc_yaml::stream::read_one(text.as_bytes()).expect("YAML");
    serde_json::from_str(&fbc_yaml::json_writer::compact(document.root())).expect("JSON")
}

fn all(edition: Edition) -> Vec<Definition> {
    definitions(edition).iter().map(Definition::read).collect()
}

/// What the webhook of catalogs does: it decodes into Go's types, so that some absent fields become empty text.
fn through_webhook(object: &mut Object) {
    if object.kind() == "ClusterCatalog" {
        let source = object.place(&["spec", "source"]);
        if source.get("type").is_none() {
            source.set(&["type"], "");
        }
        if let Some(image) = source.get_mut("image")
            && image.get("ref").is_none()
        {
            image.set(&["ref"], "");
        }
    }
}

fn merge(value: &mut Value, patch: &Value) {
    match patch {
        Value::Object(fields) => {
            for (name, patch) in fields {
                if patch.is_null() {
                    value.remove(&[name.as_str()]);
                } else {
                    merge(value.place(&[name.as_str()]), patch);
                }
            }
        }
        other => *value = other.clone(),
    }
}

/// The errors of a write, as `kubectl` prints them after the name of the object.
fn refusals(definitions: &[Definition], object: &mut Object, old: Option<&Object>) -> Vec<String> {
    let definition =
        definitions.iter().find(|definition| definition.kind == object.kind()).expect("a definition");
    let version = definition.version("v1").expect("a version");
    if let Some(refusal) = strict::refusal(object.kind(), "v1", &version.unknown_fields(object), &[]) {
        return vec![refusal.message];
    }
    version.admit(object).expect("small defaults");
    through_webhook(object);
    let mut errors: Vec<String> = version.validate(object, old).iter().map(ToString::to_string).collect();
    errors.sort();
    errors
}

/// The errors that a client printed.
fn printed(lines: &Value) -> Vec<String> {
    let lines: Vec<&str> = lines.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut errors: Vec<String> = match lines.as_slice() {
        [only] => {
            let text = only.split_once("is invalid: ").map(|(_, text)| text);
            vec![
                text.or_else(|| only.split_once("\"STDIN\": ").map(|(_, text)| text))
                    .unwrap_or(only)
                    .to_owned(),
            ]
        }
        lines => lines.iter().filter_map(|line| line.strip_prefix("* ")).map(str::to_owned).collect(),
    };
    errors.sort();
    errors
}

fn scenario(name: &str, edition: Edition) -> usize {
    let Some(directory) = fbc_testing::recordings(&format!("olmv1/{name}")) else { return usize::MAX };
    let mut steps: Vec<PathBuf> = std::fs::read_dir(directory.join("steps"))
        .expect("a directory")
        .map(|step| step.expect("a file").path())
        .collect();
    steps.sort();
    let definitions = all(edition);
    let mut stored: Option<Object> = None;
    let mut checked = 0;
    for step in steps {
        let file = step.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let recorded =
            std::fs::read_to_string(directory.join("recorded").join(format!("{}.json", &file[..2])));
        let recorded: Value = serde_json::from_str(&recorded.expect("a recording")).expect("JSON");
        let step = read_yaml(&std::fs::read_to_string(&step).expect("a step"));
        let mut object = step.clone();
        let mut old = None;
        if file.ends_with("patch.yaml") {
            let Some(before) = &stored else { continue };
            object = before.clone();
            if step["type"] == "json" {
                let change = &step["patch"][0];
                *object.pointer_mut(change.text(&["path"])).expect("a place") = change["value"].clone();
            } else {
                merge(&mut object, &step["patch"]);
            }
            old = stored.as_ref();
        } else if !file.ends_with("create.yaml") {
            continue;
        }
        let expected = printed(&recorded["errors"]);
        // Errors about metadata and those of the webhook come from elsewhere.
        if expected.iter().any(|error| error.starts_with("metadata.") || error.contains("admission webhook"))
        {
            continue;
        }
        let errors = refusals(&definitions, &mut object, old);
        assert_eq!(errors, expected, "{name} {file}");
        checked += 1;
        if errors.is_empty() {
            stored = Some(object);
        }
    }
    checked
}

#[test]
fn refusals_are_those_recorded() {
    for (name, edition, least) in [
        ("25-invalid-extensions", Edition::LATEST, 25),
        ("25-immutable-fields", Edition::LATEST, 8),
        ("25-invalid-catalogs", Edition::LATEST, 14),
        ("bc-25-invalid-experimental", Edition::LATEST_EXPERIMENTAL, 8),
        ("bc-25-invalid-revisions", Edition::LATEST_EXPERIMENTAL, 19),
    ] {
        let checked = scenario(name, edition);
        assert!(checked >= least, "{name}: {checked}");
    }
}

#[test]
fn every_edition_can_be_read_and_all_rules_compile() {
    let upstream = Edition { needs_account: false, ..Edition::LATEST_EXPERIMENTAL };
    for (edition, count) in
        [(Edition::OCP_4_19, 2), (Edition::LATEST, 2), (Edition::LATEST_EXPERIMENTAL, 3), (upstream, 3)]
    {
        let definitions = all(edition);
        assert_eq!(definitions.len(), count);
        for definition in &definitions {
            assert_eq!(
                definition.version("v1").expect("a version").schema().rule_faults(),
                [] as [String; 0]
            );
        }
    }
}

#[test]
fn editions_differ_where_they_should() {
    let spec = |edition: Edition, spec: Value| {
        let mut object = json!({"kind": "ClusterExtension", "metadata": {"name": "x"}, "spec": spec});
        refusals(&all(edition), &mut object, None)
    };
    let source = json!({"sourceType": "Catalog", "catalog": {"packageName": "demo"}});
    let bare = json!({"namespace": "demo", "source": source});
    let configured = json!({
        "namespace": "demo", "source": source, "serviceAccount": {"name": "demo"},
        "config": {"configType": "Inline", "inline": {"a": "b"}},
    });
    assert_eq!(spec(Edition::LATEST, bare.clone()).len(), 2);
    assert!(spec(Edition { needs_account: false, ..Edition::LATEST }, bare).is_empty());
    assert_eq!(spec(Edition::LATEST, configured.clone()).len(), 1);
    assert!(spec(Edition::LATEST_EXPERIMENTAL, configured).is_empty());
}
