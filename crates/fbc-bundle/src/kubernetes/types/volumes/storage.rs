//! Volumes of storage systems.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::LOCAL_OBJECT_REFERENCE;
use crate::kubernetes::Shape::{Flag, List, Map, Optional, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `GCEPersistentDiskVolumeSource`.
pub(crate) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Struct = Struct {
    name: "v1.GCEPersistentDiskVolumeSource",
    fields: &[
        always("pdName", TEXT),
        omit("fsType", TEXT),
        omit("partition", Whole("int32")),
        omit("readOnly", Flag),
    ],
};

/// Go's `AWSElasticBlockStoreVolumeSource`.
pub(crate) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Struct = Struct {
    name: "v1.AWSElasticBlockStoreVolumeSource",
    fields: &[
        always("volumeID", TEXT),
        omit("fsType", TEXT),
        omit("partition", Whole("int32")),
        omit("readOnly", Flag),
    ],
};

/// Go's `NFSVolumeSource`.
pub(crate) static NFS_VOLUME_SOURCE: Struct = Struct {
    name: "v1.NFSVolumeSource",
    fields: &[always("server", TEXT), always("path", TEXT), omit("readOnly", Flag)],
};

/// Go's `ISCSIVolumeSource`.
pub(crate) static ISCSI_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ISCSIVolumeSource",
    fields: &[
        always("targetPortal", TEXT),
        always("iqn", TEXT),
        always("lun", Whole("int32")),
        omit("iscsiInterface", TEXT),
        omit("fsType", TEXT),
        omit("readOnly", Flag),
        omit("portals", List(&TEXT)),
        omit("chapAuthDiscovery", Flag),
        omit("chapAuthSession", Flag),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("initiatorName", Optional(&TEXT)),
    ],
};

/// Go's `GlusterfsVolumeSource`.
pub(crate) static GLUSTERFS_VOLUME_SOURCE: Struct = Struct {
    name: "v1.GlusterfsVolumeSource",
    fields: &[always("endpoints", TEXT), always("path", TEXT), omit("readOnly", Flag)],
};

/// Go's `RBDVolumeSource`.
pub(crate) static RBD_VOLUME_SOURCE: Struct = Struct {
    name: "v1.RBDVolumeSource",
    fields: &[
        always("monitors", List(&TEXT)),
        always("image", TEXT),
        omit("fsType", TEXT),
        omit("pool", TEXT),
        omit("user", TEXT),
        omit("keyring", TEXT),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("readOnly", Flag),
    ],
};

/// Go's `FlexVolumeSource`.
pub(crate) static FLEX_VOLUME_SOURCE: Struct = Struct {
    name: "v1.FlexVolumeSource",
    fields: &[
        always("driver", TEXT),
        omit("fsType", TEXT),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("readOnly", Flag),
        omit("options", Map(&TEXT)),
    ],
};

/// Go's `CinderVolumeSource`.
pub(crate) static CINDER_VOLUME_SOURCE: Struct = Struct {
    name: "v1.CinderVolumeSource",
    fields: &[
        always("volumeID", TEXT),
        omit("fsType", TEXT),
        omit("readOnly", Flag),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
    ],
};

/// Go's `CephFSVolumeSource`.
pub(crate) static CEPH_FS_VOLUME_SOURCE: Struct = Struct {
    name: "v1.CephFSVolumeSource",
    fields: &[
        always("monitors", List(&TEXT)),
        omit("path", TEXT),
        omit("user", TEXT),
        omit("secretFile", TEXT),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("readOnly", Flag),
    ],
};

/// Go's `FlockerVolumeSource`.
pub(crate) static FLOCKER_VOLUME_SOURCE: Struct = Struct {
    name: "v1.FlockerVolumeSource",
    fields: &[omit("datasetName", TEXT), omit("datasetUUID", TEXT)],
};

