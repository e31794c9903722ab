//! Every place of the API server where a write, or a request, needs more than the right that its verb says, and what is
//! done here: one row each, so that none is forgotten. Rows without a request say why there is nothing to ask.
//!
//! The places are the uses of an authorizer, and of the identity of the requester, in `kubernetes/kubernetes`: `pkg/registry`,
//! `plugin/pkg/admission`, `pkg/certauthorization`, `staging/src/k8s.io/apiserver/pkg/{endpoints,admission}`.

use std::collections::BTreeMap;

use super::*;
use crate::request::Impersonation;

/// A place of the reference, and a request that shows that it is here too.
struct Row {
    place: &'static str,
    /// The user, or `user as other`, with `/uid` behind the other for a uid.
    user: &'static str,
    line: String,
    body: Value,
    code: u16,
    /// A part of the message of a refusal.
    text: &'static str,
}

/// What is not here, with the reason.
const ABSENT: [(&str, &str); 17] = [
    ("plugin/pkg/auth/authorizer/node", "nodes have no identity of their own: one actor plays all kubelets"),
    ("plugin/pkg/admission/noderestriction", "as above; the group `system:nodes` has no rights here"),
    ("pkg/registry/core/serviceaccount/storage/token.go: audiences of nodes", "as above"),
    (
        "pkg/registry/core/node/rest: nodes/proxy and what kubelets ask",
        "nodes have no subresource but their status",
    ),
    ("plugin/pkg/admission/certificates/ctbattest", "ClusterTrustBundles are not served"),
    ("pkg/registry/certificates/podcertificaterequest", "PodCertificateRequests are not served"),
    (
        "pkg/registry/resource/{resourceclaim,resourceclaimtemplate}: adminAccess",
        "ResourceClaims are not served",
    ),
    ("pkg/registry/storagemigration", "StorageVersionMigrations are not served"),
    (
        "pkg/registry/*/strategy.go: AllowCreateOnUpdate",
        "PUT makes nothing: an object that is not there is 404",
    ),
    (
        "apiserver/pkg/endpoints/handlers/delete.go: unsafe-delete-ignore-read-errors",
        "everything stored can be read",
    ),
    ("apiserver/pkg/admission/plugin/policy: the variable `authorizer`", "expressions do not have it"),
    ("plugin/pkg/admission/security/podsecurity", "pods run nothing; the plugin judges objects, not rights"),
    ("plugin/pkg/admission/serviceaccount: mirror pods", "files of nodes make no pods here"),
    ("plugin/pkg/admission/serviceaccount: enforce-mountable-secrets", "deprecated; pods mount nothing here"),
    (
        "pkg/registry/core/persistentvolumeclaim: sources in other namespaces",
        "claims are not filled from others",
    ),
    ("pkg/registry/networking/ingressclass: parameters in namespaces", "nobody reads the parameters"),
    ("kube-aggregator: proxied requests", "APIServices lead nowhere"),
];

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const T: &str = "/api/v1/namespaces/t";

fn rbac(kind: &str, name: &str, rest: Value) -> Value {
    let mut object =
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}});
    object.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap());
    object
}

fn rules(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({"rules": [{"apiGroups": groups, "resources": resources, "verbs": verbs}]})
}

