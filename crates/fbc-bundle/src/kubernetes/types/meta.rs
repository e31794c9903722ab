//! The metadata of objects, and selectors.
//!
//! Source: `kubernetes/apimachinery:pkg/apis/meta/v1/types.go`.

use crate::kubernetes::Shape::{Any, Flag, List, Map, Optional, Struct as Of, Text, Time, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit, omit_zero};

/// Go's `ObjectMeta`.
pub(crate) static OBJECT_META: Struct = Struct {
    name: "v1.ObjectMeta",
    fields: &[
        omit("name", TEXT),
        omit("generateName", TEXT),
        omit("namespace", TEXT),
        omit("selfLink", TEXT),
        omit("uid", Text("types.UID")),
        omit("resourceVersion", TEXT),
        omit("generation", Whole("int64")),
        omit_zero("creationTimestamp", Time),
        omit("deletionTimestamp", Optional(&Time)),
        omit("deletionGracePeriodSeconds", Optional(&Whole("int64"))),
        omit("labels", Map(&TEXT)),
        omit("annotations", Map(&TEXT)),
        omit("ownerReferences", List(&Of(&OWNER_REFERENCE))),
        omit("finalizers", List(&TEXT)),
        omit("managedFields", List(&Of(&MANAGED_FIELDS_ENTRY))),
    ],
};

/// Go's `OwnerReference`.
pub(crate) static OWNER_REFERENCE: Struct = Struct {
    name: "v1.OwnerReference",
    fields: &[
        always("apiVersion", TEXT),
        always("kind", TEXT),
        always("name", TEXT),
        always("uid", Text("types.UID")),
        omit("controller", Optional(&Flag)),
        omit("blockOwnerDeletion", Optional(&Flag)),
    ],
};

/// Go's `ManagedFieldsEntry`.
pub(crate) static MANAGED_FIELDS_ENTRY: Struct = Struct {
    name: "v1.ManagedFieldsEntry",
    fields: &[
        omit("manager", TEXT),
        omit("operation", Text("v1.ManagedFieldsOperationType")),
        omit("apiVersion", TEXT),
        omit("time", Optional(&Time)),
        omit("fieldsType", TEXT),
        omit("fieldsV1", Optional(&Any)),
        omit("subresource", TEXT),
    ],
};

/// Go's `LabelSelector`.
pub(crate) static LABEL_SELECTOR: Struct = Struct {
    name: "v1.LabelSelector",
    fields: &[
        omit("matchLabels", Map(&TEXT)),
        omit("matchExpressions", List(&Of(&LABEL_SELECTOR_REQUIREMENT))),
    ],
};

/// Go's `LabelSelectorRequirement`.
pub(crate) static LABEL_SELECTOR_REQUIREMENT: Struct = Struct {
    name: "v1.LabelSelectorRequirement",
    fields: &[
        always("key", TEXT),
        always("operator", Text("v1.LabelSelectorOperator")),
        omit("values", List(&TEXT)),
    ],
};

/// Go's `GroupVersionKind`.
pub(crate) static GROUP_VERSION_KIND: Struct = Struct {
    name: "v1.GroupVersionKind",
    fields: &[always("group", TEXT), always("version", TEXT), always("kind", TEXT)],
};

/// Go's `Condition`.
pub(crate) static CONDITION: Struct = Struct {
    name: "v1.Condition",
    fields: &[
        always("type", TEXT),
        always("status", Text("v1.ConditionStatus")),
        omit("observedGeneration", Whole("int64")),
        always("lastTransitionTime", Time),
        always("reason", TEXT),
        always("message", TEXT),
    ],
};
