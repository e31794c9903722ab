//! What is found in which blob.

use fbc_lint::schema::{self, BlobKind, SchemaRule};
use serde_json::Value;

use super::document;

/// Blobs that fit; cases change one thing of one of them.
const PACKAGE: &str = r#"{"schema": "olm.package", "name": "etcd", "defaultChannel": "stable",
    "icon": {"base64data": "", "mediatype": "image/png"}, "description": "", "properties": []}"#;
const CHANNEL: &str = r#"{"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [
    {"name": "etcd.v2", "replaces": "etcd.v1", "skips": ["etcd.v0"], "skipRange": "<2.0.0"}, {"name": "etcd.v1"}],
    "properties": [{"type": "x", "value": false}]}"#;
const BUNDLE: &str = r#"{"schema": "olm.bundle", "package": "etcd", "name": "etcd.v2", "image": "quay.io/etcd/etcd:v2",
    "relatedImages": [{"image": "a", "name": "b"}, {"image": "c"}], "properties": [
    {"type": "olm.package", "value": {"packageName": "etcd", "version": "2.0.0", "release": "1"}},
    {"type": "olm.gvk", "value": {"group": "g", "kind": "K", "version": "v1"}},
    {"type": "example.com/any", "value": [1]}]}"#;
const DEPRECATIONS: &str = r#"{"schema": "olm.deprecations", "package": "etcd", "entries": [
    {"reference": {"schema": "olm.package"}, "message": "a"},
    {"reference": {"schema": "olm.channel", "name": "alpha"}, "message": "b"},
    {"reference": {"schema": "olm.bundle", "name": "etcd.v1"}, "message": "c"}]}"#;
const CUSTOM: &str = r#"{"schema": "com.example", "package": "etcd", "name": "", "anything": [null],
    "properties": [{"type": "olm.gvk", "value": 1}]}"#;