fn binding(kind: &str, name: &str, role: &str, user: &str) -> Value {
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

fn policy(kind: &str, name: &str) -> Value {
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

fn policy_binding(kind: &str, name: &str, policy: &str, reference: Value) -> Value {
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
fn certificate_request(name: &str, signer: &str, organizations: &[&str]) -> Value {
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
fn decided(request: &Value, condition: &str) -> Value {
    let mut request = request.clone();
    request["spec"]["username"] = "forged".into();
    request["status"] = json!({"conditions": [{"type": condition, "status": "True", "reason": "test"}]});
    request
}

/// A cluster whose administrator gave these users these rights.
fn prepared(actor: &mut Actor<'_>) {
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

fn rows() -> Vec<Row> {
    let rules_of_secrets = || rules(&[""], &["secrets"], &["*"]);
    let role = |name: &str| rbac("ClusterRole", name, rules_of_secrets());
    let aggregating = json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}});
    let label = json!({"metadata": {"labels": {"rbac.authorization.k8s.io/aggregate-to-edit": "true"}}});
    let collected = json!({"metadata": {"finalizers": ["example.com/x"]}});
    let reference = json!({"name": "topsecret", "namespace": "default", "parameterNotFoundAction": "Allow"});
    let selected = json!({"selector": {}, "parameterNotFoundAction": "Allow"});
    let stored = certificate_request("stored", "example.com/signer", &[]);
    let owned = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owned", "ownerReferences": [{
            "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1", "blockOwnerDeletion": true,
        }]},
    });
    let token = |pod: &str| {
        json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": pod}},
        })
    };
    let review = |namespace: &str| json!({"spec": {"user": "x", "resourceAttributes": {"namespace": namespace, "verb": "get", "resource": "secrets"}}});
    let own_review = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "secrets"}}});
    let class = |name: &str, value: i64| json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value});
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    let to_node =
        json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"name": "n"}});
    let scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "d", "namespace": "t"}, "spec": {"replicas": 1}});
    const NOT_HELD: &str = "user \"low\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not \
                            currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"*\"]}";
    const NOT_CLUSTER_ADMIN: &str = "must have cluster-admin privileges to use the aggregationRule";
    const KIND: &str = "spec.paramKind: Forbidden: user &{low  [system:authenticated] map[]} must have \"get\" permission on \
                        all objects of the referenced paramKind (kind=Secret, apiVersion=v1)";
    const REFERENCE: &str = "spec.paramRef: Forbidden: user &{low  [system:authenticated] map[]} does not have \"get\" \
                             permission on the object referenced by paramRef";
    let row = |place, user, line: &str, body: &Value, code, text| Row {
        place,
        user,
        line: line.to_owned(),
        body: body.clone(),
        code,
        text,
    };
    let none = &Value::Null;
    let cluster_roles = &format!("{RBAC}/clusterroles");
    let roles = &format!("{RBAC}/namespaces/t/roles");
    let bindings = &format!("{RBAC}/clusterrolebindings");
    let in_namespace = &format!("{RBAC}/namespaces/t/rolebindings");
    let clusterrole = "pkg/registry/rbac/clusterrole/policybased";
    let vap = "pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go";
    let map = "pkg/registry/admissionregistration/mutatingadmissionpolicy/authz.go";
    let vapb = "pkg/registry/admissionregistration/validatingadmissionpolicybinding/authz.go";
    let mapb = "pkg/registry/admissionregistration/mutatingadmissionpolicybinding/authz.go";
    let approval = "plugin/pkg/admission/certificates/approval";
    let csr = "pkg/registry/certificates/certificates/strategy.go";
    let authorization = "apiserver/pkg/endpoints/filters/authorization.go";
    let mut rows = vec![
        row(clusterrole, "low", &format!("POST {cluster_roles}"), &role("more"), 403, NOT_HELD),
        row(clusterrole, "low", &format!("POST {cluster_roles}?dryRun=All"), &role("more"), 403, NOT_HELD),
        row(clusterrole, "low", &format!("PUT {cluster_roles}/big"), &role("big"), 200, ""),
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/big"), &label, 403, NOT_HELD),
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/big"), &collected, 200, ""),
        row(
            clusterrole,
            "low",
            &format!("PATCH {cluster_roles}/big"),
            &json!({"metadata": {"finalizers": null}}),
            200,
            "",
        ),
        row(
            clusterrole,
            "low",
            &format!("PATCH {cluster_roles}/new?fieldManager=x#apply"),
            &role("new"),
            403,
            NOT_HELD,
        ),
        row(
            clusterrole,
            "low",
            &format!("PATCH {cluster_roles}/big?fieldManager=x&force=true#apply"),
            &rbac("ClusterRole", "big", label.clone()),
            403,
            NOT_HELD,
        ),
        row(
            clusterrole,
            "low",
            &format!("POST {cluster_roles}"),
            &rbac("ClusterRole", "all", aggregating.clone()),
            403,
            NOT_CLUSTER_ADMIN,
        ),
        row(
            clusterrole,
            "low",
            &format!("PATCH {cluster_roles}/sum"),
            &json!({"aggregationRule": null}),
            403,
            NOT_CLUSTER_ADMIN,
        ),
        row(clusterrole, "escalator", &format!("POST {cluster_roles}"), &role("granted"), 201, ""),
        row(
            "pkg/registry/rbac/role/policybased",
            "low",
            &format!("POST {roles}"),
            &rbac("Role", "more", rules_of_secrets()),
            403,
            NOT_HELD,
        ),
        row(
            "pkg/registry/rbac/role/policybased",
            "low",
            &format!("PATCH {roles}/bigr"),
            &label,
            403,
            NOT_HELD,
        ),
        row(
            "pkg/registry/rbac/clusterrolebinding/policybased",
            "low",
            &format!("POST {bindings}"),
            &binding("ClusterRoleBinding", "more", "big", "low"),
            403,
            NOT_HELD,
        ),
        row(
            "pkg/registry/rbac/clusterrolebinding/policybased",
            "low",
            &format!("PATCH {bindings}/cluster-admin"),
            &label,
            403,
            "attempting to grant RBAC permissions not currently held",
        ),
        row(
            "pkg/registry/rbac/clusterrolebinding/policybased",
            "escalator",
            &format!("POST {bindings}"),
            &binding("ClusterRoleBinding", "granted", "big", "x"),
            201,
            "",
        ),
        row(
            "pkg/registry/rbac/rolebinding/policybased",
            "low",
            &format!("POST {in_namespace}"),
            &binding("RoleBinding", "more", "big", "low"),
            403,
            NOT_HELD,
        ),
        row(
            "pkg/registry/rbac/rolebinding/policybased",
            "low",
            &format!("PATCH {in_namespace}/bound"),
            &label,
            403,
            NOT_HELD,
        ),
        row(
            "pkg/registry/rbac/rolebinding/policybased",
            "low",
            &format!("POST {in_namespace}"),
            &binding("RoleBinding", "more", "gone", "low"),
            404,
            "\"gone\" not found",
        ),
        row(
            vap,
            "low",
            &format!("POST {ADMISSION}/validatingadmissionpolicies"),
            &policy("ValidatingAdmissionPolicy", "p"),
            422,
            KIND,
        ),
        row(
            vap,
            "low",
            &format!("PATCH {ADMISSION}/validatingadmissionpolicies/reads-secrets"),
            &label,
            200,
            "",
        ),
        row(
            map,
            "low",
            &format!("POST {ADMISSION}/mutatingadmissionpolicies"),
            &policy("MutatingAdmissionPolicy", "p"),
            422,
            KIND,
        ),
        row(
            vapb,
            "low",
            &format!("POST {ADMISSION}/validatingadmissionpolicybindings"),
            &policy_binding("ValidatingAdmissionPolicyBinding", "p", "reads-secrets", reference.clone()),
            422,
            REFERENCE,
        ),
        row(
            vapb,
            "low",
            &format!("POST {ADMISSION}/validatingadmissionpolicybindings"),
            &policy_binding("ValidatingAdmissionPolicyBinding", "p", "reads-secrets", selected),
            422,
            "does not have \"list\" permission on the object referenced by paramRef",
        ),
        row(
            vapb,
            "low",
            &format!("POST {ADMISSION}/validatingadmissionpolicybindings"),
            &policy_binding("ValidatingAdmissionPolicyBinding", "p", "gone", reference.clone()),
            422,
            "unable to get policy gone to determine minimum required permissions",
        ),
        row(
            mapb,
            "low",
            &format!("POST {ADMISSION}/mutatingadmissionpolicybindings"),
            &policy_binding("MutatingAdmissionPolicyBinding", "p", "reads-secrets", reference),
            422,
            REFERENCE,
        ),
        row(
            csr,
            "low",
            &format!("POST {REQUESTS}"),
            &certificate_request("evil", "example.com/signer", &[]),
            201,
            "",
        ),
        row(
            csr,
            "low",
            &format!("PATCH {REQUESTS}/evil"),
            &json!({"spec": {"username": "system:admin"}, "status": {"conditions": []}}),
            200,
            "",
        ),
        row(
            "plugin/pkg/admission/certificates/subjectrestriction",
            "low",
            &format!("POST {REQUESTS}"),
            &certificate_request("masters", "kubernetes.io/kube-apiserver-client", &["x", "system:masters"]),
            403,
            "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed",
        ),
        row(
            "plugin/pkg/admission/certificates/subjectrestriction",
            "low",
            &format!("POST {REQUESTS}"),
            &certificate_request("client", "kubernetes.io/kube-apiserver-client", &["x"]),
            201,
            "",
        ),
        row(
            authorization,
            "requester",
            &format!("PUT {REQUESTS}/stored/approval"),
            &decided(&stored, "Approved"),
            403,
            "cannot update resource \"certificatesigningrequests/approval\"",
        ),
        row(
            approval,
            "low",
            &format!("PUT {REQUESTS}/stored/approval"),
            &decided(&stored, "Approved"),
            403,
            "user not permitted to approve requests with signerName \"example.com/signer\"",
        ),
        row(
            "plugin/pkg/admission/certificates/signing",
            "low",
            &format!("PUT {REQUESTS}/stored/status"),
            &decided(&stored, "Failed"),
            403,
            "user not permitted to sign requests with signerName \"example.com/signer\"",
        ),
        row(
            "pkg/apis/certificates/validation",
            "admin",
            &format!("PUT {REQUESTS}/stored/status"),
            &decided(&stored, "Approved"),
            422,
            "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"",
        ),
        row(
            approval,
            "approver",
            &format!("PUT {REQUESTS}/stored/approval"),
            &decided(&stored, "Approved"),
            200,
            "",
        ),
        row(
            "pkg/apis/certificates/validation",
            "approver",
            &format!("PUT {REQUESTS}/stored/approval"),
            &decided(&stored, "Denied"),
            422,
            "updates may not remove a condition of type \"Approved\"",
        ),
        row(
            "plugin/pkg/admission/gc",
            "low",
            &format!("POST {T}/configmaps"),
            &owned,
            403,
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
        ),
        row(
            "plugin/pkg/admission/priority, pkg/apis/scheduling/validation",
            "admin",
            "POST /apis/scheduling.k8s.io/v1/priorityclasses",
            &class("system-mine", 1),
            422,
            "priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
        ),
        row(
            "plugin/pkg/admission/priority, pkg/apis/scheduling/validation",
            "admin",
            "POST /apis/scheduling.k8s.io/v1/priorityclasses",
            &class("mine", 2_000_000_000),
            422,
            "maximum allowed value of a user defined priority is 1000000000",
        ),
        row(
            "apiserver/pkg/admission/plugin/namespace/lifecycle",
            "admin",
            "DELETE /api/v1/namespaces/kube-system",
            none,
            403,
            "this namespace may not be deleted",
        ),
        row(
            "pkg/registry/core/serviceaccount/storage/token.go",
            "low",
            &format!("POST {T}/serviceaccounts/a/token"),
            &token("p"),
            403,
            "cannot create resource \"serviceaccounts/token\"",
        ),
        row(
            "pkg/registry/core/serviceaccount/storage/token.go",
            "admin",
            &format!("POST {T}/serviceaccounts/a/token"),
            &token("p"),
            201,
            "",
        ),
        row(
            "pkg/registry/core/serviceaccount/storage/token.go",
            "admin",
            &format!("POST {T}/serviceaccounts/b/token"),
            &token("p"),
            400,
            "cannot bind token for serviceaccount \"b\" to pod running with different serviceaccount name.",
        ),
        row(
            "pkg/registry/authorization/localsubjectaccessreview",
            "low",
            "POST /apis/authorization.k8s.io/v1/namespaces/t/localsubjectaccessreviews",
            &review("t"),
            201,
            "",
        ),
        row(
            "pkg/registry/authorization/localsubjectaccessreview",
            "low",
            "POST /apis/authorization.k8s.io/v1/namespaces/t/localsubjectaccessreviews",
            &review("kube-system"),
            422,
            "spec.resourceAttributes.namespace: Invalid value: \"kube-system\": must match metadata.namespace",
        ),
        row(
            "pkg/registry/authorization/subjectaccessreview",
            "low",
            "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
            &review("t"),
            403,
            "cannot create resource \"subjectaccessreviews\"",
        ),
        row(
            "pkg/registry/authentication/tokenreview",
            "low",
            "POST /apis/authentication.k8s.io/v1/tokenreviews",
            none,
            403,
            "cannot create resource \"tokenreviews\"",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "low as admin",
            &format!("GET {T}/secrets"),
            none,
            403,
            "User \"low\" cannot impersonate-on:user-info:list resource \"secrets\"",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "low as admin",
            "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            &own_review,
            403,
            "User \"low\" cannot impersonate-on:user-info:create resource \"selfsubjectaccessreviews\"",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "low as admin",
            "GET /metrics",
            none,
            403,
            "User \"low\" cannot impersonate-on:user-info:get path \"/metrics\"",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "low as system:serviceaccount:t:a",
            &format!("GET {T}/pods"),
            none,
            403,
            "cannot impersonate resource \"serviceaccounts\"",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "actor as low",
            &format!("GET {T}/pods/p"),
            none,
            200,
            "",
        ),
        row(
            "apiserver/pkg/endpoints/filters/impersonation",
            "actor as low/7",
            &format!("GET {T}/pods/p"),
            none,
            403,
            "uids.authentication.k8s.io \"7\" is forbidden: User \"actor\" cannot impersonate resource \"uids\" in API group \"authentication.k8s.io\"",
        ),
        row(
            "apiserver/pkg/endpoints/handlers/patch.go: create",
            "patcher",
            &format!("PATCH {T}/configmaps/x?fieldManager=x#apply"),
            &config_map("x"),
            403,
            "cannot create resource \"configmaps\"",
        ),
        row(
            authorization,
            "low",
            &format!("DELETE {roles}"),
            none,
            403,
            "cannot deletecollection resource \"roles\"",
        ),
        row(
            authorization,
            "lister",
            &format!("GET {T}/configmaps?watch=true"),
            none,
            403,
            "cannot watch resource \"configmaps\"",
        ),
        row(authorization, "low", "GET /metrics", none, 403, "User \"low\" cannot get path \"/metrics\""),
        row(
            authorization,
            "deleter",
            &format!("GET {T}/pods/p/log"),
            none,
            403,
            "cannot get resource \"pods/log\"",
        ),
        row(
            "pkg/registry/core/pod/storage/eviction.go",
            "deleter",
            &format!("POST {T}/pods/p/eviction"),
            &eviction,
            403,
            "cannot create resource \"pods/eviction\"",
        ),
        row(
            "pkg/registry/core/pod/storage: BindingREST",
            "low",
            &format!("POST {T}/pods/p/binding"),
            &to_node,
            403,
            "cannot create resource \"pods/binding\"",
        ),
        row(
            "pkg/registry/core/pod/storage: EphemeralContainersREST",
            "low",
            &format!("PATCH {T}/pods/p/ephemeralcontainers"),
            &json!({}),
            403,
            "cannot patch resource \"pods/ephemeralcontainers\"",
        ),
        row(
            "pkg/registry/core/namespace/storage: FinalizeREST",
            "low",
            "PUT /api/v1/namespaces/t/finalize",
            none,
            403,
            "cannot update resource \"namespaces/finalize\"",
        ),
        row(
            "pkg/registry/apps/deployment/storage: ScaleREST",
            "scaler",
            "PUT /apis/apps/v1/namespaces/t/deployments/d/scale",
            &scale,
            200,
            "",
        ),
        row(
            "pkg/registry/apps/deployment/storage: ScaleREST",
            "scaler",
            "PATCH /apis/apps/v1/namespaces/t/deployments/d/scale",
            &scale,
            403,
            "cannot patch resource \"deployments/scale\"",
        ),
    ];
    for part in ["exec", "attach", "portforward"] {
        let line = format!("GET {T}/pods/p/{part}");
        rows.push(row(
            "pkg/registry/core/pod/rest/subresources.go: GET needs create",
            "low",
            &line,
            none,
            403,
            "cannot create resource \"pods/",
        ));
    }
    rows
}

