//! What is refused before objects are made, with the texts of the source.

use super::*;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
    and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

#[test]
fn each_validator_has_its_text() {
    let webhook = |text: &str| {
        format!("webhookdefinitions: [{text}], install: {{spec: {{deployments: [{{name: d}}]}}}}")
    };
    let lamps = definition("lamps.example.com");
    let lamps = lamps.as_str();
    for (spec, others, expected) in [
        (
            "install: {spec: {deployments: [{name: b}, {name: a}, {name: b}, {name: a}, {name: c}, {name: b}]}}".to_owned(),
            &[][..],
            "cluster service version contains duplicate strategy deployment spec 'a'\n\
             cluster service version contains duplicate strategy deployment spec 'b'"
                .to_owned(),
        ),
        (
            "install: {spec: {deployments: [{name: A_b}]}}".to_owned(),
            &[],
            format!("invalid cluster service version strategy deployment name 'A_b': {SUBDOMAIN}"),
        ),
        (
            String::new(),
            &[lamps, lamps],
            "bundle contains duplicate custom resource definition 'lamps.example.com'".to_owned(),
        ),
        (
            "customresourcedefinitions: {owned: [{name: z}, {name: a}, {name: z}]}".to_owned(),
            &[],
            "cluster service definition references owned custom resource definition 'a' not found in bundle\n\
             cluster service definition references owned custom resource definition 'z' not found in bundle"
                .to_owned(),
        ),
        (
            webhook("{type: ValidatingAdmissionWebhook, generateName: b, deploymentName: x}, {type: ConversionWebhook, generateName: a, deploymentName: x}"),
            &[],
            "webhook of type 'ConversionWebhook' with name 'a' references non-existent deployment 'x'\n\
             webhook of type 'ValidatingAdmissionWebhook' with name 'b' references non-existent deployment 'x'"
                .to_owned(),
        ),
        (
            webhook("{type: MutatingAdmissionWebhook, generateName: a, deploymentName: d}, {type: MutatingAdmissionWebhook, generateName: a, deploymentName: d}, {type: ValidatingAdmissionWebhook, generateName: a, deploymentName: d}"),
            &[],
            "duplicate webhook 'a' of type 'MutatingAdmissionWebhook'".to_owned(),
        ),
        (
            webhook("{type: MutatingAdmissionWebhook, generateName: a-, deploymentName: d}"),
            &[],
            format!("webhook of type 'MutatingAdmissionWebhook' has invalid name 'a-': {SUBDOMAIN}"),
        ),
        (
            format!(
                "customresourcedefinitions: {{owned: [{{name: lamps.example.com}}]}}, {}",
                webhook("{type: ConversionWebhook, generateName: b, deploymentName: d, conversionCRDs: [lamps.example.com]}, {type: ConversionWebhook, generateName: a, deploymentName: d, conversionCRDs: [lamps.example.com]}")
            ),
            &[lamps],
            "conversion webhooks [a,b] reference same custom resource definition 'lamps.example.com'".to_owned(),
        ),
        (
            webhook("{type: ConversionWebhook, generateName: b, deploymentName: d, conversionCRDs: [zeta, alpha]}"),
            &[],
            "conversion webhook 'b' references custom resource definition 'alpha' not owned bundle\n\
             conversion webhook 'b' references custom resource definition 'zeta' not owned bundle"
                .to_owned(),
        ),
        (
            webhook("{type: MutatingAdmissionWebhook, generateName: a, deploymentName: d, rules: [{apiGroups: ['*', olm.operatorframework.io, apps], resources: ['*']}, {apiGroups: [admissionregistration.k8s.io], resources: [pods, ValidatingWebhookConfigurations]}]}"),
            &[],
            "webhook \"a\" contains forbidden rule: admission webhook rules cannot reference API group \"*\"\n\
             webhook \"a\" contains forbidden rule: admission webhook rules cannot reference API group \"olm.operatorframework.io\"\n\
             webhook \"a\" contains forbidden rule: admission webhook rules cannot reference resource \"ValidatingWebhookConfigurations\" for API group \"admissionregistration.k8s.io\""
                .to_owned(),
        ),
        (
            String::new(),
            &["{kind: Pod, apiVersion: v1, metadata: {name: p}}", "{kind: Secret, metadata: {name: s}}"],
            "unsupported resource \"p\" with kind \"Pod\"".to_owned(),
        ),
        (String::new(), &[lamps], "rendered".to_owned()),
    ] {
        let spec = format!("{{installModes: {}, {spec}}}", modes("AllNamespaces"));
        assert_eq!(answer(&bundle(&spec, others), &installation(&[])), expected, "{spec}");
    }
}

#[test]
fn conversion_needs_all_namespaces_only() {
    let spec = format!(
        "{{installModes: {}, webhookdefinitions: [{{type: ConversionWebhook, generateName: c, deploymentName: d}}], \
         install: {{spec: {{deployments: [{{name: d}}]}}}}}}",
        modes("OwnNamespace AllNamespaces")
    );
    assert_eq!(
        answer(&bundle(&spec, &[]), &installation(&[])),
        "bundle contains conversion webhook \"c\" and supports install modes [AllNamespaces OwnNamespace] - conversion \
         webhooks are only supported for bundles that only support AllNamespaces install mode"
    );
}

