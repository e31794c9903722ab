//! Verdicts over bundles, by release.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

use fbc_model::tree::MemoryTree;
use fbc_version::OpenShiftRelease;

use super::*;

fn release(text: &str) -> OpenShiftRelease {
    OpenShiftRelease::parse(text).unwrap()
}

fn judged(spec: &str, dependencies: &str) -> Readiness {
    let version = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: lamp.v1.0.0}}\n\
         spec: {spec}\n"
    );
    let mut tree: MemoryTree = [
        (
            "metadata/annotations.yaml",
            "annotations:\n  operators.operatorframework.io.bundle.package.v1: lamp\n".to_owned(),
        ),
        ("manifests/csv.yaml", version),
    ]
    .into_iter()
    .collect();
    if !dependencies.is_empty() {
        tree.insert("metadata/dependencies.yaml".to_owned(), dependencies.as_bytes());
    }
    let bundle = Bundle::read(&tree).unwrap();
    let releases = ["4.17", "4.18", "4.19", "4.20", "4.21", "4.22"].map(release).into_iter().collect();
    readiness(&bundle, &tree, &releases)
}

fn verdicts(readiness: &Readiness) -> Vec<Verdict> {
    readiness.issues.keys().map(|release| readiness.verdict(*release)).collect()
}

const ALL: &str = "version: 1.0.0, installModes: [{type: AllNamespaces, supported: true}]";

/// D-EXT-1, D-EXT-2, D-EXT-4: what 4.19 installs, and what later releases take in addition.
#[test]
fn d_ext_1_and_2_features_by_release() {
    use Verdict::{NotReady, Preview, Ready};
    let own = "version: 1.0.0, installModes: [{type: OwnNamespace, supported: true}]";
    let multi = "version: 1.0.0, installModes: [{type: MultiNamespace, supported: true}]";
    let hook = "webhookdefinitions: [{type: ValidatingAdmissionWebhook, generateName: x.y.z, deploymentName: d, \
                admissionReviewVersions: [v1], sideEffects: None}], install: {strategy: deployment, spec: \
                {deployments: [{name: d, spec: {selector: {}, template: {}}}]}}";
    for (spec, expected) in [
        (format!("{{{ALL}}}"), [NotReady, Ready, Ready, Ready, Ready, Ready]),
        (format!("{{{own}}}"), [NotReady, NotReady, Preview, Preview, Ready, Ready]),
        (format!("{{{multi}}}"), [NotReady; 6]),
        (format!("{{{ALL}, {hook}}}"), [NotReady, NotReady, NotReady, Preview, Ready, Ready]),
    ] {
        assert_eq!(verdicts(&judged(&spec, "")), expected, "{spec}");
    }
}

/// D-EXT-3: every kind of dependency is refused; required definitions are dependencies too.
#[test]
fn d_ext_3_dependencies() {
    let package = "dependencies: [{type: olm.package, value: {packageName: p, version: '>=1.0.0'}}]";
    let constraint =
        "dependencies: [{type: olm.constraint, value: {failureMessage: x, cel: {rule: 'true'}}}]";
    let gvk = "dependencies: [{type: olm.gvk, value: {group: g.io, kind: K, version: v1}}]";
    let required = "{ALL, customresourcedefinitions: {required: [{name: ks.g.io, version: v1, kind: K}]}}"
        .replace("ALL", ALL);
    let plain = format!("{{{ALL}}}");
    for (spec, dependencies, kind) in [
        (&plain, package, "olm.package.required"),
        (&plain, constraint, "olm.constraint"),
        (&plain, gvk, "olm.gvk.required"),
        (&required, "", "olm.gvk.required"),
    ] {
        let readiness = judged(spec, dependencies);
        assert_eq!(
            readiness.issues[&release("4.19")],
            [Issue::Dependency(kind.to_owned())],
            "{dependencies}"
        );
    }
}

