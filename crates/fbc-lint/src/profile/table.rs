//! The tables of the profiles.
//!
//! Sources: `konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml` (checks V1 to V17 in
//! the order of the task), `conforma/policy:policy/release/olm/olm.rego` and `policy/lib/rule_data/rule_data.rego`,
//! `redhat-openshift-ecosystem/operator-pipelines:operatorcert/static_tests/common/operator_catalogs.py`,
//! `redhat-openshift-ecosystem/community-operators-prod:config.yaml`,
//! `operator-framework/operator-controller:internal/operator-controller/resolve/validation.go`.

use super::Definition;
use crate::finding::Severity::{Error, Warning};

/// What opm refuses, and the rest as warnings.
const PLAIN: Definition = Definition {
    name: "default",
    purpose: "errors are what opm refuses; what opm accepts although it can break users is a warning",
    levels: &[],
    allowed_registries: &[],
    allowed_related_registries: &[],
    required_features: &[],
    allowed_kinds: &[],
    allowed_base_images: &[],
};

pub(super) static DEFAULT: Definition = PLAIN;

pub(super) static OPM: Definition = Definition { name: "opm", purpose: "only what opm refuses", ..PLAIN };

pub(super) static STRICT: Definition = Definition {
    name: "strict",
    purpose: "as default, and what the documented schemas forbid is an error",
    ..PLAIN
};

pub(super) static OLM_V1: Definition = Definition {
    name: "olmv1",
    purpose: "as default, and whether bundles install on OLM v1",
    levels: &[
        ("OLM001", Error, "resolution refuses bundles with dependencies"),
        ("OLM002", Error, "installation needs the install mode AllNamespaces"),
        ("OLM003", Error, "installation refuses aggregated APIs"),
        ("OLM004", Error, "installation refuses webhooks before OpenShift 4.21"),
        ("OLM005", Warning, "the OperatorConditions API is not there"),
        ("OLM006", Error, "installation takes bundles from images"),
        ("OLM007", Warning, "`spec.source.catalog.channels` takes DNS-1123 subdomains"),
        ("OLM008", Warning, "an object belongs to one ClusterExtension, definitions among them"),
        ("FBC240", Warning, "`olm.maxOpenShiftVersion` holds cluster upgrades back"),
        ("CRD001", Error, "the CRD upgrade safety check refuses the upgrade"),
    ],
    ..PLAIN
};

/// The annotations that Conforma asks for unless it is told otherwise.
const FEATURES: &[&str] = &[
    "features.operators.openshift.io/disconnected",
    "features.operators.openshift.io/fips-compliant",
    "features.operators.openshift.io/proxy-aware",
    "features.operators.openshift.io/tls-profiles",
    "features.operators.openshift.io/token-auth-aws",
    "features.operators.openshift.io/token-auth-azure",
    "features.operators.openshift.io/token-auth-gcp",
];

/// The kinds that Conforma allows unless it is told otherwise.
const KINDS: &[&str] = &[
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterServiceVersion",
    "ConfigMap",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "CustomResourceDefinition",
    "PodDisruptionBudget",
    "PriorityClass",
    "PrometheusRule",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
    "VerticalPodAutoscaler",
];

/// The repositories of the images that serve catalogs, as validate-fbc knows them.
const BASE_IMAGES: &[&str] = &[
    "registry.redhat.io/openshift4/ose-operator-registry",
    "registry.redhat.io/openshift4/ose-operator-registry-rhel9",
    "registry.redhat.io/openshift5/ose-operator-registry",
    "registry.redhat.io/openshift5/ose-operator-registry-rhel9",
    "brew.registry.redhat.io/rh-osbs/openshift-ose-operator-registry-rhel9",
];

