//! Admission webhooks.
//!
//! Source: `kubernetes/api:admissionregistration/v1/types.go`.

use super::meta::{LABEL_SELECTOR, OBJECT_META};
use crate::kubernetes::Shape::{Bytes, List, Optional, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `RuleWithOperations`.
pub(crate) static RULE_WITH_OPERATIONS: Struct = Struct {
    name: "v1.RuleWithOperations",
    fields: &[
        omit("operations", List(&Text("v1.OperationType"))),
        omit("apiGroups", List(&TEXT)),
        omit("apiVersions", List(&TEXT)),
        omit("resources", List(&TEXT)),
        omit("scope", Optional(&Text("v1.ScopeType"))),
    ],
};

/// Go's `ValidatingWebhookConfiguration`.
pub static VALIDATING_WEBHOOK_CONFIGURATION: Struct = Struct {
    name: "v1.ValidatingWebhookConfiguration",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("webhooks", List(&Of(&VALIDATING_WEBHOOK))),
    ],
};

/// Go's `ValidatingWebhook`.
pub(crate) static VALIDATING_WEBHOOK: Struct = Struct {
    name: "v1.ValidatingWebhook",
    fields: &[
        always("name", TEXT),
        always("clientConfig", Of(&WEBHOOK_CLIENT_CONFIG)),
        omit("rules", List(&Of(&RULE_WITH_OPERATIONS))),
        omit("failurePolicy", Optional(&Text("v1.FailurePolicyType"))),
        omit("matchPolicy", Optional(&Text("v1.MatchPolicyType"))),
        omit("namespaceSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("objectSelector", Optional(&Of(&LABEL_SELECTOR))),
        always("sideEffects", Optional(&Text("v1.SideEffectClass"))),
        omit("timeoutSeconds", Optional(&Whole("int32"))),
        always("admissionReviewVersions", List(&TEXT)),
        omit("matchConditions", List(&Of(&MATCH_CONDITION))),
    ],
};

/// Go's `WebhookClientConfig`.
pub(crate) static WEBHOOK_CLIENT_CONFIG: Struct = Struct {
    name: "v1.WebhookClientConfig",
    fields: &[
        omit("url", Optional(&TEXT)),
        omit("service", Optional(&Of(&SERVICE_REFERENCE))),
        omit("caBundle", Bytes),
    ],
};

/// Go's `ServiceReference`.
pub(crate) static SERVICE_REFERENCE: Struct = Struct {
    name: "v1.ServiceReference",
    fields: &[
        always("namespace", TEXT),
        always("name", TEXT),
        omit("path", Optional(&TEXT)),
        omit("port", Optional(&Whole("int32"))),
    ],
};

/// Go's `MatchCondition`.
pub(crate) static MATCH_CONDITION: Struct =
    Struct { name: "v1.MatchCondition", fields: &[always("name", TEXT), always("expression", TEXT)] };

/// Go's `MutatingWebhookConfiguration`.
pub static MUTATING_WEBHOOK_CONFIGURATION: Struct = Struct {
    name: "v1.MutatingWebhookConfiguration",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("webhooks", List(&Of(&MUTATING_WEBHOOK))),
    ],
};

/// Go's `MutatingWebhook`.
pub(crate) static MUTATING_WEBHOOK: Struct = Struct {
    name: "v1.MutatingWebhook",
    fields: &[
        always("name", TEXT),
        always("clientConfig", Of(&WEBHOOK_CLIENT_CONFIG)),
        omit("rules", List(&Of(&RULE_WITH_OPERATIONS))),
        omit("failurePolicy", Optional(&Text("v1.FailurePolicyType"))),
        omit("matchPolicy", Optional(&Text("v1.MatchPolicyType"))),
        omit("namespaceSelector", Optional(&Of(&LABEL_SELECTOR))),
        omit("objectSelector", Optional(&Of(&LABEL_SELECTOR))),
        always("sideEffects", Optional(&Text("v1.SideEffectClass"))),
        omit("timeoutSeconds", Optional(&Whole("int32"))),
        always("admissionReviewVersions", List(&TEXT)),
        omit("reinvocationPolicy", Optional(&Text("v1.ReinvocationPolicyType"))),
        omit("matchConditions", List(&Of(&MATCH_CONDITION))),
    ],
};
