//! Which generations of OLM a cluster runs.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_olm_v0::names::{
    CATALOG_SOURCE, CLUSTER_SERVICE_VERSION, GROUP, INSTALL_PLAN, OPERATOR_GROUP, SUBSCRIPTION,
};

/// Which generations of OLM a cluster runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Generations {
    /// Subscriptions, InstallPlans and ClusterServiceVersions alone.
    V0,
    /// ClusterCatalogs and ClusterExtensions alone.
    #[default]
    V1,
    /// One beside the other.
    Both,
}

/// Kinds that only OLM v0 does something with.
const KINDS: [&str; 5] =
    [SUBSCRIPTION, CATALOG_SOURCE, OPERATOR_GROUP, INSTALL_PLAN, CLUSTER_SERVICE_VERSION];

impl Generations {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 3] = [(Self::V0, "v0"), (Self::V1, "v1"), (Self::Both, "both")];
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["v0", "v1", "both"];

    /// The generations of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(generations, _)| *generations)
    }

    /// Their name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, name)| name)
    }

    /// What a cluster runs that gets these objects and says nothing else.
    pub fn for_objects<'o>(objects: impl IntoIterator<Item = &'o Object>) -> Self {
        let is_of_v0 = |object: &Object| {
            let group = object.api_version().split_once('/').map(|(group, _)| group);
            group == Some(GROUP) && KINDS.contains(&object.kind())
        };
        if objects.into_iter().any(is_of_v0) { Self::Both } else { Self::V1 }
    }

    /// Whether OLM v0 is there.
    pub fn have_v0(self) -> bool {
        self != Self::V1
    }

    /// Whether OLM v1 is there.
    pub fn have_v1(self) -> bool {
        self != Self::V0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_of_v0_bring_v0_beside_v1() {
        let object = |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind});
        for (objects, expected) in [
            (vec![], Generations::V1),
            (vec![object("v1", "Namespace")], Generations::V1),
            (vec![object("messaging.knative.dev/v1", "Subscription")], Generations::V1),
            (
                vec![object("v1", "Namespace"), object("operators.coreos.com/v1alpha1", "Subscription")],
                Generations::Both,
            ),
            (vec![object("operators.coreos.com/v1", "OperatorGroup")], Generations::Both),
        ] {
            assert_eq!(Generations::for_objects(&objects), expected, "{objects:?}");
        }
        for (generations, name) in Generations::ALL {
            assert_eq!(Generations::of_name(name), Some(generations));
            assert_eq!(generations.name(), name);
        }
    }
}
