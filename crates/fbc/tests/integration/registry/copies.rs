//! `fbc mirror`: to a registry, to a directory and from there, killed, with a missing image; what it writes is used.

use std::fs;
use std::process::Stdio;
use std::sync::{Arc, mpsc};

use super::support::{Place, done, refused, text};
use fbc_testing::is_installed;
use fbc_testing::registry::{Misdeed, Registry};
use fbc_testing::registry::{skopeo, start};

/// The registry that catalogs name; nobody answers there.
pub(crate) const NAMED: &str = "registry.invalid";

/// A registry that stands in for [`NAMED`], with a catalog of two packages and their images.
pub(crate) struct Source {
    pub(crate) place: Place,
    pub(crate) registry: Registry,
    /// The images of the catalog, by name.
    digests: Vec<(&'static str, String)>,
}

impl Source {
    pub(crate) fn new() -> Self {
        let (place, registry) = (Place::new(), Registry::in_thread());
        let host = &registry.host;
        let mut digests = Vec::new();
        for name in ["a-bundle-v1", "a-bundle-v2", "b-bundle-v1", "operand"] {
            place.write("content/catalog.yaml", format!("schema: custom\nname: {name}\n"));
            let image = format!("{host}/team/{name}:v1");
            let build = ["build", "content", "--no-validate", "--push", "-q", "-t", &image];
            digests.push((name, done(place.plain(&build)).trim().to_owned()));
        }
        let source = Self { place, registry, digests };
        let bundle = |package: &str, version: u32| {
            let image = source.pinned(&format!("{package}-bundle-v{version}"));
            format!(
                "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: {image}\nproperties:\n\
                 - type: olm.package\n  value: {{packageName: {package}, version: {version}.0.0}}\nrelatedImages:\n\
                 - {{name: operand, image: '{}'}}\n- {{name: tagged, image: '{NAMED}/team/operand:v1'}}\n",
                source.pinned("operand"),
            )
        };
        let package = |name: &str, entries: &str| {
            format!(
                "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                 package: {name}\nname: stable\nentries: {entries}\n"
            )
        };
        let catalog = [
            package("a", "[{name: a.v2, replaces: a.v1}, {name: a.v1}]"),
            package("b", "[{name: b.v1}]"),
            bundle("a", 1),
            bundle("a", 2),
            bundle("b", 1),
        ];
        source.place.write("catalog/catalog.yaml", catalog.concat());
        let image = format!("{}/team/index:v4.19", source.registry.host);
        let label = "com.redhat.fbc.openshift.version=[\"v4.19\"]";
        done(source.place.plain(&["build", "catalog", "--push", "-q", "-t", &image, "--label", label]));
        let configuration = format!(
            "[[registry]]\nprefix = \"{NAMED}\"\nlocation = \"{NAMED}\"\n[[registry.mirror]]\nlocation = \"{}\"\n",
            source.registry.host
        );
        source.place.write("registries.conf", configuration);
        source
    }

    pub(crate) fn pinned(&self, name: &str) -> String {
        let (_, digest) = self.digests.iter().find(|(known, _)| *known == name).unwrap();
        format!("{NAMED}/team/{name}@{digest}")
    }

    pub(crate) fn index() -> String {
        format!("{NAMED}/team/index:v4.19")
    }

    /// `fbc mirror` from the stand-in.
    pub(crate) fn arguments<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        let own = ["--registries-conf", "registries.conf", "--plain-http", "--retry", "0"];
        [&["mirror"], arguments, &own].concat()
    }

    pub(crate) fn mirror(&self, arguments: &[&str]) -> std::process::Output {
        self.place.fbc(&Self::arguments(arguments))
    }
}

/// The mirror sets that were written.
pub(crate) const SETS: [&str; 4] = [
    "--mirror-set",
    "mirror-manifests/idms-oc-mirror.yaml",
    "--mirror-set",
    "mirror-manifests/itms-oc-mirror.yaml",
];

