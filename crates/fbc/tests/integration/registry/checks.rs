//! `fbc validate` of images: what the image itself says, and whether the images that it names can be pulled.

use super::support::{Place, refused, registry_with_catalog, testdata, text};
use fbc_testing::registry::Registry;

/// The findings of rules, a line each, under the profile of Konflux.
fn findings(place: &Place, arguments: &[&str]) -> Vec<String> {
    let flags = ["--profile", "konflux", "--format", "concise", "-q"];
    let output = place.plain(&[&["validate"], arguments, &flags].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_image_of_a_catalog_is_looked_at() {
    let (place, registry) = (Place::new(), Registry::in_thread());
    let image = format!("{}/me/catalog:v1", registry.host);
    let build = |arguments: &[&str]| {
        let own = ["build", &testdata("sample-catalog"), "--push", "-q", "-t", &image];
        assert!(place.plain(&[&own[..], arguments].concat()).status.success());
    };
    let select = [image.as_str(), "--select", "IMG301,IMG302,IMG303,IMG304,IMG305,IMG306"];
    build(&["--platform", "linux/arm64"]);
    let found = findings(&place, &select);
    for expected in [
        "[IMG301] the catalog image has no variant for linux/amd64; it has linux/arm64",
        "[IMG302] the catalog image has no annotation",
        "[IMG304] it is not known for which OpenShift",
        "[IMG305] the catalog image holds no file named `opm`",
        "[IMG306] ",
    ] {
        assert!(found.iter().any(|line| line.contains(expected)), "{expected}: {found:#?}");
    }
    assert_eq!(found.len(), 5, "{found:#?}");
    let base =
        "org.opencontainers.image.base.name=registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.16";
    build(&["--platform", "linux/amd64,linux/arm64", "--annotation", base]);
    let found = findings(&place, &[&image, "--select", "IMG301,IMG302,IMG303,IMG304"]);
    assert!(found.is_empty(), "{found:#?}");
    // The base says the target: before 4.17 there is no `olm.csv.metadata`.
    let found = findings(&place, &[&image, "--select", "FBC231,CFG"]);
    assert!(!found.iter().any(|line| line.contains("`targets` is not set")), "{found:#?}");
}

#[test]
fn images_are_asked_for() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    let there = format!("{}/me/catalog@{digest}", registry.host);
    let catalog = |related: &str| {
        format!(
            "schema: olm.bundle\npackage: a\nname: a.v1\nimage: {there}\nrelatedImages:\n- {{name: x, image: '{related}'}}\n\
             properties:\n- type: olm.package\n  value: {{packageName: a, version: 1.0.0}}\n---\nschema: olm.package\nname: a\n\
             defaultChannel: s\n---\nschema: olm.channel\npackage: a\nname: s\nentries: [{{name: a.v1}}]\n"
        )
    };
    let missing = format!("{}/me/none:v1", registry.host);
    place.write("catalog/a/catalog.yaml", catalog(&missing));
    registry.log();
    let found = findings(&place, &["catalog", "--check-images", "--select", "IMG307"]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let expected =
        format!("catalog/a/catalog.yaml:6:20: error[IMG307] image \"{missing}\" cannot be pulled: ");
    assert!(found[0].starts_with(&expected), "{found:#?}");
    // Without the question nobody is asked.
    registry.log();
    assert!(findings(&place, &["catalog", "--select", "IMG307"]).is_empty());
    assert_eq!(registry.log(), Vec::<String>::new());
    // What the index names already is not asked for.
    place.write("index/catalog.yaml", catalog(&missing));
    assert!(
        findings(&place, &["catalog", "--check-images", "--index", "index", "--select", "IMG307"]).is_empty()
    );
    assert_eq!(registry.log(), Vec::<String>::new());
    place.write("catalog/a/catalog.yaml", catalog(&image));
    assert!(findings(&place, &["catalog", "--check-images", "--select", "IMG307"]).is_empty());
    // An index from a registry.
    let found = findings(&place, &["index", "--index", &image, "--select", "IDX"]);
    assert!(found.is_empty(), "{found:#?}");
    let told = refused(&place.plain(&["validate", "index", "--index", &missing]), 2);
    assert!(told.contains("me/none"), "{told}");
}
