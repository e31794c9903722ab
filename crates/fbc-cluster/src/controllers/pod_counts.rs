//! How many pods each controller has and how they fare, kept up with their changes: who has thousands of pods need not
//! look at all of them whenever one changes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::pods::{available_from, is_active};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::time::{Milliseconds, Moment};

/// The pods of all controllers.
#[derive(Debug, Default)]
pub(super) struct PodCounts {
    pods: BTreeMap<ObjectName, (String, Fare)>,
    by_controller: BTreeMap<String, Tally>,
}

/// What counts of a pod.
#[derive(Debug)]
struct Fare {
    is_active: bool,
    is_terminating: bool,
    /// Since when it is ready.
    ready: Option<Moment>,
    /// Its labels as text, and as they are.
    labels: (String, Value),
}

/// The pods of a controller.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Pods that are neither finished nor on their way out.
    pub(super) active: usize,
    /// Pods that are on their way out.
    pub(super) terminating: usize,
    /// Active pods by the moment since when they are ready.
    ready: BTreeMap<Moment, usize>,
    /// The labels of all pods, how many have them, and how many of these are active.
    labels: BTreeMap<String, (Value, usize, usize)>,
}

impl PodCounts {
    /// Follows a change of a pod; none if it is gone.
    pub(super) fn follow(&mut self, name: &ObjectName, pod: Option<&Object>) {
        if let Some((controller, fare)) = self.pods.remove(name)
            && let Some(tally) = self.by_controller.get_mut(&controller)
        {
            tally.take(&fare);
            if tally.labels.is_empty() {
                self.by_controller.remove(&controller);
            }
        }
        let Some(pod) = pod else { return };
        let Some(controller) = pod.controller().map(|owner| owner.text(&["uid"]).to_owned()) else { return };
        let fare = Fare::of(pod);
        self.by_controller.entry(controller.clone()).or_default().add(&fare);
        self.pods.insert(name.clone(), (controller, fare));
    }

    /// The pods of the controller with this uid; none without any.
    pub(super) fn of(&self, uid: &str) -> Option<&Tally> {
        self.by_controller.get(uid)
    }
}

impl Fare {
    fn of(pod: &Object) -> Self {
        let labels = pod.at(&["metadata", "labels"]).cloned().unwrap_or_default();
        Self {
            is_active: is_active(pod),
            is_terminating: pod.is_terminating(),
            ready: available_from(pod, 0),
            labels: (labels.to_string(), labels),
        }
    }
}

