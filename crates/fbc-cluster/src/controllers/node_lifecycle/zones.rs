//! Zones, how badly they are lost, and the queues of their lost nodes.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go`,
//! `node_lifecycle_controller.go` (`handleDisruption`, `ComputeZoneState`).

use std::collections::{BTreeMap, VecDeque};

use super::Settings;
use crate::time::Moment;

/// More lost nodes than this make a zone partly lost, if their share is large enough.
const FEW: usize = 2;

/// How badly a zone is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Normal,
    PartialDisruption,
    FullDisruption,
}

impl State {
    pub(super) fn of(ready: usize, lost: usize, unhealthy: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "numbers of nodes")]
        let share = lost as f64 / (ready + lost).max(1) as f64;
        match (ready, lost) {
            (0, 1..) => Self::FullDisruption,
            _ if lost > FEW && share >= unhealthy => Self::PartialDisruption,
            _ => Self::Normal,
        }
    }

    fn rate(self, nodes: usize, settings: &Settings) -> f64 {
        match self {
            Self::Normal | Self::FullDisruption => settings.rate,
            Self::PartialDisruption if nodes > settings.large_zone => settings.secondary_rate,
            Self::PartialDisruption => 0.0,
        }
    }
}

/// A bucket that holds one token at most.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limiter {
    rate: f64,
    /// From when on it holds a token; never with rate 0.
    full_from: Moment,
}

impl Limiter {
    fn full(rate: f64) -> Self {
        Self { rate, full_from: Moment(0) }
    }

    fn has_token(&self, now: Moment) -> bool {
        self.rate > 0.0 && self.full_from <= now
    }

    fn take(&mut self, now: Moment) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a span of time")]
        let wait = if self.rate > 0.0 { (1000.0 / self.rate).ceil() as u64 } else { 0 };
        self.full_from = now + wait;
    }

    /// Changes the rate. Who waits for a token goes on waiting, for one of the new kind.
    fn swap(&mut self, rate: f64, now: Moment) {
        #[expect(clippy::float_cmp, reason = "rates are settings, not results")]
        if self.rate == rate {
            return;
        }
        let had_token = self.has_token(now);
        *self = Self::full(rate);
        if !had_token {
            self.take(now);
        }
    }
}

#[derive(Debug)]
struct Zone {
    state: Option<State>,
    limiter: Limiter,
    queue: VecDeque<String>,
}

impl Zone {
    fn new(rate: f64) -> Self {
        Self { state: None, limiter: Limiter::full(rate), queue: VecDeque::new() }
    }
}

/// All zones.
#[derive(Debug, Default)]
pub(super) struct Zones {
    zones: BTreeMap<String, Zone>,
    all_lost: bool,
    recovered: bool,
}

impl Zones {
    /// Puts a lost node at the end of the queue of its zone, unless it is in there. It stays in that of a zone that it
    /// was in before, as in the reference.
    pub(super) fn add(&mut self, zone: &str, node: &str, rate: f64) {
        let zone = self.zones.entry(zone.to_owned()).or_insert_with(|| Zone::new(rate));
        if !zone.queue.iter().any(|one| one == node) {
            zone.queue.push_back(node.to_owned());
        }
    }

    /// Takes a node out of the queue of a zone.
    pub(super) fn forget(&mut self, zone: &str, node: &str) {
        if let Some(zone) = self.zones.get_mut(zone) {
            zone.queue.retain(|one| one != node);
        }
    }

    /// Empties all queues.
    pub(super) fn forget_all(&mut self) {
        self.zones.values_mut().for_each(|zone| zone.queue.clear());
    }

    /// True if some node has come back after all were lost, right now.
    pub(super) fn has_recovered(&self) -> bool {
        self.recovered
    }

    /// Takes over the states that the zones are in now, with their numbers of nodes. True if now all are lost.
    pub(super) fn enter(
        &mut self,
        states: &BTreeMap<String, (State, usize)>,
        settings: &Settings,
        now: Moment,
    ) -> bool {
        for zone in states.keys() {
            self.zones.entry(zone.clone()).or_insert_with(|| Zone::new(settings.rate));
        }
        self.zones.retain(|name, zone| states.contains_key(name) || !zone.queue.is_empty());
        let all_lost =
            !states.is_empty() && states.values().all(|(state, _)| *state == State::FullDisruption);
        let was_lost = std::mem::replace(&mut self.all_lost, all_lost);
        self.recovered = was_lost && !all_lost;
        if all_lost {
            for zone in self.zones.values_mut() {
                zone.state = Some(State::FullDisruption);
                zone.limiter.swap(0.0, now);
            }
            return !was_lost;
        }
        for (name, (state, nodes)) in states {
            let Some(zone) = self.zones.get_mut(name) else { continue };
            if self.recovered || zone.state != Some(*state) {
                zone.state = Some(*state);
                zone.limiter.swap(state.rate(*nodes, settings), now);
            }
        }
        false
    }

    /// The nodes whose turn it is.
    pub(super) fn due(&mut self, now: Moment) -> Vec<String> {
        let mut due = Vec::new();
        for zone in self.zones.values_mut() {
            while zone.limiter.has_token(now)
                && let Some(node) = zone.queue.pop_front()
            {
                zone.limiter.take(now);
                due.push(node);
            }
        }
        due
    }

    /// When the next node has its turn.
    pub(super) fn next(&self, now: Moment) -> Option<Moment> {
        let waiting = self.zones.values().filter(|zone| !zone.queue.is_empty() && zone.limiter.rate > 0.0);
        waiting.map(|zone| zone.limiter.full_from.max(now)).min()
    }
}
