//! Volumes with files that are made of objects: secrets, config maps, fields of the pod, tokens.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::super::meta::LABEL_SELECTOR;
use crate::kubernetes::Shape::{Flag, List, Map, Optional, Quantity, Struct as Of, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `SecretVolumeSource`.
pub(crate) static SECRET_VOLUME_SOURCE: Struct = Struct {
    name: "v1.SecretVolumeSource",
    fields: &[
        omit("secretName", TEXT),
        omit("items", List(&Of(&KEY_TO_PATH))),
        omit("defaultMode", Optional(&Whole("int32"))),
        omit("optional", Optional(&Flag)),
    ],
};

/// Go's `KeyToPath`.
pub(crate) static KEY_TO_PATH: Struct = Struct {
    name: "v1.KeyToPath",
    fields: &[always("key", TEXT), always("path", TEXT), omit("mode", Optional(&Whole("int32")))],
};

/// Go's `DownwardAPIVolumeSource`.
pub(crate) static DOWNWARD_API_VOLUME_SOURCE: Struct = Struct {
    name: "v1.DownwardAPIVolumeSource",
    fields: &[
        omit("items", List(&Of(&DOWNWARD_API_VOLUME_FILE))),
        omit("defaultMode", Optional(&Whole("int32"))),
    ],
};

/// Go's `DownwardAPIVolumeFile`.
pub(crate) static DOWNWARD_API_VOLUME_FILE: Struct = Struct {
    name: "v1.DownwardAPIVolumeFile",
    fields: &[
        always("path", TEXT),
        omit("fieldRef", Optional(&Of(&OBJECT_FIELD_SELECTOR))),
        omit("resourceFieldRef", Optional(&Of(&RESOURCE_FIELD_SELECTOR))),
        omit("mode", Optional(&Whole("int32"))),
    ],
};

/// Go's `ObjectFieldSelector`.
pub(crate) static OBJECT_FIELD_SELECTOR: Struct =
    Struct { name: "v1.ObjectFieldSelector", fields: &[omit("apiVersion", TEXT), always("fieldPath", TEXT)] };

/// Go's `ResourceFieldSelector`.
pub(crate) static RESOURCE_FIELD_SELECTOR: Struct = Struct {
    name: "v1.ResourceFieldSelector",
    fields: &[omit("containerName", TEXT), always("resource", TEXT), omit("divisor", Quantity)],
};

/// Go's `ConfigMapVolumeSource`.
pub(crate) static CONFIG_MAP_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ConfigMapVolumeSource",
    fields: &[
        omit("name", TEXT),
        omit("items", List(&Of(&KEY_TO_PATH))),
        omit("defaultMode", Optional(&Whole("int32"))),
        omit("optional", Optional(&Flag)),
    ],
};

/// Go's `ProjectedVolumeSource`.
pub(crate) static PROJECTED_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ProjectedVolumeSource",
    fields: &[
        always("sources", List(&Of(&VOLUME_PROJECTION))),
        omit("defaultMode", Optional(&Whole("int32"))),
    ],
};

/// Go's `VolumeProjection`.
pub(crate) static VOLUME_PROJECTION: Struct = Struct {
    name: "v1.VolumeProjection",
    fields: &[
        omit("secret", Optional(&Of(&SECRET_PROJECTION))),
        omit("downwardAPI", Optional(&Of(&DOWNWARD_API_PROJECTION))),
        omit("configMap", Optional(&Of(&CONFIG_MAP_PROJECTION))),
        omit("serviceAccountToken", Optional(&Of(&SERVICE_ACCOUNT_TOKEN_PROJECTION))),
        omit("clusterTrustBundle", Optional(&Of(&CLUSTER_TRUST_BUNDLE_PROJECTION))),
        omit("podCertificate", Optional(&Of(&POD_CERTIFICATE_PROJECTION))),
    ],
};

/// Go's `SecretProjection`.
pub(crate) static SECRET_PROJECTION: Struct = Struct {
    name: "v1.SecretProjection",
    fields: &[omit("name", TEXT), omit("items", List(&Of(&KEY_TO_PATH))), omit("optional", Optional(&Flag))],
};

/// Go's `DownwardAPIProjection`.
pub(crate) static DOWNWARD_API_PROJECTION: Struct = Struct {
    name: "v1.DownwardAPIProjection",
    fields: &[omit("items", List(&Of(&DOWNWARD_API_VOLUME_FILE)))],
};

/// Go's `ConfigMapProjection`.
pub(crate) static CONFIG_MAP_PROJECTION: Struct = Struct {
    name: "v1.ConfigMapProjection",
    fields: &[omit("name", TEXT), omit("items", List(&Of(&KEY_TO_PATH))), omit("optional", Optional(&Flag))],
};

/// Go's `ServiceAccountTokenProjection`.
pub(crate) static SERVICE_ACCOUNT_TOKEN_PROJECTION: Struct = Struct {
    name: "v1.ServiceAccountTokenProjection",
    fields: &[
        omit("audience", TEXT),
        omit("expirationSeconds", Optional(&Whole("int64"))),
        always("path", TEXT),
    ],
};

/// Go's `ClusterTrustBundleProjection`.
pub(crate) static CLUSTER_TRUST_BUNDLE_PROJECTION: Struct = Struct {
    name: "v1.ClusterTrustBundleProjection",
    fields: &[
        omit("name", Optional(&TEXT)),
        omit("signerName", Optional(&TEXT)),
        omit("labelSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("optional", Optional(&Flag)),
        always("path", TEXT),
    ],
};

/// Go's `PodCertificateProjection`.
pub(crate) static POD_CERTIFICATE_PROJECTION: Struct = Struct {
    name: "v1.PodCertificateProjection",
    fields: &[
        omit("signerName", TEXT),
        omit("keyType", TEXT),
        omit("maxExpirationSeconds", Optional(&Whole("int32"))),
        omit("credentialBundlePath", TEXT),
        omit("keyPath", TEXT),
        omit("certificateChainPath", TEXT),
        omit("userAnnotations", Map(&TEXT)),
    ],
};
