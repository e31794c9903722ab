//! Watches: changes on their way to a client.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// A change on its way to a client.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The object.
    pub object: Arc<Object>,
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
    has_columns: bool,
    is_over: bool,
}

impl WatchBytes {
    fn encode(&mut self, event: &Event) -> Bytes {
        let (name, is_status) = match event.kind {
            EventKind::Added => ("ADDED", false),
            EventKind::Modified => ("MODIFIED", false),
            EventKind::Deleted => ("DELETED", false),
            EventKind::InitialEnd => ("BOOKMARK", false),
            EventKind::Error => ("ERROR", true),
        };
        if is_status {
            return line(name, &event.object);
        }
        match &self.watch.presentation {
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
    Event { kind: EventKind::InitialEnd, object: Arc::new(object) }
}

fn line(name: &str, object: &Value) -> Bytes {
    let mut bytes = Vec::with_capacity(1024);
    bytes.extend_from_slice(b"{\"type\":\"");
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(b"\",\"object\":");
    let encoded = json_bytes(object);
    bytes.extend_from_slice(encoded.trim_ascii_end());
    bytes.extend_from_slice(b"}\n");
    Bytes::from(bytes)
}

impl Stream for WatchBytes {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let mut piece: Vec<u8> = Vec::new();
        while piece.len() < PIECE {
            let Some(event) = this.watch.initial.pop_front() else { break };
            piece.extend_from_slice(&this.encode(&event));
        }
        if !piece.is_empty() {
            return Poll::Ready(Some(Bytes::from(piece)));
        }
        // Read before the events: whatever it covers is among them or was handed out.
        let revision = this.watch.revision.load(Ordering::Acquire);
        while piece.len() < PIECE {
            match this.watch.events.poll_recv(context) {
                Poll::Ready(Some(event)) => piece.extend_from_slice(&this.encode(&event)),
                Poll::Ready(None) => {
                    this.is_over = true;
                    break;
                }
                Poll::Pending => break,
            }
        }
        if !piece.is_empty() {
            return Poll::Ready(Some(Bytes::from(piece)));
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
