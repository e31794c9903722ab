//! Watches that are going on, and what they are told.

use std::collections::{BTreeMap, VecDeque};
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
/// So many watches go on at a time.
pub const MOST_WATCHES: usize = 5000;
/// After so many changes they are handed out, although more follow at once.
const MANY_CHANGES: u64 = 500;

/// A watch.
pub(crate) struct Watch {
    /// In which version (`apiVersion`) objects are wanted.
    pub(crate) api_version: String,
    /// Empty for all namespaces.
    pub(crate) namespace: String,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
    pub(crate) sender: mpsc::Sender<Event>,
    /// The revisions of the changes that wait for the client, and of some that did.
    pub(crate) waiting: VecDeque<u64>,
}

/// What watches are told of one change, made once for all of them.
#[derive(Default)]
pub(crate) struct Seen(Vec<(bool, String, Event)>);

impl Seen {
    /// The object in a version: as it is, or as it was at its end.
    fn event(&mut self, api: &ApiServer, change: &Change, kind: EventKind, version: &str) -> Option<Event> {
        let is_end = kind == EventKind::Deleted;
        let known = self.0.iter().find(|(end, known, _)| *end == is_end && known == version);
        if let Some((_, _, event)) = known {
            return Some(event.of_kind(kind));
        }
        let object = if is_end {
            // The last state has the version of its end.
            let mut last = Object::clone(change.before.as_ref()?);
            last.set(&["metadata", "resourceVersion"], change.revision.to_string());
            Arc::new(last)
        } else {
            Arc::clone(change.after.as_ref()?)
        };
        let object = api.in_version(change.key.kind, &object, version);
        let event = Event::new(kind, object);
        self.0.push((is_end, version.to_owned(), event.clone()));
        Some(event)
    }
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
    pub(crate) fn event(&self, api: &ApiServer, change: &Change, seen: &mut Seen) -> Option<Event> {
        let was = change.before.as_ref().is_some_and(|object| self.accepts(object));
        let is = change.after.as_ref().is_some_and(|object| self.accepts(object));
        let kind = match (was, is) {
            (false, false) => return None,
            (false, true) => EventKind::Added,
            (true, true) => EventKind::Modified,
            (true, false) => EventKind::Deleted,
        };
        seen.event(api, change, kind, &self.api_version)
    }

    /// Puts a change on its way; whether there is a client that keeps up.
    fn send(&mut self, event: Event, revision: u64) -> bool {
        self.waiting.push_back(revision);
        self.sender.try_send(event).is_ok()
    }

    /// Whether all that waits for the client is still in the log of changes, where it takes no more memory. What is
    /// older would be kept for this client alone.
    fn keeps_up(&mut self, oldest: u64) -> bool {
        let waits = self.sender.max_capacity() - self.sender.capacity();
        self.waiting.drain(..self.waiting.len().saturating_sub(waits));
        self.waiting.front().is_none_or(|revision| *revision > oldest)
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
                    let mut seen = Seen::default();
                    watches.retain_mut(|watch| match watch.event(api, change, &mut seen) {
                        // A client that does not keep up is cut off.
                        Some(event) => watch.send(event, change.revision),
                        None => true,
                    });
                }
                let oldest = revision.saturating_sub(api.store().changes_kept());
                let of_kind = self.watches.of_kind.values_mut();
                of_kind.for_each(|watches| watches.retain_mut(|watch| watch.keeps_up(oldest)));
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
