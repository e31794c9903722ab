//! Roles and their bindings.
//!
//! Source: `kubernetes/api:rbac/v1/types.go`.

use super::meta::{LABEL_SELECTOR, OBJECT_META};
use crate::kubernetes::Shape::{List, Optional, Struct as Of};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `PolicyRule`.
pub(crate) static POLICY_RULE: Struct = Struct {
    name: "v1.PolicyRule",
    fields: &[
        always("verbs", List(&TEXT)),
        omit("apiGroups", List(&TEXT)),
        omit("resources", List(&TEXT)),
        omit("resourceNames", List(&TEXT)),
        omit("nonResourceURLs", List(&TEXT)),
    ],
};

/// Go's `Role`.
pub static ROLE: Struct = Struct {
    name: "v1.Role",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        always("rules", List(&Of(&POLICY_RULE))),
    ],
};

/// Go's `ClusterRole`.
pub static CLUSTER_ROLE: Struct = Struct {
    name: "v1.ClusterRole",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        always("rules", List(&Of(&POLICY_RULE))),
        omit("aggregationRule", Optional(&Of(&AGGREGATION_RULE))),
    ],
};

/// Go's `AggregationRule`.
pub(crate) static AGGREGATION_RULE: Struct = Struct {
    name: "v1.AggregationRule",
    fields: &[omit("clusterRoleSelectors", List(&Of(&LABEL_SELECTOR)))],
};

/// Go's `RoleBinding`.
pub static ROLE_BINDING: Struct = Struct {
    name: "v1.RoleBinding",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("subjects", List(&Of(&SUBJECT))),
        always("roleRef", Of(&ROLE_REF)),
    ],
};

/// Go's `Subject`.
pub(crate) static SUBJECT: Struct = Struct {
    name: "v1.Subject",
    fields: &[always("kind", TEXT), omit("apiGroup", TEXT), always("name", TEXT), omit("namespace", TEXT)],
};

/// Go's `RoleRef`.
pub(crate) static ROLE_REF: Struct = Struct {
    name: "v1.RoleRef",
    fields: &[always("apiGroup", TEXT), always("kind", TEXT), always("name", TEXT)],
};

/// Go's `ClusterRoleBinding`.
pub static CLUSTER_ROLE_BINDING: Struct = Struct {
    name: "v1.ClusterRoleBinding",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("subjects", List(&Of(&SUBJECT))),
        always("roleRef", Of(&ROLE_REF)),
    ],
};
