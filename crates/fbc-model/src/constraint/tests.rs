//! Constraints that OLM v0 takes, and those that it refuses.

use serde_json::{Value, json};

use super::*;

fn faults(text: &str) -> Vec<String> {
    let document = fbc_yaml::stream::read_one(text.as_bytes()).unwrap();
    match Constraint::parse(document.root()) {
        Ok(_) => Vec::new(),
        Err(faults) => {
            let shown = |fault: &ConstraintFault| {
                let message = fault.kind.to_string();
                format!("{}: {}", fault.pointer, message.lines().next().unwrap_or_default())
            };
            faults.iter().map(shown).collect()
        }
    }
}

#[test]
fn constraints_that_olm_takes() {
    for text in [
        "{failureMessage: m, cel: {rule: 'properties.exists(p, p.type == \"certified\")'}}",
        "{cel: {rule: 'properties.exists(p, p.type == \"olm.package\" && semver_compare(p.value.version, \"1.0.0\") >= 0)'}}",
        "{cel: {rule: 'true'}}",
        "{cel: {rule: 'properties.filter(p, has(p.value.a)).size() > 1 ? true : false'}}",
        "{package: {packageName: a, versionRange: '>=1.0.0'}}",
        "{gvk: {group: g, version: v1, kind: K}, FAILUREMESSAGE: m}",
        "{any: {constraints: [{gvk: {group: g, version: v1, kind: K}}, {not: {constraints: [{package: {packageName: a, versionRange: 1.x}}]}}]}}",
        "{all: {constraints: [{cel: {rule: 'false'}}]}, cel: null}",
    ] {
        assert_eq!(faults(text), [""; 0], "{text}");
    }
}

#[test]
fn constraints_that_olm_refuses_or_does_not_read() {
    for (text, expected) in [
        ("{}", vec![": the constraint says nothing that must hold"]),
        ("null", vec![": the constraint says nothing that must hold"]),
        ("text", vec![": json: cannot unmarshal string into Go value of type constraints.Constraint"]),
        (
            "{failureMessage: x, cell: {rule: 'true'}}",
            vec![
                "/cell: a constraint has no field `cell` here",
                ": the constraint says nothing that must hold",
            ],
        ),
        (
            "{cel: {rule: 'properties.exists(p, p.type == \"certified\"'}}",
            vec![
                "/cel/rule: the CEL expression does not compile: ERROR: <input>:1:43: Syntax error: missing ')' at '<EOF>'",
            ],
        ),
        (
            "{cel: {rule: '1 + 1'}}",
            vec!["/cel/rule: the CEL expression is not a condition: its result is not a boolean"],
        ),
        (
            "{cel: {rule: 'properties[0].value'}}",
            vec!["/cel/rule: the CEL expression is not a condition: its result is not a boolean"],
        ),
        (
            "{cel: {rule: 'propertys.exists(p, true)'}}",
            vec![
                "/cel/rule: the CEL expression does not compile: ERROR: <input>:1:1: undeclared reference to 'propertys' (in container '')",
            ],
        ),
        ("{cel: {rule: ''}}", vec!["/cel/rule: `rule` is missing or empty"]),
        ("{cel: {}}", vec!["/cel/rule: `rule` is missing or empty"]),
        ("{all: {constraints: []}}", vec!["/all: `all` has no constraints"]),
        ("{any: {}}", vec!["/any: `any` has no constraints"]),
        (
            "{message: m, any: {constraints: [{message: m, package: {packageName: o, versionRange: x.y}}]}}",
            vec![
                "/message: a constraint has no field `message` here",
                "/any/constraints/0/message: a constraint has no field `message` here",
                "/any/constraints/0/package/versionRange: \"x.y\" is not a range of versions: Could not get version from string: \"x.y\"",
            ],
        ),
        (
            "{package: {packageName: '', versionRange: '1.0.0 || || 2.0.0'}}",
            vec!["/package/packageName: `packageName` is missing or empty"],
        ),
        (
            "{package: {packageName: a, versionRange: 1}}",
            vec![
                "/package/versionRange: json: cannot unmarshal number into Go struct field PackageConstraint.package.versionRange of type string",
            ],
        ),
        (
            "{none: {constraints: [{cel: {rule: 'true'}}]}}",
            vec!["/none: `none` is the old name of `not`, and OLM does not look at it any more"],
        ),
        (
            "{cel: {rule: 'true'}, gvk: {group: g, version: v, kind: k}}",
            vec![": the constraint has `gvk` and `cel`, and OLM reads `gvk` alone"],
        ),
    ] {
        assert_eq!(faults(text), expected, "{text}");
    }
}

/// Libraries of Kubernetes, optional values and comparisons across types are not there.
#[test]
fn expressions_have_the_environment_of_olm() {
    for rule in [
        "isURL('https://a')",
        "properties.sortBy(p, p.type).size() > 0",
        "properties.all(i, p, p.type != '')",
        "optional.none().hasValue()",
        "properties[?0].hasValue()",
        "properties[0].?value.hasValue()",
        "1 < 1.5",
        "'a'.lowerAscii() == 'a'",
        "cel.bind(a, 1, a == 1)",
        "semver_compare('1.0.0')  == 0",
        "semver('1.0.0').major() == 1",
    ] {
        let error = CelCondition::compile(rule).unwrap_err();
        assert!(matches!(error, CompileError::Invalid(_)), "{rule}");
    }
}

#[test]
fn what_expressions_say_of_properties() {
    let properties: [(&str, Value); 3] = [
        ("olm.package", json!({"packageName": "lantern", "version": "1.4.3"})),
        ("certified", json!(true)),
        ("weight", json!(2)),
    ];
    for (rule, expected) in [
        ("properties.exists(p, p.type == 'certified')", Some(true)),
        ("properties.exists(p, p.type == 'certified' && p.value == false)", Some(false)),
        (
            "properties.exists(p, p.type == 'olm.package' && semver_compare(p.value.version, '1.4') > 0)",
            Some(true),
        ),
        ("properties.exists(p, p.type == 'weight' && p.value == 2)", Some(true)),
        ("properties.exists(p, p.type == 'weight' && p.value + 1 == 3)", None),
        ("properties.exists(p, p.type == 'weight' && p.value + 1.0 == 3.0)", Some(true)),
        ("properties.all(p, p.value.version != '')", None),
        ("semver_compare('one', '1.0.0') == 0", None),
        ("semver_compare('v1.0', 1) == 0", Some(true)),
    ] {
        let condition = CelCondition::compile(rule).unwrap();
        assert_eq!(condition.holds(properties.clone()).ok(), expected, "{rule}");
    }
}
