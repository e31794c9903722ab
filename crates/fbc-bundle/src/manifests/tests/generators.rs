//! Which objects a bundle becomes.

use serde_json::{Value, json};

use super::*;

/// Kind, namespace and name of all objects.
fn listed(objects: &[Object]) -> Vec<String> {
    objects.iter().map(|object| format!("{} {}/{}", object.kind, object.namespace, object.name)).collect()
}

fn find(objects: &[Object], kind: &str) -> Value {
    objects.iter().find(|object| object.kind == kind).unwrap().value.root().to_json()
}

/// An operator with permissions of both sorts, a conversion webhook's worth of everything.
fn spec(modes_of: &str) -> String {
    format!(
        "{{installModes: {}, install: {{spec: {{\
         permissions: [{{serviceAccountName: lamp, rules: [{{verbs: [get], apiGroups: [''], resources: [pods]}}]}}],\
         clusterPermissions: [{{serviceAccountName: '', rules: [{{verbs: [list], nonResourceURLs: [/metrics]}}]}}],\
         clusterpermissions: [{{serviceAccountName: unread}}],\
         deployments: [{{name: lamp.op, label: {{l: x}}, spec: {{replicas: 1, unknown: 2, selector: {{matchLabels: \
         {{app: lamp}}}}, template: {{spec: {{serviceAccountName: runner, containers: [{{name: c, image: i, resources: \
         {{limits: {{memory: 1024Mi}}}}}}]}}}}}}}}]}}}}}}",
        modes(modes_of)
    )
}

#[test]
fn all_namespaces_promote_permissions() {
    let bundle = bundle(
        &spec("AllNamespaces"),
        &[&definition("lamps.example.com"), "{kind: Secret, metadata: {name: s}}"],
    );
    let objects = render(&bundle, &installation(&[])).unwrap();
    assert_eq!(
        listed(&objects),
        [
            "ServiceAccount lamps/lamp",
            "ClusterRole /lamp.v1.0.0-default-lwohnt2ndvzidu2p02p9wfcr8evgb2ags052h11wauc",
            "ClusterRoleBinding /lamp.v1.0.0-default-lwohnt2ndvzidu2p02p9wfcr8evgb2ags052h11wauc",
            "ClusterRole /lamp.v1.0.0-lamp-1qon03c26672r0rvimt9s5dwwpisepulfxijwulvi106",
            "ClusterRoleBinding /lamp.v1.0.0-lamp-1qon03c26672r0rvimt9s5dwwpisepulfxijwulvi106",
            "CustomResourceDefinition /lamps.example.com",
            "Secret lamps/s",
            "Deployment lamps/lamp.op",
        ]
    );
}

/// D-EXT-17: permissions are read from `permissions` and `clusterPermissions` of the install strategy. The
/// document's `clusterpermissions` is a slip: no such key is read.
#[test]
fn d_ext_17_permissions_come_from_the_install_strategy() {
    let bundle = bundle(&spec("OwnNamespace SingleNamespace MultiNamespace"), &[]);
    let objects = render(&bundle, &installation(&["a", "b"])).unwrap();
    let kinds: Vec<String> =
        objects.iter().map(|object| format!("{} {}", object.kind, object.namespace)).collect();
    assert_eq!(
        kinds,
        [
            "ServiceAccount lamps",
            "Role a",
            "RoleBinding a",
            "Role b",
            "RoleBinding b",
            "ClusterRole ",
            "ClusterRoleBinding ",
            "Deployment lamps",
        ]
    );
    let role = find(&objects, "Role");
    assert_eq!(role["rules"], json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }]));
    let binding = find(&objects, "RoleBinding");
    assert_eq!(
        binding["subjects"],
        json!([{ "kind": "ServiceAccount", "name": "lamp", "namespace": "lamps" }])
    );
    assert_eq!(binding["roleRef"]["name"], role["metadata"]["name"]);
    assert!(!listed(&objects).join(" ").contains("unread"));
}

