//! What the product documents say of the format (sections 4.1 to 4.5), one test a statement.

use fbc_lint::{Profile, load};
use fbc_model::tree::MemoryTree;
use fbc_rules::lint;

const PACKAGE: &str = "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\n";
const CHANNEL: &str = "schema: olm.channel\npackage: foo\nname: stable\nentries: [{name: foo.v1.0.0}]\n---\n";
const BUNDLE: &str = "schema: olm.bundle\npackage: foo\nname: foo.v1.0.0\nimage: quay.io/foo/foo:v1\n\
    properties: [{type: olm.package, value: {packageName: foo, version: 1.0.0}}]\n---\n";

/// What opm says of the catalog; nothing if it takes it.
fn refusal(files: &[(&str, &str)]) -> Option<String> {
    let tree: MemoryTree = files.iter().copied().collect();
    lint(&load(&tree), &tree, Profile::Opm).opm_error
}

/// What opm says of a catalog in one file that is sound but for these blobs.
fn refusal_with(blobs: &str) -> String {
    let text = format!("{PACKAGE}{CHANNEL}{BUNDLE}{blobs}");
    refusal(&[("catalog.yaml", text.as_str())]).unwrap_or_default()
}

fn package(name: &str) -> String {
    format!("{PACKAGE}{CHANNEL}{BUNDLE}").replace("foo", name)
}

#[track_caller]
fn assert_refused(blobs: &str, words: &str) {
    let error = refusal_with(blobs);
    assert!(error.contains(words), "{words:?} is not in {error:?}");
}

#[test]
fn d_fbc_5_yaml_and_json_are_plain_text() {
    let json = r#"{"schema": "olm.package", "name": "foo", "defaultChannel": "stable"}
        {"schema": "olm.channel", "package": "foo", "name": "stable", "entries": [{"name": "foo.v1.0.0"}]}"#;
    assert_eq!(refusal(&[("a.json", json), ("b.yaml", BUNDLE)]), None);
}

#[test]
fn d_fbc_8_duplicate_packages_and_bundles() {
    assert_eq!(refusal_with(""), "");
    assert_refused(PACKAGE, "duplicate package \"foo\"");
    assert_refused(BUNDLE, "package \"foo\" has duplicate bundle \"foo.v1.0.0\"");
}

#[test]
fn d_fbc_10_loading_recurses_and_any_error_fails_all() {
    let (deep, broken) = (format!("{PACKAGE}{CHANNEL}"), "schema: [");
    assert_eq!(refusal(&[("a/b/c/one", deep.as_str()), ("two.txt", BUNDLE)]), None);
    assert!(refusal(&[("a/b/c/one", deep.as_str()), ("two.txt", BUNDLE), ("z/last", broken)]).is_some());
}

#[test]
fn d_fbc_11_the_documented_index_ignore() {
    let ignore = "**/*\n!*.json\n!*.yaml\n**/objects/*.json\n**/objects/*.yaml\n";
    let text = package("foo");
    let (broken, files) =
        ("{", [".indexignore", "README.md", "a/objects/x.yaml", "objects/y.json", "a/b/z.txt"]);
    let mut all = vec![("a/catalog.yaml", text.as_str()), (files[0], ignore)];
    all.extend(files[1..].iter().map(|path| (*path, broken)));
    assert_eq!(refusal(&all), None);
    let tree: MemoryTree = all.iter().copied().collect();
    let read: Vec<String> = load(&tree).files.iter().map(|file| file.path.display().to_string()).collect();
    assert_eq!(read, ["a/catalog.yaml"]);
}

#[test]
fn d_fbc_12_the_documented_tree() {
    let (a, b, c) = (package("package-a"), package("package-b"), package("package-c"));
    let deprecations = "schema: olm.deprecations\npackage: package-c\nentries:\n\
        - {reference: {schema: olm.package}, message: end of life}\n";
    let objects = "packageB/objects/packageB.v0.1.0.clusterserviceversion.yaml";
    let files = [
        ("packageA/index.yaml", a.as_str()),
        ("packageB/.indexignore", "/objects\n"),
        ("packageB/index.yaml", b.as_str()),
        (objects, "kind: ClusterServiceVersion\n"),
        ("packageC/index.yaml", c.as_str()),
        ("packageC/deprecations.yaml", deprecations),
    ];
    assert_eq!(refusal(&files), None);
}

