//! A session of an editor: a catalog is opened and edited anywhere, and all that an editor asks is asked anywhere. Every
//! request is answered, and the server ends when it is told to.
#![no_main]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fbc_lsp::{CatalogConfiguration, FileKind, Host, HostError, Problem, Simulated, serve};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::{MemoryTree, Tree};
use libfuzzer_sys::fuzz_target;
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};

const CATALOG: &str = include_str!("../../testdata/sample-catalog/lighthouse-operator/catalog.yaml");
const FOLDER: &str = "file:///catalog";
const FILE: &str = "file:///catalog/catalog.yaml";
/// What is asked at a place; most take parts of the same parameters.
const REQUESTS: [&str; 14] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/documentLink",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "fbc/graph",
    "fbc/rule",
];
/// How many messages a session has.
const MOST: usize = 24;

/// A disk without files, and nothing but catalogs.
struct Empty;

impl Host for Empty {
    fn tree(&self, _: &Path) -> Box<dyn Tree> {
        Box::new(MemoryTree::from_iter([("catalog.yaml", CATALOG)]))
    }

    fn configuration(&self, _: &Path) -> Result<CatalogConfiguration, HostError> {
        Ok(CatalogConfiguration::default())
    }

    fn configuration_file(&self, _: &Path) -> PathBuf {
        PathBuf::from("/fbc.toml")
    }

    fn problems(&self, _: FileKind, _: &Path, _: &str, _: &FileVersions) -> Vec<Problem> {
        Vec::new()
    }

    fn simulate(&self, _: &Path) -> Result<Simulated, HostError> {
        Err(HostError::Refused("there are no scenarios".to_owned()))
    }
}

/// What an editor does: which of all things, from line and column on, over so many lines, with a text.
type Deed<'d> = (u8, u8, u8, u8, &'d str);

fn message(number: usize, (what, line, character, lines, text): Deed<'_>) -> Message {
    let start = json!({"line": line, "character": character});
    let end = json!({"line": line.saturating_add(lines), "character": character});
    let range = json!({"start": start, "end": end});
    let document = json!({"uri": FILE, "version": number + 2});
    let tell = |method: &str, params: Value| Notification::new(method.to_owned(), params).into();
    let change = |change: Value| {
        tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}))
    };
    match what % 32 {
        0..=9 => change(json!({"range": range, "text": text})),
        10 => change(json!({"text": text})),
        11 => tell("textDocument/didSave", json!({"textDocument": document})),
        12 => tell("textDocument/didClose", json!({"textDocument": document})),
        13 => tell("textDocument/didOpen", opened(text)),
        14 => {
            let (method, params) = text.split_once('\n').unwrap_or((text, ""));
            tell(method, serde_json::from_str(params).unwrap_or_default())
        }
        other => {
            let method = REQUESTS[usize::from(other) % REQUESTS.len()];
            let params = json!({
                "textDocument": document, "position": start, "range": range, "newName": text,
                "context": {"includeDeclaration": true, "triggerKind": 1, "diagnostics": []},
                "package": text, "code": text,
            });
            Request::new((number as i32).into(), method.to_owned(), params).into()
        }
    }
}

fn opened(text: &str) -> Value {
    json!({"textDocument": {"uri": FILE, "languageId": "yaml", "version": 1, "text": text}})
}

fuzz_target!(|deeds: Vec<Deed<'_>>| {
    let (client, server) = Connection::memory();
    let server = thread::spawn(move || serve(&server, Arc::new(Empty)));
    let messages: Vec<Message> =
        deeds.into_iter().take(MOST).enumerate().map(|(n, deed)| message(n, deed)).collect();
    // A client that says that it is gone ends the session by itself.
    let messages = messages
        .into_iter()
        .filter(|one| !matches!(one, Message::Notification(told) if told.method == "exit"));
    let messages: Vec<Message> = messages.collect();
    let asked = messages.iter().filter_map(|one| match one {
        Message::Request(request) => Some(request.id.clone()),
        _ => None,
    });
    let mut waiting: BTreeSet<_> = asked.chain([1_000.into(), 1_001.into()]).collect();
    let sender = client.sender.clone();
    let writer = thread::spawn(move || {
        let capabilities =
            json!({"capabilities": {}, "workspaceFolders": [{"uri": FOLDER, "name": "catalog"}]});
        let open = Notification::new("textDocument/didOpen".to_owned(), opened(CATALOG));
        let begin: [Message; 3] = [
            Request::new(1_000.into(), "initialize".to_owned(), capabilities).into(),
            Notification::new("initialized".to_owned(), json!({})).into(),
            open.into(),
        ];
        for message in begin.into_iter().chain(messages) {
            sender.send(message).expect("a server that reads");
        }
        sender
    });
    let answered = |waiting: &mut BTreeSet<_>, last: usize| {
        while waiting.len() > last {
            let message = client.receiver.recv_timeout(Duration::from_secs(8)).expect("an answer");
            if let Message::Response(response) = message {
                assert!(waiting.remove(&response.id), "{response:?}");
            }
        }
    };
    answered(&mut waiting, 1);
    let sender = writer.join().expect("a client that wrote");
    sender
        .send(Request::new(1_001.into(), "shutdown".to_owned(), Value::Null).into())
        .expect("a server that reads");
    answered(&mut waiting, 0);
    sender.send(Notification::new("exit".to_owned(), Value::Null).into()).expect("a server that reads");
    // What it still tells is not waited for.
    while client.receiver.recv().is_ok() {}
    server.join().expect("a server that ends").expect("a client that keeps to the protocol");
});
