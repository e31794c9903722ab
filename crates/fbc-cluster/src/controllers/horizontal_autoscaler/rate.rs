//! How fast the number of replicas may change.

use serde_json::Value;

use super::Bounds;
use crate::object::ObjectFields;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// For so long the highest recommendation counts (`--horizontal-pod-autoscaler-downscale-stabilization`).
const DOWNSCALE_STABILIZATION: Milliseconds = 5 * MINUTE;
/// Earlier changes than this matter to no policy, and no window is longer.
const REMEMBERED: Milliseconds = 60 * MINUTE;

/// What an autoscaler recommended and did lately.
#[derive(Debug, Default)]
pub(super) struct History {
    recommendations: Vec<(Moment, i64)>,
    /// By how many replicas, when.
    changes: Vec<(Moment, i64)>,
}

/// What is left of a recommendation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Limited {
    pub(super) replicas: i64,
    /// Reason and message of `AbleToScale`.
    pub(super) stability: (&'static str, &'static str),
    /// Status, reason and message of `ScalingLimited`.
    pub(super) limit: (bool, &'static str, &'static str),
}

impl History {
    /// Notes a change of so many replicas.
    pub(super) fn note_scaling(&mut self, now: Moment, change: i64) {
        self.changes.retain(|(at, _)| now.since(*at) <= REMEMBERED);
        self.changes.push((now, change));
    }

    /// Holds a recommendation back as far as rules and earlier recommendations say so.
    pub(super) fn limit(
        &mut self,
        now: Moment,
        behaviour: Option<&Value>,
        wanted: i64,
        current: i64,
        bounds: Bounds,
    ) -> Limited {
        self.recommendations.retain(|(at, _)| now.since(*at) <= REMEMBERED);
        let (stable, stability) = match behaviour {
            None => {
                let highest = self.within(now, DOWNSCALE_STABILIZATION).fold(wanted, i64::max);
                (highest, stability(highest, wanted))
            }
            Some(behaviour) => self.stabilized(now, behaviour, wanted, current),
        };
        self.recommendations.push((now, wanted));
        let (fastest_up, fastest_down) = match behaviour {
            None => ((2 * current).max(4), 0),
            Some(behaviour) => (
                self.fastest(now, &behaviour["scaleUp"], Direction::Up, current),
                self.fastest(now, &behaviour["scaleDown"], Direction::Down, current),
            ),
        };
        let (lowest, highest) = (bounds.least.max(fastest_down.min(current)), bounds.most.min(fastest_up));
        let limit = if stable < lowest {
            if lowest == bounds.least {
                (true, "TooFewReplicas", "the desired replica count is less than the minimum replica count")
            } else {
                (
                    true,
                    "ScaleDownLimit",
                    "the desired replica count is decreasing faster than the maximum scale rate",
                )
            }
        } else if stable > highest {
            if highest == bounds.most {
                (true, "TooManyReplicas", "the desired replica count is more than the maximum replica count")
            } else {
                (
                    true,
                    "ScaleUpLimit",
                    "the desired replica count is increasing faster than the maximum scale rate",
                )
            }
        } else {
            (false, "DesiredWithinRange", "the desired count is within the acceptable range")
        };
        Limited { replicas: stable.min(highest).max(lowest.min(highest)), stability, limit }
    }

    fn within(&self, now: Moment, window: Milliseconds) -> impl Iterator<Item = i64> {
        self.recommendations
            .iter()
            .filter(move |(at, _)| now.since(*at) < window)
            .map(|(_, replicas)| *replicas)
    }

    fn stabilized(
        &self,
        now: Moment,
        behaviour: &Value,
        wanted: i64,
        current: i64,
    ) -> (i64, (&'static str, &'static str)) {
        let window = |rules: &Value, default: Milliseconds| {
            let seconds = rules.number(&["stabilizationWindowSeconds"]);
            seconds
                .and_then(|seconds| u64::try_from(seconds).ok())
                .map_or(default, |seconds| seconds * SECOND)
        };
        let lowest = self.within(now, window(&behaviour["scaleUp"], 0)).fold(wanted, i64::min);
        let highest =
            self.within(now, window(&behaviour["scaleDown"], DOWNSCALE_STABILIZATION)).fold(wanted, i64::max);
        let stable = current.max(lowest).min(highest);
        if stable == wanted {
            return (stable, stability(stable, wanted));
        }
        let text = if wanted >= current {
            (
                "ScaleUpStabilized",
                "recent recommendations were lower than current one, applying the lowest recent recommendation",
            )
        } else {
            stability(stable, wanted)
        };
        (stable, text)
    }

