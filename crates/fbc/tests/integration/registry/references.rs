//! Images where commands take catalogs and bundles.

use std::fs;

use super::support::{Place, done, refused, registry_with_catalog, testdata, text};
use fbc_testing::registry::Registry;

#[test]
fn catalogs_are_read_from_registries() {
    let place = Place::new();
    let (_registry, image, digest) = registry_with_catalog(&place);
    let sample = testdata("sample-catalog");
    let pinned = format!("{}@{digest}", image.trim_end_matches(":v1"));
    for words in [
        &["render"][..],
        &["list", "bundles"],
        &["query", ".name"],
        &["graph"],
        &["filter", "--package", "tide-operator"],
        &["opm", "render", "--use-http"],
        &["opm", "alpha", "list", "channels", "--skip-tls-verify"],
    ] {
        let expected = place.fbc(&[words, &[&sample]].concat());
        for image in [&image, &pinned, &format!("docker://{image}")] {
            if words[0] == "opm" {
                if !image.starts_with("docker://") {
                    assert_eq!(
                        done(place.fbc(&[words, &[image]].concat())),
                        text(&expected.stdout),
                        "{words:?}"
                    );
                }
                continue;
            }
            let answer = place.plain(&[words, &[image]].concat());
            assert_eq!(done(answer), text(&expected.stdout), "{words:?}");
        }
    }
    let resolved =
        done(place.plain(&["resolve", "lighthouse-operator", "--catalog", &format!("sample={image}")]));
    assert!(resolved.contains("lighthouse-operator"), "{resolved}");
    assert!(done(place.plain(&["diff", &sample, &image])).contains("no changes"));
    assert!(done(place.plain(&["validate", &image])).contains("no problems"));
    let paths = place.plain(&["paths", &image, "lighthouse-operator"]);
    let expected = place.fbc(&["paths", &sample, "lighthouse-operator"]);
    assert_eq!((paths.status.code(), paths.stdout), (expected.status.code(), expected.stdout));
}

/// As where a container runs as an arbitrary user.
#[test]
fn a_home_that_cannot_be_written_keeps_no_cache() {
    let place = Place::new();
    let (_registry, image, _) = registry_with_catalog(&place);
    let temporary = place.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let list = |name: &str, value: &str| {
        let mut command = place.command(&["list", "packages", &image, "--plain-http"]);
        command
            .env_remove("FBC_CACHE_DIR")
            .env("TMPDIR", &temporary)
            .env("HOME", "/proc/none")
            .env(name, value);
        command.output()
    };
    assert!(done(list("LANG", "C")).contains("lighthouse-operator"));
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "the directory goes with the command");
    // Whoever names a directory wants it.
    let told = refused(&list("FBC_CACHE_DIR", "/proc/none"), 2);
    assert!(told.contains("/proc/none"), "{told}");
}

/// `opm index add` made an index of bundle images; this makes a catalog of them, and puts it where it belongs.
#[test]
fn catalogs_come_of_bundle_images() {
    let place = Place::new();
    let registry = Registry::in_thread();
    let bundle = format!("{}/me/lighthouse:v1.2.0", registry.host);
    let catalog = format!("{}/me/catalog:v1", registry.host);
    done(place.plain(&["build", "--bundle", &testdata("lighthouse-bundle"), "--push", "-q", "-t", &bundle]));
    let digest = done(place.plain(&["catalog", "from-bundles", &bundle, "-q", "-t", &catalog, "--push"]));
    assert!(digest.starts_with("sha256:"), "{digest}");
    let listed = done(place.plain(&["list", "bundles", &catalog]));
    assert!(listed.contains("lighthouse-operator.v1.2.0") && listed.contains(&bundle), "{listed}");
    let out = place.path().join("out");
    let unpack = ["opm", "alpha", "bundle", "unpack", "--use-http", &bundle, "-o", out.to_str().unwrap()];
    done(place.fbc(&unpack));
    assert!(out.join("metadata/annotations.yaml").is_file());
    done(place.fbc(&["opm", "--use-http", "alpha", "bundle", "unpack", "-v", &bundle, "-o", "again"]));
}

