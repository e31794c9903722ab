//! The cluster service version.
//!
//! Source: `operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go`.

use super::admission::RULE_WITH_OPERATIONS;
use super::apps::DEPLOYMENT_SPEC;
use super::meta::{GROUP_VERSION_KIND, LABEL_SELECTOR, OBJECT_META};
use super::rbac::POLICY_RULE;
use crate::kubernetes::Shape::{
    Any, Flag, IntOrText, List, Map, OperatorRelease, OperatorVersion, Optional, Struct as Of, Text, Time,
    Whole,
};
use crate::kubernetes::{Struct, TEXT, always, omit, omit_zero};

/// Go's `ClusterServiceVersion`.
pub static CLUSTER_SERVICE_VERSION: Struct = Struct {
    name: "v1alpha1.ClusterServiceVersion",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        always("metadata", Of(&OBJECT_META)),
        always("spec", Of(&CLUSTER_SERVICE_VERSION_SPEC)),
        always("status", Of(&CLUSTER_SERVICE_VERSION_STATUS)),
    ],
};

/// Go's `ClusterServiceVersionSpec`.
pub(crate) static CLUSTER_SERVICE_VERSION_SPEC: Struct = Struct {
    name: "v1alpha1.ClusterServiceVersionSpec",
    fields: &[
        always("install", Of(&NAMED_INSTALL_STRATEGY)),
        omit("version", OperatorVersion),
        omit_zero("release", OperatorRelease),
        omit("maturity", TEXT),
        omit("customresourcedefinitions", Of(&CUSTOM_RESOURCE_DEFINITIONS)),
        omit("apiservicedefinitions", Of(&API_SERVICE_DEFINITIONS)),
        omit("webhookdefinitions", List(&Of(&WEBHOOK_DESCRIPTION))),
        omit("nativeAPIs", List(&Of(&GROUP_VERSION_KIND))),
        omit("minKubeVersion", TEXT),
        always("displayName", TEXT),
        omit("description", TEXT),
        omit("keywords", List(&TEXT)),
        omit("maintainers", List(&Of(&MAINTAINER))),
        omit("provider", Of(&APP_LINK)),
        omit("links", List(&Of(&APP_LINK))),
        omit("icon", List(&Of(&ICON))),
        omit("installModes", List(&Of(&INSTALL_MODE))),
        omit("replaces", TEXT),
        omit("labels", Map(&TEXT)),
        omit("annotations", Map(&TEXT)),
        omit("selector", Optional(&Of(&LABEL_SELECTOR))),
        omit("cleanup", Of(&CLEANUP_SPEC)),
        omit("skips", List(&TEXT)),
        omit("relatedImages", List(&Of(&RELATED_IMAGE))),
    ],
};

/// Go's `NamedInstallStrategy`.
pub(crate) static NAMED_INSTALL_STRATEGY: Struct = Struct {
    name: "v1alpha1.NamedInstallStrategy",
    fields: &[always("strategy", TEXT), omit("spec", Of(&STRATEGY_DETAILS_DEPLOYMENT))],
};

/// Go's `StrategyDetailsDeployment`.
pub(crate) static STRATEGY_DETAILS_DEPLOYMENT: Struct = Struct {
    name: "v1alpha1.StrategyDetailsDeployment",
    fields: &[
        always("deployments", List(&Of(&STRATEGY_DEPLOYMENT_SPEC))),
        omit("permissions", List(&Of(&STRATEGY_DEPLOYMENT_PERMISSIONS))),
        omit("clusterPermissions", List(&Of(&STRATEGY_DEPLOYMENT_PERMISSIONS))),
    ],
};

/// Go's `StrategyDeploymentSpec`.
pub(crate) static STRATEGY_DEPLOYMENT_SPEC: Struct = Struct {
    name: "v1alpha1.StrategyDeploymentSpec",
    fields: &[always("name", TEXT), always("spec", Of(&DEPLOYMENT_SPEC)), omit("label", Map(&TEXT))],
};

/// Go's `StrategyDeploymentPermissions`.
pub(crate) static STRATEGY_DEPLOYMENT_PERMISSIONS: Struct = Struct {
    name: "v1alpha1.StrategyDeploymentPermissions",
    fields: &[always("serviceAccountName", TEXT), always("rules", List(&Of(&POLICY_RULE)))],
};

/// Go's `CustomResourceDefinitions`.
pub(crate) static CUSTOM_RESOURCE_DEFINITIONS: Struct = Struct {
    name: "v1alpha1.CustomResourceDefinitions",
    fields: &[omit("owned", List(&Of(&CRD_DESCRIPTION))), omit("required", List(&Of(&CRD_DESCRIPTION)))],
};