/// Go's `FCVolumeSource`.
pub(crate) static FC_VOLUME_SOURCE: Struct = Struct {
    name: "v1.FCVolumeSource",
    fields: &[
        omit("targetWWNs", List(&TEXT)),
        omit("lun", Optional(&Whole("int32"))),
        omit("fsType", TEXT),
        omit("readOnly", Flag),
        omit("wwids", List(&TEXT)),
    ],
};

/// Go's `AzureFileVolumeSource`.
pub(crate) static AZURE_FILE_VOLUME_SOURCE: Struct = Struct {
    name: "v1.AzureFileVolumeSource",
    fields: &[always("secretName", TEXT), always("shareName", TEXT), omit("readOnly", Flag)],
};

/// Go's `VsphereVirtualDiskVolumeSource`.
pub(crate) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Struct = Struct {
    name: "v1.VsphereVirtualDiskVolumeSource",
    fields: &[
        always("volumePath", TEXT),
        omit("fsType", TEXT),
        omit("storagePolicyName", TEXT),
        omit("storagePolicyID", TEXT),
    ],
};

/// Go's `QuobyteVolumeSource`.
pub(crate) static QUOBYTE_VOLUME_SOURCE: Struct = Struct {
    name: "v1.QuobyteVolumeSource",
    fields: &[
        always("registry", TEXT),
        always("volume", TEXT),
        omit("readOnly", Flag),
        omit("user", TEXT),
        omit("group", TEXT),
        omit("tenant", TEXT),
    ],
};

/// Go's `AzureDiskVolumeSource`.
pub(crate) static AZURE_DISK_VOLUME_SOURCE: Struct = Struct {
    name: "v1.AzureDiskVolumeSource",
    fields: &[
        always("diskName", TEXT),
        always("diskURI", TEXT),
        omit("cachingMode", Optional(&Text("v1.AzureDataDiskCachingMode"))),
        omit("fsType", Optional(&TEXT)),
        omit("readOnly", Optional(&Flag)),
        omit("kind", Optional(&Text("v1.AzureDataDiskKind"))),
    ],
};

/// Go's `PhotonPersistentDiskVolumeSource`.
pub(crate) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Struct = Struct {
    name: "v1.PhotonPersistentDiskVolumeSource",
    fields: &[always("pdID", TEXT), omit("fsType", TEXT)],
};

/// Go's `PortworxVolumeSource`.
pub(crate) static PORTWORX_VOLUME_SOURCE: Struct = Struct {
    name: "v1.PortworxVolumeSource",
    fields: &[always("volumeID", TEXT), omit("fsType", TEXT), omit("readOnly", Flag)],
};

/// Go's `ScaleIOVolumeSource`.
pub(crate) static SCALE_IO_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ScaleIOVolumeSource",
    fields: &[
        always("gateway", TEXT),
        always("system", TEXT),
        always("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("sslEnabled", Flag),
        omit("protectionDomain", TEXT),
        omit("storagePool", TEXT),
        omit("storageMode", TEXT),
        omit("volumeName", TEXT),
        omit("fsType", TEXT),
        omit("readOnly", Flag),
    ],
};

/// Go's `StorageOSVolumeSource`.
pub(crate) static STORAGE_OS_VOLUME_SOURCE: Struct = Struct {
    name: "v1.StorageOSVolumeSource",
    fields: &[
        omit("volumeName", TEXT),
        omit("volumeNamespace", TEXT),
        omit("fsType", TEXT),
        omit("readOnly", Flag),
        omit("secretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
    ],
};

/// Go's `CSIVolumeSource`.
pub(crate) static CSI_VOLUME_SOURCE: Struct = Struct {
    name: "v1.CSIVolumeSource",
    fields: &[
        always("driver", TEXT),
        omit("readOnly", Optional(&Flag)),
        omit("fsType", Optional(&TEXT)),
        omit("volumeAttributes", Map(&TEXT)),
        omit("nodePublishSecretRef", Optional(&Of(&LOCAL_OBJECT_REFERENCE))),
    ],
};
