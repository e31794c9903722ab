//! What becomes of pods: how long they take and how they fail, as data.
//!
//! Behaviours are asked in order; the first one that fits a pod, and that its weight lets through, decides. All chance
//! comes from a generator named by the pod, so the same seed gives the same fate.

mod reading;

use serde_json::Value;

use super::kubelet::Usage;
use crate::object::{Object, ObjectFields};
use crate::random::Random;
use crate::selector::LabelSelector;
use crate::time::{Milliseconds, SECOND};

pub use self::reading::{BehaviourError, EntryError, read_all};

/// How long a pod takes to run once it is bound, unless a behaviour says otherwise.
pub const START: Milliseconds = 300;

/// Which pods a behaviour is for. What is empty fits all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodSelector {
    /// The kind of the controller of the pod, such as `Job`.
    pub kind: String,
    /// The namespace.
    pub namespace: String,
    /// What the name of the pod begins with.
    pub name: String,
    /// Its labels.
    pub labels: LabelSelector,
    /// Its annotations.
    pub annotations: LabelSelector,
    /// What the image of a container contains.
    pub image: String,
    /// The container that it is for alone. Init containers follow those behaviours only that name them.
    pub container: String,
}

/// What happens to pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// Which pods.
    pub selector: PodSelector,
    /// For how many out of 100 pods.
    pub weight: u64,
    /// How long the pod takes to run once it is bound.
    pub delay: Milliseconds,
    /// At most so much longer.
    pub jitter: Milliseconds,
    /// How long the pod takes to end when it is told to, if that is less than its grace period.
    pub stops: Option<Milliseconds>,
    /// What the pod uses of its node.
    pub usage: Usage,
    /// What then.
    pub fate: Fate,
}

/// What becomes of a container that runs. Times count from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It becomes ready after a while.
    Ready {
        /// After so long.
        after: Milliseconds,
    },
    /// It runs and never becomes ready.
    NeverReady,
    /// It is ready at once, ends after a while, and is started again after a growing wait.
    Crash {
        /// After so long.
        after: Milliseconds,
    },
    /// Its image cannot be pulled: it never runs.
    ImagePullError,
    /// It is ready at once and stops answering after a while: probes find that out.
    Hang {
        /// After so long.
        after: Milliseconds,
    },
    /// It ends well.
    Complete {
        /// After so long.
        after: Milliseconds,
    },
    /// It ends badly.
    Fail {
        /// After so long.
        after: Milliseconds,
        /// The exit code of its containers.
        exit_code: i64,
    },
}

/// What was drawn for one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How long it takes to run once it is bound.
    pub start: Milliseconds,
    /// How long it takes to end when it is told to, if that is less than its grace period.
    pub stops: Option<Milliseconds>,
    /// What it uses of its node.
    pub usage: Usage,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            selector: PodSelector::default(),
            weight: 100,
            delay: START,
            jitter: 0,
            stops: None,
            usage: Usage::default(),
            fate: Fate::Ready { after: 0 },
        }
    }
}

/// What becomes of a pod as a whole.
pub fn plan(behaviours: &[Behaviour], pod: &Object, seed: u64) -> Plan {
    let found = draw(behaviours, pod, seed, |selector| selector.container.is_empty());
    found.map_or(Plan { start: START, stops: None, usage: Usage::default() }, |(behaviour, jitter)| Plan {
        start: behaviour.delay + jitter,
        stops: behaviour.stops,
        usage: behaviour.usage,
    })
}

/// What becomes of a container of a pod. Without a behaviour it is ready at once, or, if it belongs to a job, completes
/// after a second, as init containers do.
pub fn fate(behaviours: &[Behaviour], pod: &Object, container: &Value, is_init: bool, seed: u64) -> Fate {
    let name = container.text(&["name"]);
    let found = draw(behaviours, pod, seed, |selector| {
        selector.container == name || !is_init && selector.container.is_empty()
    });
    let goes_on = container["restartPolicy"] == "Always";
    let is_job = || pod.controller().is_some_and(|owner| owner["kind"] == "Job");
    match found {
        Some((behaviour, _)) => behaviour.fate,
        None if !goes_on && (is_init || is_job()) => Fate::Complete { after: SECOND },
        None => Fate::Ready { after: 0 },
    }
}

/// The first behaviour that fits, with what was drawn of its jitter.
fn draw<'b>(
    behaviours: &'b [Behaviour],
    pod: &Object,
    seed: u64,
    is_meant: impl Fn(&PodSelector) -> bool,
) -> Option<(&'b Behaviour, Milliseconds)> {
    let mut random = Random::of(seed, &format!("pod {}/{}", pod.namespace(), pod.name()));
    for behaviour in behaviours {
        // Every behaviour draws, fitting or not, so that one more selector does not change the others' luck.
        let (luck, jitter) = (random.below(100), random.below(behaviour.jitter + 1));
        if luck < behaviour.weight && is_meant(&behaviour.selector) && behaviour.selector.fits(pod) {
            return Some((behaviour, jitter));
        }
    }
    None
}

