//! The protocol: one loop that takes messages of the client and results of the workers, whichever come first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::{MessageType, PublishDiagnosticsParams, ShowMessageParams, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::catalog::{CatalogState, Judged, MAX_BYTES};
use crate::host::{FileKind, Host, Problem, Simulated};
use crate::jobs::{Cancelled, Worker};
use crate::workspace::{Workspace, of_problem};

mod capabilities;
mod requests;

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client does not speak the protocol.
    #[error("the client does not speak the protocol: {0}")]
    Protocol(#[from] lsp_server::ProtocolError),
    /// The system has no threads left.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The client is gone without saying so.
    #[error("the client is gone without saying so")]
    Gone,
}

/// What a worker is done with.
enum Event {
    Loaded { root: PathBuf, state: CatalogState, judged: BTreeMap<String, Arc<Judged>>, whole: Judged, seen: u64 },
    Judged { root: PathBuf, package: String, judged: Judged },
    Whole { root: PathBuf, judged: Judged },
    Problems { url: Url, version: i32, problems: Vec<Problem> },
    Simulated { url: Url, id: RequestId, outcome: Result<Simulated, String> },
    Failed { message: String },
}

/// The server at work.
struct Server {
    host: Arc<dyn Host>,
    sender: Sender<Message>,
    events: Sender<Event>,
    workspace: Workspace,
    cancelled: Cancelled,
    /// Judges packages and single files; what editors wait for while typing.
    judge: Worker,
    /// Answers questions.
    answers: Worker,
    /// Reads catalogs, judges whole ones, plays scenarios.
    slow: Worker,
    /// Packages that are to be judged anew.
    dirty: BTreeSet<(PathBuf, String)>,
    /// Whether the judge is at work.
    is_judging: bool,
    /// Counts changes, so that what was read before one is told from what was read after.
    changes: u64,
    /// Ids of requests to the client.
    asked: i32,
    can_watch: bool,
    can_refresh_hints: bool,
}

/// Serves a client until it says that it is done.
///
/// # Errors
/// [`ServeError`]
pub fn serve(connection: &Connection, host: Arc<dyn Host>) -> Result<(), ServeError> {
    let (id, params) = connection.initialize_start()?;
    // Clients send what this version of the protocol does not know; what cannot be read has its default.
    let client = serde_json::from_value::<lsp_types::InitializeParams>(params).unwrap_or_default();
    let mut workspace = Workspace::default();
    let result = capabilities::agree(&client, &mut workspace);
    connection.initialize_finish(id, result)?;
    let (events, results) = unbounded();
    let workspace_client = client.capabilities.workspace.unwrap_or_default();
    let mut server = Server {
        host,
        sender: connection.sender.clone(),
        events,
        workspace,
        cancelled: Cancelled::default(),
        judge: Worker::start("judge")?,
        answers: Worker::start("answers")?,
        slow: Worker::start("slow")?,
        dirty: BTreeSet::new(),
        is_judging: false,
        changes: 0,
        asked: 0,
        can_watch: workspace_client.did_change_watched_files.is_some_and(|watched| watched.dynamic_registration == Some(true)),
        can_refresh_hints: workspace_client.inlay_hint.is_some_and(|hints| hints.refresh_support == Some(true)),
    };
    server.watch_files();
    server.run(connection, &results)
}