#[test]
fn findings_name_the_image() {
    let place = Place::new();
    let registry = Registry::in_thread();
    let image = format!("{}/me/broken:v1", registry.host);
    done(place.plain(&["build", &testdata("two-findings"), "--no-validate", "--push", "-q", "-t", &image]));
    let output = place.plain(&["validate", &image, "--format", "concise"]);
    let told = text(&output.stdout);
    assert!(told.starts_with(&format!("{image}/configs/catalog.yaml:")), "{told}");
}

/// D-EXT-15, D-EXT-16: the files of a bundle image, which is named by its digest.
fn unpacked_by_digest(place: &Place, image: &str, folder: &str) {
    let digest = done(place.plain(&["push", &format!("docker://{image}"), "-q", "-t", image]));
    let pinned = format!("{}@{}", image.trim_end_matches(":v1"), digest.trim());
    done(place.plain(&["unpack", &pinned, "bundle"]));
    for part in ["manifests", "metadata"] {
        let names = |folder: &std::path::Path| -> Vec<_> {
            let mut names: Vec<_> =
                fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&place.path().join("bundle")), names(std::path::Path::new(folder)), "{part}");
    }
}

#[test]
fn bundle_images_are_bundles_with_their_name() {
    let place = Place::new();
    let registry = Registry::in_thread();
    let image = format!("{}/me/bundle:v1", registry.host);
    let folder = testdata("lighthouse-bundle");
    done(place.plain(&["build", "--bundle", &folder, "--push", "-q", "-t", &image]));
    unpacked_by_digest(&place, &image, &folder);
    let map = place.write("images.json", serde_json::json!({ image.clone(): folder.clone() }).to_string());
    let map = map.to_str().unwrap();
    let expected = done(place.fbc(&["render", &image, "--image-map", map]));
    assert!(expected.contains(&image), "{expected}");
    assert_eq!(done(place.plain(&["render", &image])), expected);
    assert_eq!(done(place.plain(&["bundle", "render", &image])), expected);
    assert_eq!(done(place.fbc(&["opm", "render", &image, "--use-http"])), expected);
    assert!(done(place.plain(&["bundle", "validate", &image])).contains("no problems"));
    let objects = done(place.plain(&["bundle", "manifests", &image, "-n", "x"]));
    assert_eq!(objects, done(place.fbc(&["bundle", "manifests", &folder, "-n", "x"])));
    let ready = ["bundle", "ready", "--ocp", "4.19", "-o", "json"];
    let ready = [&image, &folder].map(|bundle| {
        text(&place.plain(&[&ready[..], &[bundle]].concat()).stdout).replace(bundle.as_str(), "BUNDLE")
    });
    assert_eq!(ready[0], ready[1]);
    // In templates, and in what generates catalogs.
    let template = format!("schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: {image}\n");
    place.write("basic.yaml", template);
    let rendered = done(place.plain(&["template", "render", "basic.yaml"]));
    assert_eq!(rendered, done(place.fbc(&["template", "render", "basic.yaml", "--image-map", map])));
    assert_eq!(
        rendered,
        done(place.fbc(&["opm", "alpha", "render-template", "basic.yaml", "--skip-tls-verify"]))
    );
    // An edit takes a bundle from an image.
    let catalog = place.path().join("catalog");
    fs::create_dir(&catalog).unwrap();
    fs::write(
        catalog.join("catalog.yaml"),
        "schema: olm.package\nname: lighthouse-operator\ndefaultChannel: stable\n",
    )
    .unwrap();
    let catalog = catalog.to_str().unwrap();
    done(place.plain(&["add", &image, catalog, "--channel", "stable", "--create-channel"]));
    assert!(done(place.fbc(&["render", catalog])).contains(&image));
}

#[test]
fn what_is_neither_catalog_nor_bundle_is_refused_before_its_layers_come() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let other = image.replace("catalog", "other");
    let label = "operators.operatorframework.io.index.configs.v1";
    done(place.plain(&["pull", &image, "oci:lay", "-q"]));
    // The same image without its label.
    let config_of = |text: &str| text.replace(label, "x");
    let layer = without_label(&place, &registry, &other, config_of);
    registry.log();
    let told = refused(&place.plain(&["render", &other]), 1);
    assert!(
        told.contains("is neither a catalog nor a bundle") && told.contains("help: a catalog image"),
        "{told}"
    );
    assert!(!registry.log().iter().any(|line| line.contains(&layer)));
}