/// D-DIS-4: the mirror sets and the ClusterCatalog are written, and lead to the copies.
#[test]
fn a_selection_is_found_through_the_mirror_sets() {
    let source = Source::new();
    let (index, destination) = (Source::index(), Registry::in_thread());
    let to = format!("{}/copies", destination.host);
    let output = source.mirror(&[&index, "-p", "a::>=2.0.0", "--to", &to]);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("copied 4 images: "), "{told}");
    assert!(told.contains("wrote the manifests to mirror-manifests"), "{told}");
    let place = &source.place;
    done(place.fbc(&["cache", "clean"]));
    let listed = done(place.plain(&[&["list", "packages", &index], &SETS[..]].concat()));
    assert!(
        listed.lines().any(|line| line.starts_with("a "))
            && !listed.lines().any(|line| line.starts_with("b ")),
        "{listed}"
    );
    let rendered = done(place.plain(&[&["render", &index], &SETS[..]].concat()));
    assert!(rendered.contains("a.v2") && !rendered.contains("\"name\": \"a.v1\""), "{rendered}");
    // All that is left in the catalog can be pulled from the mirror.
    done(place.plain(&[&["images", &index, "--digests"], &SETS[..]].concat()));
    let manifests = fs::read_to_string(place.path().join("mirror-manifests/cc-index-v4-19.yaml")).unwrap();
    assert!(manifests.contains(&format!("ref: {index}")), "{manifests}");
    assert!(!place.path().join("mirror-manifests/cs-index-v4-19.yaml").exists());
    // A second run sends nothing.
    let told = text(&source.mirror(&[&index, "-p", "a::>=2.0.0", "--to", &to]).stderr);
    assert!(told.contains(": 0 blobs sent, "), "{told}");
    // What the labels of the original say still holds.
    let copy = format!("{to}/team/index:v4.19");
    done(place.plain(&["pull", &copy, "oci:pulled", "-q"]));
    let labels: Vec<String> = blobs(&place.path().join("pulled"));
    assert!(labels.iter().any(|text| text.contains("com.redhat.fbc.openshift.version")), "{labels:?}");
}

/// The texts of a layout's small blobs.
fn blobs(layout: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(layout.join("blobs/sha256")).unwrap();
    entries.map(|entry| text(&fs::read(entry.unwrap().path()).unwrap())).collect()
}

#[test]
fn a_folder_carries_images_to_a_real_registry() {
    if !is_installed("docker-registry") {
        return;
    }
    let source = Source::new();
    let index = Source::index();
    let set = format!(
        "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: {index}\n    \
         full: true\n  - catalog: {index}\n    targetCatalog: small/index\n    packages: [{{name: b}}]\n  additionalImages:\n  \
         - {{name: '{NAMED}/team/operand:v1', targetRepo: other/thing, targetTag: v2}}\n  blockedImages:\n  - name: a-bundle-v1\n"
    );
    source.place.write("set.yaml", set);
    let told = refused(&source.mirror(&["--config", "set.yaml", "--to-dir", "carried"]), 2);
    assert!(told.contains("would go to both team/operand:v1 and other/thing:v2"), "{told}");
    let set = fs::read_to_string(source.place.path().join("set.yaml")).unwrap();
    source.place.write("set.yaml", set.replace("operand:v1', ", "a-bundle-v2:v1', "));
    let planned = done(source.mirror(&["--config", "set.yaml", "--to-dir", "carried", "--dry-run"]));
    assert!(
        planned.contains(&format!("a catalog with 1 bundle of {index} -> small/index:v4.19")),
        "{planned}"
    );
    assert!(planned.contains("-> other/thing:v2") && !planned.contains("a-bundle-v1"), "{planned}");
    assert!(!source.place.path().join("carried").exists());
    done(source.mirror(&["--config", "set.yaml", "--to-dir", "carried"]));
    let folder = tempfile::tempdir().unwrap();
    let real = start(folder.path(), "http: {addr: HOST}\n");
    // The source is gone.
    fs::remove_file(source.place.path().join("registries.conf")).unwrap();
    let place = &source.place;
    let to = format!("{}/copies", real.host);
    done(place.plain(&["mirror", "--from-dir", "carried", "--to", &to]));
    done(place.fbc(&["cache", "clean"]));
    let whole = done(place.plain(&[&["render", &index], &SETS[..]].concat()));
    assert_eq!(whole, done(place.fbc(&["render", "catalog"])));
    let small = done(place.plain(&["render", &format!("{to}/small/index:v4.19")]));
    assert!(small.contains("b.v1") && !small.contains("a.v1"), "{small}");
    if is_installed("skopeo") {
        let pinned = source.pinned("operand");
        let digest = pinned.split('@').nth(1).unwrap();
        let theirs = format!("docker://{to}/team/operand@{digest}");
        let told = skopeo(&["inspect", "--tls-verify=false", "--override-os", "linux", &theirs]);
        assert!(told.contains(digest), "{told}");
        skopeo(&[
            "inspect",
            "--override-os",
            "linux",
            &format!("oci:{}/carried:team/index:v4.19", place.path().display()),
        ]);
    }
}

