//! Catalogs: findings, fixes, and questions about places.

use serde_json::{Value, json};

use super::harness::{CATALOG, Client, URL, edited, range};

#[test]
fn findings_fixes_and_waivers() {
    let mut client = Client::start(&[("catalog/foo/catalog.yaml", CATALOG)]);
    client.open(URL, CATALOG);
    let found = client.diagnostics(URL, |codes| codes.contains(&"GRF009".to_owned()));
    let empty_skip = found.iter().find(|one| one["code"] == "GRF009").unwrap();
    assert_eq!(empty_skip["range"], range((11, 10), (11, 12)));
    assert_eq!(empty_skip["codeDescription"]["href"], "https://example.com/rules/GRF009.md");
    let actions = client.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": URL },
            "range": range((11, 11), (11, 11)),
            "context": { "diagnostics": [] },
        }),
    );
    let titles: Vec<&str> =
        actions.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"GRF009: remove the item"), "{titles:?}");
    let fix =
        actions.as_array().unwrap().iter().find(|one| one["title"] == "GRF009: remove the item").unwrap();
    assert_eq!(fix["isPreferred"], true);
    let fixed = edited(CATALOG, &fix["edit"]["changes"][URL]);
    assert_eq!(fixed, CATALOG.replace("[\"\", foo.v1.0.5]", "[foo.v1.0.5]"));
    let waiver = actions
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["title"] == "GRF009: add a waiver with reason")
        .unwrap();
    let text = waiver["edit"]["documentChanges"][1]["edits"][0]["newText"].as_str().unwrap();
    assert_eq!(
        text,
        "[[waivers]]\ncode = \"GRF009\"\npackage = \"foo\"\nchannel = \"stable\"\nbundle = \"foo.v1.1.0\"\nreason = \"\"\n"
    );
    client.change(URL, 2, None, &fixed);
    client.diagnostics(URL, |codes| !codes.contains(&"GRF009".to_owned()));
    client.stop();
}

#[test]
fn findings_that_speak_of_another_place() {
    let text = CATALOG.replace("  skips: [\"\", foo.v1.0.5]\n", "- name: foo.v1.0.0\n");
    let capabilities = json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } });
    for (capabilities, related, message) in [
        (
            capabilities,
            json!([{
                "location": { "uri": URL, "range": range((8, 8), (8, 18)) },
                "message": "listed first",
            }]),
            "channel \"stable\" lists \"foo.v1.0.0\" a second time\nhelp: merge the two entries: one `replaces`, all `skips`",
        ),
        (
            json!({}),
            Value::Null,
            "channel \"stable\" lists \"foo.v1.0.0\" a second time\nhelp: merge the two entries: one `replaces`, all `skips`\nlisted first at foo/catalog.yaml:9:9",
        ),
    ] {
        let mut client = Client::start_with(capabilities, &[("catalog/foo/catalog.yaml", &text)]);
        client.open(URL, &text);
        let found = client.diagnostics(URL, |codes| codes.contains(&"FBC018".to_owned()));
        let twice = found.iter().find(|one| one["code"] == "FBC018").unwrap();
        assert_eq!((&twice["relatedInformation"], &twice["message"]), (&related, &json!(message)));
        client.stop();
    }
}

#[test]
fn broken_text_keeps_its_meaning() {
    let mut client = Client::start(&[]);
    let text = CATALOG.replace("[\"\", foo.v1.0.5]", "[foo.v1.0.5]");
    client.open(URL, &text);
    client.diagnostics(URL, |codes| {
        !codes.iter().any(|code| code.starts_with("FBC0") || code.starts_with("GRF0"))
    });
    client.change(URL, 2, Some(range((6, 6), (6, 12))), "[");
    let found = client.diagnostics(URL, |codes| codes.contains(&"FBC003".to_owned()));
    // Nothing else: the channel is what it was.
    let errors: Vec<&Value> = found.iter().filter(|one| one["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0]["message"].as_str().unwrap().ends_with("what it said before counts"));
    let hover = client.at("textDocument/hover", 15, 8);
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("updates to `foo.v1.1.0`"), "{hover}");
    client.change(URL, 3, Some(range((6, 6), (6, 7))), "stable");
    client.diagnostics(URL, |codes| !codes.contains(&"FBC003".to_owned()));
    client.stop();
}

#[test]
fn a_document_that_was_never_whole_has_one_finding() {
    let mut client = Client::start(&[]);
    client.open(URL, CATALOG);
    client.diagnostics(URL, |codes| !codes.contains(&"FBC003".to_owned()));
    // A client may send the whole text each time.
    client.change(URL, 2, None, &format!("{CATALOG}---\nschema: [\n"));
    let found = client.diagnostics(URL, |codes| codes.contains(&"FBC003".to_owned()));
    let messages: Vec<&str> = found
        .iter()
        .filter(|one| one["code"] == "FBC003")
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("the document is not valid YAML"), "{messages:?}");
    client.stop();
}

