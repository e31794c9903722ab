//! The checks of pipelines, by their ids, in the profiles that build them in.

use fbc_lint::{Policy, Profile, Severity, load};
use fbc_model::tree::MemoryTree;
use fbc_rules::RULES;
use fbc_rules::lint_under;
use fbc_version::OpenShiftRelease;

const DIGEST: &str = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// The findings of a rule in files, under a profile for some targets: severity and message.
fn found(files: &[(&str, &str)], profile: Profile, targets: &[&str], code: &str) -> Vec<(Severity, String)> {
    let tree: MemoryTree = files.iter().copied().collect();
    let mut policy = Policy::from(profile);
    policy.parameters.targets = targets.iter().map(|text| OpenShiftRelease::parse(text).unwrap()).collect();
    let report = lint_under(&load(&tree), &tree, &policy);
    let findings = report.findings.into_iter().map(|located| located.finding);
    let findings = findings.filter(|finding| finding.rule.code == code);
    findings.map(|finding| (finding.severity, finding.message)).collect()
}

/// The errors of a rule in one file under the profile `konflux`.
fn konflux(catalog: &str, targets: &[&str], code: &str) -> Vec<String> {
    let found = found(&[("foo/catalog.yaml", catalog)], Profile::Konflux, targets, code);
    assert!(found.iter().all(|(severity, _)| *severity == Severity::Error), "{found:?}");
    found.into_iter().map(|(_, message)| message).collect()
}

fn bundle(name: &str, image: &str, properties: &[&str]) -> String {
    let mut text =
        format!("---\nschema: olm.bundle\nname: {name}\npackage: foo\nimage: {image}\nproperties:\n");
    properties.iter().for_each(|property| text.push_str(&format!("- {property}\n")));
    text
}

const OBJECT: &str = "{type: olm.bundle.object, value: {data: e30=}}";
const METADATA: &str = "{type: olm.csv.metadata, value: {}}";

#[test]
fn konflux_v9_a_package_folder() {
    let package = "schema: olm.package\nname: foo\n";
    assert_eq!(found(&[("catalog.yaml", package)], Profile::Konflux, &[], "FBC234").len(), 1);
    assert_eq!(found(&[("foo/catalog.yaml", package)], Profile::Konflux, &[], "FBC234"), []);
}

#[test]
fn konflux_v10_no_empty_package_folder() {
    let files = [("foo/catalog.yaml", "schema: olm.package\nname: foo\n"), ("bar/catalog.yaml", "")];
    let found = found(&files, Profile::Konflux, &[], "FBC217");
    assert_eq!(found, [(Severity::Error, "directory \"bar\" holds no blob".to_owned())]);
}

#[test]
fn konflux_v11_all_that_opm_refuses() {
    for profile in [Profile::Konflux, Profile::RedHatCertified, Profile::Community, Profile::OlmV1] {
        for rule in RULES.iter().filter(|rule| rule.basis == fbc_lint::rule::Basis::Opm) {
            assert_eq!(profile.level(rule), Some(Severity::Error), "{} {}", profile.name(), rule.code);
        }
    }
}

#[test]
fn konflux_v13_a_package() {
    assert_eq!(konflux("schema: x\n", &[], "FBC233").len(), 1);
    assert!(konflux("schema: olm.package\nname: foo\n", &[], "FBC233").is_empty());
}

/// The pipeline skips the check when there are several versions; here each counts.
#[test]
fn konflux_v14_form_of_each_target() {
    let both = bundle("foo.v1", "", &[METADATA]) + &bundle("foo.v2", "", &[OBJECT]);
    let on = |targets: &[&str], code: &str| konflux(&both, targets, code);
    let later = "bundle \"foo.v2\" has \"olm.bundle.object\", which catalogs for OpenShift";
    let earlier = "bundle \"foo.v1\" has \"olm.csv.metadata\", which catalogs for OpenShift";
    assert_eq!(on(&["4.17"], "FBC230"), [format!("{later} 4.17 must not have")]);
    assert_eq!(on(&["4.16"], "FBC230"), [""; 0]);
    assert_eq!(on(&["4.16"], "FBC231"), [format!("{earlier} 4.16 must not have")]);
    assert_eq!(on(&["4.17"], "FBC231"), [""; 0]);
    let several = ["4.9", "4.16", "4.17", "5.0"];
    assert_eq!(on(&several, "FBC230"), [format!("{later} 4.17, 5.0 must not have")]);
    assert_eq!(on(&several, "FBC231"), [format!("{earlier} 4.9, 4.16 must not have")]);
    assert_eq!(on(&[], "FBC230"), [""; 0]);
}

