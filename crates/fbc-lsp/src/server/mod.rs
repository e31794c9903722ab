//! The protocol: one loop that takes messages of the client and results of the workers, whichever come first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use lsp_types::{Url, notification};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::catalog::{CatalogState, Judged};
use crate::host::{Host, HostError, Problem, Simulated};
use crate::jobs::{Newest, Requests, Worker};
use crate::workspace::{Changed, Workspace};

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

/// Work that takes long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Slow {
    /// To read a catalog, and judge all of it.
    Load(PathBuf),
    /// To judge what only the whole of a catalog tells.
    Whole(PathBuf),
    /// To play a scenario that was saved.
    Play(Url),
}

impl Slow {
    fn is_of(&self, catalog: &Path) -> bool {
        matches!(self, Self::Load(root) | Self::Whole(root) if root == catalog)
    }
}

/// The server at work.
struct Server {
    host: Arc<dyn Host>,
    sender: Sender<Message>,
    events: Sender<Event>,
    workspace: Workspace,
    requests: Requests,
    /// Judges packages and single files; what editors wait for while typing.
    judge: Worker,
    /// Answers questions.
    answers: Worker,
    /// Reads catalogs and judges whole ones.
    slow: Worker,
    /// Plays scenarios.
    scenarios: Worker,
    /// What is read, judged as a whole and played, once however often somebody asks for it meanwhile.
    newest: Newest<Slow>,
    /// Packages whose text has changed: somebody waits for these.
    edited: BTreeSet<(PathBuf, String)>,
    /// Other packages that are to be judged anew.
    dirty: BTreeSet<(PathBuf, String)>,
    /// Files that are not of a catalog, and are to be looked at.
    unchecked: BTreeSet<Url>,
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
        requests: Requests::default(),
        judge: Worker::start("judge")?,
        answers: Worker::start("answers")?,
        slow: Worker::start("slow")?,
        scenarios: Worker::start("scenarios")?,
        newest: Newest::default(),
        edited: BTreeSet::new(),
        dirty: BTreeSet::new(),
        unchecked: BTreeSet::new(),
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

    /// Reads what was typed, which may be many changes by now. What they mean is known to nobody before.
    fn settle(&mut self) {
        for (url, changed) in self.workspace.settle() {
            self.changes += 1;
            match changed {
                Some(Changed { root, packages, others }) => {
                    self.edited.extend(packages.into_iter().map(|package| (root.clone(), package)));
                    self.dirty.extend(others.into_iter().map(|package| (root.clone(), package)));
                }
                None => self.check_file(&url),
            }
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