pub(super) static KONFLUX: Definition = Definition {
    name: "konflux",
    purpose: "as default, and what Konflux asks of a catalog: validate-fbc, and Conforma's release policy",
    levels: &[
        ("FBC205", Error, "validate-fbc V15"),
        ("FBC217", Error, "validate-fbc V10"),
        ("FBC230", Error, "validate-fbc V14"),
        ("FBC231", Error, "validate-fbc V14"),
        ("FBC232", Error, "validate-fbc V15"),
        ("FBC233", Error, "validate-fbc V13"),
        ("FBC234", Error, "validate-fbc V9"),
        ("FBC235", Warning, "Conforma csv_semver_format, when the bundle is released"),
        ("FBC236", Warning, "Conforma feature_annotations_format, when the bundle is released"),
        ("FBC237", Warning, "Conforma subscriptions_annotation_format, when the bundle is released"),
        ("FBC238", Warning, "Conforma allowed_resource_kinds, when the bundle is released"),
        (
            "FBC239",
            Warning,
            "Conforma required_network_policy_rbac_for_operands, when the bundle is released",
        ),
        ("FBC240", Warning, "`olm.maxOpenShiftVersion` holds cluster upgrades back"),
        ("IDX001", Error, "fbc-target-index-pruning-check P3"),
        ("IDX002", Error, "fbc-target-index-pruning-check P4"),
        ("IMG101", Error, "validate-fbc V16"),
        ("IMG102", Error, "validate-fbc V17"),
        ("IMG103", Error, "Conforma unpinned_related_images"),
        ("IMG104", Error, "Conforma allowed_registries_related"),
        ("IMG105", Warning, "Conforma unpinned_references, when the bundle is released"),
        ("IMG106", Warning, "Conforma allowed_registries, when the bundle is released"),
        ("IMG301", Error, "validate-fbc V1"),
        ("IMG302", Error, "validate-fbc V3"),
        ("IMG303", Error, "validate-fbc V4"),
        ("IMG304", Error, "validate-fbc V5"),
        ("IMG305", Error, "validate-fbc V7"),
        ("IMG306", Error, "validate-fbc V8"),
        ("IMG307", Error, "Conforma inaccessible_related_images"),
        ("IMG308", Error, "Conforma olm_bundle_multi_arch"),
        ("FBC246", Warning, "the hub of the console shows a tile without it"),
    ],
    allowed_registries: &["registry.redhat.io/", "registry.stage.redhat.io/"],
    allowed_related_registries: &["registry.access.redhat.com/", "registry.redhat.io/"],
    required_features: FEATURES,
    allowed_kinds: KINDS,
    allowed_base_images: BASE_IMAGES,
};

pub(super) static RED_HAT_CERTIFIED: Definition = Definition {
    name: "redhat-certified",
    purpose: "as default, and what Red Hat's certification asks of catalogs",
    levels: &[
        ("FBC230", Error, "check_olm_bundle_object_in_fbc, for every bundle"),
        ("FBC236", Warning, "preflight RequiredAnnotations"),
        ("FBC240", Warning, "`olm.maxOpenShiftVersion` holds cluster upgrades back"),
        ("IMG102", Error, "check_bundle_images_in_fbc, where registries are named"),
        ("IMG103", Warning, "preflight FollowsRestrictedNetworkEnablementGuidelines"),
    ],
    required_features: FEATURES,
    ..PLAIN
};

pub(super) static COMMUNITY: Definition = Definition {
    name: "community",
    purpose: "as default, and what the community pipeline asks of catalogs",
    levels: &[
        ("FBC230", Error, "check_olm_bundle_object_in_fbc, for every bundle"),
        ("FBC240", Warning, "`olm.maxOpenShiftVersion` holds cluster upgrades back"),
        ("IMG102", Error, "check_bundle_images_in_fbc"),
        ("FBC246", Warning, "operatorhub.io shows a tile without it"),
    ],
    allowed_registries: &[
        "quay.io/community-operator-pipeline-prod/",
        "quay.io/openshift-community-operators/",
    ],
    ..PLAIN
};
