//! Taints of nodes and tolerations of pods, read once, and which taint is tolerated by whom.
//!
//! Source: `kubernetes/api:core/v1/{taint,toleration}.go`, `kubernetes/component-helpers:scheduling/corev1/helpers.go`.

use serde_json::{Value, json};

use crate::object::{Object, ObjectFields};

/// The condition `Ready` of the node is `False`.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// The condition `Ready` of the node is `Unknown`.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The node was cordoned.
pub const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// The condition `MemoryPressure` of the node is `True`.
pub const MEMORY_PRESSURE: &str = "node.kubernetes.io/memory-pressure";
/// The condition `DiskPressure` of the node is `True`.
pub const DISK_PRESSURE: &str = "node.kubernetes.io/disk-pressure";
/// The condition `PIDPressure` of the node is `True`.
pub const PID_PRESSURE: &str = "node.kubernetes.io/pid-pressure";
/// The condition `NetworkUnavailable` of the node is `True`.
pub const NETWORK_UNAVAILABLE: &str = "node.kubernetes.io/network-unavailable";
/// Somebody vouches that the node is off, so that its pods may be removed by force.
pub const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// What a taint does to pods that do not tolerate it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// No new pods.
    NoSchedule,
    /// New pods only where there is nothing better.
    PreferNoSchedule,
    /// No new pods, and the present ones go.
    NoExecute,
}

impl Effect {
    /// The effect of this name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "NoSchedule" => Some(Self::NoSchedule),
            "PreferNoSchedule" => Some(Self::PreferNoSchedule),
            "NoExecute" => Some(Self::NoExecute),
            _ => None,
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSchedule => "NoSchedule",
            Self::PreferNoSchedule => "PreferNoSchedule",
            Self::NoExecute => "NoExecute",
        }
    }
}

/// A taint of a node. A node has at most one of each key and effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint {
    /// What it is about.
    pub key: String,
    /// May be empty.
    pub value: String,
    /// What it does.
    pub effect: Effect,
}

impl Taint {
    /// A taint without a value.
    pub fn new(key: &str, effect: Effect) -> Self {
        Self { key: key.to_owned(), value: String::new(), effect }
    }

    /// Reads an entry of `spec.taints`; none with an effect that nobody knows.
    pub fn read(taint: &Value) -> Option<Self> {
        let effect = Effect::parse(taint.text(&["effect"]))?;
        Some(Self { key: taint.text(&["key"]).to_owned(), value: taint.text(&["value"]).to_owned(), effect })
    }

    /// The entry of `spec.taints`.
    pub fn to_value(&self) -> Value {
        let mut value = json!({"key": self.key, "effect": self.effect.name()});
        if !self.value.is_empty() {
            value.set(&["value"], self.value.as_str());
        }
        value
    }

    /// True for an entry of `spec.taints` with the same key and effect.
    pub fn is_at(&self, entry: &Value) -> bool {
        entry.text(&["key"]) == self.key && entry.text(&["effect"]) == self.effect.name()
    }
}

/// `key=value:Effect`, as command lines write it.
impl std::fmt::Display for Taint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.key)?;
        if !self.value.is_empty() {
            write!(formatter, "={}", self.value)?;
        }
        write!(formatter, ":{}", self.effect.name())
    }
}

/// The taints of a node in their order.
pub fn taints(node: &Object) -> Vec<Taint> {
    node.list(&["spec", "taints"]).iter().filter_map(Taint::read).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operator {
    Equal,
    Exists,
    /// One that nobody knows: it matches nothing.
    Other,
}

/// A toleration of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Toleration {
    key: String,
    operator: Operator,
    value: String,
    /// Empty for all effects.
    effect: String,
    /// For how long the pod may stay, for ever without; 0 and less mean not at all.
    pub seconds: Option<i64>,
}

impl Toleration {
    /// Reads an entry of `spec.tolerations`.
    pub fn read(toleration: &Value) -> Self {
        let text = |field: &str| toleration.text(&[field]).to_owned();
        let operator = match toleration.text(&["operator"]) {
            "" | "Equal" => Operator::Equal,
            "Exists" => Operator::Exists,
            _ => Operator::Other,
        };
        Self {
            key: text("key"),
            operator,
            value: text("value"),
            effect: text("effect"),
            seconds: toleration.number(&["tolerationSeconds"]),
        }
    }

    /// True if pods with this toleration may be where this taint is.
    pub fn tolerates(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect.name())
            && (self.key.is_empty() || self.key == taint.key)
            && match self.operator {
                Operator::Exists => true,
                Operator::Equal => self.value == taint.value,
                Operator::Other => false,
            }
    }

    /// True if it speaks of taints of this effect at all.
    pub fn is_for(&self, effect: Effect) -> bool {
        self.effect.is_empty() || self.effect == effect.name()
    }
}

