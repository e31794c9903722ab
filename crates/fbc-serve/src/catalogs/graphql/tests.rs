//! Questions over a small catalog, and their answers.

use std::sync::Arc;
use std::time::SystemTime;

use fbc_model::load::load_with_documents;
use fbc_model::tree::MemoryTree;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::super::store::{Storage, Store};
use super::super::{AnswerBody, CatalogService, SchemaFault, body};
use super::source::Source;
use super::{Asked, execute, parser};

const CATALOG: &str = r#"
{"schema": "olm.package", "name": "lamp", "defaultChannel": "a", "icon": {"mediatype": "x<y", "base64data": ""}}
{"schema": "olm.package", "name": "oil", "default-channel": "b"}
{"schema": "olm.channel", "name": "a", "package": "lamp",
 "entries": [{"name": "lamp.v1", "skips": ["x", "y"]}, {"name": "lamp.v2", "replaces": "lamp.v1"}]}
{"schema": "x-y", "count": 7, "ratio": 1.5, "on": true, "texts": ["a", "b"], "mixed": [1, "a"], "objects": [{"a-b": 1}, null, 5]}
{"schema": "x-y", "count": "8", "ratio": "none", "on": "false", "texts": "a", "count_": 9, "large": 1e300, "objects": 3}
{"schema": "x-y", "count": 2.9, "ratio": 2, "on": 0, "texts": [1000000, true]}
"#;

fn store(catalog: &str) -> Result<Store, SchemaFault> {
    let tree = MemoryTree::from_iter([("catalog.json", catalog.to_owned())]);
    let (loaded, documents) = load_with_documents(&tree);
    assert!(loaded.faults.is_empty(), "{:?}", loaded.faults);
    let packages = String::new();
    Store::new(documents, Storage { modified: SystemTime::UNIX_EPOCH, file: None, graphql: true, packages })
}

fn post(service: &CatalogService, catalog: &str, content: impl Into<bytes::Bytes>) -> Response<AnswerBody> {
    let request = Request::post(format!("/catalogs/{catalog}/api/v1/graphql")).body(body::whole(content));
    wait(service.answer(request.unwrap()))
}

fn wait<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(what)
}

fn text(response: Response<AnswerBody>) -> String {
    String::from_utf8(wait(response.into_body().collect()).unwrap().to_bytes().to_vec()).unwrap()
}

fn service() -> CatalogService {
    let service = CatalogService::default();
    service.catalog("it").set(Arc::new(store(CATALOG).unwrap()));
    service.catalog("empty");
    service
}

fn ask(query: &str) -> Value {
    let response = post(&service(), "it", json!({"query": query}).to_string());
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    serde_json::from_str(&text(response)).unwrap()
}