impl Server {
    fn run(&mut self, connection: &Connection, results: &Receiver<Event>) -> Result<(), ServeError> {
        loop {
            select! {
                recv(connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    // Answers to what we asked: registrations, which may be refused.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Err(ServeError::Gone),
                },
                recv(results) -> event => {
                    if let Ok(event) = event {
                        self.event(event);
                    }
                }
            }
            self.judge_next();
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed by the loop.
        let _ = self.sender.send(message.into());
    }

    fn notify<N: notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn notification(&mut self, notification: Notification) {
        match notification.method.as_str() {
            notification::DidOpenTextDocument::METHOD => self.opened(notification),
            notification::DidChangeTextDocument::METHOD => self.changed(notification),
            notification::DidSaveTextDocument::METHOD => self.saved(notification),
            notification::DidCloseTextDocument::METHOD => self.closed(notification),
            notification::DidChangeWatchedFiles::METHOD => self.watched(notification),
            notification::DidChangeWorkspaceFolders::METHOD => self.folders_changed(notification),
            notification::Cancel::METHOD => {
                if let Some(params) = params::<lsp_types::CancelParams>(notification.params) {
                    self.cancelled.add(match params.id {
                        lsp_types::NumberOrString::Number(number) => number.into(),
                        lsp_types::NumberOrString::String(text) => text.into(),
                    });
                }
            }
            // What the client tells us and we have no use for.
            _ => {}
        }
    }

    fn opened(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidOpenTextDocumentParams>(notification.params) else { return };
        let item = params.text_document;
        self.changes += 1;
        let host = Arc::clone(&self.host);
        let tree = |folder: &Path| host.tree(folder);
        let load = self.workspace.open(item.uri.clone(), item.version, &item.text, &tree);
        match load {
            Some(root) => self.load(root),
            None => self.mark_file(&item.uri),
        }
        self.check_file(&item.uri);
    }

    fn changed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeTextDocumentParams>(notification.params) else { return };
        let url = params.text_document.uri;
        self.changes += 1;
        match self.workspace.change(&url, params.text_document.version, params.content_changes) {
            Some((root, packages)) => {
                self.dirty.extend(packages.into_iter().map(|package| (root.clone(), package)));
            }
            None => self.check_file(&url),
        }
    }

    fn saved(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidSaveTextDocumentParams>(notification.params) else { return };
        let Some(file) = self.workspace.open.get(&params.text_document.uri) else { return };
        match (&file.root, file.kind) {
            (Some(root), _) => self.judge_whole(root.clone()),
            (None, Some(FileKind::Configuration)) => self.mark_everything(),
            (None, _) => {}
        }
    }

