//! The objects of the rows, and what the cluster holds before the first of them.

use super::*;

pub(super) const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
pub(super) const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
pub(super) const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
pub(super) const T: &str = "/api/v1/namespaces/t";

pub(super) fn rbac(kind: &str, name: &str, rest: Value) -> Value {
    let mut object =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}});
    object.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap());
    object
}

pub(super) fn rules(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({"rules": [{"apiGroups": groups, "resources": resources, "verbs": verbs}]})
}

pub(super) fn binding(kind: &str, name: &str, role: &str, user: &str) -> Value {
    let group = "rbac.authorization.k8s.io";
    rbac(
        kind,
        name,
        json!({
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
        }),
    )
}

pub(super) fn policy(kind: &str, name: &str) -> Value {
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let mut policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "spec": {
            "paramKind": {"apiVersion": "v1", "kind": "Secret"},
            "matchConstraints": {"resourceRules": [rule]},
        },
    });
    if kind.starts_with("Validating") {
        policy["spec"]["validations"] =
            json!([{"expression": "false", "messageExpression": "string(params.data)"}]);
    } else {
        policy["spec"]["reinvocationPolicy"] = "Never".into();
        policy["spec"]["mutations"] = json!([{
            "patchType": "ApplyConfiguration",
            "applyConfiguration": {"expression": "Object{}"},
        }]);
    }
    policy
}

pub(super) fn policy_binding(kind: &str, name: &str, policy: &str, reference: Value) -> Value {
    let mut binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "spec": {"policyName": policy, "paramRef": reference},
    });
    if kind.starts_with("Validating") {
        binding["spec"]["validationActions"] = json!(["Deny"]);
    }
    binding
}

/// A request for a certificate with these organizations.
pub(super) fn certificate_request(name: &str, signer: &str, organizations: &[&str]) -> Value {
    let mut params = rcgen::CertificateParams::default();
    for organization in organizations {
        params.distinguished_name.push(rcgen::DnType::OrganizationName, *organization);
    }
    let key = rcgen::KeyPair::generate().unwrap();
    let pem = params.serialize_request(&key).unwrap().pem().unwrap();
    json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
        "spec": {
            "request": fbc_go::base64::encode(pem.as_bytes()), "signerName": signer, "usages": ["client auth"],
            "username": "system:admin", "uid": "forged", "groups": ["system:masters"], "extra": {"a": ["b"]},
        },
    })
}

/// A request with `approval` or `status` conditions.
pub(super) fn decided(request: &Value, condition: &str) -> Value {
    let mut request = request.clone();
    request["spec"]["username"] = "forged".into();
    request["status"] = json!({"conditions": [{"type": condition, "status": "True", "reason": "test"}]});
    request
}

/// A cluster whose administrator gave these users these rights.
pub(super) fn prepared(actor: &mut Actor<'_>) {
    let mut make = |path: &str, object: Value| {
        let (code, answer) = ask(actor, &format!("POST {path}"), object);
        assert!((200..300).contains(&code), "{path}: {answer}");
    };
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    make("/api/v1/namespaces", namespace("t"));
    let write = ["get", "create", "update", "patch", "delete"];
    let all = "rbac.authorization.k8s.io";
    let rights: [(&str, Value); 14] = [
        ("low", rules(&[all, "admissionregistration.k8s.io"], &["*"], &write)),
        (
            "low",
            rules(
                &["certificates.k8s.io"],
                &[
                    "certificatesigningrequests",
                    "certificatesigningrequests/approval",
                    "certificatesigningrequests/status",
                ],
                &write,
            ),
        ),
        ("low", rules(&[""], &["configmaps", "pods"], &["get", "create", "update", "patch"])),
        ("low", rules(&[""], &["pods/exec", "pods/attach", "pods/portforward"], &["get"])),
        ("low", rules(&["authorization.k8s.io"], &["localsubjectaccessreviews"], &["create"])),
        ("requester", rules(&["certificates.k8s.io"], &["certificatesigningrequests"], &write)),
        ("approver", rules(&["certificates.k8s.io"], &["certificatesigningrequests/approval"], &["update"])),
        ("patcher", rules(&[""], &["configmaps"], &["patch"])),
        ("lister", rules(&[""], &["configmaps"], &["list"])),
        ("scaler", rules(&["apps"], &["deployments/scale"], &["update"])),
        ("deleter", rules(&[""], &["pods"], &["get", "delete"])),
        ("actor", rules(&[""], &["users"], &["impersonate"])),
        ("escalator", rules(&[all], &["clusterroles"], &["escalate", "create", "bind"])),
        ("escalator", rules(&[all], &["clusterrolebindings"], &["create"])),
    ];
    for (index, (user, rules)) in rights.into_iter().enumerate() {
        let name = format!("{user}-{index}");
        make(&format!("{RBAC}/clusterroles"), rbac("ClusterRole", &name, rules));
        make(&format!("{RBAC}/clusterrolebindings"), binding("ClusterRoleBinding", &name, &name, user));
    }
    let mut signing = rules(&["certificates.k8s.io"], &["signers"], &["approve"]);
    signing["rules"][0]["resourceNames"] = json!(["example.com/*"]);
    make(&format!("{RBAC}/clusterroles"), rbac("ClusterRole", "signing", signing));
    make(
        &format!("{RBAC}/clusterrolebindings"),
        binding("ClusterRoleBinding", "signing", "signing", "approver"),
    );
    make(&format!("{RBAC}/clusterroles"), rbac("ClusterRole", "big", rules(&[""], &["secrets"], &["*"])));
    make(
        &format!("{RBAC}/clusterroles"),
        rbac(
            "ClusterRole",
            "sum",
            json!({"rules": [], "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"x": "none"}}]}}),
        ),
    );
    make(&format!("{RBAC}/namespaces/t/roles"), rbac("Role", "bigr", rules(&[""], &["secrets"], &["*"])));
    make(&format!("{RBAC}/namespaces/t/rolebindings"), binding("RoleBinding", "bound", "big", "nobody"));
    for name in ["a", "b"] {
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}});
        make(&format!("{T}/serviceaccounts"), account);
    }
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"serviceAccountName": "a", "containers": [{"name": "c", "image": "i"}]},
    });
    make(&format!("{T}/pods"), pod);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {
            "replicas": 0, "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
    });
    make("/apis/apps/v1/namespaces/t/deployments", deployment);
    make(
        &format!("{ADMISSION}/validatingadmissionpolicies"),
        policy("ValidatingAdmissionPolicy", "reads-secrets"),
    );
    make(
        &format!("{ADMISSION}/mutatingadmissionpolicies"),
        policy("MutatingAdmissionPolicy", "reads-secrets"),
    );
    make(REQUESTS, certificate_request("stored", "example.com/signer", &[]));
}