#[test]
fn a_package_has_a_name() {
    let mut tree = tree(&format!("{{installModes: {}}}", modes("AllNamespaces")), &[]);
    tree.insert("metadata/annotations.yaml", "annotations: {}\n");
    assert_eq!(answer(&Bundle::read(&tree).unwrap(), &installation(&[])), "package name is empty");
}

/// D-EXT-1 (b): webhooks are not allowed in 4.19, and without a provider of certificates not today.
#[test]
fn d_ext_1b_webhooks_are_refused() {
    let spec = format!(
        "{{installModes: {}, webhookdefinitions: [{{type: MutatingAdmissionWebhook, generateName: a, deploymentName: d}}], \
         install: {{spec: {{deployments: [{{name: d}}]}}}}}}",
        modes("AllNamespaces")
    );
    let bundle = bundle(&spec, &[]);
    let old = Installation { target: Target::Ocp419, ..installation(&[]) };
    assert_eq!(answer(&bundle, &old), "webhookDefinitions are not supported");
    let bare = Installation { certificate_provider: None, ..installation(&[]) };
    assert_eq!(answer(&bundle, &bare), "unsupported bundle: webhookDefinitions are not supported");
    assert_eq!(answer(&bundle, &installation(&[])), "rendered");
}

#[test]
fn what_is_unsupported() {
    let api = "apiservicedefinitions: {owned: [{name: a}]}, webhookdefinitions: [{type: X}]";
    for (names, rest, single_own, latest, old) in [
        (
            "AllNamespaces",
            api,
            true,
            "unsupported bundle: apiServiceDefintions are not supported",
            "apiServiceDefintions are not supported",
        ),
        (
            "OwnNamespace",
            "",
            false,
            "unsupported bundle: bundle does not support AllNamespaces install mode",
            "supported install modes [OwnNamespace] do not support targeting all namespaces",
        ),
        (
            "MultiNamespace",
            "",
            true,
            "unsupported bundle: bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] \
             install modes",
            "supported install modes [MultiNamespace] do not support targeting all namespaces",
        ),
    ] {
        let bundle = bundle(&format!("{{installModes: {}, {rest}}}", modes(names)), &[]);
        let gates = Gates { single_own_namespace: single_own, ..Gates::default() };
        assert_eq!(answer(&bundle, &Installation { gates, ..installation(&[]) }), latest, "{names}");
        assert_eq!(
            answer(&bundle, &Installation { target: Target::Ocp419, ..installation(&[]) }),
            old,
            "{names}"
        );
    }
}

#[test]
fn install_modes_decide_what_can_be_watched() {
    let refused = |targets: &str, reason: &str| {
        format!("invalid option(s): invalid target namespaces [{targets}]: {reason}")
    };
    for (names, watch, expected) in [
        ("AllNamespaces", &[][..], "rendered".to_owned()),
        ("AllNamespaces", &[""], "rendered".to_owned()),
        (
            "AllNamespaces",
            &["lamps"],
            refused(
                "lamps",
                "supported install modes [AllNamespaces] do not support targeting own namespace",
            ),
        ),
        (
            "AllNamespaces",
            &["x"],
            refused("x", "supported install modes [AllNamespaces] do not support target namespaces [x]"),
        ),
        ("OwnNamespace", &[], refused("", "exactly one target namespace must be specified")),
        ("OwnNamespace MultiNamespace", &[], refused("", "at least one target namespace must be specified")),
        ("OwnNamespace", &["lamps"], "rendered".to_owned()),
        (
            "SingleNamespace",
            &[""],
            refused("", "supported install modes [SingleNamespace] do not support targeting all namespaces"),
        ),
        ("SingleNamespace", &["x"], "rendered".to_owned()),
        (
            "SingleNamespace",
            &["lamps"],
            refused(
                "lamps",
                "supported install modes [SingleNamespace] do not support targeting own namespace",
            ),
        ),
        ("SingleNamespace MultiNamespace", &["x", "y"], "rendered".to_owned()),
        (
            "SingleNamespace MultiNamespace",
            &["x", "lamps"],
            refused(
                "x lamps",
                "supported install modes [MultiNamespace SingleNamespace] do not support targeting own namespace",
            ),
        ),
        (
            "SingleNamespace MultiNamespace",
            &["x", ""],
            refused(
                "x ",
                "supported install modes [MultiNamespace SingleNamespace] do not support target namespaces [x ]",
            ),
        ),
    ] {
        let bundle = bundle(&format!("{{installModes: {}}}", modes(names)), &[]);
        assert_eq!(answer(&bundle, &installation(watch)), expected, "{names} {watch:?}");
    }
}

#[test]
fn install_modes_in_4_19() {
    for (names, watch, expected) in [
        ("AllNamespaces", &[][..], "rendered"),
        ("OwnNamespace", &["lamps"], "rendered"),
        ("SingleNamespace", &["lamps"], "rendered"),
        (
            "OwnNamespace",
            &["x"],
            "supported install modes [OwnNamespace] do not support target namespaces [x]",
        ),
        (
            "SingleNamespace",
            &["X!"],
            "invalid watch namespace 'X!': namespace must consist of lower case alphanumeric characters, '-' or '.', \
             and must start and end with an alphanumeric character",
        ),
    ] {
        let bundle = bundle(&format!("{{installModes: {}}}", modes(names)), &[]);
        let installation = Installation { target: Target::Ocp419, ..installation(watch) };
        assert_eq!(answer(&bundle, &installation), expected, "{names} {watch:?}");
    }
}
