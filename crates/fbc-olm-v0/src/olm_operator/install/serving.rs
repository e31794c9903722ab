//! What a Deployment that serves APIs or webhooks gets: a Service, a Secret with certificates, the rights to read it, and the
//! mounts.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/install/certresources.go`.

use std::sync::Arc;

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::super::owners::{is_managed, managed_labels, reference};
use super::certificates::{AUTHORITY_KEY, Certificates, authority_hash, decoded, must_rotate};
use super::configuration::items;
use super::deployment::Wanted;
use super::{InstallError, Served};
use crate::client::Client;
use crate::names::{CA_HASH, CLUSTER_SERVICE_VERSION, MANAGED, RBAC};

/// The namespace with the settings of extension API servers.
pub const KUBE_SYSTEM: &str = "kube-system";
/// The field manager of what is applied.
const MANAGER: &str = "olm.install";

/// The Service in front of a Deployment.
pub fn service_name(deployment: &str) -> String {
    format!("{deployment}-service")
}

/// The Secret with the certificates of a Service, and the role that may read it.
pub fn secret_name(service: &str) -> String {
    format!("{service}-cert")
}

/// The binding that lets a Deployment ask who a user is.
pub fn auth_delegator_name(service: &str) -> String {
    format!("{service}-system:auth-delegator")
}

/// The binding that lets a Deployment read how users are authenticated.
pub fn auth_reader_name(service: &str) -> String {
    format!("{service}-auth-reader")
}

/// The Secret with the certificates of a Service, if OLM knows it.
pub fn secret(client: &Client<'_>, version: &Object, service: &str) -> Option<Arc<Object>> {
    client.get("", "Secret", version.namespace(), &secret_name(service)).filter(|secret| is_managed(secret))
}

/// Installs everything for a Deployment and puts the certificates into it. Gives the certificate of the authority, and
/// whether it is new. Certificates end at a moment; the number tells authorities apart. Shows V0-103.
pub(super) fn install(
    client: &mut Client<'_>,
    version: &Object,
    deployment: &mut Wanted,
    served: &[Served<'_>],
    (end, number): (Moment, u64),
) -> Result<(Vec<u8>, bool), InstallError> {
    let service = service_name(&deployment.name);
    let namespace = version.namespace();
    client.apply(
        MANAGER,
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {
                "name": service, "namespace": namespace, "labels": {MANAGED: "true"},
                "ownerReferences": [reference(version, false)],
            },
            "spec": {"ports": ports(served), "selector": deployment.spec["selector"]["matchLabels"]},
        }),
    )?;
    let (authority, is_new) = install_secret(client, version, &service, (end, number))?;
    let secret = secret_name(&service);
    let pod = deployment.spec.place(&["template", "spec"]);
    if pod.text(&["serviceAccountName"]).is_empty() {
        pod.set(&["serviceAccountName"], "default");
    }
    let subject = json!({
        "kind": "ServiceAccount", "name": pod.text(&["serviceAccountName"]), "namespace": namespace,
    });
    install_rights(client, version, &service, &subject)?;
    mount(&mut deployment.spec, &secret, &authority_hash(&authority));
    Ok((authority, is_new))
}

/// Each port once.
fn ports(served: &[Served<'_>]) -> Vec<Value> {
    let mut ports: Vec<Value> = Vec::new();
    for part in served {
        let description = part.description();
        let number = description.number(&["containerPort"]).filter(|number| *number > 0).unwrap_or(443);
        let target = match part {
            Served::Webhook(_) => description.given(&["targetPort"]).cloned(),
            Served::Api(_) => None,
        };
        let port = json!({
            "name": number.to_string(), "port": number, "targetPort": target.unwrap_or_else(|| number.into()),
        });
        if !ports.contains(&port) {
            ports.push(port);
        }
    }
    ports
}

fn install_secret(
    client: &mut Client<'_>,
    version: &Object,
    service: &str,
    (end, number): (Moment, u64),
) -> Result<(Vec<u8>, bool), ApiError> {
    let namespace = version.namespace();
    let existing = secret(client, version, service);
    if let Some(existing) = &existing
        && !must_rotate(existing, service, namespace, client.api.now())
    {
        return Ok((decoded(existing.text(&["data", AUTHORITY_KEY])), false));
    }
    let certificates = Certificates::new(service, namespace, end, number);
    let authority = certificates.authority.clone().into_bytes();
    let mut new = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
        "metadata": {
            "name": secret_name(service), "namespace": namespace, "labels": {MANAGED: "true"},
            "annotations": {
                "openshift.io/owning-component": "Operator Framework / operator-lifecycle-manager",
                CA_HASH: authority_hash(&authority),
            },
        },
        "data": certificates.data(),
    });
    own(&mut new, version, existing.as_deref());
    client.replace(new)?;
    Ok((authority, true))
}

