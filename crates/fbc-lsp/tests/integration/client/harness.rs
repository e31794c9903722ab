//! A client and a host in memory.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use fbc_lsp::{
    CatalogConfiguration, FileKind, Host, HostError, Problem, ProblemFix, ServeError, Simulated, Unmet, serve,
};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::{MemoryTree, Tree};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// A host whose disk is in memory, below `/repository`.
#[derive(Clone)]
pub(crate) struct MemoryHost {
    pub(crate) tree: MemoryTree,
    /// What `fbc.toml` says: the code of a rule that is off, or why it cannot be read.
    pub(crate) configuration: Arc<Mutex<Result<Option<&'static str>, HostError>>>,
    /// Answers about fixes wait for it.
    pub(crate) gate: Arc<Mutex<()>>,
}

impl Default for MemoryHost {
    fn default() -> Self {
        let configuration = Arc::new(Mutex::new(Ok(None)));
        Self { tree: MemoryTree::default(), configuration, gate: Arc::default() }
    }
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

    fn configuration(&self, _: &Path) -> Result<CatalogConfiguration, HostError> {
        let off = self.configuration.lock().unwrap().clone()?;
        let set_aside = move |report: &mut fbc_lint::Report| {
            report.findings.retain(|located| Some(located.finding.rule.code) != off);
        };
        Ok(CatalogConfiguration { set_aside: Box::new(set_aside), ..CatalogConfiguration::default() })
    }

    fn configuration_file(&self, _: &Path) -> PathBuf {
        drop(self.gate.lock().unwrap());
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

    fn simulate(&self, path: &Path) -> Result<Simulated, HostError> {
        let unmet = Unmet { line: 2, column: 3, message: "unmet expectation: 𝒳 is there".to_owned() };
        Ok(match path.ends_with("unmet.yaml") {
            true => Simulated {
                is_success: false,
                summary: "0 of 1 expectations are met".to_owned(),
                text: String::new(),
                unmet: vec![unmet],
            },
            false => Simulated {
                is_success: true,
                summary: "1 of 1 expectations are met".to_owned(),
                text: String::new(),
                unmet: Vec::new(),
            },
        })
    }
}

pub(crate) struct Client {
    connection: Connection,
    pub(crate) server: Option<JoinHandle<Result<(), ServeError>>>,
    pub(crate) asked: i32,
    waiting: Vec<Message>,
}

pub(crate) const CATALOG: &str = "\
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

pub(crate) const URL: &str = "file:///repository/catalog/foo/catalog.yaml";

impl Client {
    pub(crate) fn start(files: &[(&str, &str)]) -> Self {
        Self::start_with(json!({}), files)
    }

    pub(crate) fn start_with(capabilities: Value, files: &[(&str, &str)]) -> Self {
        Self::start_on(
            capabilities,
            MemoryHost { tree: files.iter().copied().collect(), ..MemoryHost::default() },
        )
    }

    pub(crate) fn start_on(capabilities: Value, host: MemoryHost) -> Self {
        let (client, server) = Connection::memory();
        let host = Arc::new(host);
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

    pub(crate) fn tell(&self, method: &str, params: Value) {
        self.connection.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
    }

    pub(crate) fn receive(&mut self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.asked += 1;
        let id = RequestId::from(self.asked);
        self.connection.sender.send(Request::new(id.clone(), method.to_owned(), params).into()).unwrap();
        id
    }

    pub(crate) fn answer(&mut self, id: &RequestId) -> Result<Value, String> {
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

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id).unwrap()
    }

    pub(crate) fn open(&self, url: &str, text: &str) {
        self.tell(
            "textDocument/didOpen",
            json!({
                "textDocument": { "uri": url, "languageId": "yaml", "version": 1, "text": text },
            }),
        );
    }

    pub(crate) fn change(&self, url: &str, version: i32, range: Option<Value>, text: &str) {
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
    pub(crate) fn diagnostics(&mut self, url: &str, fits: impl Fn(&[String]) -> bool) -> Vec<Value> {
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

    /// The versions of a file that findings were told of, up to one of them.
    pub(crate) fn versions(&mut self, url: &str, last: i64) -> Vec<i64> {
        let mut versions = Vec::new();
        while versions.last() != Some(&last) {
            let message = if self.waiting.is_empty() { self.receive() } else { self.waiting.remove(0) };
            let Message::Notification(notification) = message else { continue };
            if notification.method == "textDocument/publishDiagnostics" && notification.params["uri"] == url {
                versions.extend(notification.params["version"].as_i64());
            }
        }
        versions
    }

    /// The message that the client is to show next.
    pub(crate) fn message(&mut self) -> String {
        loop {
            let message = if self.waiting.is_empty() { self.receive() } else { self.waiting.remove(0) };
            let Message::Notification(notification) = message else { continue };
            if notification.method == "window/showMessage" {
                return notification.params["message"].as_str().unwrap().to_owned();
            }
        }
    }

    pub(crate) fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.at_place(method, URL, line, character)
    }

    pub(crate) fn at_place(&mut self, method: &str, url: &str, line: u32, character: u32) -> Value {
        self.ask(
            method,
            json!({
                "textDocument": { "uri": url },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true, "triggerKind": 1 },
            }),
        )
    }

    pub(crate) fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().unwrap().join().unwrap().unwrap();
    }
}

pub(crate) fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

/// A text after the edits of the protocol.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<lsp_types::TextEdit> = serde_json::from_value(edits.clone()).unwrap();
    edits.sort_by_key(|edit| edit.range.start);
    let byte = |position| fbc_lsp::position::byte_at(text, position, fbc_lsp::position::Encoding::Utf16);
    let mut out = text.to_owned();
    for edit in edits.into_iter().rev() {
        out.replace_range(byte(edit.range.start)..byte(edit.range.end), &edit.new_text);
    }
    out
}