#[test]
fn questions_are_answered() {
    for (query, data) in [
        (
            "{ summary { totalSchemas schemas { name totalObjects totalFields } } }",
            json!({"summary": {"totalSchemas": 3, "schemas": [
                {"name": "olm.channel", "totalObjects": 1, "totalFields": 4},
                {"name": "olm.package", "totalObjects": 2, "totalFields": 4},
                {"name": "x-y", "totalObjects": 3, "totalFields": 8},
            ]}}),
        ),
        // Objects are JSON in a string, as Go's encoder writes it; keys with the same name are one field.
        (
            "{ olmpackages { name defaultChannel icon } }",
            json!({"olmpackages": [
                {"name": "lamp", "defaultChannel": "a", "icon": r#"{"base64data":"","mediatype":"x\u003cy"}"#},
                {"name": "oil", "defaultChannel": "b", "icon": null},
            ]}),
        ),
        // Lists of objects have types of their own, with the fields of all objects.
        (
            "{ olmchannels { __typename entries { __typename name replaces skips } } }",
            json!({"olmchannels": [{"__typename": "OlmChannel", "entries": [
                {"__typename": "OlmChannelEntries", "name": "lamp.v1", "replaces": null, "skips": ["x", "y"]},
                {"__typename": "OlmChannelEntries", "name": "lamp.v2", "replaces": "lamp.v1", "skips": null},
            ]}]}),
        ),
        // The first blob decides the type; what another one has becomes that type, or null.
        (
            "{ xys { count ratio on texts mixed large objects { aB } } }",
            json!({"xys": [
                {"count": 7, "ratio": 1.5, "on": true, "texts": ["a", "b"], "mixed": ["1", "a"], "large": null,
                 "objects": [{"aB": 1}, null, {"aB": null}]},
                {"count": 8, "ratio": null, "on": false, "texts": null, "mixed": null, "large": 1e300, "objects": null},
                {"count": 2, "ratio": 2, "on": false, "texts": ["1e+06", "true"], "mixed": null,
                 "large": null, "objects": null},
            ]}),
        ),
        ("{ olmpackages(limit: 1) { name } }", json!({"olmpackages": [{"name": "lamp"}]})),
        ("{ olmpackages(offset: 1, limit: 5) { name } }", json!({"olmpackages": [{"name": "oil"}]})),
        ("{ olmpackages(offset: 9) { name } }", json!({"olmpackages": []})),
        (
            "{ olmpackages(offset: -1, limit: -1) { name } }",
            json!({"olmpackages": [{"name": "lamp"}, {"name": "oil"}]}),
        ),
        (
            "fragment F on OlmPackage { name } { one: olmpackages(limit: 1) { ...F } }",
            json!({"one": [{"name": "lamp"}]}),
        ),
        (
            r#"{ __type(name: "OlmChannel") { fields { name type { kind name ofType { name } } } } }"#,
            json!({"__type": {"fields": [
                {"name": "entries", "type": {"kind": "LIST", "name": null, "ofType": {"name": "OlmChannelEntries"}}},
                {"name": "name", "type": {"kind": "SCALAR", "name": "String", "ofType": null}},
                {"name": "package", "type": {"kind": "SCALAR", "name": "String", "ofType": null}},
                {"name": "schema", "type": {"kind": "SCALAR", "name": "String", "ofType": null}},
            ]}}),
        ),
    ] {
        assert_eq!(ask(query), json!({"data": data}), "{query}");
    }
    let names = ask("{ __schema { queryType { fields { name args { name defaultValue description } } } } }");
    let fields = names.pointer("/data/__schema/queryType/fields").and_then(Value::as_array).unwrap();
    let limit =
        json!({"name": "limit", "defaultValue": "100", "description": "Maximum number of items to return"});
    assert!(
        fields.iter().any(|field| field["name"] == "olmchannels" && field["args"][0] == limit),
        "{fields:?}"
    );
}

#[test]
fn questions_may_have_names_and_variables() {
    let content = json!({
        "query": "query one($n: Int!) { olmpackages(offset: $n) { name } } query two { summary { totalSchemas } }",
        "operationName": "one",
        "variables": {"n": 1},
    });
    let answer = text(post(&service(), "it", content.to_string()));
    assert_eq!(answer, "{\"data\":{\"olmpackages\":[{\"name\":\"oil\"}]}}\n");
}

#[test]
fn answers_are_sorted_and_fields_of_one_name_are_one() {
    let query = "{ xys(limit: 1) { ratio count ...F } a: xys(limit: 1) { __typename } xys(limit: 1) { on } } \
                 fragment F on XY { ... on XY { objects { aB } } ... @skip(if: true) { large } mixed @include(if: false) }";
    let answer = text(post(&service(), "it", json!({"query": query}).to_string()));
    let data = r#"{"a":[{"__typename":"XY"}],"xys":[{"count":7,"objects":[{"aB":1},null,{"aB":null}],"on":true,"ratio":1.5}]}"#;
    assert_eq!(answer, format!("{{\"data\":{data}}}\n"));
}

#[test]
fn variables_become_what_is_expected() {
    let query = "query ($n: Int, $s: Boolean = true, $t: String!) { olmpackages(limit: $n) { name @skip(if: $s) icon } \
                 __type(name: $t) { name } }";
    for (variables, expected) in [
        (
            json!({"t": "X"}),
            json!({"data": {"__type": null, "olmpackages": [
            {"icon": r#"{"base64data":"","mediatype":"x\u003cy"}"#}, {"icon": null}]}}),
        ),
        (
            json!({"t": "XY", "n": "1", "s": false}),
            json!({"data": {"__type": {"name": "XY"}, "olmpackages": [
            {"icon": r#"{"base64data":"","mediatype":"x\u003cy"}"#, "name": "lamp"}]}}),
        ),
        (
            json!({}),
            json!({"data": null, "errors": [{
            "message": "Variable \"$t\" of required type \"String!\" was not provided.",
            "locations": [{"line": 1, "column": 37}]}]}),
        ),
        (
            json!({"t": "X", "n": "x"}),
            json!({"data": null, "errors": [{
            "message": "Variable \"$n\" got invalid value \"x\".\nExpected type \"Int\", found \"x\".",
            "locations": [{"line": 1, "column": 8}]}]}),
        ),
    ] {
        let content = json!({"query": query, "variables": variables}).to_string();
        let answer: Value = serde_json::from_str(&text(post(&service(), "it", content))).unwrap();
        assert_eq!(answer, expected, "{variables}");
    }
}

#[test]
fn errors_have_the_words_and_the_shape_of_catalogd() {
    for (content, expected) in [
        (
            json!({"query": "{\n  summary("}),
            json!({"message": "query parse error: Syntax Error GraphQL (2:11) Expected Name, found EOF\n\n1: {\n2:   summary(\n             ^\n",
                "locations": []}),
        ),
        (
            json!({"query": "fragment F on Query { __typename }"}),
            json!({"message": "Fragment \"F\" is never used.",
            "locations": [{"line": 1, "column": 1}]}),
        ),
        (json!({"query": " "}), json!({"message": "Must provide an operation.", "locations": []})),
        (
            json!({"query": "subscription { a }"}),
            json!({"message": "Schema is not configured for subscriptions",
            "locations": [{"line": 1, "column": 1}]}),
        ),
        (
            json!({"query": "query a { __typename } query b { __typename }"}),
            json!({"message": "Must provide operation name if query contains multiple operations.", "locations": []}),
        ),
        (
            json!({"query": "query a { __typename }", "operationName": "b"}),
            json!({"message": "Unknown operation named \"b\".", "locations": []}),
        ),
    ] {
        let answer: Value = serde_json::from_str(&text(post(&service(), "it", content.to_string()))).unwrap();
        assert_eq!(answer, json!({"data": null, "errors": [expected]}), "{content}");
    }
}

/// What GraphiQL asks first is deeper than catalogd allows; nothing else is wrong with it.
#[test]
fn a_schema_tells_all_of_itself() {
    let wrapped = "kind name ofType { ".repeat(7) + "kind name" + &" }".repeat(7);
    let query = format!(
        "query IntrospectionQuery {{ __schema {{ queryType {{ name }} mutationType {{ name }} subscriptionType {{ name }} \
         types {{ ...FullType }} directives {{ name description locations args {{ ...InputValue }} }} }} }} \
         fragment FullType on __Type {{ kind name description fields(includeDeprecated: true) {{ name description \
         args {{ ...InputValue }} type {{ ...TypeRef }} isDeprecated deprecationReason }} inputFields {{ ...InputValue }} \
         interfaces {{ ...TypeRef }} enumValues(includeDeprecated: true) {{ name description isDeprecated \
         deprecationReason }} possibleTypes {{ ...TypeRef }} }} \
         fragment InputValue on __InputValue {{ name description type {{ ...TypeRef }} defaultValue }} \
         fragment TypeRef on __Type {{ {wrapped} }}"
    );
    let refusal = ask(&query);
    assert_eq!(refusal["errors"][0]["message"], "query exceeds maximum depth of 10");
    let asked = Asked { query, ..Asked::default() };
    let store = store(CATALOG).unwrap();
    let document = parser::parse(&asked.query).unwrap();
    let schema = &store.graphql.as_ref().unwrap().0;
    let answer = execute(schema, &store, &document, &Source::new(&asked.query), &asked).unwrap();
    assert_eq!(answer.errors, []);
    let found: Value = serde_json::from_slice(&answer.data).unwrap();
    let schema = &found["__schema"];
    assert_eq!(schema["queryType"], json!({"name": "Query"}));
    assert_eq!(schema["mutationType"], Value::Null);
    let types = schema["types"].as_array().unwrap();
    let names: Vec<&str> = types.iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "Boolean",
            "CatalogSummary",
            "Float",
            "Int",
            "OlmChannel",
            "OlmChannelEntries",
            "OlmPackage",
            "Query",
            "SchemaSummary",
            "String",
            "XY",
            "XYObjects",
            "__Directive",
            "__DirectiveLocation",
            "__EnumValue",
            "__Field",
            "__InputValue",
            "__Schema",
            "__Type",
            "__TypeKind",
        ]
    );
    let of = |name: &str| types.iter().find(|of| of["name"] == name).unwrap();
    let by_name = |list: &Value, name: &str| {
        list.as_array().unwrap().iter().find(|item| item["name"] == name).cloned().unwrap()
    };
    assert_eq!(
        by_name(&of("Query")["fields"], "olmpackages")["args"][1],
        json!({"name": "offset", "description": "Number of items to skip", "defaultValue": "0",
            "type": {"kind": "SCALAR", "name": "Int", "ofType": null}})
    );
    let types_of_schema = by_name(&of("__Schema")["fields"], "types");
    assert_eq!(
        types_of_schema["type"],
        json!({"kind": "NON_NULL", "name": null, "ofType": {"kind": "LIST", "name": null, "ofType":
            {"kind": "NON_NULL", "name": null, "ofType": {"kind": "OBJECT", "name": "__Type", "ofType": null}}}})
    );
    assert_eq!((&of("XY")["interfaces"], &of("XY")["enumValues"]), (&json!([]), &Value::Null));
    assert_eq!(of("__TypeKind")["enumValues"].as_array().unwrap().len(), 8);
    let skip = by_name(&schema["directives"], "skip");
    assert_eq!((&skip["locations"][0], &skip["args"][0]["name"]), (&json!("FIELD"), &json!("if")));
}

#[test]
fn questions_that_multiply_have_a_budget() {
    let deeper = |below: &str| format!("fields {{ type {{ {below} }} }}");
    let query = format!("{{ __schema {{ types {{ {} }} }} }}", deeper(&deeper(&deeper("name"))));
    let answer = ask(&query.replace("name", "name kind description"));
    assert!(answer["errors"].is_null(), "{}", answer["errors"]);
    let level = |number: usize| {
        let fields = "fields { args { type { name } } type { ...F# } } a: fields { type { ...F# } } b: fields { type { ...F# } }";
        format!("fragment F{number} on __Type {{ {} }}", fields.replace('#', &(number + 1).to_string()))
    };
    let names: Vec<String> = (0..12).rev().map(|number| format!("...F{number}")).collect();
    let levels: String = (0..12).map(level).collect();
    let query = format!(
        "{{ t: __type(name: \"__Type\") {{ {} }} }} {levels} fragment F12 on __Type {{ name }}",
        "...F12 ".to_owned() + &names.join(" ")
    );
    let answer = ask(&query);
    let error = &answer["errors"][0];
    assert!(answer["data"].is_null() && error["message"].as_str().unwrap().contains("128 MiB"), "{error}");
    assert_eq!((&error["path"][0], error["locations"].as_array().unwrap().len()), (&json!("t"), 1));
    let level = |number: usize| {
        format!("fragment F{number} on __Type {{ fields {{ type {{ ...F{} }} }} }} ", number + 1)
    };
    let levels: String = (0..60).map(level).collect();
    let names: Vec<String> = (0..=60).rev().map(|number| format!("...F{number}")).collect();
    let last = "fragment F60 on __Type { name }";
    let answer = ask(&format!("{{ __type(name: \"__Type\") {{ {} }} }} {levels} {last}", names.join(" ")));
    assert_eq!(answer["errors"][0]["message"], "query exceeds maximum nesting of 50");
}

#[test]
fn wrong_questions_are_refused_in_the_answer() {
    let deep = format!("{}{}", "{ a ".repeat(11), "}".repeat(11));
    for (query, message) in [
        ("{", "query parse error: "),
        (deep.as_str(), "query exceeds maximum depth of 10"),
        ("{ olmbundles { name } }", "olmbundles"),
        ("{ olmpackages { version } }", "version"),
        ("{ olmpackages }", "olmpackages"),
        ("mutation { a }", "mutation"),
    ] {
        let answer = ask(query);
        let found = answer.pointer("/errors/0/message").and_then(Value::as_str).unwrap_or_default();
        assert!(answer["data"].is_null() && found.contains(message), "{query}: {answer}");
    }
}

#[test]
fn wrong_requests_are_refused() {
    let service = service();
    let long = json!({"query": "#".repeat(100_001)}).to_string();
    for (catalog, content, code, words) in [
        ("it", "", 400, "Invalid request body\n"),
        ("it", "[1]", 400, "Invalid request body\n"),
        ("it", r#"{"query": 1}"#, 400, "Invalid request body\n"),
        ("it", "{}", 400, "Query cannot be empty\n"),
        ("it", "null", 400, "Query cannot be empty\n"),
        ("it", &long, 400, "Query too large\n"),
        ("it", &" ".repeat((1 << 20) + 1), 400, "Invalid request body\n"),
        ("empty", r#"{"query": "{ a }"}"#, 404, "404 Not Found\n"),
        ("no_name", "{}", 400, "invalid catalog name: a lowercase"),
    ] {
        let response = post(&service, catalog, content.to_owned());
        assert_eq!(response.status(), code, "{words}");
        assert!(text(response).starts_with(words), "{words}");
    }
    // What follows the first value is not looked at, as in Go's decoder.
    assert_eq!(post(&service, "it", r#"{"query": "{ summary { totalSchemas } }"} x"#).status(), 200);
}

#[test]
fn a_question_has_a_budget() {
    let long = format!("{{\"schema\": \"a\", \"text\": \"{}\"}}", "x".repeat(2 << 20));
    let service = CatalogService::default();
    service.catalog("it").set(Arc::new(store(&long).unwrap()));
    let fields: Vec<String> = (0..40).map(|number| format!("a{number}: as {{ text }}")).collect();
    let answer =
        text(post(&service, "it", json!({"query": format!("{{ {} }}", fields.join(" "))}).to_string()));
    assert!(answer.contains("needs more than 128 MiB") && answer.len() < 1000, "{}", answer.len());
}

#[test]
fn schemas_that_cannot_be_told_apart_are_refused() {
    for (schemas, fault) in [
        (
            ["a.b", "a-b"],
            r#"type name collision: schemas "a-b" and "a.b" both sanitize to GraphQL type "AB""#,
        ),
        (["ab", "a.b"], r#"query field collision: schemas "a.b" and "ab" both map to field "abs""#),
        (["query", "a"], r#"multiple types named "Query""#),
        (["1.2", "a"], r#"but "2" does not"#),
    ] {
        let catalog = schemas.map(|schema| format!("{{\"schema\": \"{schema}\"}}")).concat();
        let found = store(&catalog).unwrap_err().to_string();
        assert!(found.contains(fault), "{found}");
    }
}
