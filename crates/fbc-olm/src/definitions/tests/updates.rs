//! Pruning, defaults, embedded objects and updates, over small definitions.

use std::sync::LazyLock;

use fbc_cluster::object::Object;
use fbc_cluster::schema::{Definition, ListType, Specifications, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::definitions::{Edition, definitions};

fn definition(spec: Value) -> Definition {
    Definition::read(&json!({
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "xs", "kind": "X"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    }))
}

fn object(spec: &Value) -> Object {
    json!({"apiVersion": "example.com/v1", "kind": "X", "metadata": {"name": "x", "any": 1}, "spec": spec})
}

/// The errors of an update, or of a creation if there is no old object.
fn errors(definition: &Definition, new: &Value, old: Option<&Value>) -> Vec<String> {
    let version = definition.version("v1").expect("a version");
    let old = old.map(object);
    version.validate(&object(new), old.as_ref()).iter().map(ToString::to_string).collect()
}

#[test]
fn objects_are_pruned_and_filled_in() {
    let kept = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
        "known": {"type": "object", "properties": {"a": {"type": "string"}}},
    }});
    let defaulted = json!({"type": "object", "properties": {
        "a": {"type": "string", "default": "A"},
        "nullable": {"type": "string", "default": "N", "nullable": true},
        "inner": {"type": "object", "properties": {"b": {"type": "integer", "default": 2}}},
    }});
    let part = |schema: Value, value: Value| {
        let definition = definition(json!({"type": "object", "properties": {"part": schema}}));
        let version = definition.version("v1").expect("a version");
        let mut object = object(&json!({"part": value}));
        let unknown = version.unknown_fields(&object);
        version.admit(&mut object).expect("small defaults");
        assert_eq!(object["metadata"]["any"], 1);
        (object["spec"].get("part").cloned(), unknown)
    };
    for (schema, given, wanted, unknown) in [
        (
            &kept,
            json!({"x": 1, "known": {"a": "", "z": 1}}),
            Some(json!({"x": 1, "known": {"a": ""}})),
            &["spec.part.known.z"][..],
        ),
        (&defaulted, json!({}), Some(json!({"a": "A", "nullable": "N"})), &[]),
        (&defaulted, json!({"a": null, "nullable": null}), Some(json!({"a": "A", "nullable": null})), &[]),
        (&defaulted, json!({"inner": {}}), Some(json!({"a": "A", "nullable": "N", "inner": {"b": 2}})), &[]),
        (&defaulted, json!({"inner": null}), Some(json!({"a": "A", "nullable": "N"})), &[]),
        (&defaulted, Value::Null, None, &[]),
        (
            &json!({"type": "array", "items": defaulted}),
            json!([{"z": 1}]),
            Some(json!([{"a": "A", "nullable": "N"}])),
            &["spec.part[0].z"],
        ),
        (
            &json!({"type": "object", "additionalProperties": {"type": "object"}}),
            json!({"k": {"z": 1}}),
            Some(json!({"k": {}})),
            &["spec.part.k.z"],
        ),
        (
            &json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}}),
            json!({"kind": "A", "metadata": {"z": 1}, "spec": {"z": 1}, "z": 1}),
            Some(json!({"kind": "A", "metadata": {"z": 1}, "spec": {}})),
            &["spec.part.spec.z", "spec.part.z"],
        ),
    ] {
        let (found, found_unknown) = part(schema.clone(), given.clone());
        assert_eq!(found, wanted, "{given}");
        assert_eq!(found_unknown, unknown, "{given}");
    }
}

