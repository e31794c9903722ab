//! The volumes of a pod.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::meta::{LABEL_SELECTOR, OBJECT_META};
use crate::kubernetes::Shape::{Flag, List, Map, Optional, Quantity, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `Volume`.
pub(crate) static VOLUME: Struct = Struct {
    name: "v1.Volume",
    fields: &[
        always("name", TEXT),
        omit("hostPath", Optional(&Of(&HOST_PATH_VOLUME_SOURCE))),
        omit("emptyDir", Optional(&Of(&EMPTY_DIR_VOLUME_SOURCE))),
        omit("gcePersistentDisk", Optional(&Of(&GCE_PERSISTENT_DISK_VOLUME_SOURCE))),
        omit("awsElasticBlockStore", Optional(&Of(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE))),
        omit("gitRepo", Optional(&Of(&GIT_REPO_VOLUME_SOURCE))),
        omit("secret", Optional(&Of(&SECRET_VOLUME_SOURCE))),
        omit("nfs", Optional(&Of(&NFS_VOLUME_SOURCE))),
        omit("iscsi", Optional(&Of(&ISCSI_VOLUME_SOURCE))),
        omit("glusterfs", Optional(&Of(&GLUSTERFS_VOLUME_SOURCE))),
        omit("persistentVolumeClaim", Optional(&Of(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE))),
        omit("rbd", Optional(&Of(&RBD_VOLUME_SOURCE))),
        omit("flexVolume", Optional(&Of(&FLEX_VOLUME_SOURCE))),
        omit("cinder", Optional(&Of(&CINDER_VOLUME_SOURCE))),
        omit("cephfs", Optional(&Of(&CEPH_FS_VOLUME_SOURCE))),
        omit("flocker", Optional(&Of(&FLOCKER_VOLUME_SOURCE))),
        omit("downwardAPI", Optional(&Of(&DOWNWARD_API_VOLUME_SOURCE))),
        omit("fc", Optional(&Of(&FC_VOLUME_SOURCE))),
        omit("azureFile", Optional(&Of(&AZURE_FILE_VOLUME_SOURCE))),
        omit("configMap", Optional(&Of(&CONFIG_MAP_VOLUME_SOURCE))),
        omit("vsphereVolume", Optional(&Of(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE))),
        omit("quobyte", Optional(&Of(&QUOBYTE_VOLUME_SOURCE))),
        omit("azureDisk", Optional(&Of(&AZURE_DISK_VOLUME_SOURCE))),
        omit("photonPersistentDisk", Optional(&Of(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE))),
        omit("projected", Optional(&Of(&PROJECTED_VOLUME_SOURCE))),
        omit("portworxVolume", Optional(&Of(&PORTWORX_VOLUME_SOURCE))),
        omit("scaleIO", Optional(&Of(&SCALE_IO_VOLUME_SOURCE))),
        omit("storageos", Optional(&Of(&STORAGE_OS_VOLUME_SOURCE))),
        omit("csi", Optional(&Of(&CSI_VOLUME_SOURCE))),
        omit("ephemeral", Optional(&Of(&EPHEMERAL_VOLUME_SOURCE))),
        omit("image", Optional(&Of(&IMAGE_VOLUME_SOURCE))),
    ],
};

/// Go's `HostPathVolumeSource`.
pub(crate) static HOST_PATH_VOLUME_SOURCE: Struct = Struct {
    name: "v1.HostPathVolumeSource",
    fields: &[always("path", TEXT), omit("type", Optional(&Text("v1.HostPathType")))],
};

/// Go's `EmptyDirVolumeSource`.
pub(crate) static EMPTY_DIR_VOLUME_SOURCE: Struct = Struct {
    name: "v1.EmptyDirVolumeSource",
    fields: &[omit("medium", Text("v1.StorageMedium")), omit("sizeLimit", Optional(&Quantity))],
};

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

/// Go's `GitRepoVolumeSource`.
pub(crate) static GIT_REPO_VOLUME_SOURCE: Struct = Struct {
    name: "v1.GitRepoVolumeSource",
    fields: &[always("repository", TEXT), omit("revision", TEXT), omit("directory", TEXT)],
};

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

/// Go's `LocalObjectReference`.
pub(crate) static LOCAL_OBJECT_REFERENCE: Struct =
    Struct { name: "v1.LocalObjectReference", fields: &[omit("name", TEXT)] };

/// Go's `GlusterfsVolumeSource`.
pub(crate) static GLUSTERFS_VOLUME_SOURCE: Struct = Struct {
    name: "v1.GlusterfsVolumeSource",
    fields: &[always("endpoints", TEXT), always("path", TEXT), omit("readOnly", Flag)],
};

/// Go's `PersistentVolumeClaimVolumeSource`.
pub(crate) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Struct = Struct {
    name: "v1.PersistentVolumeClaimVolumeSource",
    fields: &[always("claimName", TEXT), omit("readOnly", Flag)],
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

/// Go's `ImageVolumeSource`.
pub(crate) static IMAGE_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ImageVolumeSource",
    fields: &[omit("reference", TEXT), omit("pullPolicy", Text("v1.PullPolicy"))],
};
