//! Volumes by claims, and the claims.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::super::meta::{LABEL_SELECTOR, OBJECT_META};
use crate::kubernetes::Shape::{Flag, List, Map, Optional, Quantity, Struct as Of, Text};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `PersistentVolumeClaimVolumeSource`.
pub(crate) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Struct = Struct {
    name: "v1.PersistentVolumeClaimVolumeSource",
    fields: &[always("claimName", TEXT), omit("readOnly", Flag)],
};

/// Go's `EphemeralVolumeSource`.
pub(crate) static EPHEMERAL_VOLUME_SOURCE: Struct = Struct {
    name: "v1.EphemeralVolumeSource",
    fields: &[omit("volumeClaimTemplate", Optional(&Of(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)))],
};

/// Go's `PersistentVolumeClaimTemplate`.
pub(crate) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Struct = Struct {
    name: "v1.PersistentVolumeClaimTemplate",
    fields: &[omit("metadata", Of(&OBJECT_META)), always("spec", Of(&PERSISTENT_VOLUME_CLAIM_SPEC))],
};

/// Go's `PersistentVolumeClaimSpec`.
pub(crate) static PERSISTENT_VOLUME_CLAIM_SPEC: Struct = Struct {
    name: "v1.PersistentVolumeClaimSpec",
    fields: &[
        omit("accessModes", List(&Text("v1.PersistentVolumeAccessMode"))),
        omit("selector", Optional(&Of(&LABEL_SELECTOR))),
        omit("resources", Of(&VOLUME_RESOURCE_REQUIREMENTS)),
        omit("volumeName", TEXT),
        omit("storageClassName", Optional(&TEXT)),
        omit("volumeMode", Optional(&Text("v1.PersistentVolumeMode"))),
        omit("dataSource", Optional(&Of(&TYPED_LOCAL_OBJECT_REFERENCE))),
        omit("dataSourceRef", Optional(&Of(&TYPED_OBJECT_REFERENCE))),
        omit("volumeAttributesClassName", Optional(&TEXT)),
    ],
};

/// Go's `VolumeResourceRequirements`.
pub(crate) static VOLUME_RESOURCE_REQUIREMENTS: Struct = Struct {
    name: "v1.VolumeResourceRequirements",
    fields: &[omit("limits", Map(&Quantity)), omit("requests", Map(&Quantity))],
};

/// Go's `TypedLocalObjectReference`.
pub(crate) static TYPED_LOCAL_OBJECT_REFERENCE: Struct = Struct {
    name: "v1.TypedLocalObjectReference",
    fields: &[always("apiGroup", Optional(&TEXT)), always("kind", TEXT), always("name", TEXT)],
};

/// Go's `TypedObjectReference`.
pub(crate) static TYPED_OBJECT_REFERENCE: Struct = Struct {
    name: "v1.TypedObjectReference",
    fields: &[
        always("apiGroup", Optional(&TEXT)),
        always("kind", TEXT),
        always("name", TEXT),
        omit("namespace", Optional(&TEXT)),
    ],
};
