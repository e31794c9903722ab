//! Connections to the registries of catalogs, and what was read through them.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/grpc/source.go`,
//! `pkg/controller/registry/resolver/cache/cache.go`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::time::{MINUTE, Milliseconds, Moment};
use fbc_resolve_v0::{Catalog, Content, SourceKey};

use crate::content::{Served, SharedContent};
use crate::look_error::{LookError, fail};

/// How long content counts that was read.
const KEPT: Milliseconds = 30 * MINUTE;

/// The state of a connection, as gRPC names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not connected, nor trying to.
    Idle,
    /// Connected to content of this number.
    Ready(u64),
    /// Nobody answers.
    TransientFailure,
}

impl State {
    /// gRPC's text.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Ready(_) => "READY",
            Self::TransientFailure => "TRANSIENT_FAILURE",
        }
    }
}

/// A connection.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub(super) address: String,
    pub(super) state: State,
    /// When the state changed last.
    pub(super) since: Moment,
}

/// What was read from a catalog.
#[derive(Clone)]
pub(super) struct Snapshot {
    /// Ready for resolution.
    pub(super) entries: Arc<Catalog>,
    /// The blobs.
    pub(super) blobs: Arc<fbc_model::Catalog>,
    read: Moment,
}

/// The connections and snapshots of all catalogs.
pub(super) struct Connections {
    content: SharedContent,
    connections: BTreeMap<SourceKey, Connection>,
    snapshots: BTreeMap<SourceKey, Snapshot>,
}

/// Connections that the queues of catalog-operator share.
pub(super) type SharedConnections = Rc<RefCell<Connections>>;

impl Connections {
    pub(super) fn new(content: &SharedContent) -> Self {
        Self { content: Rc::clone(content), connections: BTreeMap::new(), snapshots: BTreeMap::new() }
    }

    pub(super) fn get(&self, key: &SourceKey) -> Option<&Connection> {
        self.connections.get(key)
    }

    /// Begins a connection in place of the one that is there.
    pub(super) fn connect(&mut self, key: &SourceKey, address: &str, now: Moment) {
        let connection = Connection { address: address.to_owned(), state: State::Idle, since: now };
        self.connections.insert(key.clone(), connection);
    }

    /// Closes the connection.
    pub(super) fn close(&mut self, key: &SourceKey) {
        self.connections.remove(key);
    }

    /// Forgets a catalog.
    pub(super) fn forget(&mut self, key: &SourceKey) {
        self.connections.remove(key);
        self.snapshots.remove(key);
    }

    /// Lets a connection change its state, if it does. Content that was read before it became ready does not count any more.
    pub(super) fn advance(&mut self, key: &SourceKey, now: Moment) -> bool {
        let Some(connection) = self.connections.get_mut(key) else { return false };
        let number = self.content.borrow().at(&connection.address).map(|served| served.number);
        let next = match (connection.state, number) {
            (State::Ready(of), Some(number)) if of == number => State::Ready(of),
            (State::Ready(_), _) => State::Idle,
            (State::Idle | State::TransientFailure, Some(number)) => State::Ready(number),
            (State::Idle | State::TransientFailure, None) => State::TransientFailure,
        };
        if next == connection.state {
            return false;
        }
        connection.state = next;
        connection.since = now;
        if matches!(next, State::Ready(_)) {
            self.snapshots.remove(key);
        }
        true
    }

    /// Whether a connection is about to change its state.
    pub(super) fn is_moving(&self, key: &SourceKey) -> bool {
        let Some(connection) = self.connections.get(key) else { return false };
        let number = self.content.borrow().at(&connection.address).map(|served| served.number);
        match connection.state {
            State::Idle => true,
            State::Ready(of) => number != Some(of),
            State::TransientFailure => number.is_some(),
        }
    }

    /// What a catalog holds, as far as it was read or can be.
    ///
    /// Shows V0-030 and V0-135.
    pub(super) fn content(&mut self, key: &SourceKey, now: Moment) -> Content {
        match self.snapshot(key, now) {
            Ok(snapshot) => Content::Served(snapshot.entries),
            Err(error) => Content::Failed(error.into()),
        }
    }

    /// The same with the blobs.
    ///
    /// # Errors
    /// The text of what keeps it from being read.
    pub(super) fn snapshot(&mut self, key: &SourceKey, now: Moment) -> Result<Snapshot, LookError> {
        if let Some(snapshot) = self.snapshots.get(key).filter(|one| now.since(one.read) < KEPT) {
            return Ok(snapshot.clone());
        }
        let Some(connection) = self.connections.get(key) else {
            let SourceKey { namespace, name } = key;
            return fail(format!("no registry client established for catalogsource {namespace}/{name}"));
        };
        let served: Option<Served> = self.content.borrow().at(&connection.address).cloned();
        let Some(served) = served else {
            return fail(format!(
                "failed to list bundles: rpc error: code = Unavailable desc = connection error: desc = \"transport: Error \
                 while dialing: dial tcp {}: connect: connection refused\"",
                connection.address
            ));
        };
        let entries = self.content.borrow_mut().entries(&served);
        let snapshot = Snapshot { entries, blobs: served.catalog, read: now };
        self.snapshots.insert(key.clone(), snapshot.clone());
        Ok(snapshot)
    }
}
