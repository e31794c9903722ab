//! The volumes of a pod.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

mod claims;
mod files;
mod storage;

use claims::{EPHEMERAL_VOLUME_SOURCE, PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE};
use files::{
    CONFIG_MAP_VOLUME_SOURCE, DOWNWARD_API_VOLUME_SOURCE, PROJECTED_VOLUME_SOURCE, SECRET_VOLUME_SOURCE,
};
pub(crate) use files::{OBJECT_FIELD_SELECTOR, RESOURCE_FIELD_SELECTOR};
use storage::{
    AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE, AZURE_DISK_VOLUME_SOURCE, AZURE_FILE_VOLUME_SOURCE,
    CEPH_FS_VOLUME_SOURCE, CINDER_VOLUME_SOURCE, CSI_VOLUME_SOURCE, FC_VOLUME_SOURCE, FLEX_VOLUME_SOURCE,
    FLOCKER_VOLUME_SOURCE, GCE_PERSISTENT_DISK_VOLUME_SOURCE, GLUSTERFS_VOLUME_SOURCE, ISCSI_VOLUME_SOURCE,
    NFS_VOLUME_SOURCE, PHOTON_PERSISTENT_DISK_VOLUME_SOURCE, PORTWORX_VOLUME_SOURCE, QUOBYTE_VOLUME_SOURCE,
    RBD_VOLUME_SOURCE, SCALE_IO_VOLUME_SOURCE, STORAGE_OS_VOLUME_SOURCE, VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE,
};

use crate::kubernetes::Shape::{Optional, Quantity, Struct as Of, Text};
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

/// Go's `GitRepoVolumeSource`.
pub(crate) static GIT_REPO_VOLUME_SOURCE: Struct = Struct {
    name: "v1.GitRepoVolumeSource",
    fields: &[always("repository", TEXT), omit("revision", TEXT), omit("directory", TEXT)],
};

/// Go's `LocalObjectReference`.
pub(crate) static LOCAL_OBJECT_REFERENCE: Struct =
    Struct { name: "v1.LocalObjectReference", fields: &[omit("name", TEXT)] };

/// Go's `ImageVolumeSource`.
pub(crate) static IMAGE_VOLUME_SOURCE: Struct = Struct {
    name: "v1.ImageVolumeSource",
    fields: &[omit("reference", TEXT), omit("pullPolicy", Text("v1.PullPolicy"))],
};
