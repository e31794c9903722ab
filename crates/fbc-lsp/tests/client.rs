//! A client in memory: what an editor sees, message by message.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use fbc_lsp::{Configured, FileKind, Host, Problem, ProblemFix, ServeError, Simulated, serve};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::{MemoryTree, Tree};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// A host whose disk is in memory, below `/repository`.
#[derive(Clone, Default)]
struct MemoryHost {
    tree: MemoryTree,
}

impl Host for MemoryHost {
    fn tree(&self, folder: &Path) -> Box<dyn Tree> {
        struct Below(MemoryTree, PathBuf);
        impl Tree for Below {
            fn list(&self, directory: &Path) -> std::io::Result<Vec<fbc_model::tree::TreeEntry>> {
                self.0.list(&self.1.join(directory))
            }
            fn read(&self, file: &Path) -> std::io::Result<Vec<u8>> {
                self.0.read(&self.1.join(file))
            }
        }
        Box::new(Below(self.tree.clone(), folder.strip_prefix("/repository").unwrap().to_path_buf()))
    }

    fn configured(&self, _: &Path) -> Result<Configured, String> {
        Ok(Configured::default())
    }

    fn configuration_file(&self, _: &Path) -> PathBuf {
        PathBuf::from("/repository/fbc.toml")
    }

    fn problems(&self, kind: FileKind, _: &Path, text: &str, _: &FileVersions) -> Vec<Problem> {
        let at = text.find("wrong");
        let problem = |at| Problem {
            bytes: at..at + 5,
            message: format!("{kind:?}"),
            help: String::new(),
            code: "",
            is_error: true,
            fixes: vec![ProblemFix {
                title: "put it right".to_owned(),
                is_safe: true,
                replacements: vec![(at..at + 5, "right".to_owned())],
            }],
        };
        at.map(problem).into_iter().collect()
    }

    fn simulate(&self, _: &Path) -> Result<Simulated, String> {
        Ok(Simulated {
            is_success: true,
            summary: "1 of 1 expectations are met".to_owned(),
            text: String::new(),
        })
    }
}

struct Client {
    connection: Connection,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    asked: i32,
    waiting: Vec<Message>,
}

const CATALOG: &str = "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
  skips: [\"\", foo.v1.0.5]
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: quay.io/foo/foo:v1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: quay.io/foo/foo:v2
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
";

const URL: &str = "file:///repository/catalog/foo/catalog.yaml";

impl Client {
    fn start(files: &[(&str, &str)]) -> Self {
        Self::start_with(json!({}), files)
    }

    fn start_with(capabilities: Value, files: &[(&str, &str)]) -> Self {
        let (client, server) = Connection::memory();
        let host = Arc::new(MemoryHost { tree: files.iter().copied().collect() });
        let server = std::thread::spawn(move || serve(&server, host));
        let mut started = Self { connection: client, server: Some(server), asked: 0, waiting: Vec::new() };
        let result = started.ask(
            "initialize",
            json!({
                "capabilities": capabilities,
                "workspaceFolders": [{ "uri": "file:///repository", "name": "work" }],
                "initializationOptions": { "rulePages": "https://example.com/rules/" },
            }),
        );
        assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
        started.tell("initialized", json!({}));
        started
    }

    fn tell(&self, method: &str, params: Value) {
        self.connection.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
    }

    fn receive(&mut self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.asked += 1;
        let id = RequestId::from(self.asked);
        self.connection.sender.send(Request::new(id.clone(), method.to_owned(), params).into()).unwrap();
        id
    }

    fn answer(&mut self, id: &RequestId) -> Result<Value, String> {
        loop {
            match self.receive() {
                Message::Response(response) if response.id == *id => {
                    return match response.error {
                        Some(error) => Err(error.message),
                        None => Ok(response.result.unwrap_or_default()),
                    };
                }
                other => self.waiting.push(other),
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id).unwrap()
    }

    fn open(&self, url: &str, text: &str) {
        self.tell(
            "textDocument/didOpen",
            json!({
                "textDocument": { "uri": url, "languageId": "yaml", "version": 1, "text": text },
            }),
        );
    }

    fn change(&self, url: &str, version: i32, range: Option<Value>, text: &str) {
        let mut change = json!({ "text": text });
        if let Some(range) = range {
            change["range"] = range;
        }
        self.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": url, "version": version },
                "contentChanges": [change],
            }),
        );
    }

    /// The diagnostics of a file as soon as they fit.
    fn diagnostics(&mut self, url: &str, fits: impl Fn(&[String]) -> bool) -> Vec<Value> {
        loop {
            let message = if self.waiting.is_empty() { self.receive() } else { self.waiting.remove(0) };
            let Message::Notification(notification) = message else { continue };
            if notification.method != "textDocument/publishDiagnostics" || notification.params["uri"] != url {
                continue;
            }
            let found = notification.params["diagnostics"].as_array().unwrap().clone();
            let codes: Vec<String> =
                found.iter().map(|one| one["code"].as_str().unwrap_or_default().to_owned()).collect();
            if fits(&codes) {
                return found;
            }
        }
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.ask(
            method,
            json!({
                "textDocument": { "uri": URL },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true, "triggerKind": 1 },
            }),
        )
    }

    fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().unwrap().join().unwrap().unwrap();
    }
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