#[test]
fn unchanged_faults_are_tolerated() {
    let definition = definition(json!({"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 2},
        "other": {"type": "string"},
        "rule": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'bad'", "message": "is bad"}]},
        "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is fixed"}]},
        "list": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'bad'"}]}},
        "keyed": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "required": ["k"], "properties": {
                "k": {"type": "string"}, "v": {"type": "integer", "maximum": 5},
            }},
        },
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "optional": {"type": "string", "x-kubernetes-validations": [
            {"rule": "!oldSelf.hasValue() || oldSelf.value() != 'last'", "optionalOldSelf": true, "message": "was last"},
        ]},
    }}));
    for (old, new, wanted) in [
        (json!({"name": "long"}), json!({"name": "long", "other": "x"}), &[][..]),
        (
            json!({"name": "long"}),
            json!({"name": "longer"}),
            &["spec.name: Too long: may not be more than 2 bytes"],
        ),
        (json!({"rule": "bad"}), json!({"rule": "bad", "other": "x"}), &[]),
        (json!({"rule": "good"}), json!({"rule": "bad"}), &["spec.rule: Invalid value: \"bad\": is bad"]),
        (json!({"fixed": "a"}), json!({"fixed": "b"}), &["spec.fixed: Invalid value: \"b\": is fixed"]),
        (json!({"fixed": "a"}), json!({}), &[]),
        (json!({"list": ["bad"]}), json!({"list": ["bad"], "other": "x"}), &[]),
        (
            json!({"list": ["bad"]}),
            json!({"list": ["bad", "x"]}),
            &["spec.list[0]: Invalid value: \"bad\": failed rule: self != 'bad'"],
        ),
        (json!({"keyed": [{"k": "a", "v": 9}]}), json!({"keyed": [{"k": "b"}, {"k": "a", "v": 9}]}), &[]),
        (
            json!({"keyed": [{"k": "a", "v": 9}]}),
            json!({"keyed": [{"k": "a", "v": 8}]}),
            &["spec.keyed[0].v: Invalid value: 8: spec.keyed[0].v in body should be less than or equal to 5"],
        ),
        (json!({"set": ["a", "a"]}), json!({"set": ["a", "a", "a"]}), &[]),
        (json!({"set": ["a"]}), json!({"set": ["a", "a", "a"]}), &["spec.set[1]: Duplicate value: \"a\""]),
        (
            json!({"optional": "last"}),
            json!({"optional": "next"}),
            &["spec.optional: Invalid value: \"next\": was last"],
        ),
    ] {
        let found = errors(&definition, &new, Some(&old));
        let found: Vec<&String> = found.iter().filter(|error| !error.starts_with("<nil>")).collect();
        assert_eq!(found, wanted, "{old} {new}");
    }
    assert_eq!(errors(&definition, &json!({"optional": "last", "fixed": "a"}), None), [] as [String; 0]);
}

#[test]
fn rules_name_fields_and_reasons() {
    let rules = |rules: Value| {
        definition(json!({
            "type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "object", "properties": {"c": {"type": "string"}}}},
            "x-kubernetes-validations": rules,
        }))
    };
    for (rule, wanted) in [
        (json!({"rule": "false"}), "spec: Invalid value: failed rule: false"),
        (json!({"rule": "false", "fieldPath": ".b.c", "message": "no"}), "spec.b.c: Invalid value: no"),
        (
            json!({"rule": "false", "reason": "FieldValueRequired", "message": "no"}),
            "spec: Required value: no",
        ),
        (json!({"rule": "false", "reason": "FieldValueForbidden", "message": "no"}), "spec: Forbidden: no"),
        (
            json!({"rule": "false", "messageExpression": "'a is ' + string(self.a)"}),
            "spec: Invalid value: a is 1",
        ),
        (
            json!({"rule": "false", "messageExpression": "string(1 / (self.a - 1))", "message": "no"}),
            "spec: Invalid value: no",
        ),
        (
            json!({"rule": "1 / (self.a - 1) == 0"}),
            "spec: Invalid value: \"object\": division by zero evaluating rule: 1 / (self.a - 1) == 0",
        ),
    ] {
        assert_eq!(errors(&rules(json!([rule])), &json!({"a": 1}), None), [wanted]);
    }
}

