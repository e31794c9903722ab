//! Services and service accounts.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::meta::{CONDITION, OBJECT_META};
use super::volumes::LOCAL_OBJECT_REFERENCE;
use crate::kubernetes::Shape::{Flag, IntOrText, List, Map, Optional, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `ServiceAccount`.
pub static SERVICE_ACCOUNT: Struct = Struct {
    name: "v1.ServiceAccount",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("secrets", List(&Of(&OBJECT_REFERENCE))),
        omit("imagePullSecrets", List(&Of(&LOCAL_OBJECT_REFERENCE))),
        omit("automountServiceAccountToken", Optional(&Flag)),
    ],
};

/// Go's `ObjectReference`.
pub(crate) static OBJECT_REFERENCE: Struct = Struct {
    name: "v1.ObjectReference",
    fields: &[
        omit("kind", TEXT),
        omit("namespace", TEXT),
        omit("name", TEXT),
        omit("uid", Text("types.UID")),
        omit("apiVersion", TEXT),
        omit("resourceVersion", TEXT),
        omit("fieldPath", TEXT),
    ],
};

/// Go's `Service`.
pub static SERVICE: Struct = Struct {
    name: "v1.Service",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("spec", Of(&SERVICE_SPEC)),
        omit("status", Of(&SERVICE_STATUS)),
    ],
};

/// Go's `ServiceSpec`.
pub(crate) static SERVICE_SPEC: Struct = Struct {
    name: "v1.ServiceSpec",
    fields: &[
        omit("ports", List(&Of(&SERVICE_PORT))),
        omit("selector", Map(&TEXT)),
        omit("clusterIP", TEXT),
        omit("clusterIPs", List(&TEXT)),
        omit("type", Text("v1.ServiceType")),
        omit("externalIPs", List(&TEXT)),
        omit("sessionAffinity", Text("v1.ServiceAffinity")),
        omit("loadBalancerIP", TEXT),
        omit("loadBalancerSourceRanges", List(&TEXT)),
        omit("externalName", TEXT),
        omit("externalTrafficPolicy", Text("v1.ServiceExternalTrafficPolicy")),
        omit("healthCheckNodePort", Whole("int32")),
        omit("publishNotReadyAddresses", Flag),
        omit("sessionAffinityConfig", Optional(&Of(&SESSION_AFFINITY_CONFIG))),
        omit("ipFamilies", List(&Text("v1.IPFamily"))),
        omit("ipFamilyPolicy", Optional(&Text("v1.IPFamilyPolicy"))),
        omit("allocateLoadBalancerNodePorts", Optional(&Flag)),
        omit("loadBalancerClass", Optional(&TEXT)),
        omit("internalTrafficPolicy", Optional(&Text("v1.ServiceInternalTrafficPolicy"))),
        omit("trafficDistribution", Optional(&TEXT)),
    ],
};

/// Go's `ServicePort`.
pub(crate) static SERVICE_PORT: Struct = Struct {
    name: "v1.ServicePort",
    fields: &[
        omit("name", TEXT),
        omit("protocol", Text("v1.Protocol")),
        omit("appProtocol", Optional(&TEXT)),
        always("port", Whole("int32")),
        omit("targetPort", IntOrText),
        omit("nodePort", Whole("int32")),
    ],
};

/// Go's `SessionAffinityConfig`.
pub(crate) static SESSION_AFFINITY_CONFIG: Struct = Struct {
    name: "v1.SessionAffinityConfig",
    fields: &[omit("clientIP", Optional(&Of(&CLIENT_IP_CONFIG)))],
};

/// Go's `ClientIPConfig`.
pub(crate) static CLIENT_IP_CONFIG: Struct =
    Struct { name: "v1.ClientIPConfig", fields: &[omit("timeoutSeconds", Optional(&Whole("int32")))] };

/// Go's `ServiceStatus`.
pub(crate) static SERVICE_STATUS: Struct = Struct {
    name: "v1.ServiceStatus",
    fields: &[omit("loadBalancer", Of(&LOAD_BALANCER_STATUS)), omit("conditions", List(&Of(&CONDITION)))],
};

/// Go's `LoadBalancerStatus`.
pub(crate) static LOAD_BALANCER_STATUS: Struct =
    Struct { name: "v1.LoadBalancerStatus", fields: &[omit("ingress", List(&Of(&LOAD_BALANCER_INGRESS)))] };

/// Go's `LoadBalancerIngress`.
pub(crate) static LOAD_BALANCER_INGRESS: Struct = Struct {
    name: "v1.LoadBalancerIngress",
    fields: &[
        omit("ip", TEXT),
        omit("hostname", TEXT),
        omit("ipMode", Optional(&Text("v1.LoadBalancerIPMode"))),
        omit("ports", List(&Of(&PORT_STATUS))),
    ],
};

/// Go's `PortStatus`.
pub(crate) static PORT_STATUS: Struct = Struct {
    name: "v1.PortStatus",
    fields: &[
        always("port", Whole("int32")),
        always("protocol", Text("v1.Protocol")),
        omit("error", Optional(&TEXT)),
    ],
};