/// The digests of the blobs in a layout.
fn digests(layout: &std::path::Path) -> std::collections::BTreeSet<String> {
    let entries = fs::read_dir(layout.join("blobs/sha256")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Requests of two images wait for each other, so none is answered unless both are under way. Both directions.
#[test]
fn several_images_travel_at_once() {
    let source = Source::new();
    let (index, place) = (Source::index(), &source.place);
    let meet = |registry: &Registry, request: &str| {
        let barrier = Arc::new(tokio::sync::Barrier::new(2));
        for _ in 0..2 {
            registry.misbehave(request, Misdeed::Meet(Arc::clone(&barrier)));
        }
    };
    done(place.plain(&["render", &index, "--registries-conf", "registries.conf"]));
    meet(&source.registry, "GET /v2/team/a-bundle-v");
    // One blob of an image at a time, so that two requests are two images.
    let two = ["--parallel-images", "2", "--parallel", "1"];
    done(source.mirror(&[&[index.as_str(), "--to-dir", "carried"], &two[..]].concat()));
    let destination = Registry::in_thread();
    let to = format!("{}/copies", destination.host);
    meet(&destination, "HEAD /v2/copies/");
    let carry = ["mirror", "--from-dir", "carried", "--to", &to, "--retry", "0", "--plain-http"];
    let output = place.fbc(&[&carry[..], &two].concat());
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("copied 6 images: "), "{told}");
    // The catalog is the last one that gets its name.
    let log = destination.log();
    let names: Vec<&String> = log
        .iter()
        .filter(|line| line.starts_with("PUT /v2/copies/team/") && line.contains("/manifests/"))
        .collect();
    assert!(names.last().unwrap().contains("/team/index/manifests/v4.19"), "{names:?}");
    let one = place.path().join("carried/mirror.json");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(one).unwrap()).unwrap();
    assert_eq!(record["images"].as_array().unwrap().len(), 6, "{record}");
}

#[test]
fn an_increment_carries_what_is_new() {
    let source = Source::new();
    let (index, place) = (Source::index(), &source.place);
    done(source.mirror(&[&index, "-p", "a:stable:1.0.0", "--to-dir", "first"]));
    let since = ["--since", "first/mirror.json", "--to-dir", "second"];
    done(source.mirror(&[&[index.as_str()], &since[..]].concat()));
    let (first, second) = (digests(&place.path().join("first")), digests(&place.path().join("second")));
    let layers = |digests: &std::collections::BTreeSet<String>, layout: &str| -> Vec<String> {
        let is_layer = |digest: &&String| {
            let bytes = fs::read(place.path().join(layout).join("blobs/sha256").join(digest)).unwrap();
            bytes.starts_with(&[0x1f, 0x8b])
        };
        digests.iter().filter(is_layer).cloned().collect()
    };
    let (old, new) = (layers(&first, "first"), layers(&second, "second"));
    assert!(!old.is_empty() && !new.is_empty());
    assert!(new.iter().all(|digest| !first.contains(digest)), "{old:?} {new:?}");
    let to = format!("{}/copies", Registry::in_thread().host);
    done(place.plain(&["mirror", "--from-dir", "first", "--to", &to]));
    done(place.plain(&["mirror", "--from-dir", "second", "--to", &to]));
    let whole = done(place.plain(&["render", &format!("{to}/team/index:v4.19")]));
    assert_eq!(whole, done(place.fbc(&["render", "catalog"])));
}

