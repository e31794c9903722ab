//! Tags and digests in catalogs, and what a real registry says of images: `fbc pin` and `fbc validate --check-images`.

use base64::Engine as _;

use super::support::{Place, done, refused, testdata, text};
use fbc_testing::is_installed;
use fbc_testing::registry::{Running, start};

/// Debian's registry with an image for one platform and one for two, by tag and by digest.
struct Images {
    server: Running,
    bundle: String,
    index: String,
    pinned_bundle: String,
    pinned_index: String,
}

impl Images {
    fn new(place: &Place) -> Self {
        let server = start(place.path(), "http: {addr: HOST}\n");
        let (bundle, index) =
            (format!("{}/me/bundle:v1", server.host), format!("{}/me/index:v1", server.host));
        let digest = push(place, &bundle, "linux/amd64", "1");
        let pinned_bundle = format!("{}/me/bundle@{digest}", server.host);
        let digest = push(place, &index, "linux/amd64,linux/arm64", "1");
        let pinned_index = format!("{}/me/index@{digest}", server.host);
        Self { server, bundle, index, pinned_bundle, pinned_index }
    }
}

fn push(place: &Place, image: &str, platforms: &str, label: &str) -> String {
    let sample = testdata("sample-catalog");
    let label = format!("round={label}");
    let words = ["build", &sample, "--push", "-q", "-t", image, "--platform", platforms, "--label", &label];
    done(place.plain(&words)).trim().to_owned()
}

/// A catalog with a bundle, a related image, and an image that only its manifest names.
fn catalog(bundle: &str, related: &str, unlisted: &str) -> String {
    let csv = format!(
        r#"{{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {{"name": "a.v1"}},
        "spec": {{"version": "1.0.0", "install": {{"strategy": "deployment", "spec": {{"deployments": [{{"name": "d", "spec":
        {{"template": {{"spec": {{"containers": [{{"name": "c", "image": "{unlisted}"}}]}}}}}}}}]}}}}}}}}"#
    );
    let data = base64::engine::general_purpose::STANDARD.encode(csv);
    format!(
        "# Ours\nschema: olm.bundle\npackage: a\nname: a.v1\nimage: {bundle} # the first\nrelatedImages:\n\
         - {{name: x, image: \"{related}\"}}\nproperties:\n- type: olm.package\n  value: {{packageName: a, version: 1.0.0}}\n\
         - type: olm.bundle.object\n  value:\n    data: {data}\n---\nschema: olm.package\nname: a\ndefaultChannel: s\n---\n\
         schema: olm.channel\npackage: a\nname: s\nentries: [{{name: a.v1}}]\n"
    )
}

#[test]
fn tags_become_what_the_registry_says() {
    if !is_installed("docker-registry") {
        return;
    }
    let place = Place::new();
    let Images { server, bundle, index, pinned_bundle: old, pinned_index: of_index } = Images::new(&place);
    let tagged = catalog(&bundle, &index, &index);
    let path = place.write("catalog/catalog.yaml", &tagged);
    let read = || std::fs::read_to_string(&path).unwrap();
    let told = refused(&place.plain(&["pin", "catalog", "--check"]), 1);
    assert_eq!(told.matches("is not pinned").count(), 2, "{told}");
    done(place.plain(&["pin", "catalog", "--map", "pins.yaml"]));
    assert_eq!(read(), catalog(&old, &of_index, &of_index));
    done(place.plain(&["pin", "catalog", "--check"]));
    // With the map nobody is asked.
    place.write("catalog/catalog.yaml", &tagged);
    done(place.fbc(&["pin", "catalog", "--map", "pins.yaml", "--offline"]));
    assert_eq!(read(), catalog(&old, &of_index, &of_index));
    done(place.plain(&["pin", "catalog", "--map", "pins.yaml", "--drift"]));
    let new = push(&place, &bundle, "linux/amd64", "2");
    let told = refused(&place.plain(&["pin", "catalog", "--map", "pins.yaml", "--drift"]), 1);
    assert!(told.contains(&format!("{bundle} was ")) && told.contains(&new), "{told}");
    assert!(told.contains("1 of 2 tags have moved"), "{told}");
    done(place.fbc(&["pin", "catalog", "--map", "pins.yaml", "--tags"]));
    assert_eq!(read(), tagged);
    // All images that are not there are errors. No catalog is changed; the map gets what is known.
    let absent = format!("{}/me/absent:v1", server.host);
    let missing = format!("{}/me/missing:v1", server.host);
    place.write("catalog/catalog.yaml", catalog(&bundle, &absent, &missing));
    let other = || std::fs::read_to_string(place.path().join("other.yaml"));
    let told = refused(&place.plain(&["pin", "catalog", "--map", "other.yaml", "--dry-run"]), 2);
    assert!(told.contains("cannot be resolved") && other().is_err(), "{told}");
    let told = refused(&place.plain(&["pin", "catalog", "--map", "other.yaml"]), 2);
    assert!(told.contains("me/absent") && told.contains("me/missing"), "{told}");
    assert_eq!(told.matches("named in catalog/catalog.yaml").count(), 2, "{told}");
    assert!(told.contains("2 of 3 tags cannot be resolved, so no file is pinned"), "{told}");
    assert_eq!(read(), catalog(&bundle, &absent, &missing));
    assert_eq!(
        other().unwrap(),
        format!("{bundle}: {}\n", new.rsplit_once('@').map_or(&*new, |(_, digest)| digest))
    );
}

#[test]
fn images_are_judged_by_what_the_registry_says() {
    if !is_installed("docker-registry") {
        return;
    }
    let place = Place::new();
    let Images { server, bundle, index, .. } = Images::new(&place);
    let host = &server.host;
    let findings = |further: &[&str]| {
        let words = ["validate", "catalog", "--check-images", "--select", "IMG307,IMG308,IMG309"];
        let output = place.plain(&[&words[..], &["-o", "concise"], further].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        text(&output.stdout)
    };
    place.write("catalog/catalog.yaml", catalog(&bundle, &index, &index));
    assert_eq!(findings(&[]), "");
    // A bundle that is an index, and an image that only the manifest names.
    let absent = format!("{host}/me/absent:v1");
    place.write("catalog/catalog.yaml", catalog(&index, &bundle, &absent));
    let told = findings(&[]);
    assert!(told.contains("[IMG308] the image of bundle \"a.v1\" is an index"), "{told}");
    assert!(told.contains(&format!("13:11: warning[IMG307] image \"{absent}\" cannot be pulled")), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
    // Where it is named there is nothing yet, and the mirror has it.
    let released = format!("{host}/released/bundle:v1");
    place.write("catalog/catalog.yaml", catalog(&released, &bundle, &index));
    assert!(findings(&[]).contains(&format!("[IMG307] image \"{released}\"")));
    place.write(
        "set.yaml",
        format!(
            "apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nmetadata: {{name: m}}\nspec:\n  \
             imageTagMirrors:\n  - source: {host}/released\n    mirrors: [{host}/me]\n"
        ),
    );
    let told = findings(&["--mirror-set", "set.yaml"]);
    assert!(told.contains(&format!("[IMG309] image \"{released}\" is only in a mirror")), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}