impl Tally {
    /// The tally of these pods.
    pub(super) fn count<'p>(pods: impl Iterator<Item = &'p Object>) -> Self {
        let mut tally = Self::default();
        pods.for_each(|pod| tally.add(&Fare::of(pod)));
        tally
    }

    fn add(&mut self, pod: &Fare) {
        let active = usize::from(pod.is_active);
        self.active += active;
        self.terminating += usize::from(pod.is_terminating);
        let (text, labels) = &pod.labels;
        if !self.labels.contains_key(text) {
            self.labels.insert(text.clone(), (labels.clone(), 0, 0));
        }
        if let Some((_, all, of_active)) = self.labels.get_mut(text) {
            *all += 1;
            *of_active += active;
        }
        if let Some(since) = pod.ready.filter(|_| pod.is_active) {
            *self.ready.entry(since).or_default() += 1;
        }
    }

    fn take(&mut self, pod: &Fare) {
        let active = usize::from(pod.is_active);
        self.active -= active;
        self.terminating -= usize::from(pod.is_terminating);
        if let Some((_, all, of_active)) = self.labels.get_mut(&pod.labels.0) {
            *all -= 1;
            *of_active -= active;
            if *all == 0 {
                self.labels.remove(&pod.labels.0);
            }
        }
        if let Some(since) = pod.ready.filter(|_| pod.is_active)
            && let Some(count) = self.ready.get_mut(&since)
        {
            *count -= 1;
            if *count == 0 {
                self.ready.remove(&since);
            }
        }
    }

    /// Whether a selector means all of the pods.
    pub(super) fn is_selected(&self, selector: &LabelSelector) -> bool {
        self.labels.values().all(|(labels, ..)| selector.matches(Some(labels)))
    }

    /// How many active pods a selector means.
    pub(super) fn selected(&self, selector: &LabelSelector) -> usize {
        let selected = self.labels.values().filter(|(labels, ..)| selector.matches(Some(labels)));
        selected.map(|(_, _, active)| active).sum()
    }

    /// How many active pods are ready.
    pub(super) fn ready(&self) -> usize {
        self.ready.values().sum()
    }

    /// How many active pods are ready, but not for so long, and when the first of them will be.
    pub(super) fn not_yet_available(&self, wait: Milliseconds, now: Moment) -> (usize, Option<Moment>) {
        let waiting = self.ready.iter().rev().map(|(since, count)| (*since + wait, count));
        let waiting = waiting.take_while(|(from, _)| *from > now);
        waiting.fold((0, None), |(sum, _), (from, count)| (sum + count, Some(from)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(number: usize, owner: &str, phase: &str, ready: Option<u64>) -> Object {
        let conditions: Vec<Value> = ready
            .map(
                |at| json!({"type": "Ready", "status": "True", "lastTransitionTime": Moment(at).to_string()}),
            )
            .into_iter()
            .collect();
        json!({
            "metadata": {
                "name": format!("pod-{number}"), "labels": {"app": if number.is_multiple_of(3) { "a" } else { "b" }},
                "ownerReferences": [{"uid": owner, "controller": true}],
                "deletionTimestamp": if number.is_multiple_of(5) { json!("2026-01-01T00:00:00Z") } else { Value::Null },
            },
            "status": {"phase": phase, "conditions": conditions},
        })
    }

    /// What is kept up with changes is what counting all pods anew gives.
    #[test]
    fn changes_add_up() {
        let mut counts = PodCounts::default();
        let mut pods: BTreeMap<ObjectName, Object> = BTreeMap::new();
        for step in 0..400_usize {
            let number = step * 7 % 30;
            let name = ObjectName::cluster(format!("pod-{number}"));
            let phase = ["Pending", "Running", "Running", "Succeeded"][step % 4];
            let ready = (step % 3 == 0).then_some((step % 9) as u64 * 1000);
            let pod = (step % 11 != 0).then(|| pod(number + step % 2, ["x", "y"][step % 2], phase, ready));
            counts.follow(&name, pod.as_ref());
            match pod {
                Some(pod) => pods.insert(name, pod),
                None => pods.remove(&name),
            };
            for owner in ["x", "y"] {
                let of = |pod: &&Object| pod.controller().is_some_and(|one| one["uid"] == owner);
                let wanted = Tally::count(pods.values().filter(of));
                let found = counts.of(owner).map(|tally| format!("{tally:?}"));
                assert_eq!(found.unwrap_or_else(|| format!("{:?}", Tally::default())), format!("{wanted:?}"));
            }
        }
    }

    #[test]
    fn pods_become_available_by_waiting() {
        let pods = [pod(1, "x", "Running", Some(1000)), pod(2, "x", "Running", Some(5000))];
        let tally = Tally::count(pods.iter());
        let now = Moment(6000);
        assert_eq!((tally.ready(), tally.active), (2, 2));
        assert_eq!(tally.not_yet_available(1000, now), (0, None));
        assert_eq!(tally.not_yet_available(3000, now), (1, Some(Moment(8000))));
        assert_eq!(tally.not_yet_available(9000, now), (2, Some(Moment(10_000))));
        assert!(tally.is_selected(&LabelSelector::label("app", "b")));
        assert_eq!(tally.selected(&LabelSelector::label("app", "a")), 0);
    }
}