/// Pushes the image of the layout `lay` with another configuration; the digest of its layer.
fn without_label(
    place: &Place,
    registry: &fbc_testing::registry::Registry,
    image: &str,
    change: impl Fn(&str) -> String,
) -> String {
    let read = |digest: &str| {
        fs::read_to_string(place.path().join("lay/blobs/sha256").join(digest.trim_start_matches("sha256:")))
            .unwrap()
    };
    let index: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path().join("lay/index.json")).unwrap()).unwrap();
    let mut manifest: serde_json::Value =
        serde_json::from_str(&read(index["manifests"][0]["digest"].as_str().unwrap())).unwrap();
    let config = change(&read(manifest["config"]["digest"].as_str().unwrap()));
    let layer = manifest["layers"][0]["digest"].as_str().unwrap().to_owned();
    let (_, rest) = image.split_once('/').unwrap();
    let (repository, tag) = rest.split_once(':').unwrap();
    manifest["config"]["size"] = config.len().into();
    manifest["config"]["digest"] = registry.hold(repository, config.as_bytes()).into();
    let kind = "application/vnd.oci.image.manifest.v1+json".to_owned();
    let bytes = serde_json::to_vec(&manifest).unwrap();
    registry.state.lock().unwrap().manifests.insert(format!("{repository}:{tag}"), (kind, bytes));
    layer
}

#[test]
fn platforms_are_chosen() {
    let place = Place::new();
    let registry = Registry::in_thread();
    let image = format!("{}/me/catalog:v1", registry.host);
    let platforms = ["--platform", "linux/arm64,linux/s390x"];
    done(place.plain(
        &[&["build", &testdata("sample-catalog"), "--push", "-q", "-t", &image], &platforms[..]].concat(),
    ));
    // There is no linux/amd64: the first one is as good.
    done(place.plain(&["render", &image]));
    done(place.plain(&["render", &image, "--platform", "linux/s390x"]));
    let told = refused(&place.plain(&["render", &image, "--platform", "windows/amd64"]), 2);
    assert!(told.contains("no manifest for windows/amd64; there are linux/arm64, linux/s390x"), "{told}");
    assert!(told.contains("help: choose one of them with --platform"), "{told}");
    let one = done(place.plain(&["pull", &image, "oci:one", "-q", "--platform", "linux/s390x"]));
    let all = done(place.plain(&["pull", &image, "oci:all", "-q"]));
    assert_ne!(one, all);
    let told = refused(&place.plain(&["pull", &image, "docker-archive:d.tar", "-q"]), 2);
    assert!(told.contains("the image has several platforms"), "{told}");
    assert!(!place.path().join("d.tar").exists());
}