#[test]
fn d_fbc_13_catalogs_compose_by_copying() {
    let (a, b) = (package("a"), package("b"));
    assert_eq!(refusal(&[("index.yaml", a.as_str())]), None);
    assert_eq!(
        refusal(&[("catalogA/a/index.yaml", a.as_str()), ("catalogB/b/index.yaml", b.as_str())]),
        None
    );
}

#[test]
fn d_fbc_15_other_schemas_are_taken() {
    assert_eq!(refusal_with("schema: example.com.custom\npackage: foo\nanything: [1, {a: b}]\n"), "");
}

#[test]
fn d_fbc_16_a_package_has_one_package_blob_channels_and_bundles() {
    let refused = |text: &str| refusal(&[("catalog.yaml", text)]).unwrap_or_default();
    assert!(refused(&format!("{CHANNEL}{BUNDLE}")).contains("unknown package \"foo\""));
    assert!(refused(&format!("{PACKAGE}{BUNDLE}")).contains("not found in any channel entries"));
    assert!(refused(&format!("{PACKAGE}{CHANNEL}")).contains("no olm.bundle blobs found"));
}

#[test]
fn d_fbc_20_one_entry_a_channel_and_bundle() {
    let second = CHANNEL.replace("stable", "fast");
    assert_eq!(refusal_with(&second), "");
    let twice = second.replace("[{name: foo.v1.0.0}]", "[{name: foo.v1.0.0}, {name: foo.v1.0.0}]");
    assert_refused(&twice, "duplicate entry \"foo.v1.0.0\"");
}

#[test]
fn d_fbc_22_a_channel_has_one_head() {
    let newer = BUNDLE.replace("1.0.0", "2.0.0");
    let two = format!(
        "schema: olm.channel\npackage: foo\nname: fast\nentries: [{{name: foo.v1.0.0}}, {{name: foo.v2.0.0}}]\n---\n{newer}"
    );
    assert_refused(&two, "multiple channel heads found in graph: foo.v1.0.0, foo.v2.0.0");
}

#[test]
fn d_fbc_27_deprecations_need_references_and_are_unique() {
    let blob = "schema: olm.deprecations\npackage: foo\nentries:\n\
        - {reference: {schema: olm.package}, message: old}\n---\n";
    assert_eq!(refusal_with(blob), "");
    assert_ne!(refusal_with(&format!("{blob}{blob}")), "");
    assert_ne!(refusal_with(&blob.replace("package: foo\n", "")), "");
}

#[test]
fn d_fbc_28_package_references_have_no_name_and_others_need_one() {
    let blob = |reference: &str| {
        format!(
            "schema: olm.deprecations\npackage: foo\nentries:\n- {{reference: {reference}, message: old}}\n"
        )
    };
    assert_ne!(refusal_with(&blob("{schema: olm.package, name: foo}")), "");
    assert_ne!(refusal_with(&blob("{schema: olm.channel}")), "");
    assert_ne!(refusal_with(&blob("{schema: olm.bundle}")), "");
    assert_eq!(refusal_with(&blob("{schema: olm.bundle, name: foo.v1.0.0}")), "");
}

#[test]
fn d_fbc_32_properties_of_other_types_may_hold_anything() {
    let text = format!("{PACKAGE}{CHANNEL}{BUNDLE}")
        .replace("properties: [", "properties: [{type: example.com/any, value: [1, {a: null}]}, ");
    assert_eq!(refusal(&[("catalog.yaml", text.as_str())]), None);
}

#[test]
fn d_fbc_45_a_channel_needs_a_bundle() {
    assert_refused(
        &CHANNEL.replace("stable", "fast").replace("[{name: foo.v1.0.0}]", "[]"),
        "channel must contain",
    );
}