#[test]
fn junctors_report_the_nearest_alternative() {
    let definition = definition(json!({"type": "object", "properties": {
        "any": {"type": "integer", "anyOf": [{"minimum": 10}, {"maximum": 2}]},
        "all": {"type": "string", "allOf": [{"minLength": 2}, {"pattern": "^a"}]},
        "one": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    }}));
    for (spec, wanted) in [
        (
            json!({"any": 5}),
            &[
                "<nil>: Invalid value: \"\": \"spec.any\" must validate at least one schema (anyOf)",
                "spec.any: Invalid value: 5: spec.any in body should be greater than or equal to 10",
            ][..],
        ),
        (
            json!({"all": "b"}),
            &[
                "spec.all: Invalid value: \"b\": spec.all in body should be at least 2 chars long",
                "spec.all: Invalid value: \"b\": spec.all in body should match '^a'",
                "<nil>: Invalid value: \"\": \"spec.all\" must validate all the schemas (allOf). None validated",
            ],
        ),
        (
            json!({"one": {}}),
            &[
                "<nil>: Invalid value: \"\": \"spec.one\" must validate one and only one schema (oneOf). Found none valid",
                "spec.one.a: Required value",
            ],
        ),
        (json!({"any": 1, "all": "ab", "one": {"b": ""}}), &[]),
    ] {
        assert_eq!(errors(&definition, &spec, None), wanted);
    }
}

#[test]
fn shapes_of_places_are_public() {
    let all = definitions(Edition::LATEST);
    let extension = Definition::read(all.get(1).expect("two definitions"));
    let kind = extension.to_kind();
    assert_eq!(
        (kind.qualified_plural().as_str(), kind.namespaced),
        ("clusterextensions.olm.operatorframework.io", false)
    );
    let schema = extension.version("v1").expect("a version").schema();
    let conditions = schema.properties.get("status").and_then(|status| status.properties.get("conditions"));
    let conditions = conditions.expect("conditions");
    assert_eq!(conditions.list_type, Some(ListType::Map));
    assert_eq!(conditions.list_map_keys, ["type"]);
}

/// JSON of any shape, with names that schemas use.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
        prop_oneof![
            Just("object"),
            Just("array"),
            Just("string"),
            Just("Catalog"),
            Just("Image"),
            Just("map"),
            Just("self.a == 1"),
            Just("a.b/c:d@e")
        ]
        .prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("spec"),
        Just("source"),
        Just("catalog"),
        Just("packageName"),
        Just("channels"),
        Just("image"),
        Just("ref"),
        Just("type"),
        Just("phases"),
        Just("objects"),
        Just("object"),
        Just("kind"),
        Just("items"),
        Just("properties"),
        Just("default"),
        Just("x-kubernetes-validations"),
        Just("rule"),
        Just("versions"),
        Just("schema"),
        Just("openAPIV3Schema"),
        Just("enum"),
        Just("anyOf"),
        Just("not"),
        Just("pattern"),
        Just("multipleOf"),
        Just("x-kubernetes-list-type"),
        Just("x-kubernetes-list-map-keys"),
        Just("names"),
        Just("status"),
        Just("metadata"),
        Just("namespace"),
        Just("a"),
    ]
    .prop_map(str::to_owned);
    leaf.prop_recursive(6, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(name.clone(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

static EXPERIMENTAL: LazyLock<Vec<Definition>> =
    LazyLock::new(|| definitions(Edition::LATEST_EXPERIMENTAL).iter().map(Definition::read).collect());

proptest! {
    #[test]
    fn no_object_makes_validation_panic(mut object in any_json(), old in any_json()) {
        for definition in EXPERIMENTAL.iter() {
            let version = definition.version("v1").expect("a version");
            let _ = version.unknown_fields(&object);
            version.admit(&mut object).expect("small defaults");
            let _ = version.validate(&object, Some(&old));
            let again = object.clone();
            version.admit(&mut object).expect("small defaults");
            prop_assert_eq!(&object, &again);
            // What is as it was is never refused for its schema or its own rules.
            for error in version.validate(&object, Some(&object)) {
                prop_assert!(!error.field.starts_with("metadata"), "{}", error);
            }
        }
    }

    #[test]
    fn no_definition_makes_its_validation_panic(mut definition in any_json(), schema in any_json(), object in any_json()) {
        check::prepare_for_create(&mut definition);
        let _ = check::validate(&definition, None, &Specifications::default());
        let mut whole = json!({"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}});
        let _ = check::validate(&whole, Some(&definition), &Specifications::default());
        check::prepare_for_update(&mut whole, &definition);
        let read = Definition::read(&whole);
        let version = read.version("v1").expect("a version");
        let mut object = object;
        version.admit(&mut object).expect("small defaults");
        let _ = version.validate(&object, None);
    }
}