#[test]
fn without_an_image_the_catalog_stays_behind() {
    let source = Source::new();
    let (index, destination) = (Source::index(), Registry::in_thread());
    let removed = {
        let mut state = source.registry.state.lock().unwrap();
        let names: Vec<String> =
            state.manifests.keys().filter(|name| name.starts_with("team/b-bundle-v1")).cloned().collect();
        names
            .into_iter()
            .map(|name| (name.clone(), state.manifests.remove(&name).unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(removed.len(), 2);
    let run = [index.as_str(), "--to", &destination.host];
    let told = refused(&source.mirror(&run), 1);
    assert!(told.contains(&format!("error: {}: ", source.pinned("b-bundle-v1"))), "{told}");
    assert!(told.contains("1 catalog not copied, because images are missing"), "{told}");
    assert!(told.contains("copied 4 images: ") && told.contains("; 1 image could not be copied"), "{told}");
    assert!(told.contains("they are incomplete, as the copies are"), "{told}");
    let has_index = || destination.state.lock().unwrap().manifests.contains_key("team/index:v4.19");
    assert!(!has_index());
    let told = refused(&source.mirror(&[&index, "--to-dir", "carried"]), 1);
    assert!(!told.contains("next: carry"), "{told}");
    let record = fs::read_to_string(source.place.path().join("carried/mirror.json")).unwrap();
    assert!(record.contains("\"incomplete\"") && record.contains(&source.pinned("b-bundle-v1")), "{record}");
    let carry = ["mirror", "--from-dir", "carried", "--to", &destination.host, "--plain-http"];
    let told = refused(&source.place.fbc(&carry), 1);
    assert!(told.contains("carried is incomplete; it lacks "), "{told}");
    let output = source.mirror(&[&run[..], &["--skip-missing"]].concat());
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains(&format!("warning: {} is left out: ", source.pinned("b-bundle-v1"))), "{told}");
    assert!(has_index());
    source.registry.state.lock().unwrap().manifests.extend(removed);
    let output = source.mirror(&run);
    let told = text(&output.stderr);
    done(output);
    assert!(told.contains("copied 1 image, 5 there already: "), "{told}");
}

#[test]
fn a_destination_that_is_not_there_ends_the_run() {
    let source = Source::new();
    let index = Source::index();
    let run = [index.as_str(), "--to", "localhost:1", "--retry", "0"];
    for flags in [&[][..], &["--skip-missing"]] {
        let told = refused(&source.mirror(&[&run[..], flags].concat()), 2);
        assert_eq!(told.matches("error: ").count(), 1, "{told}");
        assert!(!source.place.path().join("mirror-manifests").exists());
    }
}

#[test]
fn what_is_no_catalog_or_no_file_is_refused() {
    let source = Source::new();
    fs::create_dir(source.place.path().join("empty")).unwrap();
    let told = refused(&source.mirror(&["empty", "--target-catalog", "me/all", "--to", "localhost:1"]), 1);
    assert!(told.contains("empty holds no catalog"), "{told}");
    let told = refused(&source.place.plain(&["images", "empty"]), 1);
    assert!(told.contains("empty holds no catalog"), "{told}");
    let bundle = source.pinned("a-bundle-v1");
    let pull = |target: &str, flags: &[&str]| {
        let run = ["pull", &bundle, target, "--registries-conf", "registries.conf"];
        refused(&source.place.plain(&[&run[..], flags].concat()), 2)
    };
    let told = pull("oci:pulled", &["--platform", "plan9/mips"]);
    assert!(told.contains("not for plan9/mips"), "{told}");
    assert!(!source.place.path().join("pulled").exists());
    let told = pull("oci:pulled", &["--digest-file", "none/digest"]);
    assert!(told.contains("its directory does not exist"), "{told}");
    #[cfg(unix)]
    {
        let _socket = std::os::unix::net::UnixListener::bind(source.place.path().join("socket")).unwrap();
        let told = pull("oci-archive:socket", &[]);
        assert!(told.contains("already exists and is not a regular file"), "{told}");
    }
}

#[test]
fn a_killed_run_goes_on() {
    let source = Source::new();
    let (sender, stalled) = mpsc::channel();
    source.registry.state.lock().unwrap().stalled = Some(sender);
    let index = Source::index();
    let run = Source::arguments(&[index.as_str(), "--to-dir", "carried", "--parallel-images", "1"]);
    done(source.place.plain(&["render", &index, "--registries-conf", "registries.conf"]));
    for repository in ["team/a-bundle-v2", "team/operand"] {
        source.registry.misbehave(&format!("GET /v2/{repository}/blobs/"), Misdeed::Stall(10));
        let mut child = source.place.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        stalled.recv().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let told =
            refused(&source.place.plain(&["mirror", "--from-dir", "carried", "--to", "localhost:1"]), 2);
        assert!(told.contains("cannot read carried/mirror.json"), "{told}");
    }
    source.registry.log();
    done(source.place.fbc(&run));
    let log = source.registry.log();
    assert!(!log.iter().any(|line| line.contains("GET /v2/team/a-bundle-v1/blobs/")), "{log:?}");
    assert!(source.place.path().join("carried/mirror.json").exists());
}