/// D-EXT-5: the operator uses operator conditions.
#[test]
fn d_ext_5_operator_conditions_warn() {
    let spec = format!(
        "{{{ALL}, install: {{strategy: deployment, spec: {{clusterPermissions: [{{serviceAccountName: a, rules: \
         [{{apiGroups: [operators.coreos.com], resources: [operatorconditions/status], verbs: [update]}}]}}]}}}}}}"
    );
    let readiness = judged(&spec, "");
    assert_eq!(readiness.issues[&release("4.20")], [Issue::OperatorConditions]);
    assert_eq!(readiness.verdict(release("4.20")), Verdict::Ready);
}

/// D-UPD-16 to D-UPD-20: which updates a bundle blocks.
#[test]
fn d_upd_18_limits() {
    let limit =
        |value: &str| limit_of(Some(&format!(r#"[{{"type":"olm.maxOpenShiftVersion","value":{value}}}]"#)));
    for (value, current, blocks) in [
        ("\"4.19\"", "4.19", true),
        ("\"4.20\"", "4.19", false),
        ("\"4.18\"", "4.19", true),
        ("4.10", "4.9", false),
        ("4.10", "4.10", true),
        ("\"5.0\"", "4.22", false),
        ("\"5.0\"", "4.23", true),
        ("\"4.23\"", "5.0", true),
        ("\"v4.20\"", "4.1", true),
        ("\"4.20.1\"", "4.1", true),
        ("\"four\"", "4.1", true),
        ("4", "4.1", true),
        ("true", "4.1", true),
        ("null", "4.1", true),
        ("[4]", "4.1", true),
    ] {
        assert_eq!(limit(value).blocks_update_from(release(current)), blocks, "{value} on {current}");
    }
    let twice = r#"[{"type":"olm.maxOpenShiftVersion","value":"4.30"},{"type":"olm.maxOpenShiftVersion","value":"4.30"}]"#;
    assert!(limit_of(Some(twice)).blocks_update_from(release("4.1")));
    // D-UPD-19
    assert!(!limit_of(None).blocks_update_from(release("4.30")));
    assert_eq!(
        limit("\"4.20.1\""),
        Limit::Invalid(
            "error converting to semver for version \"4.20.1\": invalid semver format \"4.20.1\": expected \
             <major>.<minor>"
                .to_owned()
        )
    );
    assert_eq!(release("4.19").next(), release("4.20"));
    assert_eq!(release("4.23").next(), release("5.1"));
}

#[test]
fn a_described_bundle_is_judged_by_what_is_known() {
    let described = |modes: &[&str], has_webhooks: bool, properties: &[&str]| Described {
        install_modes: modes.iter().map(|mode| (*mode).to_owned()).collect(),
        has_webhooks,
        properties: properties.iter().map(|kind| (*kind).to_owned()).collect(),
    };
    for (bundle, at, expected) in [
        (described(&[], false, &[]), "4.17", vec![Issue::NoOlmV1]),
        (described(&[], false, &["olm.package"]), "4.18", vec![]),
        (described(&["OwnNamespace"], false, &[]), "4.18", vec![Issue::Missing(Feature::SingleNamespaces)]),
        (described(&["OwnNamespace"], false, &[]), "4.20", vec![Issue::Preview(Feature::SingleNamespaces)]),
        (
            described(&["AllNamespaces", "OwnNamespace"], true, &[]),
            "4.18",
            vec![Issue::Missing(Feature::Webhooks)],
        ),
        (described(&["OwnNamespace"], true, &[]), "5.0", vec![]),
        (
            described(&[], false, &["olm.gvk.required"]),
            "5.0",
            vec![Issue::Dependency("olm.gvk.required".to_owned())],
        ),
    ] {
        assert_eq!(bundle.issues(release(at)), expected, "{bundle:?} on {at}");
    }
}

#[test]
fn kubernetes_is_in_releases() {
    for (minor, release) in [(15, None), (16, Some("4.3")), (25, Some("4.12")), (36, Some("5.0"))] {
        assert_eq!(
            OpenShiftRelease::of_kubernetes(minor).map(|release| release.to_string()).as_deref(),
            release,
            "{minor}"
        );
    }
    for (release, minor) in
        [("4.2", None), ("4.19", Some(32)), ("4.23", Some(36)), ("5.1", Some(37)), ("6.0", None)]
    {
        assert_eq!(OpenShiftRelease::parse(release).unwrap().kubernetes(), minor, "{release}");
    }
}
