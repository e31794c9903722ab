//! Watches: changes on their way to a client.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use fbc_cluster::object::{Object, ObjectFields};
use futures_util::Stream;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::{Interval, Sleep};

use super::encode::json_bytes;
use super::table::partial;
use super::{Presentation, TextFormat};
use crate::actor::Mailbox;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// `ADDED`
    Added,
    /// `MODIFIED`
    Modified,
    /// `DELETED`
    Deleted,
    /// `BOOKMARK` at the end of what was there at the beginning.
    InitialEnd,
    /// `ERROR`; the object is a `Status`.
    Error,
}

impl EventKind {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::InitialEnd => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }
}

/// A change on its way to a client.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The object.
    pub object: Arc<Object>,
    /// The object as most clients read it, written once for all of them.
    encoded: Arc<OnceLock<Bytes>>,
}

impl Event {
    pub(crate) fn new(kind: EventKind, object: Arc<Object>) -> Self {
        Self { kind, object, encoded: Arc::default() }
    }

    /// The same object, for a watch to which it is something else.
    pub(crate) fn of_kind(&self, kind: EventKind) -> Self {
        Self { kind, ..self.clone() }
    }

    fn encoded(&self) -> &Bytes {
        self.encoded.get_or_init(|| {
            let encoded = json_bytes(&self.object);
            Bytes::copy_from_slice(encoded.trim_ascii_end())
        })
    }
}

/// Between two bookmarks.
const BOOKMARK_PERIOD: Duration = Duration::from_secs(60);
/// A client that has watched a single object for so long waits for it.
const WAITING_PERIOD: Duration = Duration::from_millis(300);
/// So many bytes go out in one piece at most, unless a single event is larger.
const PIECE: usize = 64 * 1024;

/// A watch that goes on.
#[derive(Debug)]
pub struct WatchStream {
    /// What was there at the beginning.
    pub(crate) initial: VecDeque<Event>,
    /// What comes.
    pub(crate) events: mpsc::Receiver<Event>,
    /// How the client wants to see objects.
    pub(crate) presentation: Presentation,
    /// `apiVersion` and `kind`, for bookmarks.
    pub(crate) kind: (String, String),
    /// The version of the store up to which everything was handed out.
    pub(crate) revision: Arc<AtomicU64>,
    /// Becomes true when the server ends.
    pub(crate) stop: watch::Receiver<bool>,
    /// After how long it ends by itself.
    pub(crate) timeout: Duration,
    /// Whether the client wants bookmarks.
    pub(crate) bookmarks: bool,
    /// Who is told that the client waits.
    pub(crate) waiting: Option<Mailbox>,
}

impl WatchStream {
    /// The stream of bytes; it needs the clock of the runtime.
    pub(crate) fn into_bytes(self) -> WatchBytes {
        let mut stop = self.stop.clone();
        WatchBytes {
            end: Box::pin(tokio::time::sleep(self.timeout)),
            tick: self.bookmarks.then(|| {
                let mut tick = tokio::time::interval(BOOKMARK_PERIOD);
                tick.reset();
                tick
            }),
            waiting: self.waiting.is_some().then(|| {
                let mut waiting = tokio::time::interval(WAITING_PERIOD);
                waiting.reset();
                waiting
            }),
            stopped: Box::pin(async move {
                // The sender lives as long as the server.
                let _ = stop.wait_for(|stop| *stop).await;
            }),
            watch: self,
            outbox: VecDeque::new(),
            has_columns: false,
            is_over: false,
        }
    }
}

/// The bytes of a watch.
pub(crate) struct WatchBytes {
    watch: WatchStream,
    end: Pin<Box<Sleep>>,
    tick: Option<Interval>,
    waiting: Option<Interval>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// What goes out next.
    outbox: VecDeque<Bytes>,
    has_columns: bool,
    is_over: bool,
}

impl WatchBytes {
    /// Writes an event behind others. A large one goes out as it is shared by all watches: a client that takes nothing of it
    /// holds no copy.
    fn write(&mut self, event: &Event, piece: &mut Vec<u8>) {
        let is_whole = matches!(self.watch.presentation, Presentation::Whole(_));
        if !is_whole || event.kind == EventKind::Error {
            piece.extend_from_slice(&self.encode(event));
            return;
        }
        piece.extend_from_slice(head(event.kind.name()).as_bytes());
        let object = event.encoded();
        if object.len() < PIECE {
            piece.extend_from_slice(object);
        } else {
            self.outbox.push_back(std::mem::take(piece).into());
            self.outbox.push_back(object.clone());
        }
        piece.extend_from_slice(TAIL);
    }