/// The tolerations of a pod in their order.
pub fn tolerations(pod: &Object) -> Vec<Toleration> {
    pod.list(&["spec", "tolerations"]).iter().map(Toleration::read).collect()
}

/// True if one of the tolerations tolerates the taint.
pub fn tolerates(tolerations: &[Toleration], taint: &Taint) -> bool {
    tolerations.iter().any(|toleration| toleration.tolerates(taint))
}

/// The first taint that keeps new pods with these tolerations out.
pub fn keeps_out<'t>(taints: &'t [Taint], tolerations: &[Toleration]) -> Option<&'t Taint> {
    let counts = |taint: &&Taint| taint.effect != Effect::PreferNoSchedule;
    taints.iter().filter(counts).find(|taint| !tolerates(tolerations, taint))
}

/// How long pods stay where there are `NoExecute` taints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// They go at once.
    No,
    /// They go after so many seconds, at least one.
    For(u64),
    /// They stay.
    Forever,
}

/// How long pods with these tolerations stay among these taints. Of several tolerations for one taint the first counts;
/// of several taints the one with the shortest time.
pub fn stay(taints: &[Taint], tolerations: &[Toleration]) -> Stay {
    let mut shortest: Option<i64> = None;
    for taint in taints.iter().filter(|taint| taint.effect == Effect::NoExecute) {
        let Some(used) = tolerations.iter().find(|toleration| toleration.tolerates(taint)) else {
            return Stay::No;
        };
        shortest = match (shortest, used.seconds) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    match shortest {
        None => Stay::Forever,
        Some(seconds) => {
            u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map_or(Stay::No, Stay::For)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taint(text: &str) -> Taint {
        let (rest, effect) = text.split_once(':').unwrap();
        let (key, value) = rest.split_once('=').unwrap_or((rest, ""));
        Taint { value: value.to_owned(), ..Taint::new(key, Effect::parse(effect).unwrap()) }
    }

    /// TT-2, D-TT-8, D-TT-9, D-TT-26
    #[test]
    fn tolerations_match_taints() {
        let taints = ["k=v:NoSchedule", "k=v:NoExecute", "k=w:NoSchedule", "j=v:NoSchedule"].map(taint);
        for (toleration, expected) in [
            (
                json!({"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}),
                [true, false, false, false],
            ),
            (json!({"key": "k", "value": "v", "effect": "NoSchedule"}), [true, false, false, false]),
            (json!({"key": "k", "operator": "Exists"}), [true, true, true, false]),
            (json!({"key": "k", "operator": "Equal", "value": "v"}), [true, true, false, false]),
            (json!({"operator": "Exists"}), [true; 4]),
            (json!({"operator": "Exists", "effect": "NoSchedule"}), [true, false, true, true]),
            (json!({"key": "k", "operator": "Gt", "value": "v"}), [false; 4]),
        ] {
            let read = Toleration::read(&toleration);
            assert_eq!(taints.each_ref().map(|taint| read.tolerates(taint)), expected, "{toleration}");
        }
    }

    /// D-TT-13, D-TT-14, D-TT-15, D-TT-16, D-TT-22
    #[test]
    fn the_shortest_time_of_the_first_tolerations_counts() {
        let tolerated = |key: &str, seconds: Option<i64>| {
            let mut value = json!({"key": key, "operator": "Exists", "effect": "NoExecute"});
            if let Some(seconds) = seconds {
                value.set(&["tolerationSeconds"], seconds);
            }
            Toleration::read(&value)
        };
        let both = [taint("a:NoExecute"), taint("b:NoExecute")];
        let one = [taint("a:NoExecute"), taint("b:NoSchedule")];
        for (taints, tolerations, expected) in [
            (&both, vec![tolerated("a", Some(60)), tolerated("b", Some(30))], Stay::For(30)),
            (&both, vec![tolerated("a", Some(60))], Stay::No),
            (&both, vec![tolerated("a", None), tolerated("b", Some(5))], Stay::For(5)),
            (&one, vec![tolerated("a", Some(12)), tolerated("a", Some(5))], Stay::For(12)),
            (&one, vec![tolerated("a", None), tolerated("a", Some(5))], Stay::Forever),
            (&one, vec![tolerated("a", Some(0))], Stay::No),
            (&one, vec![tolerated("a", Some(-5))], Stay::No),
        ] {
            assert_eq!(stay(taints, &tolerations), expected, "{tolerations:?}");
        }
        assert_eq!(stay(&[taint("b:NoSchedule")], &[]), Stay::Forever);
    }
}
