use serde_json::json;

use super::*;
use crate::property::kind;

/// Knows two expressions: whether there is any property, and none that compiles.
fn compile(rule: &str) -> Result<Expression, Box<dyn Error + Send + Sync>> {
    match rule {
        "size" => Ok(Arc::new(|properties| properties.as_array().is_some_and(|list| !list.is_empty()))),
        _ => Err("cel expressions must have type Bool".into()),
    }
}

fn predicate(kind: &str, value: &Value) -> Result<Predicate, Refusal> {
    let property = Property { kind: kind.to_owned(), value: value.to_string() };
    Predicate::of(&property, compile).map(|predicate| predicate.unwrap())
}

fn entry(properties: &[(&str, Value)]) -> Entry {
    let property =
        |(kind, value): &(&str, Value)| Property { kind: (*kind).to_owned(), value: value.to_string() };
    let properties = properties.iter().map(property).collect();
    Entry::installed(Bundle::new("buoy.v1", "", None, properties))
}

fn package(range: &str) -> Value {
    json!({"package": {"packageName": "buoy", "versionRange": range}})
}

/// V0-043, V0-046
#[test]
fn predicates_have_the_texts_of_messages() {
    let gvk = json!({"group": "g.io", "version": "v1", "kind": "K"});
    let table = [
        (kind::REQUIRED_API, gvk.clone(), "providing an API with group: g.io, version: v1, kind: K"),
        (
            kind::REQUIRED_PACKAGE,
            json!({"packageName": "buoy", "versionRange": ">=1.0.0 <2.0.0"}),
            "with package: buoy and with version in range: >=1.0.0 <2.0.0",
        ),
        (kind::REQUIRED_LABEL, json!({"label": "x"}), "with label: x"),
        (
            kind::CONSTRAINT,
            json!({"gvk": gvk, "failureMessage": "m"}),
            "providing an API with group: g.io, version: v1, kind: K",
        ),
        (
            kind::CONSTRAINT,
            json!({"any": {"constraints": [package(">1.0.0"), {"gvk": {"kind": "K"}}]}}),
            "with package: buoy and with version in range: >1.0.0 or providing an API with group: , version: , kind: K",
        ),
        (
            kind::CONSTRAINT,
            json!({"all": {"constraints": [package(">1.0.0"), {"not": {"constraints": [package(">2.0.0")]}}]}}),
            "with package: buoy and with version in range: >1.0.0 and with package: buoy and with version in range: >2.0.0",
        ),
        (
            kind::CONSTRAINT,
            json!({"not": {"constraints": [{"gvk": {"kind": "A"}}, {"gvk": {"kind": "B"}}]}}),
            "providing an API with group: , version: , kind: A and not providing an API with group: , version: , kind: B",
        ),
        (
            kind::CONSTRAINT,
            json!({"cel": {"rule": "size"}, "failureMessage": "a \"b\""}),
            r#"with constraint: "size" and message: "a \"b\"""#,
        ),
    ];
    for (kind, value, expected) in table {
        assert_eq!(predicate(kind, &value).map(|predicate| predicate.to_string()).as_deref(), Ok(expected));
    }
}

#[test]
fn predicates_look_at_properties() {
    let buoy = entry(&[
        (kind::PACKAGE, json!({"packageName": "buoy", "version": "1.2.0"})),
        (kind::API, json!({"group": "g.io", "version": "v1", "kind": "K"})),
        (kind::LABEL, json!({"label": "x"})),
    ]);
    let any = |parts: &[Value]| json!({"any": {"constraints": parts}});
    let not = |parts: &[Value]| json!({"not": {"constraints": parts}});
    let api = |kind: &str| json!({"gvk": {"group": "g.io", "version": "v1", "kind": kind}});
    let table = [
        (api("K"), true),
        (api("L"), false),
        (package(">=1.0.0 <2.0.0"), true),
        (package(">=2.0.0"), false),
        (any(&[api("L"), package("1.2.0")]), true),
        (any(&[]), false),
        (not(&[api("L"), api("K")]), false),
        (not(&[api("L"), api("M")]), true),
        (json!({"all": {"constraints": [api("K"), not(&[package(">1.2.0")])]}}), true),
        (json!({"all": {"constraints": []}}), true),
        (json!({"cel": {"rule": "size"}}), true),
    ];
    for (value, expected) in table {
        assert_eq!(predicate(kind::CONSTRAINT, &value).unwrap().fits(&buoy), expected, "{value}");
    }
    assert!(predicate(kind::REQUIRED_LABEL, &json!({"label": "x"})).unwrap().fits(&buoy));
    assert!(!predicate(kind::CONSTRAINT, &json!({"cel": {"rule": "size"}})).unwrap().fits(&entry(&[])));
}

#[test]
fn bad_values_have_the_texts_of_olm() {
    let long = "x".repeat(MOST_BYTES);
    let table = [
        (json!({"none": 1}), r#"parse olm.constraint: json: unknown field "none""#),
        (
            json!({"all": {"constraints": [{"all": {"list": []}}]}}),
            r#"parse olm.constraint: json: unknown field "list""#,
        ),
        (
            json!({"failureMessage": long}),
            "parse olm.constraint: olm.constraint value is greater than max constraint size 131072 bytes",
        ),
        (json!({}), "convert olm.constraint to resolver predicate: constraint is empty"),
        (json!({"all": null}), "convert olm.constraint to resolver predicate: constraint is empty"),
        (
            json!({"cel": {"rule": "1"}}),
            "convert olm.constraint to resolver predicate: cel expressions must have type Bool",
        ),
        (package("x"), "convert olm.constraint to resolver predicate: Last element in range is '||'"),
    ];
    for (value, expected) in table {
        assert_eq!(predicate(kind::CONSTRAINT, &value).map(|_| ()), Err(Refusal(expected.to_owned())));
    }
    let deep = format!("{}{}", r#"{"all":{"constraints":["#.repeat(3000), "]}}".repeat(3000));
    let property = Property { kind: kind::CONSTRAINT.to_owned(), value: deep };
    let error = Predicate::of(&property, compile).err();
    assert!(error.is_some_and(|error| error.0.contains("nests deeper than 300 levels")));
    let braces = Property {
        kind: kind::CONSTRAINT.to_owned(),
        value: json!({"failureMessage": "{\"".repeat(400)}).to_string(),
    };
    assert!(Predicate::of(&braces, compile).is_err_and(|error| error.0.ends_with("constraint is empty")));
    let other = Property { kind: "other".to_owned(), value: "{".to_owned() };
    assert!(Predicate::of(&other, compile).unwrap().is_none());
}