/// A text after the edits of the protocol.
fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<lsp_types::TextEdit> = serde_json::from_value(edits.clone()).unwrap();
    edits.sort_by_key(|edit| edit.range.start);
    let byte = |position| fbc_lsp::position::byte_at(text, position, fbc_lsp::position::Encoding::Utf16);
    let mut out = text.to_owned();
    for edit in edits.into_iter().rev() {
        out.replace_range(byte(edit.range.start)..byte(edit.range.end), &edit.new_text);
    }
    out
}

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
    assert!(client.ask("fbc/rule", json!({ "code": "GRF009" })).as_str().unwrap().starts_with("# GRF009"));
    client.stop();
}

#[test]
fn completion_of_names_keys_and_values() {
    let text =
        CATALOG.replace("  replaces: foo.v1.0.0\n  skips: [\"\", foo.v1.0.5]\n", "  replaces: \n  ski\n");
    let mut client = Client::start(&[]);
    client.open(URL, CATALOG);
    client.change(URL, 2, None, &text);
    let labels = |items: Value| -> Vec<String> {
        items.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect()
    };
    let broken = labels(client.at("textDocument/completion", 11, 5));
    assert!(broken.contains(&"skipRange".to_owned()), "{broken:?}");
    let text = text.replace("  ski\n", "");
    client.change(URL, 3, None, &text);
    let names = labels(client.at("textDocument/completion", 10, 12));
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(labels(client.at("textDocument/completion", 2, 16)), ["stable"]);
    let schemas = labels(client.at("textDocument/completion", 0, 8));
    assert!(schemas.contains(&"olm.bundle".to_owned()));
    client.stop();
}

#[test]
fn completion_in_json() {
    let start = r#"{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [
  {"name": "foo.v1.0.0"},
  {"name": "foo.v1.1.0", "replaces": "foo.v1.0.0"}
]}
"#;
    let url = "file:///repository/catalog/foo/catalog.json";
    let mut client = Client::start(&[]);
    client.open(url, start);
    let mut version = 1;
    let mut completed = |typed: &str| -> Vec<String> {
        version += 1;
        let text = start.replace("\"replaces\": \"foo.v1.0.0\"}", typed);
        client.change(url, version, None, &text);
        let line = text.lines().nth(3).unwrap();
        let place = json!({
            "textDocument": { "uri": url },
            "position": { "line": 3, "character": line.find('|').unwrap() },
        });
        let without = text.replace('|', "");
        version += 1;
        client.change(url, version, None, &without);
        let items = client.ask("textDocument/completion", place);
        let items = items.as_array().unwrap().iter();
        items
            .map(|item| edited(&without, &json!([item["textEdit"]])).lines().nth(3).unwrap().to_owned())
            .collect()
    };
    let keys = completed("\"sk|\"}");
    assert!(keys.contains(&r#"  {"name": "foo.v1.1.0", "skipRange": }"#.to_owned()), "{keys:?}");
    let keys = completed("\"sk|");
    assert!(keys.contains(&r#"  {"name": "foo.v1.1.0", "skips": "#.to_owned()), "{keys:?}");
    let names = completed("\"replaces\": |}");
    assert_eq!(
        names.first().map(String::as_str),
        Some(r#"  {"name": "foo.v1.1.0", "replaces": "foo.v1.1.0"}"#)
    );
    let names = completed("\"skips\": [\"foo|\"]}");
    assert!(names.contains(&r#"  {"name": "foo.v1.1.0", "skips": ["foo.v1.0.0"]}"#.to_owned()), "{names:?}");
    client.stop();
}

#[test]
fn other_files_are_checked_by_the_host() {
    let mut client = Client::start(&[]);
    let url = "file:///repository/fbc.toml";
    client.open(url, "𝒳 wrong");
    let found = client.diagnostics(url, |_| true);
    assert_eq!((&found[0]["message"], &found[0]["range"]), (&json!("Configuration"), &range((0, 3), (0, 8))));
    let actions = client.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": url }, "range": range((0, 4), (0, 4)), "context": { "diagnostics": [] },
        }),
    );
    assert_eq!(actions[0]["edit"]["changes"][url][0]["newText"], "right");
    let scenario = "file:///repository/s.yaml";
    client.open(scenario, "title: x\nsteps: []\n");
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": scenario } }));
    assert_eq!(lenses[0]["command"]["command"], "fbc.simulate");
    let run =
        client.ask("workspace/executeCommand", json!({ "command": "fbc.simulate", "arguments": [scenario] }));
    assert_eq!(run["success"], true);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": scenario } }));
    assert_eq!(lenses[1]["command"]["title"], "✓ 1 of 1 expectations are met");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": url } }));
    assert_eq!(client.diagnostics(url, |_| true), [] as [Value; 0]);
    client.stop();
}

#[test]
fn several_roots_and_files_that_vanish() {
    let other = CATALOG.replace("foo", "bar");
    let mut client = Client::start(&[
        ("catalog/foo/catalog.yaml", CATALOG),
        ("catalog/bar/catalog.yaml", &other),
        ("b/x/catalog.yaml", CATALOG),
    ]);
    client.open(URL, CATALOG);
    // A file that nobody has open has its findings too.
    client.diagnostics("file:///repository/catalog/bar/catalog.yaml", |codes| {
        codes.contains(&"GRF009".to_owned())
    });
    let second = "file:///repository/b/x/catalog.yaml";
    client.open(second, CATALOG);
    client.diagnostics(second, |codes| codes.contains(&"GRF009".to_owned()));
    let gone = "file:///repository/catalog/nowhere/catalog.yaml";
    client.open(gone, "schema: olm.package\nname: x\n");
    client.diagnostics(gone, |codes| codes.contains(&"GRF007".to_owned()));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": gone } }));
    client.diagnostics(gone, |codes| codes.is_empty());
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": second } }));
    client.diagnostics(second, |codes| codes.is_empty());
    client.stop();
}

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
