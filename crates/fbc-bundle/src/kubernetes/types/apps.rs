//! Deployments.
//!
//! Source: `kubernetes/api:apps/v1/types.go`.

use super::meta::{LABEL_SELECTOR, OBJECT_META};
use super::pods::POD_TEMPLATE_SPEC;
use crate::kubernetes::Shape::{Flag, IntOrText, List, Optional, Struct as Of, Text, Time, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `DeploymentSpec`.
pub(crate) static DEPLOYMENT_SPEC: Struct = Struct {
    name: "v1.DeploymentSpec",
    fields: &[
        omit("replicas", Optional(&Whole("int32"))),
        always("selector", Optional(&Of(&LABEL_SELECTOR))),
        always("template", Of(&POD_TEMPLATE_SPEC)),
        omit("strategy", Of(&DEPLOYMENT_STRATEGY)),
        omit("minReadySeconds", Whole("int32")),
        omit("revisionHistoryLimit", Optional(&Whole("int32"))),
        omit("paused", Flag),
        omit("progressDeadlineSeconds", Optional(&Whole("int32"))),
    ],
};

/// Go's `DeploymentStrategy`.
pub(crate) static DEPLOYMENT_STRATEGY: Struct = Struct {
    name: "v1.DeploymentStrategy",
    fields: &[
        omit("type", Text("v1.DeploymentStrategyType")),
        omit("rollingUpdate", Optional(&Of(&ROLLING_UPDATE_DEPLOYMENT))),
    ],
};

/// Go's `RollingUpdateDeployment`.
pub(crate) static ROLLING_UPDATE_DEPLOYMENT: Struct = Struct {
    name: "v1.RollingUpdateDeployment",
    fields: &[omit("maxUnavailable", Optional(&IntOrText)), omit("maxSurge", Optional(&IntOrText))],
};

/// Go's `Deployment`.
pub static DEPLOYMENT: Struct = Struct {
    name: "v1.Deployment",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        omit("spec", Of(&DEPLOYMENT_SPEC)),
        omit("status", Of(&DEPLOYMENT_STATUS)),
    ],
};

/// Go's `DeploymentStatus`.
pub(crate) static DEPLOYMENT_STATUS: Struct = Struct {
    name: "v1.DeploymentStatus",
    fields: &[
        omit("observedGeneration", Whole("int64")),
        omit("replicas", Whole("int32")),
        omit("updatedReplicas", Whole("int32")),
        omit("readyReplicas", Whole("int32")),
        omit("availableReplicas", Whole("int32")),
        omit("unavailableReplicas", Whole("int32")),
        omit("terminatingReplicas", Optional(&Whole("int32"))),
        omit("conditions", List(&Of(&DEPLOYMENT_CONDITION))),
        omit("collisionCount", Optional(&Whole("int32"))),
    ],
};

/// Go's `DeploymentCondition`.
pub(crate) static DEPLOYMENT_CONDITION: Struct = Struct {
    name: "v1.DeploymentCondition",
    fields: &[
        always("type", Text("v1.DeploymentConditionType")),
        always("status", Text("v1.ConditionStatus")),
        omit("lastUpdateTime", Time),
        omit("lastTransitionTime", Time),
        omit("reason", TEXT),
        omit("message", TEXT),
    ],
};
