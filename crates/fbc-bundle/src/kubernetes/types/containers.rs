//! The containers of a pod.
//!
//! Source: `kubernetes/api:core/v1/types.go`.

use super::volumes::{OBJECT_FIELD_SELECTOR, RESOURCE_FIELD_SELECTOR};
use crate::kubernetes::Shape::{Flag, IntOrText, List, Map, Optional, Quantity, Struct as Of, Text, Whole};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `Container`.
pub(crate) static CONTAINER: Struct = Struct {
    name: "v1.Container",
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
    ],
};

/// Go's `ContainerPort`.
pub(crate) static CONTAINER_PORT: Struct = Struct {
    name: "v1.ContainerPort",
    fields: &[
        omit("name", TEXT),
        omit("hostPort", Whole("int32")),
        always("containerPort", Whole("int32")),
        omit("protocol", Text("v1.Protocol")),
        omit("hostIP", TEXT),
    ],
};

/// Go's `EnvFromSource`.
pub(crate) static ENV_FROM_SOURCE: Struct = Struct {
    name: "v1.EnvFromSource",
    fields: &[
        omit("prefix", TEXT),
        omit("configMapRef", Optional(&Of(&CONFIG_MAP_ENV_SOURCE))),
        omit("secretRef", Optional(&Of(&SECRET_ENV_SOURCE))),
    ],
};

/// Go's `ConfigMapEnvSource`.
pub(crate) static CONFIG_MAP_ENV_SOURCE: Struct = Struct {
    name: "v1.ConfigMapEnvSource",
    fields: &[omit("name", TEXT), omit("optional", Optional(&Flag))],
};

/// Go's `SecretEnvSource`.
pub(crate) static SECRET_ENV_SOURCE: Struct =
    Struct { name: "v1.SecretEnvSource", fields: &[omit("name", TEXT), omit("optional", Optional(&Flag))] };

/// Go's `EnvVar`.
pub(crate) static ENV_VAR: Struct = Struct {
    name: "v1.EnvVar",
    fields: &[always("name", TEXT), omit("value", TEXT), omit("valueFrom", Optional(&Of(&ENV_VAR_SOURCE)))],
};

/// Go's `EnvVarSource`.
pub(crate) static ENV_VAR_SOURCE: Struct = Struct {
    name: "v1.EnvVarSource",
    fields: &[
        omit("fieldRef", Optional(&Of(&OBJECT_FIELD_SELECTOR))),
        omit("resourceFieldRef", Optional(&Of(&RESOURCE_FIELD_SELECTOR))),
        omit("configMapKeyRef", Optional(&Of(&CONFIG_MAP_KEY_SELECTOR))),
        omit("secretKeyRef", Optional(&Of(&SECRET_KEY_SELECTOR))),
        omit("fileKeyRef", Optional(&Of(&FILE_KEY_SELECTOR))),
    ],
};

/// Go's `ConfigMapKeySelector`.
pub(crate) static CONFIG_MAP_KEY_SELECTOR: Struct = Struct {
    name: "v1.ConfigMapKeySelector",
    fields: &[omit("name", TEXT), always("key", TEXT), omit("optional", Optional(&Flag))],
};

/// Go's `SecretKeySelector`.
pub(crate) static SECRET_KEY_SELECTOR: Struct = Struct {
    name: "v1.SecretKeySelector",
    fields: &[omit("name", TEXT), always("key", TEXT), omit("optional", Optional(&Flag))],
};

/// Go's `FileKeySelector`.
pub(crate) static FILE_KEY_SELECTOR: Struct = Struct {
    name: "v1.FileKeySelector",
    fields: &[
        always("volumeName", TEXT),
        always("path", TEXT),
        always("key", TEXT),
        omit("optional", Optional(&Flag)),
    ],
};

/// Go's `ResourceRequirements`.
pub(crate) static RESOURCE_REQUIREMENTS: Struct = Struct {
    name: "v1.ResourceRequirements",
    fields: &[
        omit("limits", Map(&Quantity)),
        omit("requests", Map(&Quantity)),
        omit("claims", List(&Of(&RESOURCE_CLAIM))),
    ],
};