/// The pipeline compares numbers; here every bundle counts.
#[test]
fn konflux_v15_two_metadata_on_one_bundle_hide_none_on_another() {
    let catalog =
        bundle("foo.v1", "", &[METADATA, METADATA]) + &bundle("foo.v2", "", &["{type: x, value: 1}"]);
    assert_eq!(
        konflux(&catalog, &["4.17", "4.18"], "FBC232"),
        ["bundle \"foo.v2\" has no \"olm.csv.metadata\", which catalogs for OpenShift 4.17, 4.18 need"]
    );
    assert_eq!(konflux(&catalog, &["4.17"], "FBC205").len(), 1);
    assert_eq!(konflux(&catalog, &["4.16"], "FBC232").len(), 2);
    let objects = bundle("foo.v1", "", &[OBJECT, OBJECT]) + &bundle("foo.v2", "", &[OBJECT]);
    assert_eq!(konflux(&objects, &["4.16"], "FBC232"), [""; 0]);
}

#[test]
fn konflux_v16_bundle_images_end_in_a_digest() {
    for (image, is_right) in [
        (format!("registry.redhat.io/a{DIGEST}"), true),
        (format!("registry.redhat.io/a:v1{DIGEST}"), true),
        ("registry.redhat.io/a:v1".to_owned(), false),
        ("registry.redhat.io/a@sha256:0123".to_owned(), false),
        (format!("registry.redhat.io/a{DIGEST}0"), false),
    ] {
        let found = konflux(&bundle("foo.v1", &image, &[]), &[], "IMG101");
        assert_eq!(found.is_empty(), is_right, "{image}: {found:?}");
    }
}

#[test]
fn konflux_v17_bundle_images_from_allowed_registries() {
    for (registry, is_right) in [
        ("registry.redhat.io/", true),
        ("registry.stage.redhat.io/", true),
        ("registry.redhat.io.example.com/", false),
        ("quay.io/registry.redhat.io/", false),
    ] {
        let found = konflux(&bundle("foo.v1", &format!("{registry}a{DIGEST}"), &[]), &[], "IMG102");
        assert_eq!(found.is_empty(), is_right, "{registry}: {found:?}");
    }
}

/// The check of the pipeline ends with the first bundle; here every bundle counts.
#[test]
fn operator_pipelines_check_olm_bundle_object_in_fbc_looks_at_every_bundle() {
    let catalog = bundle("foo.v1", "", &[METADATA]) + &bundle("foo.v2", "", &[OBJECT]);
    for profile in [Profile::Community, Profile::RedHatCertified] {
        let files = [("foo/catalog.yaml", catalog.as_str())];
        assert_eq!(found(&files, profile, &["4.17"], "FBC230").len(), 1);
        assert_eq!(found(&files, profile, &["4.16"], "FBC230"), []);
        assert_eq!(found(&files, profile, &["4.16"], "FBC231"), []);
    }
}

#[test]
fn operator_pipelines_check_bundle_images_in_fbc() {
    let catalog = bundle("foo.v1", "quay.io/openshift-community-operators/a:v1", &[])
        + &bundle("foo.v2", "quay.io/other/a:v1", &[]);
    let files = [("foo/catalog.yaml", catalog.as_str())];
    assert_eq!(found(&files, Profile::Community, &[], "IMG102").len(), 1);
    // No list, no check.
    assert_eq!(found(&files, Profile::RedHatCertified, &[], "IMG102"), []);
}

/// Each is a warning where it is checked when the bundle is released, an error where the catalog is.
#[test]
fn conforma_checks_are_in_the_profile_konflux() {
    for (check, code, severity) in [
        ("csv_semver_format", "FBC235", Severity::Warning),
        ("feature_annotations_format", "FBC236", Severity::Warning),
        ("subscriptions_annotation_format", "FBC237", Severity::Warning),
        ("allowed_resource_kinds", "FBC238", Severity::Warning),
        ("required_network_policy_rbac_for_operands", "FBC239", Severity::Warning),
        ("unpinned_related_images", "IMG103", Severity::Error),
        ("allowed_registries_related", "IMG104", Severity::Error),
        ("unpinned_references", "IMG105", Severity::Warning),
        ("allowed_registries", "IMG106", Severity::Warning),
    ] {
        let rule = RULES.find(code).unwrap();
        assert_eq!(Profile::Konflux.level(rule), Some(severity), "{check}");
        assert_eq!(Profile::Default.level(rule), None, "{check}");
        assert!(!rule.cases().is_empty());
    }
}

/// `V18`: bundles with the property `olm.deprecated` are left out.
#[test]
fn konflux_v18_deprecated_bundles_are_left_alone() {
    let related = "relatedImages:\n- {name: a, image: \"quay.io/a/a:v1\"}\n";
    let catalog = bundle("foo.v1", "", &["{type: olm.deprecated, value: {}}"]) + related;
    let catalog = catalog + &bundle("foo.v2", "", &[METADATA]) + related;
    for code in ["IMG103", "IMG104"] {
        let found = konflux(&catalog, &[], code);
        assert!(matches!(found.as_slice(), [one] if one.contains("foo.v2")), "{found:?}");
    }
}