#[test]
fn ocp_4_19_has_accounts_of_deployments_and_bindings_behind_roles() {
    let bundle = bundle(&spec("SingleNamespace MultiNamespace"), &[]);
    let installation = Installation { target: Target::Ocp419, ..installation(&["lamps"]) };
    let kinds: Vec<String> = render(&bundle, &installation)
        .unwrap()
        .iter()
        .map(|object| format!("{} {}", object.kind, object.name.split("-").next().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            "ServiceAccount lamp",
            "ServiceAccount runner",
            "Role lamp.v1.0.0",
            "RoleBinding lamp.v1.0.0",
            "ClusterRole lamp.v1.0.0",
            "ClusterRoleBinding lamp.v1.0.0",
            "Deployment lamp.op",
        ]
    );
}

#[test]
fn deployments_are_what_go_writes() {
    let bundle = bundle(&spec("SingleNamespace"), &[]);
    let objects = render(&bundle, &installation(&["x"])).unwrap();
    assert_eq!(
        find(&objects, "Deployment"),
        json!({
            "kind": "Deployment",
            "apiVersion": "apps/v1",
            "metadata": { "name": "lamp.op", "namespace": "lamps", "labels": { "l": "x" } },
            "spec": {
                "replicas": 1,
                "revisionHistoryLimit": 1,
                "selector": { "matchLabels": { "app": "lamp" } },
                "strategy": {},
                "template": {
                    "metadata": { "annotations": { "note": "x", "olm.targetNamespaces": "x" } },
                    "spec": {
                        "serviceAccountName": "runner",
                        "containers": [
                            { "name": "c", "image": "i", "resources": { "limits": { "memory": "1Gi" } } }
                        ],
                    },
                },
            },
            "status": {},
        })
    );
}

/// Two admission webhooks and one for conversion, with the mounts that certificates replace.
fn webhooks(definition_spec: &str) -> Bundle {
    let spec = format!(
        "{{installModes: {}, customresourcedefinitions: {{owned: [{{name: lamps.example.com}}]}}, \
         webhookdefinitions: [\
         {{type: ValidatingAdmissionWebhook, generateName: v.example.com, deploymentName: lamp.op, containerPort: 9443, \
         targetPort: web, sideEffects: None, admissionReviewVersions: [v1], webhookPath: /v}},\
         {{type: MutatingAdmissionWebhook, generateName: m.example.com, deploymentName: lamp.op, sideEffects: None, \
         admissionReviewVersions: [v1], reinvocationPolicy: Never}},\
         {{type: ConversionWebhook, generateName: c.example.com, deploymentName: lamp.op, conversionCRDs: \
         [lamps.example.com], admissionReviewVersions: [v1]}}],\
         install: {{spec: {{deployments: [{{name: lamp.op, spec: {{selector: {{matchLabels: {{app: lamp}}}}, template: \
         {{spec: {{volumes: [{{name: own}}, {{name: data}}], containers: [{{name: c, volumeMounts: [{{name: own, \
         mountPath: /tmp/k8s-webhook-server/serving-certs}}, {{name: data, mountPath: /data}}]}}]}}}}}}}}]}}}}}}",
        modes("AllNamespaces")
    );
    bundle(&spec, &[&format!("{}spec: {definition_spec}\n", definition("lamps.example.com"))])
}

