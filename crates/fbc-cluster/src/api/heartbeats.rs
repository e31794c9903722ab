//! When kubelets were last heard of.
//!
//! A kubelet renews the `Lease` of its node every ten seconds. As writes these would be most of what happens in a
//! cluster, and nobody reads them but the controller of nodes; so the API server knows from when on a kubelet renews,
//! and works out the last renewal when it is asked.

use std::collections::BTreeMap;

use super::ApiServer;
use crate::time::{Milliseconds, Moment, SECOND};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    Since(Moment),
    Last(Moment),
}

/// The heartbeats of all nodes.
#[derive(Debug, Clone)]
pub struct Heartbeats {
    period: Milliseconds,
    nodes: BTreeMap<String, Beat>,
}

impl Default for Heartbeats {
    fn default() -> Self {
        Self { period: 10 * SECOND, nodes: BTreeMap::new() }
    }
}

impl Heartbeats {
    /// How often kubelets renew their leases.
    pub fn period(&self) -> Milliseconds {
        self.period
    }

    /// Changes how often kubelets renew their leases.
    pub fn set_period(&mut self, period: Milliseconds) {
        self.period = period.max(1);
    }

    /// A kubelet begins to renew; one that does already goes on.
    pub fn start(&mut self, node: &str, now: Moment) {
        let beat = self.nodes.entry(node.to_owned()).or_insert(Beat::Since(now));
        if matches!(beat, Beat::Last(_)) {
            *beat = Beat::Since(now);
        }
    }

    /// A kubelet stops.
    pub fn stop(&mut self, node: &str, now: Moment) {
        if let Some(last) = self.last(node, now) {
            self.nodes.insert(node.to_owned(), Beat::Last(last));
        }
    }

    /// When the kubelet of a node was last heard of, if ever.
    pub fn last(&self, node: &str, now: Moment) -> Option<Moment> {
        Some(match self.nodes.get(node)? {
            Beat::Since(start) => *start + now.since(*start) / self.period * self.period,
            Beat::Last(last) => *last,
        })
    }
}

impl ApiServer {
    /// When kubelets were last heard of.
    pub fn heartbeats(&self) -> &Heartbeats {
        &self.heartbeats
    }

    /// As [`ApiServer::heartbeats`], for kubelets.
    pub fn heartbeats_mut(&mut self) -> &mut Heartbeats {
        &mut self.heartbeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_heartbeat_is_worked_out() {
        let mut beats = Heartbeats::default();
        let at = |seconds: u64| Moment(seconds * SECOND);
        assert_eq!(beats.last("a", at(5)), None);
        beats.start("a", at(3));
        beats.start("a", at(7));
        assert_eq!(beats.last("a", at(12)), Some(at(3)));
        assert_eq!(beats.last("a", at(23)), Some(at(23)));
        beats.stop("a", at(40));
        assert_eq!(beats.last("a", at(90)), Some(at(33)));
        beats.start("a", at(90));
        assert_eq!(beats.last("a", at(91)), Some(at(90)));
    }
}
