//! The rows: a place of the reference, who asks, for what, and the answer.

use super::objects::*;
use super::*;

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Row> {
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
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/big"), &json!({"metadata": {"finalizers": null}}), 200, ""),
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/new?fieldManager=x#apply"), &role("new"), 403, NOT_HELD),
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/big?fieldManager=x&force=true#apply"), &rbac("ClusterRole", "big", label.clone()), 403, NOT_HELD),
        row(clusterrole, "low", &format!("POST {cluster_roles}"), &rbac("ClusterRole", "all", aggregating.clone()), 403, NOT_CLUSTER_ADMIN),
        row(clusterrole, "low", &format!("PATCH {cluster_roles}/sum"), &json!({"aggregationRule": null}), 403, NOT_CLUSTER_ADMIN),
        row(clusterrole, "escalator", &format!("POST {cluster_roles}"), &role("granted"), 201, ""),
        row("pkg/registry/rbac/role/policybased", "low", &format!("POST {roles}"), &rbac("Role", "more", rules_of_secrets()), 403, NOT_HELD),
        row("pkg/registry/rbac/role/policybased", "low", &format!("PATCH {roles}/bigr"), &label, 403, NOT_HELD),
        row("pkg/registry/rbac/clusterrolebinding/policybased", "low", &format!("POST {bindings}"), &binding("ClusterRoleBinding", "more", "big", "low"), 403, NOT_HELD),
        row("pkg/registry/rbac/clusterrolebinding/policybased", "low", &format!("PATCH {bindings}/cluster-admin"), &label, 403, "attempting to grant RBAC permissions not currently held"),
        row("pkg/registry/rbac/clusterrolebinding/policybased", "escalator", &format!("POST {bindings}"), &binding("ClusterRoleBinding", "granted", "big", "x"), 201, ""),
        row("pkg/registry/rbac/rolebinding/policybased", "low", &format!("POST {in_namespace}"), &binding("RoleBinding", "more", "big", "low"), 403, NOT_HELD),
        row("pkg/registry/rbac/rolebinding/policybased", "low", &format!("PATCH {in_namespace}/bound"), &label, 403, NOT_HELD),
        row("pkg/registry/rbac/rolebinding/policybased", "low", &format!("POST {in_namespace}"), &binding("RoleBinding", "more", "gone", "low"), 404, "\"gone\" not found"),
        row(vap, "low", &format!("POST {ADMISSION}/validatingadmissionpolicies"), &policy("ValidatingAdmissionPolicy", "p"), 422, KIND),
        row(vap, "low", &format!("PATCH {ADMISSION}/validatingadmissionpolicies/reads-secrets"), &label, 200, ""),
        row(map, "low", &format!("POST {ADMISSION}/mutatingadmissionpolicies"), &policy("MutatingAdmissionPolicy", "p"), 422, KIND),
        row(vapb, "low", &format!("POST {ADMISSION}/validatingadmissionpolicybindings"), &policy_binding("ValidatingAdmissionPolicyBinding", "p", "reads-secrets", reference.clone()), 422, REFERENCE),
        row(vapb, "low", &format!("POST {ADMISSION}/validatingadmissionpolicybindings"), &policy_binding("ValidatingAdmissionPolicyBinding", "p", "reads-secrets", selected), 422, "does not have \"list\" permission on the object referenced by paramRef"),
        row(vapb, "low", &format!("POST {ADMISSION}/validatingadmissionpolicybindings"), &policy_binding("ValidatingAdmissionPolicyBinding", "p", "gone", reference.clone()), 422, "unable to get policy gone to determine minimum required permissions"),
        row(mapb, "low", &format!("POST {ADMISSION}/mutatingadmissionpolicybindings"), &policy_binding("MutatingAdmissionPolicyBinding", "p", "reads-secrets", reference), 422, REFERENCE),
        row(csr, "low", &format!("POST {REQUESTS}"), &certificate_request("evil", "example.com/signer", &[]), 201, ""),
        row(csr, "low", &format!("PATCH {REQUESTS}/evil"), &json!({"spec": {"username": "system:admin"}, "status": {"conditions": []}}), 200, ""),
        row("plugin/pkg/admission/certificates/subjectrestriction", "low", &format!("POST {REQUESTS}"), &certificate_request("masters", "kubernetes.io/kube-apiserver-client", &["x", "system:masters"]), 403, "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"),
        row("plugin/pkg/admission/certificates/subjectrestriction", "low", &format!("POST {REQUESTS}"), &certificate_request("client", "kubernetes.io/kube-apiserver-client", &["x"]), 201, ""),
        row(authorization, "requester", &format!("PUT {REQUESTS}/stored/approval"), &decided(&stored, "Approved"), 403, "cannot update resource \"certificatesigningrequests/approval\""),
        row(approval, "low", &format!("PUT {REQUESTS}/stored/approval"), &decided(&stored, "Approved"), 403, "user not permitted to approve requests with signerName \"example.com/signer\""),
        row("plugin/pkg/admission/certificates/signing", "low", &format!("PUT {REQUESTS}/stored/status"), &decided(&stored, "Failed"), 403, "user not permitted to sign requests with signerName \"example.com/signer\""),
        row("pkg/apis/certificates/validation", "admin", &format!("PUT {REQUESTS}/stored/status"), &decided(&stored, "Approved"), 422, "status.conditions: Forbidden: updates may not add a condition of type \"Approved\""),
        row(approval, "approver", &format!("PUT {REQUESTS}/stored/approval"), &decided(&stored, "Approved"), 200, ""),
        row("pkg/apis/certificates/validation", "approver", &format!("PUT {REQUESTS}/stored/approval"), &decided(&stored, "Denied"), 422, "updates may not remove a condition of type \"Approved\""),
        row("plugin/pkg/admission/gc", "low", &format!("POST {T}/configmaps"), &owned, 403, "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"),
        row("plugin/pkg/admission/priority, pkg/apis/scheduling/validation", "admin", "POST /apis/scheduling.k8s.io/v1/priorityclasses", &class("system-mine", 1), 422, "priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class"),
        row("plugin/pkg/admission/priority, pkg/apis/scheduling/validation", "admin", "POST /apis/scheduling.k8s.io/v1/priorityclasses", &class("mine", 2_000_000_000), 422, "maximum allowed value of a user defined priority is 1000000000"),
        row("apiserver/pkg/admission/plugin/namespace/lifecycle", "admin", "DELETE /api/v1/namespaces/kube-system", none, 403, "this namespace may not be deleted"),
        row("pkg/registry/core/serviceaccount/storage/token.go", "low", &format!("POST {T}/serviceaccounts/a/token"), &token("p"), 403, "cannot create resource \"serviceaccounts/token\""),
        row("pkg/registry/core/serviceaccount/storage/token.go", "admin", &format!("POST {T}/serviceaccounts/a/token"), &token("p"), 201, ""),
        row("pkg/registry/core/serviceaccount/storage/token.go", "admin", &format!("POST {T}/serviceaccounts/b/token"), &token("p"), 400, "cannot bind token for serviceaccount \"b\" to pod running with different serviceaccount name."),
        row("pkg/registry/authorization/localsubjectaccessreview", "low", "POST /apis/authorization.k8s.io/v1/namespaces/t/localsubjectaccessreviews", &review("t"), 201, ""),
        row("pkg/registry/authorization/localsubjectaccessreview", "low", "POST /apis/authorization.k8s.io/v1/namespaces/t/localsubjectaccessreviews", &review("kube-system"), 422, "spec.resourceAttributes.namespace: Invalid value: \"kube-system\": must match metadata.namespace"),
        row("pkg/registry/authorization/subjectaccessreview", "low", "POST /apis/authorization.k8s.io/v1/subjectaccessreviews", &review("t"), 403, "cannot create resource \"subjectaccessreviews\""),
        row("pkg/registry/authentication/tokenreview", "low", "POST /apis/authentication.k8s.io/v1/tokenreviews", none, 403, "cannot create resource \"tokenreviews\""),
        row("apiserver/pkg/endpoints/filters/impersonation", "low as admin", &format!("GET {T}/secrets"), none, 403, "User \"low\" cannot impersonate-on:user-info:list resource \"secrets\""),
        row("apiserver/pkg/endpoints/filters/impersonation", "low as admin", "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &own_review, 403, "User \"low\" cannot impersonate-on:user-info:create resource \"selfsubjectaccessreviews\""),
        row("apiserver/pkg/endpoints/filters/impersonation", "low as admin", "GET /metrics", none, 403, "User \"low\" cannot impersonate-on:user-info:get path \"/metrics\""),
        row("apiserver/pkg/endpoints/filters/impersonation", "low as system:serviceaccount:t:a", &format!("GET {T}/pods"), none, 403, "cannot impersonate resource \"serviceaccounts\""),
        row("apiserver/pkg/endpoints/filters/impersonation", "actor as low", &format!("GET {T}/pods/p"), none, 200, ""),
        row("apiserver/pkg/endpoints/filters/impersonation", "actor as low/7", &format!("GET {T}/pods/p"), none, 403, "uids.authentication.k8s.io \"7\" is forbidden: User \"actor\" cannot impersonate resource \"uids\" in API group \"authentication.k8s.io\""),
        row("apiserver/pkg/endpoints/handlers/patch.go: create", "patcher", &format!("PATCH {T}/configmaps/x?fieldManager=x#apply"), &config_map("x"), 403, "cannot create resource \"configmaps\""),
        row(authorization, "low", &format!("DELETE {roles}"), none, 403, "cannot deletecollection resource \"roles\""),
        row(authorization, "lister", &format!("GET {T}/configmaps?watch=true"), none, 403, "cannot watch resource \"configmaps\""),
        row(authorization, "low", "GET /metrics", none, 403, "User \"low\" cannot get path \"/metrics\""),
        row(authorization, "deleter", &format!("GET {T}/pods/p/log"), none, 403, "cannot get resource \"pods/log\""),
        row("pkg/registry/core/pod/storage/eviction.go", "deleter", &format!("POST {T}/pods/p/eviction"), &eviction, 403, "cannot create resource \"pods/eviction\""),
        row("pkg/registry/core/pod/storage: BindingREST", "low", &format!("POST {T}/pods/p/binding"), &to_node, 403, "cannot create resource \"pods/binding\""),
        row("pkg/registry/core/pod/storage: EphemeralContainersREST", "low", &format!("PATCH {T}/pods/p/ephemeralcontainers"), &json!({}), 403, "cannot patch resource \"pods/ephemeralcontainers\""),
        row("pkg/registry/core/namespace/storage: FinalizeREST", "low", "PUT /api/v1/namespaces/t/finalize", none, 403, "cannot update resource \"namespaces/finalize\""),
        row("pkg/registry/apps/deployment/storage: ScaleREST", "scaler", "PUT /apis/apps/v1/namespaces/t/deployments/d/scale", &scale, 200, ""),
        row("pkg/registry/apps/deployment/storage: ScaleREST", "scaler", "PATCH /apis/apps/v1/namespaces/t/deployments/d/scale", &scale, 403, "cannot patch resource \"deployments/scale\""),
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
