//! Pods, but for their containers and volumes.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::containers::{
    APP_ARMOR_PROFILE, CONTAINER, CONTAINER_PORT, CONTAINER_RESIZE_POLICY, CONTAINER_RESTART_RULE,
    ENV_FROM_SOURCE, ENV_VAR, LIFECYCLE, PROBE, RESOURCE_REQUIREMENTS, SE_LINUX_OPTIONS, SECCOMP_PROFILE,
    SECURITY_CONTEXT, VOLUME_DEVICE, VOLUME_MOUNT, WINDOWS_SECURITY_CONTEXT_OPTIONS,
};
use super::meta::{LABEL_SELECTOR, OBJECT_META};
use super::volumes::{LOCAL_OBJECT_REFERENCE, VOLUME};
use crate::kubernetes::Shape::{Flag, List, Map, Optional, Quantity, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `PodTemplateSpec`.
pub(crate) static POD_TEMPLATE_SPEC: Struct = Struct {
    name: "v1.PodTemplateSpec",
    fields: &[omit("metadata", Of(&OBJECT_META)), omit("spec", Of(&POD_SPEC))],
};

/// Go's `PodSpec`.
pub(crate) static POD_SPEC: Struct = Struct {
    name: "v1.PodSpec",
    fields: &[
        omit("volumes", List(&Of(&VOLUME))),
        omit("initContainers", List(&Of(&CONTAINER))),
        always("containers", List(&Of(&CONTAINER))),
        omit("ephemeralContainers", List(&Of(&EPHEMERAL_CONTAINER))),
        omit("restartPolicy", Text("v1.RestartPolicy")),
        omit("terminationGracePeriodSeconds", Optional(&Whole("int64"))),
        omit("activeDeadlineSeconds", Optional(&Whole("int64"))),
        omit("dnsPolicy", Text("v1.DNSPolicy")),
        omit("nodeSelector", Map(&TEXT)),
        omit("serviceAccountName", TEXT),
        omit("serviceAccount", TEXT),
        omit("automountServiceAccountToken", Optional(&Flag)),
        omit("nodeName", TEXT),
        omit("hostNetwork", Flag),
        omit("hostPID", Flag),
        omit("hostIPC", Flag),
        omit("shareProcessNamespace", Optional(&Flag)),
        omit("securityContext", Optional(&Of(&POD_SECURITY_CONTEXT))),
        omit("imagePullSecrets", List(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("hostname", TEXT),
        omit("subdomain", TEXT),
        omit("affinity", Optional(&Of(&AFFINITY))),
        omit("schedulerName", TEXT),
        omit("tolerations", List(&Of(&TOLERATION))),
        omit("hostAliases", List(&Of(&HOST_ALIAS))),
        omit("priorityClassName", TEXT),
        omit("priority", Optional(&Whole("int32"))),
        omit("dnsConfig", Optional(&Of(&POD_DNS_CONFIG))),
        omit("readinessGates", List(&Of(&POD_READINESS_GATE))),
        omit("runtimeClassName", Optional(&TEXT)),
        omit("enableServiceLinks", Optional(&Flag)),
        omit("preemptionPolicy", Optional(&Text("v1.PreemptionPolicy"))),
        omit("overhead", Map(&Quantity)),
        omit("topologySpreadConstraints", List(&Of(&TOPOLOGY_SPREAD_CONSTRAINT))),
        omit("setHostnameAsFQDN", Optional(&Flag)),
        omit("os", Optional(&Of(&POD_OS))),
        omit("hostUsers", Optional(&Flag)),
        omit("schedulingGates", List(&Of(&POD_SCHEDULING_GATE))),
        omit("resourceClaims", List(&Of(&POD_RESOURCE_CLAIM))),
        omit("resources", Optional(&Of(&RESOURCE_REQUIREMENTS))),
        omit("hostnameOverride", Optional(&TEXT)),
        omit("schedulingGroup", Optional(&Of(&POD_SCHEDULING_GROUP))),
    ],
};

/// Go's `EphemeralContainer`.
pub(crate) static EPHEMERAL_CONTAINER: Struct = Struct {
    name: "v1.EphemeralContainer",
    fields: &[
        always("name", TEXT),
        omit("image", TEXT),
        omit("command", List(&TEXT)),
        omit("args", List(&TEXT)),
        omit("workingDir", TEXT),
        omit("ports", List(&Of(&CONTAINER_PORT))),
        omit("envFrom", List(&Of(&ENV_FROM_SOURCE))),
        omit("env", List(&Of(&ENV_VAR))),
        omit("resources", Of(&RESOURCE_REQUIREMENTS)),
        omit("resizePolicy", List(&Of(&CONTAINER_RESIZE_POLICY))),
        omit("restartPolicy", Optional(&Text("v1.ContainerRestartPolicy"))),
        omit("restartPolicyRules", List(&Of(&CONTAINER_RESTART_RULE))),
        omit("volumeMounts", List(&Of(&VOLUME_MOUNT))),
        omit("volumeDevices", List(&Of(&VOLUME_DEVICE))),
        omit("livenessProbe", Optional(&Of(&PROBE))),
        omit("readinessProbe", Optional(&Of(&PROBE))),
        omit("startupProbe", Optional(&Of(&PROBE))),
        omit("lifecycle", Optional(&Of(&LIFECYCLE))),
        omit("terminationMessagePath", TEXT),
        omit("terminationMessagePolicy", Text("v1.TerminationMessagePolicy")),
        omit("imagePullPolicy", Text("v1.PullPolicy")),
        omit("securityContext", Optional(&Of(&SECURITY_CONTEXT))),
        omit("stdin", Flag),
        omit("stdinOnce", Flag),
        omit("tty", Flag),
        omit("targetContainerName", TEXT),
    ],
};

/// Go's `PodSecurityContext`.
pub(crate) static POD_SECURITY_CONTEXT: Struct = Struct {
    name: "v1.PodSecurityContext",
    fields: &[
        omit("seLinuxOptions", Optional(&Of(&SE_LINUX_OPTIONS))),
        omit("windowsOptions", Optional(&Of(&WINDOWS_SECURITY_CONTEXT_OPTIONS))),
        omit("runAsUser", Optional(&Whole("int64"))),
        omit("runAsGroup", Optional(&Whole("int64"))),
        omit("runAsNonRoot", Optional(&Flag)),
        omit("supplementalGroups", List(&Whole("int64"))),
        omit("supplementalGroupsPolicy", Optional(&Text("v1.SupplementalGroupsPolicy"))),
        omit("fsGroup", Optional(&Whole("int64"))),
        omit("sysctls", List(&Of(&SYSCTL))),
        omit("fsGroupChangePolicy", Optional(&Text("v1.PodFSGroupChangePolicy"))),
        omit("seccompProfile", Optional(&Of(&SECCOMP_PROFILE))),
        omit("appArmorProfile", Optional(&Of(&APP_ARMOR_PROFILE))),
        omit("seLinuxChangePolicy", Optional(&Text("v1.PodSELinuxChangePolicy"))),
    ],
};

/// Go's `Sysctl`.
pub(crate) static SYSCTL: Struct =
    Struct { name: "v1.Sysctl", fields: &[always("name", TEXT), always("value", TEXT)] };

/// Go's `Affinity`.
pub(crate) static AFFINITY: Struct = Struct {
    name: "v1.Affinity",
    fields: &[
        omit("nodeAffinity", Optional(&Of(&NODE_AFFINITY))),
        omit("podAffinity", Optional(&Of(&POD_AFFINITY))),
        omit("podAntiAffinity", Optional(&Of(&POD_ANTI_AFFINITY))),
    ],
};

/// Go's `NodeAffinity`.
pub(crate) static NODE_AFFINITY: Struct = Struct {
    name: "v1.NodeAffinity",
    fields: &[
        omit("requiredDuringSchedulingIgnoredDuringExecution", Optional(&Of(&NODE_SELECTOR))),
        omit("preferredDuringSchedulingIgnoredDuringExecution", List(&Of(&PREFERRED_SCHEDULING_TERM))),
    ],
};

/// Go's `NodeSelector`.
pub(crate) static NODE_SELECTOR: Struct = Struct {
    name: "v1.NodeSelector",
    fields: &[always("nodeSelectorTerms", List(&Of(&NODE_SELECTOR_TERM)))],
};

/// Go's `NodeSelectorTerm`.
pub(crate) static NODE_SELECTOR_TERM: Struct = Struct {
    name: "v1.NodeSelectorTerm",
    fields: &[
        omit("matchExpressions", List(&Of(&NODE_SELECTOR_REQUIREMENT))),
        omit("matchFields", List(&Of(&NODE_SELECTOR_REQUIREMENT))),
    ],
};

/// Go's `NodeSelectorRequirement`.
pub(crate) static NODE_SELECTOR_REQUIREMENT: Struct = Struct {
    name: "v1.NodeSelectorRequirement",
    fields: &[
        always("key", TEXT),
        always("operator", Text("v1.NodeSelectorOperator")),
        omit("values", List(&TEXT)),
    ],
};

/// Go's `PreferredSchedulingTerm`.
pub(crate) static PREFERRED_SCHEDULING_TERM: Struct = Struct {
    name: "v1.PreferredSchedulingTerm",
    fields: &[always("weight", Whole("int32")), always("preference", Of(&NODE_SELECTOR_TERM))],
};

/// Go's `PodAffinity`.
pub(crate) static POD_AFFINITY: Struct = Struct {
    name: "v1.PodAffinity",
    fields: &[
        omit("requiredDuringSchedulingIgnoredDuringExecution", List(&Of(&POD_AFFINITY_TERM))),
        omit("preferredDuringSchedulingIgnoredDuringExecution", List(&Of(&WEIGHTED_POD_AFFINITY_TERM))),
    ],
};

/// Go's `PodAffinityTerm`.
pub(crate) static POD_AFFINITY_TERM: Struct = Struct {
    name: "v1.PodAffinityTerm",
    fields: &[
        omit("labelSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("namespaces", List(&TEXT)),
        always("topologyKey", TEXT),
        omit("namespaceSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("matchLabelKeys", List(&TEXT)),
        omit("mismatchLabelKeys", List(&TEXT)),
    ],
};

/// Go's `WeightedPodAffinityTerm`.
pub(crate) static WEIGHTED_POD_AFFINITY_TERM: Struct = Struct {
    name: "v1.WeightedPodAffinityTerm",
    fields: &[always("weight", Whole("int32")), always("podAffinityTerm", Of(&POD_AFFINITY_TERM))],
};

/// Go's `PodAntiAffinity`.
pub(crate) static POD_ANTI_AFFINITY: Struct = Struct {
    name: "v1.PodAntiAffinity",
    fields: &[
        omit("requiredDuringSchedulingIgnoredDuringExecution", List(&Of(&POD_AFFINITY_TERM))),
        omit("preferredDuringSchedulingIgnoredDuringExecution", List(&Of(&WEIGHTED_POD_AFFINITY_TERM))),
    ],
};

/// Go's `Toleration`.
pub(crate) static TOLERATION: Struct = Struct {
    name: "v1.Toleration",
    fields: &[
        omit("key", TEXT),
        omit("operator", Text("v1.TolerationOperator")),
        omit("value", TEXT),
        omit("effect", Text("v1.TaintEffect")),
        omit("tolerationSeconds", Optional(&Whole("int64"))),
    ],
};

/// Go's `HostAlias`.
pub(crate) static HOST_ALIAS: Struct =
    Struct { name: "v1.HostAlias", fields: &[always("ip", TEXT), omit("hostnames", List(&TEXT))] };

/// Go's `PodDNSConfig`.
pub(crate) static POD_DNS_CONFIG: Struct = Struct {
    name: "v1.PodDNSConfig",
    fields: &[
        omit("nameservers", List(&TEXT)),
        omit("searches", List(&TEXT)),
        omit("options", List(&Of(&POD_DNS_CONFIG_OPTION))),
    ],
};

/// Go's `PodDNSConfigOption`.
pub(crate) static POD_DNS_CONFIG_OPTION: Struct =
    Struct { name: "v1.PodDNSConfigOption", fields: &[omit("name", TEXT), omit("value", Optional(&TEXT))] };

/// Go's `PodReadinessGate`.
pub(crate) static POD_READINESS_GATE: Struct =
    Struct { name: "v1.PodReadinessGate", fields: &[always("conditionType", Text("v1.PodConditionType"))] };

/// Go's `TopologySpreadConstraint`.
pub(crate) static TOPOLOGY_SPREAD_CONSTRAINT: Struct = Struct {
    name: "v1.TopologySpreadConstraint",
    fields: &[
        always("maxSkew", Whole("int32")),
        always("topologyKey", TEXT),
        always("whenUnsatisfiable", Text("v1.UnsatisfiableConstraintAction")),
        omit("labelSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("minDomains", Optional(&Whole("int32"))),
        omit("nodeAffinityPolicy", Optional(&Text("v1.NodeInclusionPolicy"))),
        omit("nodeTaintsPolicy", Optional(&Text("v1.NodeInclusionPolicy"))),
        omit("matchLabelKeys", List(&TEXT)),
    ],
};

/// Go's `PodOS`.
pub(crate) static POD_OS: Struct = Struct { name: "v1.PodOS", fields: &[always("name", Text("v1.OSName"))] };

/// Go's `PodSchedulingGate`.
pub(crate) static POD_SCHEDULING_GATE: Struct =
    Struct { name: "v1.PodSchedulingGate", fields: &[always("name", TEXT)] };

/// Go's `PodResourceClaim`.
pub(crate) static POD_RESOURCE_CLAIM: Struct = Struct {
    name: "v1.PodResourceClaim",
    fields: &[
        always("name", TEXT),
        omit("resourceClaimName", Optional(&TEXT)),
        omit("resourceClaimTemplateName", Optional(&TEXT)),
    ],
};

/// Go's `PodSchedulingGroup`.
pub(crate) static POD_SCHEDULING_GROUP: Struct =
    Struct { name: "v1.PodSchedulingGroup", fields: &[omit("podGroupName", Optional(&TEXT))] };