#[test]
fn what_was_there_once_is_not_asked_for_again() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    let expected = done(place.plain(&["render", &image]));
    assert!(registry.log().iter().any(|line| line.contains("/blobs/")));
    // A tag may mean something else by now, a digest not.
    assert_eq!(done(place.plain(&["render", &image])), expected);
    assert_eq!(registry.log(), ["GET /v2/me/catalog/manifests/v1"]);
    let pinned = format!("{}@{digest}", image.trim_end_matches(":v1"));
    for image in [&image, &pinned] {
        assert_eq!(done(place.fbc(&["render", image, "--offline"])), expected);
        assert_eq!(done(place.command(&["opm", "render", image]).env("FBC_OFFLINE", "1").output()), expected);
    }
    assert_eq!(done(place.plain(&["render", &pinned])), expected);
    let told = refused(&place.fbc(&["render", &image.replace("v1", "v2"), "--offline"]), 2);
    assert!(told.contains("it is not in the cache, and no registry may be asked"), "{told}");
    assert!(told.contains("help: run the command once without --offline"), "{told}");
    assert!(refused(&place.fbc(&["push", "oci:x", "-t", &image, "--offline"]), 2).contains("cannot read x"));
    assert!(registry.log().is_empty());
    // What is damaged in the cache comes anew.
    for blob in fs::read_dir(place.path().join("cache/blobs/sha256")).unwrap() {
        fs::write(blob.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(done(place.plain(&["render", &image])), expected);
    let info = done(place.fbc(&["cache", "info"]));
    assert!(info.contains("blobs:      3"), "{info}");
    done(place.fbc(&["cache", "clean"]));
    refused(&place.fbc(&["render", &image, "--offline"]), 2);
}

#[test]
fn a_cluster_catalog_names_its_image() {
    let place = Place::new();
    let (_registry, image, _) = registry_with_catalog(&place);
    let manifests = format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {{name: sample}}\nspec:\n  \
         source: {{type: Image, image: {{ref: {image}}}}}\n---\napiVersion: olm.operatorframework.io/v1\n\
         kind: ClusterExtension\nmetadata: {{name: light}}\nspec:\n  namespace: x\n  \
         serviceAccount: {{name: y}}\n  source: {{sourceType: Catalog, catalog: {{packageName: \
         lighthouse-operator}}}}\n"
    );
    place.write("manifests.yaml", manifests);
    let resolve = ["resolve", "-f", "manifests.yaml"];
    let sample = format!("sample={}", testdata("sample-catalog"));
    let expected = done(place.fbc(&[&resolve[..], &["--catalog", &sample]].concat()));
    assert_eq!(done(place.plain(&resolve)), expected);
    done(place.fbc(&["cache", "clean"]));
    let map = serde_json::json!({ image.clone(): testdata("sample-catalog") });
    let map = place.write("map.json", map.to_string());
    assert_eq!(done(place.command(&resolve).env("FBC_IMAGE_MAP", map).output()), expected);
    let told = refused(&place.fbc(&[&resolve[..], &["--offline"]].concat()), 2);
    assert!(told.contains("ClusterCatalog \"sample\": cannot find the image"), "{told}");
}

#[test]
fn opm_wants_whole_references() {
    let place = Place::new();
    let digest = format!("sha256:{}", "a".repeat(64));
    for (reference, expected) in [
        ("catalgo", "repository name must be canonical"),
        ("docker.io/ubuntu:v1", "repository name must be canonical"),
        ("quay.io/me/c", "tag or digest is needed"),
        (&format!("quay.io/me/c:v1@{digest}"), "both a tag and digest are currently not supported"),
        ("quay.io/Me/c", "invalid reference format: repository name must be lowercase"),
    ] {
        let told = refused(&place.fbc(&["opm", "render", reference]), 1);
        let shown = format!("render reference \"{reference}\": failed to pull image \"{reference}\": ");
        assert!(told.contains(&shown) && told.trim_end().ends_with(expected), "{told}");
    }
    place.write("basic.yaml", "schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: a/b\n");
    let told = refused(&place.fbc(&["template", "render", "basic.yaml"]), 1);
    assert!(
        told.contains("failed to pull image \"a/b\": it is not a directory, and an image is HOST/"),
        "{told}"
    );
}

#[test]
fn names_that_are_no_images_stay_what_they_are() {
    let place = Place::new();
    place.write("v4.19/catalog/catalog.yaml", "schema: olm.package\nname: a\ndefaultChannel: b\n");
    done(place.fbc(&["render", "v4.19/catalog"]));
    // The directory is there, so its content is meant, and not a host of that name.
    let told = refused(&place.fbc(&["render", "v4.19/catalgo"]), 2);
    assert!(
        told.contains("v4.19/catalgo does not exist") && told.contains("did you mean v4.19/catalog?"),
        "{told}"
    );
    let told = refused(&place.fbc(&["render", "catalog"]), 2);
    assert!(told.contains("catalog does not exist"), "{told}");
    let told = refused(&place.fbc(&["render", "docker://quay.io/Me/catalog"]), 2);
    assert!(told.contains("repository name must be lowercase"), "{told}");
    let told = refused(&place.fbc(&["deprecate", "quay.io/me/catalog:v1", "a", "--message", "b"]), 2);
    assert!(told.contains("is an image, which cannot be edited in place"), "{told}");
}