impl PodSelector {
    fn fits(&self, pod: &Object) -> bool {
        let kind = pod.controller().map(|owner| owner.text(&["kind"])).unwrap_or_default();
        let mut images = pod.list(&["spec", "containers"]).iter().map(|container| container.text(&["image"]));
        (self.kind.is_empty() || self.kind == kind)
            && (self.namespace.is_empty() || self.namespace == pod.namespace())
            && pod.name().starts_with(&self.name)
            && self.labels.matches_object(pod)
            && self.annotations.matches(pod.at(&["metadata", "annotations"]))
            && (self.image.is_empty() || images.any(|image| image.contains(&self.image)))
    }
}

/// Ready-made trouble: `slow`, `flaky`, `stuck`, `broken image`.
pub fn pack(name: &str) -> Option<Vec<Behaviour>> {
    let one = |weight, delay, jitter, fate| Behaviour { weight, delay, jitter, fate, ..Behaviour::default() };
    Some(match name {
        "slow" => vec![one(100, 10 * SECOND, 20 * SECOND, Fate::Ready { after: 5 * SECOND })],
        "flaky" => vec![
            one(20, START, SECOND, Fate::Crash { after: 15 * SECOND }),
            one(10, START, SECOND, Fate::Ready { after: 30 * SECOND }),
        ],
        "stuck" => vec![one(100, START, 0, Fate::NeverReady)],
        "broken image" => vec![one(100, START, 0, Fate::ImagePullError)],
        _ => return None,
    })
}

/// The names of all packs.
pub const PACKS: [&str; 4] = ["slow", "flaky", "stuck", "broken image"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str) -> Object {
        json!({
            "metadata": {"namespace": "a", "name": name, "labels": {"app": "web"}},
            "spec": {"containers": [{"image": "registry.example/app:2"}]},
        })
    }

    #[test]
    fn the_first_behaviour_that_fits_decides() {
        let behaviours: Vec<Behaviour> = [
            json!({"namespace": "b", "outcome": "neverReady"}),
            json!({"weight": 0, "outcome": "imagePullError"}),
            json!({"image": "app:2", "labels": {"app": "web"}, "delay": 10, "outcome": "crash", "after": 5}),
            json!({"outcome": "complete"}),
        ]
        .iter()
        .map(|value| Behaviour::read(value).unwrap())
        .collect();
        let main = json!({"name": "main"});
        assert_eq!(plan(&behaviours, &pod("one"), 1).start, 10);
        assert_eq!(fate(&behaviours, &pod("one"), &main, false, 1), Fate::Crash { after: 5 });
        assert_eq!(plan(&[], &pod("one"), 1).start, START);
        assert_eq!(fate(&[], &pod("one"), &main, false, 1), Fate::Ready { after: 0 });
    }

    #[test]
    fn behaviours_may_be_for_one_container() {
        let behaviours: Vec<Behaviour> = [
            json!({"container": "migrate", "outcome": "fail", "after": 7}),
            json!({"outcome": "hang", "after": 3, "stops": 5, "memory": "1Mi"}),
        ]
        .iter()
        .map(|value| Behaviour::read(value).unwrap())
        .collect();
        let fate = |name: &str, is_init| fate(&behaviours, &pod("one"), &json!({"name": name}), is_init, 1);
        assert_eq!(fate("migrate", true), Fate::Fail { after: 7, exit_code: 1 });
        assert_eq!(fate("other", true), Fate::Complete { after: SECOND });
        assert_eq!(fate("main", false), Fate::Hang { after: 3 });
        let plan = plan(&behaviours, &pod("one"), 1);
        assert_eq!((plan.stops, plan.usage.memory), (Some(5), 1 << 20));
    }

    #[test]
    fn weights_are_shares_and_draws_belong_to_names() {
        let behaviours = [Behaviour { weight: 30, fate: Fate::NeverReady, ..Behaviour::default() }];
        let container = json!({"name": "main"});
        let fate =
            |number: u32, seed| fate(&behaviours, &pod(&format!("pod-{number}")), &container, false, seed);
        let stuck = (0..1000).filter(|number| fate(*number, 7) == Fate::NeverReady).count();
        assert!((250..350).contains(&stuck), "{stuck}");
        assert!((0..1000).all(|number| fate(number, 7) == fate(number, 7)));
        assert!((0..1000).any(|number| fate(number, 7) != fate(number, 8)));
    }
}