    /// The number of replicas beyond which no policy lets the number go now.
    fn fastest(&self, now: Moment, rules: &Value, direction: Direction, current: i64) -> i64 {
        if rules["selectPolicy"] == "Disabled" {
            return current;
        }
        let default = direction.default_policies();
        let policies = match rules.list(&["policies"]) {
            [] => &default[..],
            policies => policies,
        };
        let limits = policies.iter().map(|policy| {
            let period = policy.number(&["periodSeconds"]).and_then(|seconds| u64::try_from(seconds).ok());
            let period = period.unwrap_or_default() * SECOND;
            let recent = self.changes.iter().filter(|(at, _)| now.since(*at) < period);
            let changed: i64 = recent.map(|(_, change)| change).sum();
            let (before, value) = (current - changed, policy.number(&["value"]).unwrap_or_default());
            match (policy.text(&["type"]), direction) {
                ("Pods", Direction::Up) => before + value,
                ("Pods", Direction::Down) => before - value,
                (_, Direction::Up) => (before as f64 * (1.0 + value as f64 / 100.0)).ceil() as i64,
                (_, Direction::Down) => (before as f64 * (1.0 - value as f64 / 100.0)) as i64,
            }
        });
        let takes_most_change = rules["selectPolicy"] != "Min";
        let chosen = match (direction, takes_most_change) {
            (Direction::Up, true) | (Direction::Down, false) => limits.max(),
            (Direction::Up, false) | (Direction::Down, true) => limits.min(),
        };
        match direction {
            Direction::Up => chosen.unwrap_or(current).max(current),
            Direction::Down => chosen.unwrap_or(current).clamp(0, current),
        }
    }
}

fn stability(stable: i64, wanted: i64) -> (&'static str, &'static str) {
    if stable == wanted {
        ("ReadyForNewScale", "recommended size matches current size")
    } else {
        (
            "ScaleDownStabilized",
            "recent recommendations were higher than current one, applying the highest recent recommendation",
        )
    }
}

/// Which way the number goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Direction {
    /// The policies of rules that name none (`pkg/apis/autoscaling/v2/defaults.go`).
    fn default_policies(self) -> Vec<Value> {
        let policy =
            |kind: &str, value: i64| serde_json::json!({"type": kind, "value": value, "periodSeconds": 15});
        match self {
            Self::Up => vec![policy("Pods", 4), policy("Percent", 100)],
            Self::Down => vec![policy("Percent", 100)],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BOUNDS: Bounds = Bounds { least: 1, most: 100 };

    fn at(seconds: u64) -> Moment {
        Moment::START + seconds * SECOND
    }

    #[test]
    fn without_rules_growth_doubles_and_shrinking_waits() {
        let mut history = History::default();
        let limited = history.limit(at(0), None, 50, 10, BOUNDS);
        assert_eq!((limited.replicas, limited.limit.1), (20, "ScaleUpLimit"));
        let limited = history.limit(at(15), None, 5, 20, BOUNDS);
        assert_eq!((limited.replicas, limited.stability.0), (40, "ScaleDownStabilized"));
        let limited = history.limit(at(310), None, 5, 20, BOUNDS);
        assert_eq!((limited.replicas, limited.stability.0), (5, "ReadyForNewScale"));
        let limited = history.limit(at(4000), None, 0, 5, BOUNDS);
        assert_eq!((limited.replicas, limited.limit.1), (1, "TooFewReplicas"));
        let limited = History::default().limit(at(0), None, 300, 90, BOUNDS);
        assert_eq!((limited.replicas, limited.limit.1), (100, "TooManyReplicas"));
    }

    #[test]
    fn policies_bound_the_change_of_their_period() {
        let rules = json!({
            "scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]},
            "scaleDown": {
                "stabilizationWindowSeconds": 0,
                "policies": [
                    {"type": "Pods", "value": 1, "periodSeconds": 30},
                    {"type": "Percent", "value": 50, "periodSeconds": 30}
                ],
                "selectPolicy": "Min"
            }
        });
        let mut history = History::default();
        let first = history.limit(at(0), Some(&rules), 10, 4, BOUNDS);
        assert_eq!((first.replicas, first.limit.1), (6, "ScaleUpLimit"));
        history.note_scaling(at(0), 2);
        assert_eq!(history.limit(at(30), Some(&rules), 10, 6, BOUNDS).replicas, 6, "the period is used up");
        assert_eq!(history.limit(at(61), Some(&rules), 10, 6, BOUNDS).replicas, 8);
        let down = history.limit(at(200), Some(&rules), 1, 8, BOUNDS);
        assert_eq!((down.replicas, down.limit.1), (7, "ScaleDownLimit"));
        history.note_scaling(at(200), -1);
        assert_eq!(
            history.limit(at(210), Some(&rules), 20, 7, BOUNDS).replicas,
            10,
            "8 before the period, and 2"
        );
        let disabled = json!({"scaleDown": {"selectPolicy": "Disabled", "stabilizationWindowSeconds": 0}});
        assert_eq!(History::default().limit(at(0), Some(&disabled), 1, 8, BOUNDS).replicas, 8);
    }
}