/// Go's `CRDDescription`.
pub(crate) static CRD_DESCRIPTION: Struct = Struct {
    name: "v1alpha1.CRDDescription",
    fields: &[
        always("name", TEXT),
        always("version", TEXT),
        always("kind", TEXT),
        omit("displayName", TEXT),
        omit("description", TEXT),
        omit("resources", List(&Of(&API_RESOURCE_REFERENCE))),
        omit("statusDescriptors", List(&Of(&STATUS_DESCRIPTOR))),
        omit("specDescriptors", List(&Of(&SPEC_DESCRIPTOR))),
        omit("actionDescriptors", List(&Of(&ACTION_DESCRIPTOR))),
    ],
};

/// Go's `APIResourceReference`.
pub(crate) static API_RESOURCE_REFERENCE: Struct = Struct {
    name: "v1alpha1.APIResourceReference",
    fields: &[always("name", TEXT), always("kind", TEXT), always("version", TEXT)],
};

/// Go's `StatusDescriptor`.
pub(crate) static STATUS_DESCRIPTOR: Struct = Struct {
    name: "v1alpha1.StatusDescriptor",
    fields: &[
        always("path", TEXT),
        omit("displayName", TEXT),
        omit("description", TEXT),
        omit("x-descriptors", List(&TEXT)),
        omit("value", Any),
    ],
};

/// Go's `SpecDescriptor`.
pub(crate) static SPEC_DESCRIPTOR: Struct = Struct {
    name: "v1alpha1.SpecDescriptor",
    fields: &[
        always("path", TEXT),
        omit("displayName", TEXT),
        omit("description", TEXT),
        omit("x-descriptors", List(&TEXT)),
        omit("value", Any),
    ],
};

/// Go's `ActionDescriptor`.
pub(crate) static ACTION_DESCRIPTOR: Struct = Struct {
    name: "v1alpha1.ActionDescriptor",
    fields: &[
        always("path", TEXT),
        omit("displayName", TEXT),
        omit("description", TEXT),
        omit("x-descriptors", List(&TEXT)),
        omit("value", Any),
    ],
};

/// Go's `APIServiceDefinitions`.
pub(crate) static API_SERVICE_DEFINITIONS: Struct = Struct {
    name: "v1alpha1.APIServiceDefinitions",
    fields: &[
        omit("owned", List(&Of(&API_SERVICE_DESCRIPTION))),
        omit("required", List(&Of(&API_SERVICE_DESCRIPTION))),
    ],
};

/// Go's `APIServiceDescription`.
pub(crate) static API_SERVICE_DESCRIPTION: Struct = Struct {
    name: "v1alpha1.APIServiceDescription",
    fields: &[
        always("name", TEXT),
        always("group", TEXT),
        always("version", TEXT),
        always("kind", TEXT),
        omit("deploymentName", TEXT),
        omit("containerPort", Whole("int32")),
        omit("displayName", TEXT),
        omit("description", TEXT),
        omit("resources", List(&Of(&API_RESOURCE_REFERENCE))),
        omit("statusDescriptors", List(&Of(&STATUS_DESCRIPTOR))),
        omit("specDescriptors", List(&Of(&SPEC_DESCRIPTOR))),
        omit("actionDescriptors", List(&Of(&ACTION_DESCRIPTOR))),
    ],
};

/// Go's `WebhookDescription`.
pub(crate) static WEBHOOK_DESCRIPTION: Struct = Struct {
    name: "v1alpha1.WebhookDescription",
    fields: &[
        always("generateName", TEXT),
        always("type", Text("v1alpha1.WebhookAdmissionType")),
        omit("deploymentName", TEXT),
        omit("containerPort", Whole("int32")),
        omit("targetPort", Optional(&IntOrText)),
        omit("rules", List(&Of(&RULE_WITH_OPERATIONS))),
        omit("failurePolicy", Optional(&Text("v1.FailurePolicyType"))),
        omit("matchPolicy", Optional(&Text("v1.MatchPolicyType"))),
        omit("objectSelector", Optional(&Of(&LABEL_SELECTOR))),
        always("sideEffects", Optional(&Text("v1.SideEffectClass"))),
        omit("timeoutSeconds", Optional(&Whole("int32"))),
        always("admissionReviewVersions", List(&TEXT)),
        omit("reinvocationPolicy", Optional(&Text("v1.ReinvocationPolicyType"))),
        omit("webhookPath", Optional(&TEXT)),
        omit("conversionCRDs", List(&TEXT)),
    ],
};

