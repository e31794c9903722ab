//! The pod that serves a catalog.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/registry/reconciler/reconciler.go`
//! (`Pod`, `addSecurityContext`).

use fbc_bundle::kubernetes::TypeMismatch;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_kubernetes::types::Named;
use serde_json::{Value, json};

use crate::names::{CATALOG_SOURCE_LABEL, MANAGED, POD_SPEC_HASH, PRIORITY_CLASS, SAFE_TO_EVICT};
use crate::{Options, go_json};

const POD_SPEC: Named = Named::new("core", "PodSpec");
/// Where a catalog lies that was copied out of its image.
const EXTRACTED: &str = "/extracted-catalog";
const UTILITIES: &str = "/utilities";
/// The user of restricted pods.
const USER: i64 = 1001;

/// The pod of a catalog, without its owner.
///
/// Shows V0-013.
///
/// # Errors
/// What the catalog says of its pod does not fit.
pub(super) fn pod(
    options: &Options,
    catalog: &Object,
    account: &Object,
    is_restricted_namespace: bool,
) -> Result<Value, TypeMismatch> {
    let image = catalog.text(&["spec", "image"]);
    let mut spec = json!({
        "containers": [server(image)], "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": account.name(),
    });
    if let Some(secrets) = account.given(&["imagePullSecrets"]) {
        spec["imagePullSecrets"] = secrets.clone();
    }
    if let Some(config) = catalog.given(&["spec", "grpcPodConfig"]) {
        configure(&mut spec, config);
        if let Some(content) = config.given(&["extractContent"]) {
            extract(&mut spec, content, image, options);
        }
    }
    let is_restricted = match catalog.text(&["spec", "grpcPodConfig", "securityContextConfig"]) {
        "" => is_restricted_namespace,
        wanted => wanted == "restricted",
    };
    if is_restricted {
        restrict(&mut spec, options.sets_workload_user);
    }
    if let Some(class) = catalog.annotation(PRIORITY_CLASS).filter(|class| !class.is_empty()) {
        spec["priorityClassName"] = class.into();
    }
    let hash = go_json::hash(&go_json::encode(&spec, POD_SPEC)?);
    let mut annotations =
        catalog.at(&["metadata", "annotations"]).and_then(Value::as_object).cloned().unwrap_or_default();
    annotations.insert(SAFE_TO_EVICT.to_owned(), "true".into());
    Ok(json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "generateName": format!("{}-", catalog.name()), "namespace": catalog.namespace(),
            "labels": {CATALOG_SOURCE_LABEL: catalog.name(), MANAGED: "true", POD_SPEC_HASH: hash},
            "annotations": annotations,
        },
        "spec": spec,
    }))
}

fn server(image: &str) -> Value {
    let command = json!({"command": ["grpc_health_probe", "-addr=:50051", "-rpc-timeout=5s"]});
    json!({
        "name": "registry-server", "image": image, "ports": [{"name": "grpc", "containerPort": 50051}],
        "readinessProbe": {"exec": command, "initialDelaySeconds": 5, "timeoutSeconds": 5},
        "livenessProbe": {"exec": command, "initialDelaySeconds": 10, "timeoutSeconds": 5},
        "startupProbe": {"exec": command, "failureThreshold": 10, "periodSeconds": 10, "timeoutSeconds": 5},
        "resources": {"requests": {"cpu": "10m", "memory": "50Mi"}},
        "securityContext": {"readOnlyRootFilesystem": false},
        "imagePullPolicy": pull_policy(image), "terminationMessagePolicy": "FallbackToLogsOnError",
    })
}

/// Images by digest do not change.
pub(super) fn pull_policy(image: &str) -> &'static str {
    if image.contains('@') { "IfNotPresent" } else { "Always" }
}

/// What `grpcPodConfig` replaces.
fn configure(spec: &mut Value, config: &Value) {
    for field in ["nodeSelector", "priorityClassName", "tolerations", "affinity"] {
        if let Some(value) = config.given(&[field]) {
            spec[field] = value.clone();
        }
    }
    if let Some(target) = config.given(&["memoryTarget"]) {
        let text = target.as_str().map_or_else(|| target.to_string(), str::to_owned);
        let container = &mut spec["containers"][0];
        container.set(&["resources", "requests", "memory"], text.as_str());
        container["env"] = json!([{"name": "GOMEMLIMIT", "value": format!("{text}B")}]);
    }
}

/// The catalog is copied out of its image, and another image serves it.
fn extract(spec: &mut Value, content: &Value, image: &str, options: &Options) {
    let (directory, cache) = (content.text(&["catalogDir"]), content.text(&["cacheDir"]));
    let mut volumes = vec![
        json!({"name": "utilities", "emptyDir": {}}),
        json!({"name": "catalog-content", "emptyDir": {}}),
    ];
    let utilities = json!({"name": "utilities", "mountPath": UTILITIES});
    let copied = json!({"name": "catalog-content", "mountPath": EXTRACTED});
    let mut copy = vec![format!("--catalog.from={directory}"), format!("--catalog.to={EXTRACTED}/catalog")];
    let mut serve = vec!["serve".to_owned(), format!("{EXTRACTED}/catalog")];
    let mut mounts = Vec::new();
    if cache.is_empty() {
        volumes.push(json!({"name": "tmpdir", "emptyDir": {}}));
        mounts.push(json!({"name": "tmpdir", "mountPath": "/tmp/"}));
    } else {
        copy.push(format!("--cache.from={cache}"));
        copy.push(format!("--cache.to={EXTRACTED}/cache"));
        serve.push(format!("--cache-dir={EXTRACTED}/cache"));
    }
    mounts.push(copied.clone());
    let read_only = json!({"readOnlyRootFilesystem": true});
    spec["volumes"] = Value::Array(volumes);
    spec["initContainers"] = json!([
        {
            "name": "extract-utilities", "image": options.util_image, "command": ["cp"],
            "args": ["/bin/copy-content", format!("{UTILITIES}/copy-content")], "volumeMounts": [utilities],
            "terminationMessagePolicy": "FallbackToLogsOnError", "securityContext": read_only,
        },
        {
            "name": "extract-content", "image": image, "imagePullPolicy": pull_policy(image),
            "command": [format!("{UTILITIES}/copy-content")], "args": copy, "volumeMounts": [utilities, copied],
            "terminationMessagePolicy": "FallbackToLogsOnError", "securityContext": read_only,
        },
    ]);
    let container = &mut spec["containers"][0];
    container["securityContext"] = read_only;
    container["image"] = options.opm_image.as_str().into();
    container["imagePullPolicy"] = pull_policy(&options.opm_image).into();
    container["command"] = json!(["/bin/opm"]);
    container["args"] = json!(serve);
    container["volumeMounts"] = Value::Array(mounts);
}

/// What restricted namespaces ask for.
pub(super) fn restrict(spec: &mut Value, sets_user: bool) {
    let mut context = json!({"seccompProfile": {"type": "RuntimeDefault"}});
    if sets_user {
        context["runAsUser"] = USER.into();
        context["runAsNonRoot"] = true.into();
    }
    spec["securityContext"] = context;
    for field in ["initContainers", "containers"] {
        for container in spec.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
            container.set(&["securityContext", "allowPrivilegeEscalation"], false);
            container.set(&["securityContext", "capabilities"], json!({"drop": ["ALL"]}));
        }
    }
}
