//! What the controller knows of a node.

use crate::object::{Object, ObjectFields};
use crate::taints::{Effect, NOT_READY, UNREACHABLE, taints};
use crate::time::Moment;

/// Nodes with this label do not count for the state of their zone.
const NOT_COUNTED: &str = "node.kubernetes.io/exclude-disruption";
/// What a node says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ready {
    True,
    False,
    Unknown,
    /// Nothing yet.
    Unsaid,
}

impl Ready {
    pub(super) fn of(node: &Object) -> Self {
        match node.condition_status("Ready") {
            "True" => Self::True,
            "False" => Self::False,
            "" => Self::Unsaid,
            _ => Self::Unknown,
        }
    }

    /// The key of the taint that goes with it.
    pub(super) fn taint(self) -> Option<&'static str> {
        match self {
            Self::False => Some(NOT_READY),
            Self::Unknown => Some(UNREACHABLE),
            Self::True | Self::Unsaid => None,
        }
    }
}

/// A node as the controller knows it.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) ready: Ready,
    pub(super) zone: String,
    pub(super) counts: bool,
    /// The keys of its taints of effect `NoExecute` that come from the controller.
    pub(super) drives_out: Vec<&'static str>,
    pub(super) is_registered: bool,
    pub(super) made: Moment,
}

impl Known {
    pub(super) fn read(node: &Object, is_registered: bool) -> Self {
        let part = |key: &str| node.label(key).unwrap_or_default();
        let drives_out = taints(node)
            .into_iter()
            .filter(|taint| taint.effect == Effect::NoExecute)
            .filter_map(|taint| [NOT_READY, UNREACHABLE].into_iter().find(|key| *key == taint.key));
        Self {
            ready: Ready::of(node),
            zone: format!(
                "{}/{}",
                part("topology.kubernetes.io/region"),
                part("topology.kubernetes.io/zone")
            ),
            counts: node.label(NOT_COUNTED).is_none(),
            drives_out: drives_out.collect(),
            is_registered,
            made: Moment::parse(node.text(&["metadata", "creationTimestamp"])).unwrap_or(Moment(0)),
        }
    }
}