/// Go's `Maintainer`.
pub(crate) static MAINTAINER: Struct =
    Struct { name: "v1alpha1.Maintainer", fields: &[omit("name", TEXT), omit("email", TEXT)] };

/// Go's `AppLink`.
pub(crate) static APP_LINK: Struct =
    Struct { name: "v1alpha1.AppLink", fields: &[omit("name", TEXT), omit("url", TEXT)] };

/// Go's `Icon`.
pub(crate) static ICON: Struct =
    Struct { name: "v1alpha1.Icon", fields: &[always("base64data", TEXT), always("mediatype", TEXT)] };

/// Go's `InstallMode`.
pub(crate) static INSTALL_MODE: Struct = Struct {
    name: "v1alpha1.InstallMode",
    fields: &[always("type", Text("v1alpha1.InstallModeType")), always("supported", Flag)],
};

/// Go's `CleanupSpec`.
pub(crate) static CLEANUP_SPEC: Struct =
    Struct { name: "v1alpha1.CleanupSpec", fields: &[always("enabled", Flag)] };

/// Go's `RelatedImage`.
pub(crate) static RELATED_IMAGE: Struct =
    Struct { name: "v1alpha1.RelatedImage", fields: &[always("name", TEXT), always("image", TEXT)] };

/// Go's `ClusterServiceVersionStatus`.
pub(crate) static CLUSTER_SERVICE_VERSION_STATUS: Struct = Struct {
    name: "v1alpha1.ClusterServiceVersionStatus",
    fields: &[
        omit("phase", Text("v1alpha1.ClusterServiceVersionPhase")),
        omit("message", TEXT),
        omit("reason", Text("v1alpha1.ConditionReason")),
        omit("lastUpdateTime", Optional(&Time)),
        omit("lastTransitionTime", Optional(&Time)),
        omit("conditions", List(&Of(&CLUSTER_SERVICE_VERSION_CONDITION))),
        omit("requirementStatus", List(&Of(&REQUIREMENT_STATUS))),
        omit("certsLastUpdated", Optional(&Time)),
        omit("certsRotateAt", Optional(&Time)),
        omit("cleanup", Of(&CLEANUP_STATUS)),
    ],
};

/// Go's `ClusterServiceVersionCondition`.
pub(crate) static CLUSTER_SERVICE_VERSION_CONDITION: Struct = Struct {
    name: "v1alpha1.ClusterServiceVersionCondition",
    fields: &[
        omit("phase", Text("v1alpha1.ClusterServiceVersionPhase")),
        omit("message", TEXT),
        omit("reason", Text("v1alpha1.ConditionReason")),
        omit("lastUpdateTime", Optional(&Time)),
        omit("lastTransitionTime", Optional(&Time)),
    ],
};

/// Go's `RequirementStatus`.
pub(crate) static REQUIREMENT_STATUS: Struct = Struct {
    name: "v1alpha1.RequirementStatus",
    fields: &[
        always("group", TEXT),
        always("version", TEXT),
        always("kind", TEXT),
        always("name", TEXT),
        always("status", Text("v1alpha1.StatusReason")),
        always("message", TEXT),
        omit("uuid", TEXT),
        omit("dependents", List(&Of(&DEPENDENT_STATUS))),
    ],
};

/// Go's `DependentStatus`.
pub(crate) static DEPENDENT_STATUS: Struct = Struct {
    name: "v1alpha1.DependentStatus",
    fields: &[
        always("group", TEXT),
        always("version", TEXT),
        always("kind", TEXT),
        always("status", Text("v1alpha1.StatusReason")),
        omit("uuid", TEXT),
        omit("message", TEXT),
    ],
};

/// Go's `CleanupStatus`.
pub(crate) static CLEANUP_STATUS: Struct =
    Struct { name: "v1alpha1.CleanupStatus", fields: &[omit("pendingDeletion", List(&Of(&RESOURCE_LIST)))] };

/// Go's `ResourceList`.
pub(crate) static RESOURCE_LIST: Struct = Struct {
    name: "v1alpha1.ResourceList",
    fields: &[
        always("group", TEXT),
        always("kind", TEXT),
        always("instances", List(&Of(&RESOURCE_INSTANCE))),
    ],
};

/// Go's `ResourceInstance`.
pub(crate) static RESOURCE_INSTANCE: Struct =
    Struct { name: "v1alpha1.ResourceInstance", fields: &[always("name", TEXT), omit("namespace", TEXT)] };