/// Go's `ResourceClaim`.
pub(crate) static RESOURCE_CLAIM: Struct =
    Struct { name: "v1.ResourceClaim", fields: &[always("name", TEXT), omit("request", TEXT)] };

/// Go's `ContainerResizePolicy`.
pub(crate) static CONTAINER_RESIZE_POLICY: Struct = Struct {
    name: "v1.ContainerResizePolicy",
    fields: &[
        always("resourceName", Text("v1.ResourceName")),
        always("restartPolicy", Text("v1.ResourceResizeRestartPolicy")),
    ],
};

/// Go's `ContainerRestartRule`.
pub(crate) static CONTAINER_RESTART_RULE: Struct = Struct {
    name: "v1.ContainerRestartRule",
    fields: &[
        omit("action", Text("v1.ContainerRestartRuleAction")),
        omit("exitCodes", Optional(&Of(&CONTAINER_RESTART_RULE_ON_EXIT_CODES))),
    ],
};

/// Go's `ContainerRestartRuleOnExitCodes`.
pub(crate) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Struct = Struct {
    name: "v1.ContainerRestartRuleOnExitCodes",
    fields: &[
        omit("operator", Text("v1.ContainerRestartRuleOnExitCodesOperator")),
        omit("values", List(&Whole("int32"))),
    ],
};

/// Go's `VolumeMount`.
pub(crate) static VOLUME_MOUNT: Struct = Struct {
    name: "v1.VolumeMount",
    fields: &[
        always("name", TEXT),
        omit("readOnly", Flag),
        omit("recursiveReadOnly", Optional(&Text("v1.RecursiveReadOnlyMode"))),
        always("mountPath", TEXT),
        omit("subPath", TEXT),
        omit("mountPropagation", Optional(&Text("v1.MountPropagationMode"))),
        omit("subPathExpr", TEXT),
    ],
};

/// Go's `VolumeDevice`.
pub(crate) static VOLUME_DEVICE: Struct =
    Struct { name: "v1.VolumeDevice", fields: &[always("name", TEXT), always("devicePath", TEXT)] };

/// Go's `Probe`.
pub(crate) static PROBE: Struct = Struct {
    name: "v1.Probe",
    fields: &[
        omit("exec", Optional(&Of(&EXEC_ACTION))),
        omit("httpGet", Optional(&Of(&HTTP_GET_ACTION))),
        omit("tcpSocket", Optional(&Of(&TCP_SOCKET_ACTION))),
        omit("grpc", Optional(&Of(&GRPC_ACTION))),
        omit("initialDelaySeconds", Whole("int32")),
        omit("timeoutSeconds", Whole("int32")),
        omit("periodSeconds", Whole("int32")),
        omit("successThreshold", Whole("int32")),
        omit("failureThreshold", Whole("int32")),
        omit("terminationGracePeriodSeconds", Optional(&Whole("int64"))),
    ],
};

/// Go's `ExecAction`.
pub(crate) static EXEC_ACTION: Struct =
    Struct { name: "v1.ExecAction", fields: &[omit("command", List(&TEXT))] };

/// Go's `HTTPGetAction`.
pub(crate) static HTTP_GET_ACTION: Struct = Struct {
    name: "v1.HTTPGetAction",
    fields: &[
        omit("path", TEXT),
        always("port", IntOrText),
        omit("host", TEXT),
        omit("scheme", Text("v1.URIScheme")),
        omit("httpHeaders", List(&Of(&HTTP_HEADER))),
    ],
};

/// Go's `HTTPHeader`.
pub(crate) static HTTP_HEADER: Struct =
    Struct { name: "v1.HTTPHeader", fields: &[always("name", TEXT), always("value", TEXT)] };

/// Go's `TCPSocketAction`.
pub(crate) static TCP_SOCKET_ACTION: Struct =
    Struct { name: "v1.TCPSocketAction", fields: &[always("port", IntOrText), omit("host", TEXT)] };