/// Makes a ClusterServiceVersion the owner of an object, unless one is there that none owns.
fn own(object: &mut Object, version: &Object, existing: Option<&Object>) {
    let is_adoptable = |object: &Object| {
        object.owner_references().iter().any(|owner| owner.kind() == CLUSTER_SERVICE_VERSION)
    };
    if existing.is_none_or(is_adoptable) {
        object.set(&["metadata", "ownerReferences"], json!([reference(version, false)]));
    }
}

fn install_rights(
    client: &mut Client<'_>,
    version: &Object,
    service: &str,
    subject: &Value,
) -> Result<(), ApiError> {
    let (namespace, secret) = (version.namespace(), secret_name(service));
    let metadata = json!({"name": secret, "namespace": namespace, "labels": {MANAGED: "true"}});
    let rbac = format!("{RBAC}/v1");
    let role = json!({
        "apiVersion": rbac, "kind": "Role", "metadata": metadata,
        "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret]}],
    });
    let binding = json!({
        "apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata, "subjects": [subject],
        "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": secret},
    });
    for mut object in [role, binding] {
        let existing = client.get(RBAC, object.kind(), namespace, &secret).filter(|one| is_managed(one));
        own(&mut object, version, existing.as_deref());
        client.replace(object)?;
    }
    client.apply(
        MANAGER,
        json!({
            "apiVersion": rbac, "kind": "ClusterRoleBinding", "subjects": [subject],
            "metadata": {"name": auth_delegator_name(service), "labels": managed_labels(version)},
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "system:auth-delegator"},
        }),
    )?;
    client.apply(
        MANAGER,
        json!({
            "apiVersion": rbac, "kind": "RoleBinding", "subjects": [subject],
            "metadata": {
                "name": auth_reader_name(service), "namespace": KUBE_SYSTEM, "labels": {MANAGED: "true"},
            },
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "extension-apiserver-authentication-reader"},
        }),
    )?;
    Ok(())
}

/// Mounts a Secret where API servers and webhooks look for certificates, and notes whose they are, so that new ones make new pods.
pub(super) fn mount(spec: &mut Value, secret: &str, authority_hash: &str) {
    let pod = spec.place(&["template", "spec"]);
    if pod.text(&["serviceAccountName"]).is_empty() {
        pod.set(&["serviceAccountName"], "default");
    }
    for (name, path, certificate, key) in [
        ("apiservice-cert", "/apiserver.local.config/certificates", "apiserver.crt", "apiserver.key"),
        ("webhook-cert", "/tmp/k8s-webhook-server/serving-certs", "tls.crt", "tls.key"),
    ] {
        let volume = json!({
            "name": name,
            "secret": {
                "secretName": secret,
                "items": [{"key": "tls.crt", "path": certificate}, {"key": "tls.key", "path": key}],
            },
        });
        put(pod.place(&["volumes"]), volume, |one| one["name"] == name, true);
        let mount = json!({"name": name, "mountPath": path});
        for container in items(pod, "containers") {
            let mounts = container.place(&["volumeMounts"]);
            let is_named = mounts.as_array().is_some_and(|all| all.iter().any(|one| one["name"] == name));
            put(mounts, mount.clone(), |one| one["mountPath"] == path, !is_named);
        }
    }
    spec.set(&["template", "metadata", "annotations", CA_HASH], authority_hash);
}

/// Puts an item into a list in the place of another one, or at the end.
fn put(list: &mut Value, item: Value, is_place: impl Fn(&Value) -> bool, is_wanted: bool) {
    if !is_wanted {
        return;
    }
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    let Some(items) = list.as_array_mut() else { return };
    match items.iter_mut().find(|one| is_place(one)) {
        Some(place) => *place = item,
        None => items.push(item),
    }
}
