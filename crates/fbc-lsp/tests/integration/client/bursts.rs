//! Clients that change a text faster than it is judged, and that change their minds.

use serde_json::json;

use super::harness::{CATALOG, Client, MemoryHost, URL, range};

const CONFIGURATION: &str = "file:///repository/fbc.toml";

#[test]
fn a_burst_of_changes_is_judged_once() {
    let host = MemoryHost::default();
    let mut client = Client::start_on(json!({}), host.clone());
    client.open(URL, CATALOG);
    client.versions(URL, 1);
    // The judge waits for what the configuration says.
    let gate = host.configuration.lock().unwrap();
    client
        .tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": CONFIGURATION, "type": 2 }] }));
    for version in 2..=301 {
        client.change(URL, version, Some(range((1, 6), (1, 6))), "x");
    }
    // Answers know all changes, and do not wait for the judge.
    let symbols = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URL } }));
    assert_eq!(symbols[0]["name"], format!("{}foo", "x".repeat(300)));
    drop(gate);
    assert_eq!(client.versions(URL, 301), [301]);
    client.stop();
}

#[test]
fn files_beside_catalogs_are_looked_at_once_after_a_burst() {
    let url = "file:///repository/catalog-template.yaml";
    let host = MemoryHost::default();
    let mut client = Client::start_on(json!({}), host.clone());
    client.open(URL, CATALOG);
    client.versions(URL, 1);
    let gate = host.configuration.lock().unwrap();
    client
        .tell("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": CONFIGURATION, "type": 2 }] }));
    client.open(url, "schema: olm.template.basic\n");
    for version in 2..=50 {
        client.change(url, version, Some(range((1, 0), (1, 0))), "# x\n");
    }
    client.ask("fbc/rule", json!({ "code": "FBC001" }));
    drop(gate);
    assert_eq!(client.versions(url, 50), [50]);
    client.stop();
}

#[test]
fn cancelled_requests_are_not_answered() {
    let host = MemoryHost::default();
    let mut client = Client::start_on(json!({}), host.clone());
    client.open(URL, CATALOG);
    client.versions(URL, 1);
    let gate = host.gate.lock().unwrap();
    let place = json!({ "textDocument": { "uri": URL }, "position": { "line": 6, "character": 7 } });
    let running = client.send(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": URL }, "range": range((0, 0), (1, 0)), "context": { "diagnostics": [] },
        }),
    );
    let waiting = client.send("textDocument/hover", place.clone());
    let wanted = client.send("textDocument/hover", place);
    for id in [1, 2] {
        client.tell("$/cancelRequest", json!({ "id": client.asked - id }));
    }
    // Unknown ones, and one that was answered.
    for id in [json!(99), json!("x"), json!(1)] {
        client.tell("$/cancelRequest", json!({ "id": id }));
    }
    client.ask("fbc/rule", json!({ "code": "FBC001" }));
    drop(gate);
    let refused = Err("the client cancelled the request".to_owned());
    assert_eq!(client.answer(&running), refused);
    assert_eq!(client.answer(&waiting), refused);
    assert!(client.answer(&wanted).unwrap()["contents"].is_object());
    client.stop();
}
