//! Labels, annotations, finalizers, groups and kinds of OLM v0.
//!
//! Source: `openshift/operator-framework-olm:staging/api/pkg/operators` and
//! `staging/operator-lifecycle-manager/pkg/{controller,lib}`.

/// The API group of all kinds of OLM v0.
pub const GROUP: &str = "operators.coreos.com";
/// The API version of most kinds.
pub const V1ALPHA1: &str = "operators.coreos.com/v1alpha1";
/// The API version of OperatorGroup, Operator and OLMConfig.
pub const V1: &str = "operators.coreos.com/v1";
/// The API version of OperatorCondition.
pub const V2: &str = "operators.coreos.com/v2";

/// The kind of catalogs.
pub const CATALOG_SOURCE: &str = "CatalogSource";
/// The kind of wishes for an operator.
pub const SUBSCRIPTION: &str = "Subscription";
/// The kind of plans.
pub const INSTALL_PLAN: &str = "InstallPlan";
/// The kind of operators that are installed.
pub const CLUSTER_SERVICE_VERSION: &str = "ClusterServiceVersion";
/// The kind that says which namespaces operators of a namespace work in.
pub const OPERATOR_GROUP: &str = "OperatorGroup";
/// The kind by which operators hold upgrades.
pub const OPERATOR_CONDITION: &str = "OperatorCondition";
/// The kind that lists the parts of an operator.
pub const OPERATOR: &str = "Operator";
/// The kind of settings of the whole cluster.
pub const OLM_CONFIG: &str = "OLMConfig";

/// The group of roles.
pub const RBAC: &str = "rbac.authorization.k8s.io";
/// The group of definitions.
pub const EXTENSIONS: &str = "apiextensions.k8s.io";
/// The group of APIServices.
pub const API_REGISTRATION: &str = "apiregistration.k8s.io";

/// Label of registry pods and network policies: the catalog. Empty on an update pod.
pub const CATALOG_SOURCE_LABEL: &str = "olm.catalogSource";
/// Label of an update pod: the catalog. Empty after its promotion.
pub const CATALOG_SOURCE_UPDATE: &str = "catalogsource.operators.coreos.com/update";
/// Label of registry pods: what their specification comes to.
pub const POD_SPEC_HASH: &str = "olm.pod-spec-hash";
/// Label of the services of catalogs: what their specification comes to.
pub const SERVICE_SPEC_HASH: &str = "olm.service-spec-hash";
/// Label of the pods of catalogs in ConfigMaps: the resource version that they serve.
pub const CONFIG_MAP_RESOURCE_VERSION: &str = "olm.configMapResourceVersion";
/// Label of unpack Jobs and their pods: the name of what is unpacked.
pub const BUNDLE_UNPACK_REF: &str = "operatorframework.io/bundle-unpack-ref";
/// Label of all that OLM creates: `true`.
pub const MANAGED: &str = "olm.managed";
/// Label: the name of the owner.
pub const OWNER: &str = "olm.owner";
/// Label: the namespace of the owner.
pub const OWNER_NAMESPACE: &str = "olm.owner.namespace";
/// Label: the kind of the owner.
pub const OWNER_KIND: &str = "olm.owner.kind";
/// Label of roles and bindings: what they come to.
pub const PERMISSIONS_HASH: &str = "olm.permissions.hash";
/// Label of Deployments: what their specification comes to.
pub const DEPLOYMENT_SPEC_HASH: &str = "olm.deployment-spec-hash";
/// Label of webhook configurations: the name in the ClusterServiceVersion.
pub const WEBHOOK_GENERATE_NAME: &str = "olm.webhook-description-generate-name";
/// Label of webhook configurations: what they come to.
pub const WEBHOOK_HASH: &str = "olm.webhook-description-hash";
/// Label of copied ClusterServiceVersions: the namespace of the original.
pub const COPIED_FROM: &str = "olm.copiedFrom";
/// How the label of all parts of an operator begins; `PACKAGE.NAMESPACE` follows.
pub const COMPONENT_PREFIX: &str = "operators.coreos.com/";
/// How the label of the namespaces of an OperatorGroup begins; its uid follows.
pub const OPERATOR_GROUP_UID_PREFIX: &str = "olm.operatorgroup.uid/";
/// How labels of cluster roles for APIs begin.
pub const AGGREGATE_TO_PREFIX: &str = "olm.opgroup.permissions/aggregate-to-";

/// Annotation of ClusterServiceVersions and pods: the OperatorGroup.
pub const OPERATOR_GROUP_ANNOTATION: &str = "olm.operatorGroup";
/// Annotation of ClusterServiceVersions and pods: the namespace of the operator.
pub const OPERATOR_NAMESPACE: &str = "olm.operatorNamespace";
/// Annotation of ClusterServiceVersions and pods: the namespaces that the operator works in.
pub const TARGET_NAMESPACES: &str = "olm.targetNamespaces";
/// Annotation of ClusterServiceVersions: the properties that the catalog gives.
pub const PROPERTIES: &str = "operatorframework.io/properties";
/// Annotation of OperatorGroups: the APIs that their operators provide.
pub const PROVIDED_APIS: &str = "olm.providedAPIs";
/// Annotation of OperatorGroups: how long unpacking a bundle may take.
pub const UNPACK_TIMEOUT: &str = "operatorframework.io/bundle-unpack-timeout";
/// Annotation of OperatorGroups: after how long a failed unpacking is tried again.
pub const UNPACK_MIN_RETRY_INTERVAL: &str = "operatorframework.io/bundle-unpack-min-retry-interval";
/// Annotation of OperatorGroups: whether global catalogs do not count.
pub const EXCLUDE_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";
/// Annotation of CatalogSources: the priority class of their pods.
pub const PRIORITY_CLASS: &str = "operatorframework.io/priorityclass";
/// Annotation of CatalogSources: the template of their image.
pub const IMAGE_TEMPLATE: &str = "olm.catalogImageTemplate";
/// Annotation of registry pods for the autoscaler of clusters.
pub const SAFE_TO_EVICT: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
/// Annotation of Subscriptions that OLM makes: the InstallPlan.
pub const GENERATED_BY: &str = "olm.generated-by";
/// How annotations of definitions begin that say which ClusterServiceVersions brought them.
pub const INSTALLED_ALONGSIDE_PREFIX: &str = "operatorframework.io/installed-alongside-";
/// Annotation of unpacked bundles: how the values are packed.
pub const CONTENT_ENCODING: &str = "olm.contentEncoding";
/// Annotation of unpacked bundles: their image.
pub const SOURCE_IMAGE: &str = "olm.sourceImage";
/// Annotation of Secrets with certificates, and of pod templates: the authority.
pub const CA_HASH: &str = "olmcahash";

/// Finalizer of ClusterServiceVersions that are no copies.
pub const CSV_CLEANUP: &str = "operators.coreos.com/csv-cleanup";

/// The field manager of catalog-operator.
pub const CATALOG_MANAGER: &str = "catalog";
/// The field manager of olm-operator.
pub const OLM_MANAGER: &str = "olm";
/// The component of all events.
pub const EVENT_SOURCE: &str = "operator-lifecycle-manager";