/// The value of a bundle's property that fits, by its type.
const VALUES: &[(&str, &str)] = &[
    ("olm.package", r#"{"packageName": "etcd", "version": "1.0.0"}"#),
    ("olm.package.required", r#"{"packageName": "etcd", "versionRange": ">=1.0.0"}"#),
    ("olm.gvk", r#"{"group": "g", "kind": "K", "version": "v1"}"#),
    ("olm.gvk.required", r#"{"group": "g", "kind": "K", "version": "v1"}"#),
    ("olm.bundle.object", r#"{"data": "e30="}"#),
    (
        "olm.csv.metadata",
        r#"{"annotations": {"a/b": "c"}, "crdDescriptions": {"owned": [{"name": "n", "version": "v1", "kind": "K",
            "specDescriptors": [{"path": "p", "x-descriptors": ["u"], "value": 3}]}]}, "provider": {},
            "apiServiceDefinitions": {}, "installModes": [{"type": "AllNamespaces", "supported": true}], "unlisted": 1}"#,
    ),
    ("olm.channel", r#"{"channelName": "stable", "priority": 3}"#),
    (
        "olm.constraint",
        r#"{"failureMessage": "f", "all": {"constraints": [{"not": {"constraints": [{"cel": {"rule": "r"}}]}},
            {"any": {"constraints": [{"gvk": {"group": "g", "kind": "K", "version": "v1"}},
            {"package": {"packageName": "p", "versionRange": "1"}}]}}]}}"#,
    ),
    ("olm.maxOpenShiftVersion", r#""4.18""#),
    ("olm.maxOpenShiftVersion", "4.18"),
    ("olm.label", r#"{"label": "l"}"#),
    ("olm.deprecated", "{}"),
];

use SchemaRule::{
    Empty, Missing, NotAllowed, Null, TooFew, TooLong, UnknownField, WrongForm, WrongType, WrongValue,
};

/// A base, what is replaced in it by what, and what is then found.
type Case = (&'static str, &'static str, &'static str, &'static [(&'static str, SchemaRule, &'static str)]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // D-FBC-14a: the blob.
    (CUSTOM, r#""schema": "com.example", "#, "", &[("", Missing, "`schema` is missing")]),
    (CUSTOM, r#""com.example""#, r#""""#, &[("/schema", Empty, "`schema` must not be empty")]),
    (CUSTOM, r#""com.example""#, "3", &[("/schema", WrongType, "`schema` must be a string, not a number")]),
    (CUSTOM, r#""etcd""#, r#""""#, &[("/package", Empty, "`package` must not be empty")]),
    (CUSTOM, r#""etcd""#, "null", &[("/package", Null, "`package` must be a string, not null")]),
    (CUSTOM, r#""name": """#, r#""name": []"#, &[("/name", WrongType, "`name` must be a string, not a list")]),
    (CUSTOM, r#"[{"type": "olm.gvk", "value": 1}]"#, "{}", &[("/properties", WrongType, "`properties` must be a list, not an object")]),
    // D-FBC-14b: the property.
    (CUSTOM, r#""type": "olm.gvk", "#, "", &[("/properties/0", Missing, "`properties[0].type` is missing")]),
    (CUSTOM, r#""olm.gvk""#, r#""""#, &[("/properties/0/type", Empty, "`properties[0].type` must not be empty")]),
    (CUSTOM, r#", "value": 1"#, "", &[("/properties/0", Missing, "`properties[0].value` is missing")]),
    (CUSTOM, r#""value": 1"#, r#""value": null"#, &[("/properties/0/value", Null, "`properties[0].value` must not be null")]),
    (CUSTOM, r#"[{"type": "olm.gvk", "value": 1}]"#, r#"["x"]"#, &[("/properties/0", WrongType, "`properties[0]` must be an object, not a string")]),
    // D-FBC-17: reserved schemas.
    (CUSTOM, "com.example", "olm.bundel", &[("/schema", WrongValue, "`schema` must be `olm.package`, `olm.channel`, `olm.bundle` or `olm.deprecations`, not `olm.bundel`")]),
    // D-FBC-18: the package.
    (PACKAGE, r#""name": "etcd", "#, "", &[("", Missing, "`name` is missing")]),
    (PACKAGE, r#""etcd""#, r#""""#, &[("/name", Empty, "`name` must not be empty")]),
    (PACKAGE, r#""defaultChannel": "stable","#, "", &[("", Missing, "`defaultChannel` is missing")]),
    (PACKAGE, r#""stable""#, r#""""#, &[("/defaultChannel", Empty, "`defaultChannel` must not be empty")]),
    (PACKAGE, "defaultChannel", "defaultchannel", &[
        ("", Missing, "`defaultChannel` is missing"),
        ("/defaultchannel", UnknownField, "`defaultchannel` is not a known field")]),
    (PACKAGE, r#""base64data": """#, r#""base64data": 3"#, &[("/icon/base64data", WrongType, "`icon.base64data` must be a string, not a number")]),
    (PACKAGE, r#""base64data": "", "#, "", &[("/icon", Missing, "`icon.base64data` is missing")]),
    (PACKAGE, r#", "mediatype": "image/png""#, "", &[("/icon", Missing, "`icon.mediatype` is missing")]),
    (PACKAGE, r#""description": """#, r#""description": true"#, &[("/description", WrongType, "`description` must be a string, not a boolean")]),
    // D-FBC-19: the channel.
    (CHANNEL, r#""package": "etcd", "#, "", &[("", Missing, "`package` is missing")]),
    (CHANNEL, r#""stable""#, r#""""#, &[("/name", Empty, "`name` must not be empty")]),
    (CHANNEL, r#""entries""#, r#""entires""#, &[
        ("", Missing, "`entries` is missing"),
        ("/entires", UnknownField, "`entires` is not a known field")]),
    (CHANNEL, r#"{"name": "etcd.v1"}"#, "{}", &[("/entries/1", Missing, "`entries[1].name` is missing")]),
    (CHANNEL, r#"{"name": "etcd.v1"}"#, r#"{"name": ""}"#, &[("/entries/1/name", Empty, "`entries[1].name` must not be empty")]),
    (CHANNEL, r#""replaces": "etcd.v1""#, r#""replaces": """#, &[("/entries/0/replaces", Empty, "`entries[0].replaces` must not be empty")]),
    (CHANNEL, r#"["etcd.v0"]"#, r#"["", 3]"#, &[
        ("/entries/0/skips/0", Empty, "`entries[0].skips[0]` must not be empty"),
        ("/entries/0/skips/1", WrongType, "`entries[0].skips[1]` must be a string, not a number")]),
    (CHANNEL, r#"["etcd.v0"]"#, "null", &[("/entries/0/skips", Null, "`entries[0].skips` must be a list, not null")]),
    (CHANNEL, r#""<2.0.0""#, r#""""#, &[("/entries/0/skipRange", Empty, "`entries[0].skipRange` must not be empty")]),
    (CHANNEL, r#""skips""#, r#""skip""#, &[("/entries/0/skip", UnknownField, "`entries[0].skip` is not a known field")]),
    // D-FBC-24: the bundle. One thing is otherwise than in the CUE: see schemas/README.md on empty names.
    (BUNDLE, r#""image": "quay.io/etcd/etcd:v2","#, "", &[("", Missing, "`image` is missing")]),
    (BUNDLE, r#""quay.io/etcd/etcd:v2""#, r#""""#, &[("/image", Empty, "`image` must not be empty")]),
    (BUNDLE, r#""properties""#, r#""props/~""#, &[
        ("", Missing, "`properties` is missing"),
        ("/props~1~0", UnknownField, r#"`["props/~"]` is not a known field"#)]),
    (BUNDLE, r#"{"image": "c"}"#, r#"{"image": ""}"#, &[("/relatedImages/1/image", Empty, "`relatedImages[1].image` must not be empty")]),
    (BUNDLE, r#"{"image": "c"}"#, "{}", &[("/relatedImages/1", Missing, "`relatedImages[1].image` is missing")]),
    (BUNDLE, r#""name": "b""#, r#""name": """#, &[]),
    (BUNDLE, r#""name": "b""#, r#""name": null"#, &[("/relatedImages/0/name", Null, "`relatedImages[0].name` must be a string, not null")]),
    (BUNDLE, r#""value": [1]"#, r#""value": null"#, &[("/properties/2/value", Null, "`properties[2].value` must not be null")]),
    (BUNDLE, r#"{"group": "g", "kind": "K", "version": "v1"}"#, "null", &[("/properties/1/value", Null, "`properties[1].value` must not be null")]),
    // D-FBC-25 to D-FBC-29: deprecations.
    (DEPRECATIONS, r#""package": "etcd""#, r#""package": """#, &[("/package", Empty, "`package` must not be empty")]),
    (DEPRECATIONS, r#""package": "etcd""#, r#""package": "etcd", "name": "x""#, &[("/name", UnknownField, "`name` is not a known field")]),
    (DEPRECATIONS, r#""message": "a""#, r#""message": """#, &[("/entries/0/message", Empty, "`entries[0].message` must not be empty")]),
    (DEPRECATIONS, r#", "message": "a""#, "", &[("/entries/0", Missing, "`entries[0].message` is missing")]),
    (DEPRECATIONS, r#"{"schema": "olm.package"}"#, r#"{"schema": "olm.package", "name": "etcd"}"#, &[
        ("/entries/0/reference/name", NotAllowed, "`entries[0].reference.name` must not be there: the package is named by the blob")]),
    (DEPRECATIONS, r#", "name": "alpha""#, "", &[("/entries/1/reference", Missing, "`entries[1].reference.name` is missing")]),
    (DEPRECATIONS, r#""name": "etcd.v1""#, r#""name": """#, &[("/entries/2/reference/name", Empty, "`entries[2].reference.name` must not be empty")]),
    (DEPRECATIONS, r#""olm.bundle""#, r#""olm.foo""#, &[
        ("/entries/2/reference/schema", WrongValue, "`entries[2].reference.schema` must be `olm.package`, `olm.channel` or `olm.bundle`, not `olm.foo`")]),
    (DEPRECATIONS, r#"{"schema": "olm.package"}"#, "{}", &[("/entries/0/reference", Missing, "`entries[0].reference.schema` is missing")]),
    (DEPRECATIONS, r#"{"schema": "olm.package"}"#, r#""olm.package""#, &[
        ("/entries/0/reference", WrongType, "`entries[0].reference` must be an object, not a string")]),
    (r#"{"schema": "olm.deprecations", "package": "etcd", "entries": []}"#, "", "", &[("/entries", TooFew, "`entries` must have at least 1 item")]),
    // No objects at all.
    ("[]", "", "", &[("", WrongType, "the document must be an object, not a list")]),
    ("null", "", "", &[("", Null, "the document must be an object, not null")]),
];

/// The type of a property, its value, and what is found below the value.
type ValueCase = (&'static str, &'static str, &'static [(&'static str, SchemaRule, &'static str)]);

#[rustfmt::skip]
const VALUE_CASES: &[ValueCase] = &[
    // D-FBC-33
    ("olm.package", r#"{"packageName": "", "version": 1.1}"#, &[
        ("/packageName", Empty, "`properties[0].value.packageName` must not be empty"),
        ("/version", WrongType, "`properties[0].value.version` must be a string, not a number")]),
    ("olm.package", r#"{"packageName": "etcd", "version": "1.0.0", "release": "123456789.123456789.1"}"#, &[
        ("/release", TooLong, "`properties[0].value.release` must have at most 20 characters")]),
    ("olm.package", "[]", &[("", WrongType, "`properties[0].value` must be an object, not a list")]),
    // D-FBC-34
    ("olm.gvk", r#"{"group": "", "kind": "K"}"#, &[
        ("", Missing, "`properties[0].value.version` is missing"),
        ("/group", Empty, "`properties[0].value.group` must not be empty")]),
    ("olm.gvk.required", r#"{"group": "g", "kind": "", "version": "v1", "extra": 1}"#, &[
        ("/extra", UnknownField, "`properties[0].value.extra` is not a known field"),
        ("/kind", Empty, "`properties[0].value.kind` must not be empty")]),
    // D-FBC-35
    ("olm.package.required", r#"{"packageName": "p", "versionRange": ""}"#, &[
        ("/versionRange", Empty, "`properties[0].value.versionRange` must not be empty")]),
    // X-3: used by the documents, and defined by the consumers.
    ("olm.bundle.object", r#"{"ref": "objects/a.yaml"}"#, &[
        ("", Missing, "`properties[0].value.data` is missing"),
        ("/ref", UnknownField, "`properties[0].value.ref` is not a known field")]),
    ("olm.csv.metadata", r#"{"annotations": {"a/b": 1}, "installModes": [{"type": "All", "supported": "true"}]}"#, &[
        ("/annotations/a~1b", WrongType, r#"`properties[0].value.annotations["a/b"]` must be a string, not a number"#),
        ("/installModes/0/supported", WrongType, "`properties[0].value.installModes[0].supported` must be a boolean, not a string"),
        ("/installModes/0/type", WrongValue, "`properties[0].value.installModes[0].type` must be `OwnNamespace`, `SingleNamespace`, `MultiNamespace` or `AllNamespaces`, not `All`")]),
    ("olm.channel", r#"{"channelName": "c", "priority": 1.5}"#, &[
        ("/priority", WrongType, "`properties[0].value.priority` must be a whole number, not a number")]),
    ("olm.constraint", "{}", &[("", Missing, "`properties[0].value` must have `all`, `any`, `cel`, `gvk`, `not` or `package`")]),
    ("olm.constraint", r#"{"all": {"constraints": [{"cel": {"rule": ""}}, {"cell": {}, "gvk": {}}]}, "any": {"constraints": []}}"#, &[
        ("/all/constraints/0/cel/rule", Empty, "`properties[0].value.all.constraints[0].cel.rule` must not be empty"),
        ("/all/constraints/1/cell", UnknownField, "`properties[0].value.all.constraints[1].cell` is not a known field"),
        ("/all/constraints/1/gvk", Missing, "`properties[0].value.all.constraints[1].gvk.group` is missing"),
        ("/all/constraints/1/gvk", Missing, "`properties[0].value.all.constraints[1].gvk.kind` is missing"),
        ("/all/constraints/1/gvk", Missing, "`properties[0].value.all.constraints[1].gvk.version` is missing"),
        ("/any/constraints", TooFew, "`properties[0].value.any.constraints` must have at least 1 item")]),
    ("olm.maxOpenShiftVersion", r#""v4.18""#, &[("", WrongForm, "`properties[0].value` must be a major and a minor version of OpenShift, such as `\"4.18\"`")]),
    ("olm.maxOpenShiftVersion", "0", &[("", WrongForm, "`properties[0].value` must be a major and a minor version of OpenShift, such as `\"4.18\"`")]),
    ("olm.maxOpenShiftVersion", "true", &[("", WrongType, "`properties[0].value` must be a number or a string, not a boolean")]),
    ("olm.label", "{}", &[("", Missing, "`properties[0].value.label` is missing")]),
    ("olm.deprecated", "true", &[("", WrongType, "`properties[0].value` must be an object, not a boolean")]),
    ("olm.other", "true", &[]),
];

fn changed(base: &str, from: &str, to: &str) -> String {
    assert!(base.contains(from), "{base} has no {from}");
    if from.is_empty() { base.to_owned() } else { base.replacen(from, to, 1) }
}

fn with_property(property_type: &str, value: &str) -> String {
    format!(
        r#"{{"schema": "olm.bundle", "package": "p", "name": "n", "image": "i", "properties": [{{"type": "{property_type}", "value": {value}}}]}}"#
    )
}

/// Every blob of the tables.
pub(super) fn blobs() -> Vec<Value> {
    let bases = [PACKAGE, CHANNEL, BUNDLE, DEPRECATIONS, CUSTOM].map(str::to_owned);
    let values = VALUES.iter().map(|(property_type, value)| with_property(property_type, value));
    let cases = CASES.iter().map(|(base, from, to, _)| changed(base, from, to));
    let value_cases = VALUE_CASES.iter().map(|(property_type, value, _)| with_property(property_type, value));
    let texts = bases.into_iter().chain(values).chain(cases).chain(value_cases);
    texts.map(|text| serde_json::from_str(&text).unwrap()).collect()
}

fn found(text: &str) -> Vec<(String, SchemaRule, String)> {
    let document = document(text);
    let kind = BlobKind::from_blob(document.root());
    let violations = schema::violations(document.root(), kind);
    assert_eq!(schema::is_valid(document.root(), kind), violations.is_empty(), "{text}");
    for violation in &violations {
        assert!(schema::by_name(violation.schema).is_some(), "{violation:?}");
    }
    violations.into_iter().map(|one| (one.pointer, one.rule, one.message)).collect()
}

#[test]
fn blobs_that_fit_have_no_violations() {
    for base in [PACKAGE, CHANNEL, BUNDLE, DEPRECATIONS, CUSTOM] {
        assert_eq!(found(base), [], "{base}");
    }
    for (property_type, value) in VALUES {
        assert_eq!(found(&with_property(property_type, value)), [], "{property_type}");
    }
}

#[test]
fn every_violation_is_found_and_told_in_words() {
    for (base, from, to, expected) in CASES {
        let text = changed(base, from, to);
        let expected: Vec<_> = expected
            .iter()
            .map(|(pointer, rule, words)| ((*pointer).to_owned(), *rule, (*words).to_owned()))
            .collect();
        assert_eq!(found(&text), expected, "{text}");
    }
}

#[test]
fn values_of_properties_are_looked_at_by_their_type() {
    for (property_type, value, expected) in VALUE_CASES {
        let expected: Vec<_> = expected
            .iter()
            .map(|(below, rule, words)| {
                (format!("/properties/0/value{below}"), *rule, format!("property `{property_type}`: {words}"))
            })
            .collect();
        assert_eq!(found(&with_property(property_type, value)), expected, "{property_type} {value}");
    }
}

#[test]
fn a_violation_names_its_schema_and_what_was_meant() {
    let document = document(&changed(CHANNEL, r#""skipRange""#, r#""skiprange""#));
    let [violation] = &schema::violations(document.root(), BlobKind::Channel)[..] else { panic!() };
    assert_eq!(violation.schema, "part/channel-entry");
    assert_eq!(violation.help, "did you mean `skipRange`?");
    assert_eq!(violation.expected, "`name`, `replaces`, `skipRange` or `skips`");

    let document = super::document(&changed(PACKAGE, "defaultChannel", "DefaultChannel"));
    let violations = schema::violations(document.root(), BlobKind::Package);
    assert_eq!(violations[0].help, "write `defaultChannel` instead of `DefaultChannel`");
    assert_eq!(violations[0].schema, "blob/olm.package");

    let document = super::document(&changed(PACKAGE, r#""base64data": """#, r#""base64data": 3"#));
    assert_eq!(schema::violations(document.root(), BlobKind::Package)[0].expected, "a string");
}

#[test]
fn items_come_in_the_order_of_their_numbers() {
    let entries = ["{}"; 12].join(", ");
    let text = format!(r#"{{"schema": "olm.channel", "package": "p", "name": "n", "entries": [{entries}]}}"#);
    let pointers: Vec<String> = found(&text).into_iter().map(|(pointer, _, _)| pointer).collect();
    let expected: Vec<String> = (0..12).map(|index| format!("/entries/{index}")).collect();
    assert_eq!(pointers, expected);
}