    fn closed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidCloseTextDocumentParams>(notification.params) else { return };
        let url = params.text_document.uri;
        let Some(file) = self.workspace.open.remove(&url) else { return };
        match file.root {
            // What is on disk counts again, if it is there at all.
            Some(root) if self.workspace.open.values().any(|other| other.root.as_ref() == Some(&root)) => self.load(root),
            Some(root) => self.forget(&root),
            None => self.publish(&url, None, Vec::new()),
        }
    }

    /// Drops a catalog of which no file is open.
    fn forget(&mut self, root: &Path) {
        self.workspace.catalogs.remove(root);
        self.dirty.retain(|(other, _)| other != root);
        let gone: Vec<PathBuf> = self.workspace.published.iter().filter(|path| path.starts_with(root)).cloned().collect();
        for path in gone {
            self.workspace.published.remove(&path);
            if let Ok(url) = Url::from_file_path(&path) {
                self.publish(&url, None, Vec::new());
            }
        }
    }

    fn watched(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeWatchedFilesParams>(notification.params) else { return };
        let mut roots = BTreeSet::new();
        for change in params.changes {
            let Ok(path) = change.uri.to_file_path() else { continue };
            if path.file_name().is_some_and(|name| name == "fbc.toml") {
                self.mark_everything();
            }
            // Editors tell of their own files.
            if !self.workspace.open.contains_key(&change.uri) {
                roots.extend(self.workspace.catalogs.keys().filter(|root| path.starts_with(root)).cloned());
            }
        }
        roots.into_iter().for_each(|root| self.load(root));
    }

    fn folders_changed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeWorkspaceFoldersParams>(notification.params) else { return };
        let path = |folder: lsp_types::WorkspaceFolder| folder.uri.to_file_path().ok();
        let gone: BTreeSet<PathBuf> = params.event.removed.into_iter().filter_map(path).collect();
        self.workspace.folders.retain(|folder| !gone.contains(folder));
        self.workspace.folders.extend(params.event.added.into_iter().filter_map(path));
    }

    /// Reads a catalog and judges all of it, on the slow worker.
    fn load(&mut self, root: PathBuf) {
        let (host, events, seen) = (Arc::clone(&self.host), self.events.clone(), self.changes);
        let open = self.workspace.open_files(&root);
        self.slow.push(move || {
            let tree = host.tree(&root);
            let state = CatalogState::load(&root, tree.as_ref(), &open);
            let policy = match host.policy(&root) {
                Ok(policy) => policy,
                Err(message) => {
                    let _ = events.send(Event::Failed { message });
                    return;
                }
            };
            let leave = |report: &mut fbc_lint::Report| host.leave_counting(&root, report);
            let judged = state
                .packages()
                .into_iter()
                .map(|package| {
                    let judged = state.judge(&package, &policy, &leave);
                    (package, Arc::new(judged))
                })
                .collect();
            let whole = state.judge_whole(&policy, &leave);
            // The loop ends with the client, and then nobody listens.
            let _ = events.send(Event::Loaded { root: root.clone(), state, judged, whole, seen });
        });
    }

    fn judge_whole(&self, root: PathBuf) {
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, host, events) = (Arc::clone(&entry.state), Arc::clone(&self.host), self.events.clone());
        self.slow.push(move || {
            let Ok(policy) = host.policy(&root) else { return };
            let judged = state.judge_whole(&policy, &|report| host.leave_counting(&root, report));
            let _ = events.send(Event::Whole { root, judged });
        });
    }

    /// Gives the judge the next package, if it has nothing to do. What changed meanwhile is judged once.
    fn judge_next(&mut self) {
        if self.is_judging {
            return;
        }
        let Some((root, package)) = self.dirty.pop_first() else { return };
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, host, events) = (Arc::clone(&entry.state), Arc::clone(&self.host), self.events.clone());
        self.is_judging = true;
        self.judge.push(move || {
            let judged = match host.policy(&root) {
                Ok(policy) => state.judge(&package, &policy, &|report| host.leave_counting(&root, report)),
                Err(_) => Judged::default(),
            };
            drop(state);
            let _ = events.send(Event::Judged { root, package, judged });
        });
    }

    /// Marks the packages of an open file for judging.
    fn mark_file(&mut self, url: &Url) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let Some(root) = file.root.clone() else { return };
        let packages = file.buffer.pieces.iter().map(|piece| piece.about.package.clone());
        self.dirty.extend(packages.map(|package| (root.clone(), package)).collect::<Vec<_>>());
    }

    fn mark_everything(&mut self) {
        for (root, entry) in &self.workspace.catalogs {
            self.dirty.extend(entry.state.packages().into_iter().map(|package| (root.clone(), package)));
        }
    }

    /// Looks at a file that is no catalog.
    fn check_file(&self, url: &Url) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let Some(kind) = file.kind.filter(|kind| *kind != FileKind::Catalog) else { return };
        let (host, events, buffers) = (Arc::clone(&self.host), self.events.clone(), self.workspace.buffers());
        let (url, version, path, buffer) = (url.clone(), file.version, file.path.clone(), Arc::clone(&file.buffer));
        self.judge.push(move || {
            let problems = host.problems(kind, &path, &buffer.text(), &buffers);
            let _ = events.send(Event::Problems { url, version, problems });
        });
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Loaded { root, mut state, judged, whole, seen } => {
                let open = self.workspace.open_files(&root);
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                for (path, buffer) in open {
                    state.files.insert(path, crate::catalog::FileState { buffer, is_open: true });
                }
                let bytes = state.bytes();
                entry.state = Arc::new(state);
                entry.judged = judged;
                entry.whole = Some(Arc::new(whole));
                entry.is_loaded = true;
                if bytes > MAX_BYTES {
                    self.tell(
                        MessageType::WARNING,
                        format!("{} has more than {} MiB; files beyond are not looked at until they are open", root.display(), MAX_BYTES >> 20),
                    );
                }
                if seen != self.changes {
                    // Something was typed while the files were read.
                    let urls: Vec<Url> = self.workspace.open.keys().cloned().collect();
                    urls.iter().for_each(|url| self.mark_file(url));
                }
                self.publish_catalog(&root);
            }
            Event::Judged { root, package, judged } => {
                self.is_judging = false;
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                let judged = Arc::new(judged);
                let old = entry.judged.insert(package, Arc::clone(&judged));
                // Files that hold the package, and those that did.
                let files = old.iter().chain([&judged]).flat_map(|judged| &judged.files);
                let paths = files.map(|file| file.info.path.clone()).collect();
                self.publish_files(&root, paths);
            }
            Event::Whole { root, judged } => {
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                entry.whole = Some(Arc::new(judged));
                self.publish_catalog(&root);
            }
            Event::Problems { url, version, problems } => {
                let (encoding, pages) = (self.workspace.encoding, self.workspace.rule_pages.clone());
                let Some(file) = self.workspace.open.get_mut(&url).filter(|file| file.version == version) else { return };
                let text = file.buffer.text();
                let mut diagnostics: Vec<lsp_types::Diagnostic> =
                    problems.iter().map(|problem| of_problem(problem, &text, encoding, pages.as_deref())).collect();
                diagnostics.extend(simulation(file.simulated.as_ref()));
                file.problems = problems;
                self.publish(&url, Some(version), diagnostics);
            }
            Event::Simulated { url, id, outcome } => self.simulated(url, id, outcome),
            Event::Failed { message } => self.tell(MessageType::ERROR, message),
        }
    }

    fn simulated(&mut self, url: Url, id: RequestId, outcome: Result<Simulated, String>) {
        let answer = match &outcome {
            Ok(run) => serde_json::json!({ "success": run.is_success, "summary": run.summary, "text": run.text }),
            Err(message) => serde_json::json!({ "success": false, "summary": message, "text": "" }),
        };
        self.send(Response::new_ok(id, answer));
        if let Some(file) = self.workspace.open.get_mut(&url) {
            file.simulated = Some(outcome);
            self.check_file(&url);
        }
        self.asked += 1;
        self.send(Request::new(self.asked.into(), "workspace/codeLens/refresh".to_owned(), Value::Null));
    }

    fn tell(&self, typ: MessageType, message: String) {
        self.notify::<notification::ShowMessage>(ShowMessageParams { typ, message });
    }

    fn publish(&self, url: &Url, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams { uri: url.clone(), diagnostics, version });
    }

    /// Tells the client what is found in a catalog: in files with findings, and in those that had some.
    fn publish_catalog(&mut self, root: &Path) {
        let Some(entry) = self.workspace.catalogs.get(root) else { return };
        let mut paths: BTreeSet<PathBuf> = entry.findings().map(|(_, placed)| placed.path.clone()).collect();
        paths.extend(entry.state.files.iter().filter(|(_, file)| file.is_open).map(|(path, _)| path.clone()));
        let known = self.workspace.published.iter().filter_map(|path| path.strip_prefix(root).ok());
        paths.extend(known.map(Path::to_path_buf));
        self.publish_files(root, paths);
    }

    fn publish_files(&mut self, root: &Path, paths: BTreeSet<PathBuf>) {
        for relative in paths {
            let path = root.join(&relative);
            let Ok(url) = Url::from_file_path(&path) else { continue };
            let diagnostics = self.workspace.diagnostics(root, &relative);
            let is_known = match diagnostics.is_empty() {
                true => self.workspace.published.remove(&path),
                false => !self.workspace.published.insert(path),
            };
            let file = self.workspace.open.get(&url);
            if !diagnostics.is_empty() || is_known || file.is_some() {
                self.publish(&url, file.map(|file| file.version), diagnostics);
            }
        }
        if self.can_refresh_hints {
            self.asked += 1;
            self.send(Request::new(self.asked.into(), "workspace/inlayHint/refresh".to_owned(), Value::Null));
        }
    }

    /// Asks the client to tell of files that change on disk.
    fn watch_files(&mut self) {
        if self.can_watch {
            self.asked += 1;
            self.send(Request::new(self.asked.into(), "client/registerCapability".to_owned(), capabilities::watchers()));
        }
    }
}

/// Reads what a message holds; nothing if it is nonsense.
fn params<P: DeserializeOwned>(value: Value) -> Option<P> {
    serde_json::from_value(value).ok()
}

/// What came of a simulation, as a diagnostic of the first line where it failed.
fn simulation(outcome: Option<&Result<Simulated, String>>) -> Option<lsp_types::Diagnostic> {
    let message = match outcome? {
        Ok(run) if run.is_success => return None,
        Ok(run) => run.summary.clone(),
        Err(message) => message.clone(),
    };
    Some(lsp_types::Diagnostic {
        severity: Some(lsp_types::DiagnosticSeverity::ERROR),
        source: Some("fbc simulate".to_owned()),
        message,
        ..lsp_types::Diagnostic::default()
    })
}