#[test]
fn questions_about_places() {
    let text = CATALOG.replace("  skips: [\"\", foo.v1.0.5]", "  skipRange: '>=1.0.0 <1.1.0'");
    let mut client = Client::start(&[("catalog/foo/catalog.yaml", &text)]);
    client.open(URL, &text);
    let told = |hover: &Value| hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
    let hover = told(&client.at("textDocument/hover", 11, 20));
    assert!(hover.contains("1 of this package: `foo.v1.0.0`"), "{hover}");
    let hover = told(&client.at("textDocument/hover", 8, 10));
    assert!(hover.contains("OLM v0: updates to `foo.v1.1.0` (replaces)"), "{hover}");
    assert!(told(&client.at("textDocument/hover", 11, 4)).contains("range"), "the field");
    let hover = told(&client.at("textDocument/hover", 18, 12));
    assert!(hover.starts_with("The package and version of the bundle."), "{hover}");
    let definition = client.at("textDocument/definition", 10, 14);
    assert_eq!(definition[0]["range"], range((15, 6), (15, 16)));
    let references = client.at("textDocument/references", 15, 8);
    assert_eq!(references.as_array().unwrap().len(), 3);
    let symbols = client.at("textDocument/documentSymbol", 0, 0);
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["foo", "stable", "foo.v1.0.0", "foo.v1.1.0"]);
    assert_eq!(symbols[1]["children"].as_array().unwrap().len(), 2);
    assert!(client.at("textDocument/foldingRange", 0, 0).as_array().unwrap().len() >= 4);
    let links = client.at("textDocument/documentLink", 0, 0);
    assert_eq!(links[0]["target"], "https://quay.io/repository/foo/foo");
    let hints = client.ask(
        "textDocument/inlayHint",
        json!({
            "textDocument": { "uri": URL }, "range": range((0, 0), (40, 0)),
        }),
    );
    let labels: Vec<&str> =
        hints.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["→ foo.v1.1.0", "head of the channel"]);
    let renamed = client.ask("textDocument/rename", json!({
        "textDocument": { "uri": URL }, "position": { "line": 15, "character": 8 }, "newName": "foo.v1.0.0-fixed",
    }));
    let expected = text.replace("foo.v1.0.0", "foo.v1.0.0-fixed");
    assert_eq!(edited(&text, &renamed["changes"][URL]), expected);
    let graph = client.ask(
        "fbc/graph",
        json!({
            "textDocument": { "uri": URL }, "position": { "line": 1, "character": 0 },
        }),
    );
    assert!(graph["content"].as_str().unwrap().contains("<svg"), "{graph}");
    let page = client.ask("fbc/rule", json!({ "code": "GRF009" }));
    let page = page.as_str().unwrap();
    assert!(page.starts_with("# GRF009") && page.contains("\n\nSource: [operator-framework/"), "{page}");
    client.stop();
}

#[test]
fn all_safe_fixes_of_a_file_at_once() {
    let text = CATALOG.replace("1.1.0}", "v1.1.0}");
    let mut client = Client::start(&[("catalog/foo/catalog.yaml", &text)]);
    client.open(URL, &text);
    client.diagnostics(URL, |codes| {
        ["GRF009", "FBC026"].iter().all(|code| codes.contains(&(*code).to_owned()))
    });
    let ask = |only: &str| {
        json!({
            "textDocument": { "uri": URL },
            "range": range((0, 0), (0, 0)),
            "context": { "diagnostics": [], "only": [only] },
        })
    };
    let actions = client.ask("textDocument/codeAction", ask("source.fixAll"));
    let fixed = edited(&text, &actions[0]["edit"]["changes"][URL]);
    assert_eq!(fixed, CATALOG.replace("[\"\", foo.v1.0.5]", "[foo.v1.0.5]"));
    client.change(URL, 2, None, &fixed);
    client.diagnostics(URL, |codes| !codes.contains(&"GRF009".to_owned()));
    assert_eq!(client.ask("textDocument/codeAction", ask("source.fixAll.fbc")), json!([]));
    client.stop();
}
