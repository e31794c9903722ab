//! `catalog.json`, which dispatches by JSON Schema and is what editors use, gives the same answer
//! as the program, which dispatches by itself.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::OnceLock;

use fbc_lint::schema::{self, BlobKind};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Retrieve, Uri, Validator};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::{document, table};

struct Files;

impl Retrieve for Files {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let name = uri.as_str().strip_prefix("file:///schemas/").and_then(|path| path.strip_suffix(".json"));
        Ok(name.and_then(schema::by_name).ok_or("no such file")?.value().clone())
    }
}

/// The schema for editors, over the values of `serde_json`.
fn catalog() -> &'static Validator {
    static CATALOG: OnceLock<Validator> = OnceLock::new();
    CATALOG.get_or_init(|| {
        jsonschema::options()
            .with_base_uri("file:///schemas/catalog.json")
            .with_retriever(Files)
            .build(schema::by_name("catalog").unwrap().value())
            .unwrap()
    })
}

/// Both answers, as the pointers of what does not fit.
fn assert_agreement(blob: &Value) {
    let mut by_schema = BTreeSet::new();
    for error in catalog().iter_errors(blob) {
        let pointer = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for key in unexpected {
                    by_schema.insert(format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")));
                }
            }
            _ => {
                by_schema.insert(pointer.to_owned());
            }
        }
    }
    let document = document(&blob.to_string());
    let kind = BlobKind::from_blob(document.root());
    let violations = schema::violations(document.root(), kind);
    let by_program: BTreeSet<String> = violations.iter().map(|violation| violation.pointer.clone()).collect();
    assert_eq!(by_program, by_schema, "{blob}");
    assert_eq!(schema::is_valid(document.root(), kind), catalog().is_valid(blob), "{blob}");
    assert_eq!(schema::is_valid(document.root(), kind), violations.is_empty(), "{blob}");
}

#[test]
fn the_table_is_judged_alike() {
    for blob in table::blobs() {
        assert_agreement(&blob);
    }
}

/// A change somewhere in a value.
#[derive(Clone, Debug)]
enum Change {
    Remove,
    Rename(String),
    Replace(Value),
    Insert(String, Value),
}

fn names() -> impl Strategy<Value = String> {
    let names: Vec<&str> = vec![
        "schema",
        "package",
        "name",
        "properties",
        "entries",
        "type",
        "value",
        "image",
        "reference",
        "message",
        "olm.gvk",
        "olm.constraint",
        "olm.maxOpenShiftVersion",
        "all",
        "not",
        "constraints",
        "x/y~z",
        "olm.x",
        "",
    ];
    prop::sample::select(names).prop_map(str::to_owned)
}

fn values() -> impl Strategy<Value = Value> {
    let fixed = vec![
        json!(null),
        json!(""),
        json!("text"),
        json!(0),
        json!(4.18),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!("olm.bundle"),
        json!("olm.package"),
        json!("olm.deprecations"),
        json!("olm.bundel"),
        json!("com.example"),
        json!("olm.csv.metadata"),
        json!("olm.gvk.required"),
        json!("4.18"),
        json!({"constraints": [{"cel": {"rule": "x"}}]}),
        json!({"type": "olm.gvk", "value": {"group": "g", "kind": "", "version": "v1"}}),
    ];
    prop::sample::select(fixed)
}

fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Remove),
        names().prop_map(Change::Rename),
        values().prop_map(Change::Replace),
        (names(), values()).prop_map(|(name, value)| Change::Insert(name, value)),
    ]
}

fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                pointers(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn apply(blob: &mut Value, place: &Index, change: Change) {
    let mut places = Vec::new();
    pointers(blob, "", &mut places);
    let pointer = place.get(&places).clone();
    match change {
        Change::Replace(value) => *blob.pointer_mut(&pointer).unwrap() = value,
        Change::Insert(name, value) => match blob.pointer_mut(&pointer).unwrap() {
            Value::Object(members) => {
                members.insert(name, value);
            }
            Value::Array(items) => items.push(value),
            _ => {}
        },
        Change::Remove | Change::Rename(_) => {
            let Some((parent, last)) = pointer.rsplit_once('/') else {
                return;
            };
            match blob.pointer_mut(parent).unwrap() {
                Value::Object(members) => {
                    let removed = members.remove(&last.replace("~1", "/").replace("~0", "~"));
                    if let (Change::Rename(name), Some(value)) = (change, removed) {
                        members.insert(name, value);
                    }
                }
                Value::Array(items) => {
                    items.remove(last.parse().unwrap());
                }
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn changed_blobs_are_judged_alike(
        base in any::<Index>(),
        edits in prop::collection::vec((any::<Index>(), changes()), 1..5),
    ) {
        let blobs = table::blobs();
        let mut blob = base.get(&blobs).clone();
        for (place, change) in edits {
            apply(&mut blob, &place, change);
        }
        assert_agreement(&blob);
    }
}
