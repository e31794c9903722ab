//! Labels, annotations, finalizers and kinds of OLM v1.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/labels/labels.go`.

/// The API group of all kinds of OLM v1.
pub const GROUP: &str = "olm.operatorframework.io";
/// The API version of all kinds of OLM v1.
pub const API_VERSION: &str = "olm.operatorframework.io/v1";
/// The kind of catalogs.
pub const CLUSTER_CATALOG: &str = "ClusterCatalog";
/// The kind of extensions.
pub const CLUSTER_EXTENSION: &str = "ClusterExtension";
/// The kind of revisions.
pub const CLUSTER_OBJECT_SET: &str = "ClusterObjectSet";

/// Label of managed objects and revisions: the kind of what they belong to.
pub const OWNER_KIND: &str = "olm.operatorframework.io/owner-kind";
/// Label of managed objects, revisions and their Secrets: the extension that they belong to.
pub const OWNER_NAME: &str = "olm.operatorframework.io/owner-name";
/// Annotation of revisions and of objects in them: the package.
pub const PACKAGE_NAME: &str = "olm.operatorframework.io/package-name";
/// Annotation of revisions: the name of the bundle.
pub const BUNDLE_NAME: &str = "olm.operatorframework.io/bundle-name";
/// Annotation of revisions and of objects in them: the version of the bundle.
pub const BUNDLE_VERSION: &str = "olm.operatorframework.io/bundle-version";
/// Annotation of revisions: the release of the bundle.
pub const BUNDLE_RELEASE: &str = "olm.operatorframework.io/bundle-release";
/// Annotation of revisions: the image of the bundle.
pub const BUNDLE_REFERENCE: &str = "olm.operatorframework.io/bundle-reference";
/// Annotation of revisions: the service account that applies them.
pub const SERVICE_ACCOUNT_NAME: &str = "olm.operatorframework.io/service-account-name";
/// Annotation of revisions: the namespace of the service account that applies them.
pub const SERVICE_ACCOUNT_NAMESPACE: &str = "olm.operatorframework.io/service-account-namespace";
/// Label of Secrets that hold the objects of a revision.
pub const REVISION_NAME: &str = "olm.operatorframework.io/revision-name";
/// Label of the revision that was made of a Helm release: `true`.
pub const MIGRATED_FROM_HELM: &str = "olm.operatorframework.io/migrated-from-helm";
/// Annotation of managed objects: the number of the revision that applied them last.
pub const REVISION: &str = "olm.operatorframework.io/revision";
/// Label of managed objects: who manages them.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// Annotation of cluster service versions that revisions take over: the properties of the bundle.
pub const PROPERTIES: &str = "olm.properties";
/// The type of Secrets that hold the objects of a revision.
pub const OBJECT_DATA: &str = "olm.operatorframework.io/object-data";
/// Annotation of kubectl that revisions do not take over.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Label of a ClusterCatalog: its own name.
pub const METADATA_NAME: &str = "olm.operatorframework.io/metadata.name";
/// Label of a catalog's image: the directory of the catalog in it.
pub const CONFIGS_LABEL: &str = "operators.operatorframework.io.index.configs.v1";

/// Finalizer of a ClusterCatalog.
pub const DELETE_SERVER_CACHE: &str = "olm.operatorframework.io/delete-server-cache";
/// Finalizer of a ClusterExtension: its unpacked bundle.
pub const CLEANUP_UNPACK_CACHE: &str = "olm.operatorframework.io/cleanup-unpack-cache";
/// Finalizer of a ClusterExtension: its watches.
pub const CLEANUP_CONTENT_MANAGER: &str = "olm.operatorframework.io/cleanup-contentmanager-cache";
/// Finalizer of revisions.
pub const TEARDOWN: &str = "olm.operatorframework.io/teardown";

/// The program that installs bundles, its controller of extensions, and the field manager of what it writes without naming one.
pub const OPERATOR_CONTROLLER: &str = "operator-controller";
/// The controller of revisions.
pub const REVISION_CONTROLLER: &str = "clusterobjectset";
/// The field manager of revisions.
pub const EXTENSION_MANAGER: &str = "olm.operatorframework.io/clusterextension-controller";
/// The field manager of the objects in revisions, and the value of [`MANAGED_BY`].
pub const OBJECT_MANAGER: &str = "olm.operatorframework.io";
