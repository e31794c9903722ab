//! The protocol: one loop that takes messages of the client and results of the workers, whichever come first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use lsp_types::{Url, notification};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::catalog::{CatalogState, Judged};
use crate::host::{Host, HostError, Problem, Simulated};
use crate::jobs::{Cancelled, Worker};
use crate::workspace::Workspace;

mod capabilities;
mod events;
mod judging;
mod notifications;
mod requests;
mod scenarios;

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
    Loaded {
        root: PathBuf,
        state: CatalogState,
        left_out: Vec<PathBuf>,
        judged: BTreeMap<String, Arc<Judged>>,
        whole: Judged,
        seen: u64,
    },
    Judged {
        root: PathBuf,
        package: String,
        judged: Judged,
        /// Whether its own text changed, so that somebody waits for it.
        is_edited: bool,
    },
    Whole {
        root: PathBuf,
        judged: Judged,
    },
    Problems {
        url: Url,
        version: i32,
        problems: Vec<Problem>,
    },
    Simulated {
        url: Url,
        version: i32,
        /// The request that asked for it, unless the file was saved.
        id: Option<RequestId>,
        outcome: Result<Simulated, HostError>,
    },
    Failed {
        message: String,
    },
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
    /// Reads catalogs and judges whole ones.
    slow: Worker,
    /// Plays scenarios.
    scenarios: Worker,
    /// The version of each scenario that is to be played: what was saved before is not played any more.
    saved: Arc<Mutex<BTreeMap<Url, i32>>>,
    /// Packages whose text has changed: somebody waits for these.
    edited: BTreeSet<(PathBuf, String)>,
    /// Other packages that are to be judged anew.
    dirty: BTreeSet<(PathBuf, String)>,
    /// Files of catalogs whose findings have changed since the client was told.
    unpublished: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Whether the judge is at work.
    is_judging: bool,
    /// Counts changes, so that what was read before one is told from what was read after.
    changes: u64,
    /// Ids of requests to the client.
    asked: i32,
    can_watch: bool,
    can_refresh_hints: bool,
    can_refresh_lenses: bool,
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
        scenarios: Worker::start("scenarios")?,
        saved: Arc::default(),
        edited: BTreeSet::new(),
        dirty: BTreeSet::new(),
        unpublished: BTreeMap::new(),
        is_judging: false,
        changes: 0,
        asked: 0,
        can_watch: workspace_client
            .did_change_watched_files
            .is_some_and(|watched| watched.dynamic_registration == Some(true)),
        can_refresh_hints: workspace_client
            .inlay_hint
            .is_some_and(|hints| hints.refresh_support == Some(true)),
        can_refresh_lenses: workspace_client
            .code_lens
            .is_some_and(|lenses| lenses.refresh_support == Some(true)),
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

    /// Asks the client to tell of files that change on disk.
    fn watch_files(&mut self) {
        if self.can_watch {
            self.asked += 1;
            self.send(Request::new(
                self.asked.into(),
                "client/registerCapability".to_owned(),
                capabilities::watchers(),
            ));
        }
    }
}

/// Reads what a message holds; nothing if it is nonsense.
fn params<P: DeserializeOwned>(value: Value) -> Option<P> {
    serde_json::from_value(value).ok()
}
