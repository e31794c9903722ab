//! Releases whose images lie in a registry: `fbc release info --size`.

use super::support::{Place, done, refused, registry_with_catalog, text};

/// Sizes come from the registry without the layers; an image that is not there is a warning.
#[test]
fn sizes_come_from_the_registry() {
    let place = Place::new();
    let (registry, _, digest) = registry_with_catalog(&place);
    let image = format!("{}/me/catalog@{digest}", registry.host);
    let missing = format!("{}/me/catalog@sha256:{}", registry.host, "0".repeat(64));
    let tag =
        |name: &str, image: &str| format!("{{name: {name}, from: {{kind: DockerImage, name: '{image}'}}}}");
    let references = format!(
        "kind: ImageStream\napiVersion: image.openshift.io/v1\nmetadata: {{name: 4.19.0}}\nspec: {{tags: [{}, {}]}}\n",
        tag("cli", &image),
        tag("etcd", &missing)
    );
    place.write("payload/release-manifests/image-references", references);
    place.write(
        "payload/release-manifests/release-metadata",
        r#"{"kind": "cincinnati-metadata-v0", "version": "4.19.0"}"#,
    );
    let output = place.plain(&["release", "info", "payload", "--size", "--retry", "0"]);
    let warning = text(&output.stderr);
    assert!(warning.starts_with("warning: etcd: "), "{warning}");
    let out = done(output);
    let cli = out.lines().find(|line| line.starts_with("  cli ")).unwrap();
    let cells: Vec<&str> = cli.split_whitespace().collect();
    assert!(cells.len() == 5 && cells[2] == "1", "{cli}");
    assert!(out.contains(" across 1 layers\n"), "{out}");
    assert!(out.ends_with("Warnings:\n* tag \"etcd\": the image cannot be read here\n\n"), "{out}");
    assert_eq!(
        done(place.plain(&["release", "info", "payload", "-o", "pullspec"])),
        format!("{image}\n{missing}\n")
    );
    for shown in ["--size", "--contents", "--pullspecs", "--commits", "--commit-urls", "--image-for=cli"] {
        let told = refused(&place.plain(&["release", "info", "payload", shown, "-o", "json"]), 2);
        assert!(told.contains("leave out one of them"), "{told}");
    }
    let blobs = registry.log().into_iter().filter(|request| request.contains("/blobs/")).count();
    assert!(blobs <= 1, "only the configuration is pulled, not {blobs} blobs");
}
