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
