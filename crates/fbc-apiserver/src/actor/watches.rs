//! Watches that are going on, and what they are told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fbc_cluster::api::ApiServer;
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::{FieldSelector, LabelSelector};
use fbc_cluster::store::Change;
use tokio::sync::mpsc;

use super::Actor;
use crate::present::{Event, EventKind};

/// So many changes wait for a client at most; one that does not keep up is cut off, and begins anew.
pub(crate) const WAITING_EVENTS: usize = 1000;
/// After so many changes they are handed out, although more follow at once.
const MANY_CHANGES: u64 = 500;

/// A watch.
pub(crate) struct Watch {
    /// In which version objects are wanted.
    pub(crate) version: String,
    /// Empty for all namespaces.
    pub(crate) namespace: String,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
    pub(crate) sender: mpsc::Sender<Event>,
}

/// All watches.
pub(crate) struct Watches {
    of_kind: BTreeMap<KindId, Vec<Watch>>,
    seen: u64,
}

impl Watches {
    pub(crate) fn new(seen: u64) -> Self {
        Self { of_kind: BTreeMap::new(), seen }
    }

    /// Adds a watch.
    pub(crate) fn add(&mut self, kind: KindId, watch: Watch) {
        let watches = self.of_kind.entry(kind).or_default();
        watches.retain(|watch| !watch.sender.is_closed());
        watches.push(watch);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.of_kind.values().flatten().filter(|watch| !watch.sender.is_closed()).count()
    }
}

impl Watch {
    fn accepts(&self, object: &Object) -> bool {
        (self.namespace.is_empty() || object.namespace() == self.namespace)
            && self.labels.matches_object(object)
            && self.fields.matches(object)
    }

    /// What a change means to this watch.
    pub(crate) fn event(&self, api: &ApiServer, change: &Change) -> Option<Event> {
        let was = change.before.as_ref().filter(|object| self.accepts(object));
        let is = change.after.as_ref().filter(|object| self.accepts(object));
        let (kind, object) = match (was, is) {
            (None, None) => return None,
            (None, Some(object)) => (EventKind::Added, Arc::clone(object)),
            (Some(_), Some(object)) => (EventKind::Modified, Arc::clone(object)),
            (Some(object), None) => {
                // The last state has the version of its end.
                let mut last = Object::clone(object);
                last.set(&["metadata", "resourceVersion"], change.revision.to_string());
                (EventKind::Deleted, Arc::new(last))
            }
        };
        let object = api.in_version(change.key.kind, &object, &self.version);
        Some(Event { kind, object })
    }
}

impl Actor<'_> {
    /// Tells all watches what changed since the last time.
    pub(crate) fn hand_out(&mut self) {
        let api = &self.cluster.api;
        let revision = api.store().revision();
        if self.watches.seen == revision {
            return;
        }
        match api.store().changes_since(self.watches.seen) {
            Some(changes) => {
                for change in changes {
                    let Some(watches) = self.watches.of_kind.get_mut(&change.key.kind) else { continue };
                    watches.retain(|watch| match watch.event(api, change) {
                        // A client that does not keep up is cut off.
                        Some(event) => watch.sender.try_send(event).is_ok(),
                        None => true,
                    });
                }
            }
            // More changed at once than the log holds: every watch begins anew.
            None => self.watches.of_kind.clear(),
        }
        // The definition of a kind is gone, and so are its watches.
        self.watches.of_kind.retain(|id, _| api.registry().get(*id).is_some());
        self.watches.seen = revision;
        self.revision.store(revision, Ordering::Release);
    }

    /// The same, if there is so much that the log might forget it.
    pub(crate) fn hand_out_if_many(&mut self) {
        if self.cluster.api.store().revision() - self.watches.seen > MANY_CHANGES {
            self.hand_out();
        }
    }
}