/// Go's `GRPCAction`.
pub(crate) static GRPC_ACTION: Struct = Struct {
    name: "v1.GRPCAction",
    fields: &[always("port", Whole("int32")), always("service", Optional(&TEXT))],
};

/// Go's `Lifecycle`.
pub(crate) static LIFECYCLE: Struct = Struct {
    name: "v1.Lifecycle",
    fields: &[
        omit("postStart", Optional(&Of(&LIFECYCLE_HANDLER))),
        omit("preStop", Optional(&Of(&LIFECYCLE_HANDLER))),
        omit("stopSignal", Optional(&Text("v1.Signal"))),
    ],
};

/// Go's `LifecycleHandler`.
pub(crate) static LIFECYCLE_HANDLER: Struct = Struct {
    name: "v1.LifecycleHandler",
    fields: &[
        omit("exec", Optional(&Of(&EXEC_ACTION))),
        omit("httpGet", Optional(&Of(&HTTP_GET_ACTION))),
        omit("tcpSocket", Optional(&Of(&TCP_SOCKET_ACTION))),
        omit("sleep", Optional(&Of(&SLEEP_ACTION))),
    ],
};

/// Go's `SleepAction`.
pub(crate) static SLEEP_ACTION: Struct =
    Struct { name: "v1.SleepAction", fields: &[always("seconds", Whole("int64"))] };

/// Go's `SecurityContext`.
pub(crate) static SECURITY_CONTEXT: Struct = Struct {
    name: "v1.SecurityContext",
    fields: &[
        omit("capabilities", Optional(&Of(&CAPABILITIES))),
        omit("privileged", Optional(&Flag)),
        omit("seLinuxOptions", Optional(&Of(&SE_LINUX_OPTIONS))),
        omit("windowsOptions", Optional(&Of(&WINDOWS_SECURITY_CONTEXT_OPTIONS))),
        omit("runAsUser", Optional(&Whole("int64"))),
        omit("runAsGroup", Optional(&Whole("int64"))),
        omit("runAsNonRoot", Optional(&Flag)),
        omit("readOnlyRootFilesystem", Optional(&Flag)),
        omit("allowPrivilegeEscalation", Optional(&Flag)),
        omit("procMount", Optional(&Text("v1.ProcMountType"))),
        omit("seccompProfile", Optional(&Of(&SECCOMP_PROFILE))),
        omit("appArmorProfile", Optional(&Of(&APP_ARMOR_PROFILE))),
    ],
};

/// Go's `Capabilities`.
pub(crate) static CAPABILITIES: Struct = Struct {
    name: "v1.Capabilities",
    fields: &[omit("add", List(&Text("v1.Capability"))), omit("drop", List(&Text("v1.Capability")))],
};

/// Go's `SELinuxOptions`.
pub(crate) static SE_LINUX_OPTIONS: Struct = Struct {
    name: "v1.SELinuxOptions",
    fields: &[omit("user", TEXT), omit("role", TEXT), omit("type", TEXT), omit("level", TEXT)],
};

/// Go's `WindowsSecurityContextOptions`.
pub(crate) static WINDOWS_SECURITY_CONTEXT_OPTIONS: Struct = Struct {
    name: "v1.WindowsSecurityContextOptions",
    fields: &[
        omit("gmsaCredentialSpecName", Optional(&TEXT)),
        omit("gmsaCredentialSpec", Optional(&TEXT)),
        omit("runAsUserName", Optional(&TEXT)),
        omit("hostProcess", Optional(&Flag)),
    ],
};

/// Go's `SeccompProfile`.
pub(crate) static SECCOMP_PROFILE: Struct = Struct {
    name: "v1.SeccompProfile",
    fields: &[always("type", Text("v1.SeccompProfileType")), omit("localhostProfile", Optional(&TEXT))],
};

/// Go's `AppArmorProfile`.
pub(crate) static APP_ARMOR_PROFILE: Struct = Struct {
    name: "v1.AppArmorProfile",
    fields: &[always("type", Text("v1.AppArmorProfileType")), omit("localhostProfile", Optional(&TEXT))],
};
