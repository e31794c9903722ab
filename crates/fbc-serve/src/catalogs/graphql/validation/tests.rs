//! Queries that do not fit a schema, and what is said of them.

use super::super::discovery::Discovery;
use super::super::{parser, schema};
use super::*;

/// A schema with the types `Ab` and `AbList`, and the field `abs`.
fn ab() -> Schema {
    let mut discovery = Discovery::default();
    let (document, _) =
        fbc_yaml::json_reader::read_value(br#"{"name": "a", "count": 1, "list": [{"name": "b"}]}"#, 0)
            .unwrap();
    discovery.add("ab", document.root());
    schema::build(discovery).unwrap()
}

/// The messages about a query, each with its places.
fn errors(query: &str) -> Vec<String> {
    let document = parser::parse(query).unwrap();
    let found = validate(&ab(), &document, &Source::new(query)).unwrap();
    let shown = |error: QueryError| {
        let places = error.locations.iter().map(|place| format!("{}:{}", place.line, place.column));
        format!("{} {}", places.collect::<Vec<String>>().join(","), error.message)
    };
    found.into_iter().map(shown).collect()
}

#[test]
fn queries_that_fit_are_allowed() {
    for query in [
        "{ abs { name } }",
        "{ __typename abs { __typename list { __typename name } } __schema { types { name } } }",
        "query($n: Int = 3, $b: Boolean!) { abs(limit: $n, offset: 2) @skip(if: $b) { name @include(if: true) } }",
        "query($n: Int! = 3) { abs { name } a: abs(limit: $n) { name } }",
        "{ abs { ...F ... on Ab { count } ... { name } } } fragment F on Ab { name list { name } }",
        "{ abs { name name a: name } abs { name count } }",
        "query a { abs { name } } query b { abs { name } }",
        "mutation { anything(a: 1) { at { all } } }",
        "{ abs(limit: null) { name } }",
        "{ __type(name: \"Ab\") { fields(includeDeprecated: true) { name } } }",
    ] {
        let found: Vec<String> =
            errors(query).into_iter().filter(|error| !error.contains("default value")).collect();
        assert_eq!(found, [] as [String; 0], "{query}");
    }
}

#[test]
fn fields_are_known_and_complete() {
    for (query, expected) in [
        ("{ ab { name } }", "1:3 Cannot query field \"ab\" on type \"Query\". Did you mean \"abs\"?"),
        (
            "{\n  abs { nam counts }\n}",
            "2:9 Cannot query field \"nam\" on type \"Ab\". Did you mean \"name\"?",
        ),
        ("{ abs }", "1:3 Field \"abs\" of type \"[Ab]\" must have a sub selection."),
        ("{ abs { name { a } } }", "1:14 Field \"name\" of type \"String\" must not have a sub selection."),
        (
            "{ __typename { a } }",
            "1:14 Field \"__typename\" of type \"String!\" must not have a sub selection.",
        ),
        ("{ abs { __schema { types { name } } } }", "1:9 Cannot query field \"__schema\" on type \"Ab\"."),
        (
            "{ abs(limits: 1) { name } }",
            "1:7 Unknown argument \"limits\" on field \"abs\" of type \"Query\". Did you mean \"limit\"?",
        ),
        ("{ abs(limit: 1, limit: 1) { name } }", "1:7,1:17 There can be only one argument named \"limit\"."),
        (
            "{ abs(limit: \"1\") { name } }",
            "1:14 Argument \"limit\" has invalid value \"1\".\nExpected type \"Int\", found \"1\".",
        ),
        (
            "{ abs(limit: [1]) { name } }",
            "1:14 Argument \"limit\" has invalid value [1].\nExpected type \"Int\", found [1].",
        ),
        (
            "{ abs(limit: 99999999999999999999) { name } }",
            "1:14 Argument \"limit\" has invalid value 99999999999999999999.\nExpected type \"Int\", found 99999999999999999999.",
        ),
        (
            "{ __type { name } }",
            "1:3 Field \"__type\" argument \"name\" of type \"String!\" is required but not provided.",
        ),
        (
            "{ __type(name: null) { name } }",
            "1:16 Argument \"name\" has invalid value null.\nExpected \"String!\", found null.",
        ),
        ("{ abs @x { name } }", "1:7 Unknown directive \"x\"."),
        (
            "{ abs @skip { name } }",
            "1:7 Directive \"@skip\" argument \"if\" of type \"Boolean!\" is required but not provided.",
        ),
        (
            "{ abs @skip(if: 1) { name } }",
            "1:17 Argument \"if\" has invalid value 1.\nExpected type \"Boolean\", found 1.",
        ),
        ("query @skip(if: true) { abs { name } }", "1:7 Directive \"skip\" may not be used on QUERY."),
        (
            "{ abs { a: name a: count } }",
            "1:9,1:17 Fields \"a\" conflict because name and count are different fields. Use different aliases on the fields to fetch both if this was intentional.",
        ),
        (
            "{ abs { name } abs(limit: 1) { name } }",
            "1:3,1:16 Fields \"abs\" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.",
        ),
        (
            "{ abs { a: name } abs { a: count } }",
            "1:3,1:9,1:19,1:25 Fields \"abs\" conflict because subfields \"a\" conflict because name and count are different fields. Use different aliases on the fields to fetch both if this was intentional.",
        ),
        (
            "{ abs { a: name ...F } } fragment F on Ab { a: count }",
            "1:9,1:45 Fields \"a\" conflict because name and count are different fields. Use different aliases on the fields to fetch both if this was intentional.",
        ),
    ] {
        assert_eq!(errors(query).first().map(String::as_str), Some(expected), "{query}");
    }
}

#[test]
fn fragments_and_operations_fit() {
    for (query, expected) in [
        ("{ ...F }", "1:6 Unknown fragment \"F\"."),
        (
            "{ ...F } fragment F on Abs { name }",
            "1:24 Unknown type \"Abs\". Did you mean \"Ab\" or \"AbList\"?",
        ),
        ("{ ... on Int { name } }", "1:10 Fragment cannot condition on non composite type \"Int\"."),
        (
            "{ ... on Ab { name } }",
            "1:3 Fragment cannot be spread here as objects of type \"Query\" can never be of type \"Ab\".",
        ),
        (
            "{ ...F } fragment F on Ab { name }",
            "1:3 Fragment \"F\" cannot be spread here as objects of type \"Query\" can never be of type \"Ab\".",
        ),
        ("{ abs { name } } fragment F on Ab { name }", "1:18 Fragment \"F\" is never used."),
        ("{ ...F } fragment F on Query { ...F }", "1:32 Cannot spread fragment \"F\" within itself."),
        (
            "{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }",
            "1:32,1:61 Cannot spread fragment \"F\" within itself via G.",
        ),
        (
            "{ ...F } fragment F on Query { __typename } fragment F on Query { __typename }",
            "1:19,1:54 There can only be one fragment named \"F\".",
        ),
        ("{ __typename } { __typename }", "1:1 This anonymous operation must be the only defined operation."),
        (
            "query a { __typename } query a { __typename }",
            "1:7,1:30 There can only be one operation named \"a\".",
        ),
    ] {
        assert_eq!(errors(query).first().map(String::as_str), Some(expected), "{query}");
    }
}

#[test]
fn variables_fit() {
    for (query, expected) in [
        ("{ abs(limit: $n) { name } }", "1:14,1:1 Variable \"$n\" is not defined."),
        (
            "query a { ...F } fragment F on Query { abs(limit: $n) { name } }",
            "1:51,1:1 Variable \"$n\" is not defined by operation \"a\".",
        ),
        ("query ($n: Int) { abs { name } }", "1:8 Variable \"$n\" is never used."),
        ("query a($n: Int) { abs { name } }", "1:9 Variable \"$n\" is never used in operation \"a\"."),
        (
            "query ($n: Int, $n: Int) { abs(limit: $n) { name } }",
            "1:9,1:18 There can only be one variable named \"n\".",
        ),
        (
            "query ($n: Ab) { abs(limit: $n) { name } }",
            "1:12 Variable \"$n\" cannot be non-input type \"Ab\".",
        ),
        ("query ($n: Inte) { abs(limit: $n) { name } }", "1:12 Unknown type \"Inte\". Did you mean \"Int\"?"),
        (
            "query ($n: String) { abs(limit: $n) { name } }",
            "1:8,1:33 Variable \"$n\" of type \"String\" used in position expecting type \"Int\".",
        ),
        (
            "query ($n: String) { __type(name: $n) { name } }",
            "1:8,1:35 Variable \"$n\" of type \"String\" used in position expecting type \"String!\".",
        ),
        (
            "query ($n: Int = \"a\") { abs(limit: $n) { name } }",
            "1:18 Variable \"$n\" has invalid default value: \"a\".\nExpected type \"Int\", found \"a\".",
        ),
        (
            "query ($n: Int! = 1) { abs(limit: $n) { name } }",
            "1:19 Variable \"$n\" of type \"Int!\" is required and will not use the default value. Perhaps you meant to use type \"Int\".",
        ),
    ] {
        assert_eq!(errors(query).first().map(String::as_str), Some(expected), "{query}");
    }
    assert_eq!(errors("query ($n: String = \"Ab\") { __type(name: $n) { name } }"), [] as [String; 0]);
}

#[test]
fn no_query_takes_long_to_check() {
    let chain: String =
        (0..4000).map(|number| format!("fragment F{number} on Ab{{...F{}}}", number + 1)).collect();
    let fields = " a".repeat(40_000);
    let spreads = "...F ".repeat(15_000);
    for query in [
        format!("{{abs{{name}}}}{chain}"),
        format!("{{abs{{{fields}}}}}"),
        format!("{{abs{{{spreads}}}}}fragment F on Ab{{{spreads}}}"),
        format!("{{abs{{{}}}}}", "name ".repeat(20_000)),
        format!("{{abs{{name(a:[{}])}}}}", "$a ".repeat(30_000)),
    ] {
        assert!(errors(&query).len() <= MOST_ERRORS, "{} bytes", query.len());
    }
}

#[test]
fn fragments_that_multiply_are_compared_once() {
    let level = |number: usize| {
        let below = number + 1;
        let fields = ["a", "b", "c", "d"].map(|name| format!("{name}:ofType{{...F{below}}}"));
        format!("fragment F{number} on __Type{{{}}}", fields.join(" "))
    };
    let levels: String = (0..40).map(level).collect();
    let query = format!("{{__type(name:\"Ab\"){{...F0}}}}{levels}fragment F40 on __Type{{name}}");
    assert_eq!(errors(&query), [] as [String; 0]);
}