#[test]
fn webhooks_with_cert_manager() {
    let objects = render(&webhooks("{}"), &installation(&[])).unwrap();
    assert_eq!(
        listed(&objects),
        [
            "CustomResourceDefinition /lamps.example.com",
            "Deployment lamps/lamp.op",
            "ValidatingWebhookConfiguration lamps/v.example.com",
            "MutatingWebhookConfiguration lamps/m.example.com",
            "Service lamps/lamp-op-service",
            "Issuer lamps/lamp-op-service-cert-selfsigned-issuer",
            "Certificate lamps/lamp-op-service-cert",
        ]
    );
    let validating = find(&objects, "ValidatingWebhookConfiguration");
    let annotations = json!({ "cert-manager.io/inject-ca-from": "lamps/lamp-op-service-cert" });
    assert_eq!(validating["metadata"]["annotations"], annotations);
    assert_eq!(
        validating["webhooks"],
        json!([{
            "name": "v.example.com",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": { "service": {
                "name": "lamp-op-service", "namespace": "lamps", "path": "/v", "port": 9443
            } },
        }])
    );
    let definition = find(&objects, "CustomResourceDefinition");
    assert_eq!(definition["metadata"]["annotations"], annotations);
    assert_eq!(
        definition["spec"]["conversion"],
        json!({ "strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": { "service": { "name": "lamp-op-service", "namespace": "lamps", "path": "/", "port": 0 } },
        } })
    );
    let service = find(&objects, "Service");
    assert_eq!(
        service["spec"],
        json!({ "selector": { "app": "lamp" }, "ports": [
            { "name": "443", "port": 443, "targetPort": 443 },
            { "name": "9443", "port": 9443, "targetPort": "web" },
        ] })
    );
    let pod = find(&objects, "Deployment")["spec"]["template"]["spec"].clone();
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&pod["volumes"]), ["data", "webhook-cert", "apiservice-cert"]);
    assert_eq!(names(&pod["containers"][0]["volumeMounts"]), ["data", "webhook-cert", "apiservice-cert"]);
    assert_eq!(pod["volumes"][1]["secret"]["secretName"], "lamp-op-service-cert");
}

#[test]
fn webhooks_with_the_service_ca() {
    let provider = Some(CertificateProvider::OpenShiftServiceCa);
    let installation = Installation { certificate_provider: provider, ..installation(&[]) };
    let objects = render(&webhooks("{}"), &installation).unwrap();
    assert!(!listed(&objects).join(" ").contains("Issuer"));
    let injected = json!({ "service.beta.openshift.io/inject-cabundle": "true" });
    for kind in ["CustomResourceDefinition", "MutatingWebhookConfiguration"] {
        assert_eq!(find(&objects, kind)["metadata"]["annotations"], injected);
    }
    assert_eq!(
        find(&objects, "Service")["metadata"]["annotations"],
        json!({ "service.beta.openshift.io/serving-cert-secret-name": "lamp-op-service-cert" })
    );
}

#[test]
fn conversion_needs_pruning() {
    assert_eq!(
        answer(&webhooks("{preserveUnknownFields: true}"), &installation(&[])),
        "custom resource definition 'lamps.example.com' must have .spec.preserveUnknownFields set to false to let API \
         Server call webhook to do the conversion"
    );
}

#[test]
fn webhooks_see_watched_namespaces_only() {
    let spec = format!(
        "{{installModes: {}, webhookdefinitions: [{{type: MutatingAdmissionWebhook, generateName: m, deploymentName: d}}], \
         install: {{spec: {{deployments: [{{name: d}}]}}}}}}",
        modes("SingleNamespace")
    );
    let objects = render(&bundle(&spec, &[]), &installation(&["x"])).unwrap();
    assert_eq!(
        find(&objects, "MutatingWebhookConfiguration")["webhooks"][0]["namespaceSelector"],
        json!({ "matchExpressions": [
            { "key": "kubernetes.io/metadata.name", "operator": "In", "values": ["x"] }
        ] })
    );
}

#[test]
fn kinds_decide_about_namespaces() {
    let others = [
        "{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: elsewhere}}",
        "{kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: b, namespace: kept}}",
        "{kind: ServiceMonitor, apiVersion: monitoring.coreos.com/v1}",
    ];
    let bundle = bundle(&format!("{{installModes: {}}}", modes("AllNamespaces")), &others);
    let objects = render(&bundle, &installation(&[])).unwrap();
    assert_eq!(listed(&objects), ["ConfigMap lamps/a", "PriorityClass kept/b", "ServiceMonitor lamps/"]);
    assert_eq!((objects[1].group(), objects[1].version()), ("scheduling.k8s.io", "v1"));
    assert_eq!((objects[0].group(), objects[0].version()), ("", "v1"));
}