    fn encode(&mut self, event: &Event) -> Bytes {
        let name = event.kind.name();
        match &self.watch.presentation {
            _ if event.kind == EventKind::Error => line(name, &event.object),
            Presentation::Whole(_) => line(name, &event.object),
            Presentation::Metadata(_, version) => line(name, &partial(&event.object, version)),
            Presentation::Table(shape) => {
                let version = event.object.text(&["metadata", "resourceVersion"]);
                let is_first = !std::mem::replace(&mut self.has_columns, true);
                let metadata = json!({"resourceVersion": version});
                let rows: &[&Object] = &[&event.object];
                let rows = if event.kind == EventKind::InitialEnd { &[] } else { rows };
                line(name, &shape.table(rows, metadata, is_first))
            }
        }
    }

    /// What goes out now, with what was written last behind it.
    fn next_out(&mut self, piece: &mut Vec<u8>) -> Option<Bytes> {
        if !piece.is_empty() {
            self.outbox.push_back(std::mem::take(piece).into());
        }
        self.outbox.pop_front()
    }

    fn bookmark(&self, revision: u64) -> Bytes {
        let (api_version, kind) = &self.watch.kind;
        let metadata = json!({"resourceVersion": revision.to_string(), "creationTimestamp": null});
        let object = match &self.watch.presentation {
            Presentation::Table(shape) => shape.table(&[], metadata, false),
            _ => json!({"kind": kind, "apiVersion": api_version, "metadata": metadata}),
        };
        line("BOOKMARK", &object)
    }
}

/// The object that ends what was there at the beginning.
pub(crate) fn initial_end(api_version: &str, kind: &str, revision: u64) -> Event {
    let object = json!({
        "kind": kind, "apiVersion": api_version,
        "metadata": {
            "resourceVersion": revision.to_string(), "creationTimestamp": null,
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    });
    Event::new(EventKind::InitialEnd, Arc::new(object))
}

/// What stands behind the object of an event.
const TAIL: &[u8] = b"}\n";

/// What stands before the object of an event.
fn head(name: &str) -> String {
    format!("{{\"type\":\"{name}\",\"object\":")
}

fn line(name: &str, object: &Value) -> Bytes {
    let encoded = json_bytes(object);
    Bytes::from([head(name).as_bytes(), encoded.trim_ascii_end(), TAIL].concat())
}

impl Stream for WatchBytes {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if let Some(bytes) = this.outbox.pop_front() {
            return Poll::Ready(Some(bytes));
        }
        if this.is_over {
            return Poll::Ready(None);
        }
        let mut piece: Vec<u8> = Vec::new();
        while piece.len() < PIECE && this.outbox.is_empty() {
            let Some(event) = this.watch.initial.pop_front() else { break };
            this.write(&event, &mut piece);
        }
        if let Some(bytes) = this.next_out(&mut piece) {
            return Poll::Ready(Some(bytes));
        }
        // Read before the events: whatever it covers is among them or was handed out.
        let revision = this.watch.revision.load(Ordering::Acquire);
        while piece.len() < PIECE && this.outbox.is_empty() {
            match this.watch.events.poll_recv(context) {
                Poll::Ready(Some(event)) => this.write(&event, &mut piece),
                Poll::Ready(None) => {
                    this.is_over = true;
                    break;
                }
                Poll::Pending => break,
            }
        }
        if let Some(bytes) = this.next_out(&mut piece) {
            return Poll::Ready(Some(bytes));
        }
        let has_ended =
            this.end.as_mut().poll(context).is_ready() || this.stopped.as_mut().poll(context).is_ready();
        if this.is_over || has_ended {
            this.is_over = true;
            return Poll::Ready(None);
        }
        if let (Some(waiting), Some(mailbox)) = (&mut this.waiting, &this.watch.waiting) {
            while waiting.poll_tick(context).is_ready() {
                mailbox.wait();
            }
        }
        let is_due = this.tick.as_mut().is_some_and(|tick| tick.poll_tick(context).is_ready());
        if is_due && !matches!(this.watch.presentation, Presentation::Whole(TextFormat::Yaml)) {
            return Poll::Ready(Some(this.bookmark(revision)));
        }
        Poll::Pending
    }
}
