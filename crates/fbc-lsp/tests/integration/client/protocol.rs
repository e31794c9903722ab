//! Clients that say nonsense, change their minds or die.

use fbc_lsp::ServeError;
use serde_json::json;

use super::harness::{CATALOG, Client, URL, range};

#[test]
fn nonsense_and_cancelled_requests() {
    let mut client = Client::start(&[]);
    client.tell("textDocument/didOpen", json!({ "textDocument": 7 }));
    client.tell("textDocument/didChange", json!(null));
    client.tell("no/such/notification", json!([1]));
    client.change("file:///repository/never-opened.yaml", 3, None, "x");
    client.change("untitled:1", 3, None, "x");
    for (method, params) in [
        ("textDocument/hover", json!({ "textDocument": {} })),
        ("textDocument/rename", json!([])),
        ("workspace/executeCommand", json!({ "command": "rm" })),
        ("no/such/request", json!({})),
    ] {
        let id = client.send(method, params);
        assert!(client.answer(&id).is_err(), "{method}");
    }
    client.open(URL, CATALOG);
    // Positions beyond the text, ranges that run backwards, versions that run backwards.
    client.at("textDocument/hover", 9_999, 9_999);
    client.change(URL, -1, Some(range((5, 0), (2, 0))), "schema: olm.package\nname: foo\n");
    client.change(URL, 0, Some(range((999, 0), (1_000, 7))), "\u{feff}---\n\u{0}");
    let id = client.send(
        "textDocument/hover",
        json!({ "textDocument": { "uri": URL }, "position": { "line": 0, "character": 9 } }),
    );
    client.tell("$/cancelRequest", json!({ "id": client.asked }));
    let _ = client.answer(&id);
    client.stop();
}

#[test]
fn a_client_that_dies_ends_the_server() {
    let mut client = Client::start(&[]);
    client.open(URL, CATALOG);
    let server = client.server.take().unwrap();
    drop(client);
    assert!(matches!(server.join().unwrap(), Err(ServeError::Gone | ServeError::Protocol(_))));
}