fn asked(actor: &mut Actor<'_>, row: &Row) -> (u16, Value) {
    let (line, is_apply) = match row.line.strip_suffix("#apply") {
        Some(line) => (line, true),
        None => (row.line.as_str(), false),
    };
    let mut request = request(line, &row.body);
    if is_apply {
        request.content_type = "application/apply-patch+yaml".to_owned();
    }
    let (user, other) = row.user.split_once(" as ").unwrap_or((row.user, ""));
    let groups: &[&str] = if user == "admin" { &["system:masters"] } else { &[] };
    request.credential = Credential::Certificate(User::new(user, groups));
    if !other.is_empty() {
        let (user, uid) = other.split_once('/').unwrap_or((other, ""));
        let (user, uid) = (user.to_owned(), uid.to_owned());
        request.impersonation = Some(Impersonation { user, groups: Vec::new(), uid, extra: BTreeMap::new() });
    }
    read(actor.handle(&request))
}

#[test]
fn every_place_where_the_reference_asks_for_more_rights_asks_here() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    prepared(&mut actor);
    let mut wrong = Vec::new();
    for row in rows() {
        let (code, answer) = asked(&mut actor, &row);
        let message = answer["message"].as_str().unwrap_or_default();
        if code != row.code || !message.contains(row.text) {
            wrong.push(format!("{}: {} by {}: {code} {message}", row.place, row.line, row.user));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (place, reason) in ABSENT {
        assert!(!reason.is_empty(), "{place}");
        assert!(!rows().iter().any(|row| row.place == place), "{place} is both");
    }
}

#[test]
fn a_request_for_a_certificate_is_that_of_its_sender() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    prepared(&mut actor);
    let request = certificate_request("evil", "example.com/signer", &[]);
    let row = |user, line: String, body: Value| Row { place: "", user, line, body, code: 0, text: "" };
    let (code, made) = asked(&mut actor, &row("low", format!("POST {REQUESTS}"), request.clone()));
    assert_eq!(code, 201, "{made}");
    let sender = |object: &Value| {
        let spec = &object["spec"];
        [&spec["username"], &spec["groups"], &spec["uid"], &spec["extra"]].map(Value::clone)
    };
    let expected = [json!("low"), json!(["system:authenticated"]), Value::Null, Value::Null];
    assert_eq!(sender(&made), expected);
    // Whoever decides on it changes nothing else, and says when.
    let path = format!("PUT {REQUESTS}/evil/approval");
    let (code, approved) = asked(&mut actor, &row("approver", path, decided(&request, "Approved")));
    assert_eq!((code, sender(&approved)), (200, expected));
    let condition = &approved["status"]["conditions"][0];
    assert_eq!(condition["type"], "Approved");
    assert!(
        condition["lastUpdateTime"].is_string() && condition["lastTransitionTime"].is_string(),
        "{condition}"
    );
}

#[test]
fn expressions_in_selectors_do_not_give_all_rules() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let selector = json!({"matchExpressions": [{"key": "taken", "operator": "In", "values": ["yes"]}]});
    let role = rbac("ClusterRole", "sum", json!({"aggregationRule": {"clusterRoleSelectors": [selector]}}));
    for (path, object) in
        [("clusterroles", role), ("clusterrolebindings", binding("ClusterRoleBinding", "sum", "sum", "low"))]
    {
        assert_eq!(ask(&mut actor, &format!("POST {RBAC}/{path}"), object).0, 201);
    }
    let row =
        Row { place: "", user: "low", line: format!("GET {MAPS}"), body: Value::Null, code: 0, text: "" };
    assert_eq!(asked(&mut actor, &row).0, 403);
    let mut part = rbac("ClusterRole", "part", rules(&[""], &["configmaps"], &["list"]));
    part["metadata"]["labels"] = json!({"taken": "yes"});
    assert_eq!(ask(&mut actor, &format!("POST {RBAC}/clusterroles"), part).0, 201);
    assert_eq!(asked(&mut actor, &row).0, 200);
}
