//! The files themselves: valid schemas, whose references lead somewhere, and described throughout.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use fbc_lint::schema;
use serde_json::{Map, Value};

/// Calls `visit` with every object of a schema and where it is.
fn objects(value: &Value, pointer: &str, visit: &mut dyn FnMut(&str, &Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            visit(pointer, members);
            for (key, member) in members {
                objects(member, &format!("{pointer}/{key}"), visit);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{index}"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn every_file_is_listed_and_sorted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let mut on_disk = BTreeSet::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let below = path.strip_prefix(&root).unwrap();
                let parts: Vec<_> =
                    below.components().map(|part| part.as_os_str().to_str().unwrap()).collect();
                on_disk.insert(parts.join("/"));
            }
        }
    }
    let listed: BTreeSet<String> = schema::all().iter().map(|schema| schema.path.to_owned()).collect();
    assert_eq!(listed, on_disk);
    assert!(schema::all().is_sorted_by_key(|schema| schema.name));
    for one in schema::all() {
        assert_eq!(schema::by_name(one.name).unwrap().text, one.text);
        assert_eq!(one.path, format!("{}.json", one.name));
    }
    assert!(schema::by_name("nothing").is_none());
}

#[test]
fn every_file_is_valid_against_the_meta_schema() {
    for schema in schema::all() {
        let dialect = schema.value().get("$schema").and_then(Value::as_str);
        assert_eq!(dialect, Some("https://json-schema.org/draft/2020-12/schema"), "{}", schema.path);
        if let Err(error) = jsonschema::draft202012::meta::validate(schema.value()) {
            panic!("{}: {error} at {}", schema.path, error.instance_path());
        }
    }
}

#[test]
fn every_reference_leads_to_a_schema() {
    let mut references = 0;
    for schema in schema::all() {
        objects(schema.value(), "", &mut |pointer, members| {
            assert!(
                !members.contains_key("$id"),
                "{}{pointer}: references are relative to the file",
                schema.path
            );
            let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
                return;
            };
            references += 1;
            let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
            let target = if file.is_empty() { schema.path.to_owned() } else { resolve(schema.path, file) };
            let target = schema::all().iter().find(|schema| schema.path == target);
            let target = target.unwrap_or_else(|| panic!("{}{pointer}: {reference}", schema.path));
            assert!(target.value().pointer(fragment).is_some(), "{}{pointer}: {reference}", schema.path);
        });
    }
    assert!(references > 30, "{references}");
}

fn resolve(from: &str, file: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for component in Path::new(file).components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            other => parts.push(other.as_os_str().to_str().unwrap()),
        }
    }
    parts.join("/")
}

#[test]
fn every_field_has_a_title_and_a_description() {
    for schema in schema::all() {
        objects(schema.value(), "", &mut |pointer, members| {
            let keyword = pointer.rsplit('/').next();
            // What stands under `if` and `then` chooses among schemas; it describes no field. A
            // `properties` below `properties` is the field of that name.
            let choosing =
                pointer.split('/').any(|part| matches!(part, "if" | "then" | "else" | "allOf" | "not"));
            let names_fields = keyword == Some("properties") && !members.contains_key("title");
            if choosing || !names_fields {
                return;
            }
            for (field, described) in members {
                let has = |key: &str| {
                    described.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty())
                };
                assert!(has("title") && has("description"), "{}{pointer}/{field}", schema.path);
            }
        });
        assert!(schema.value().get("title").is_some() && schema.value().get("description").is_some());
    }
}

#[test]
fn examples_fit_the_schemas_that_give_them() {
    for schema in schema::all() {
        objects(schema.value(), "", &mut |pointer, members| {
            let Some(Value::Array(examples)) = members.get("examples") else {
                return;
            };
            // References and neighbours that lead out of the object are not what is tested here.
            let mut alone = members.clone();
            alone.retain(|key, _| {
                matches!(key.as_str(), "type" | "minLength" | "maxLength" | "pattern" | "enum" | "not")
            });
            let validator = jsonschema::validator_for(&Value::Object(alone)).unwrap();
            for example in examples {
                assert!(validator.is_valid(example), "{}{pointer}: {example}", schema.path);
            }
        });
    }
}

#[test]
fn the_property_types_of_the_files_and_of_the_program_are_the_same() {
    let by_type = schema::by_name("part/bundle-property").unwrap().value();
    let listed: BTreeSet<&str> = by_type
        .pointer("/then/allOf")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|choice| {
            let property_type = choice.pointer("/if/properties/type/const").and_then(Value::as_str).unwrap();
            let reference = choice.pointer("/then/properties/value/$ref").and_then(Value::as_str);
            assert_eq!(reference, Some(format!("../property/{property_type}.json").as_str()));
            assert_eq!(
                schema::for_property(property_type).unwrap().name,
                format!("property/{property_type}")
            );
            property_type
        })
        .collect();
    let files = schema::all().iter().filter_map(|schema| schema.name.strip_prefix("property/")).collect();
    assert_eq!(listed, files);
    assert!(schema::for_property("olm.other").is_none());
}
