//! What is said about releases.

use fbc_cluster::time::Moment;
use fbc_model::tree::MemoryTree;
use serde_json::json;

use super::*;

/// A minute after the sample was made.
fn now() -> Moment {
    Moment::parse("2025-06-10T08:01:00Z").unwrap()
}

fn image(reference: &str) -> ReleaseImage {
    let mut tree = MemoryTree::default();
    let mut add = |name: &str, text: String| tree.insert(format!("{DIRECTORY}/{name}"), text);
    let metadata = json!({
        "kind": "cincinnati-metadata-v0", "version": "4.19.0", "previous": ["4.18.10", "4.18.9"],
        "metadata": {"url": "https://example.com/errata", "empty": ""},
    });
    add(METADATA, metadata.to_string());
    let tag = |name: &str| {
        json!({
            "name": name, "from": {"kind": "DockerImage", "name": format!("quay.io/ocp/v4.0@sha256:{name}")},
            "annotations": {SOURCE: "https://github.com/openshift/x", COMMIT: "abc", "io.openshift.build.versions": "kubernetes=1.32.5"},
        })
    };
    let references = json!({
        "kind": "ImageStream", "apiVersion": "image.openshift.io/v1",
        "metadata": {"name": "4.19.0", "creationTimestamp": "2025-06-10T08:00:00Z"},
        "spec": {"tags": [tag("console"), tag("hyperkube")]},
    });
    add(REFERENCES, references.to_string());
    add("0000_03_config-operator_01_proxy.crd.yaml", "kind: A\n".to_owned());
    let digest = format!("sha256:{}", "1".repeat(64));
    ReleaseImage {
        reference: reference.to_owned(),
        digest,
        created: None,
        platform: "linux/amd64".to_owned(),
        tree: Arc::new(tree),
        sizes: BTreeMap::new(),
    }
}

/// The tree of a release whose files are changed, each given by its name and text.
fn changed(one: &ReleaseImage, change: impl Fn(&str, String) -> String) -> Arc<MemoryTree> {
    let mut tree = MemoryTree::default();
    for (name, bytes) in one.files().unwrap() {
        tree.insert(format!("{DIRECTORY}/{name}"), change(&name, String::from_utf8(bytes).unwrap()));
    }
    Arc::new(tree)
}

#[test]
fn all_about_a_release() {
    let one = image("quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64");
    let digest = &one.digest;
    assert_eq!(
        one.info(Column::Digest, now()).unwrap(),
        format!(
            "Name:      4.19.0\nDigest:    {digest}\nCreated:   2025-06-10T08:00:00Z\nOS/Arch:   linux/amd64\n\
             Manifests: 1\n\nPull From: quay.io/openshift-release-dev/ocp-release@{digest}\n\n\
             Release Metadata:\n  Version:  4.19.0\n  Upgrades: 4.18.9, 4.18.10\n  Metadata:\n    \
             url: https://example.com/errata\n\nComponent Versions:\n  kubernetes 1.32.5 \n\nImages:\n  \
             NAME      DIGEST\n  console   sha256:console\n  hyperkube sha256:hyperkube\n\n"
        )
    );
    let urls = one.info(Column::CommitUrl, now()).unwrap();
    assert!(urls.contains("  console   https://github.com/openshift/x/commit/abc\n"), "{urls}");
    assert_eq!(one.image_for("console").unwrap(), "quay.io/ocp/v4.0@sha256:console");
    assert!(one.image_for("etcd").unwrap_err().to_string().contains("no image tag \"etcd\""));
}

/// D-CVO-22, D-CVO-23
#[test]
fn files_of_a_release() {
    let one = image("quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64");
    let names: Vec<String> = one.files().unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["0000_03_config-operator_01_proxy.crd.yaml", REFERENCES, METADATA]);
    let line =
        format!("Extracted release payload from digest {} created at 2025-06-10T08:00:00Z\n", one.digest);
    assert_eq!(one.extracted(), line);
    let by_digest = image("quay.io/ocp/release@sha256:1");
    assert_eq!(by_digest.extracted(), "Extracted release payload created at 2025-06-10T08:00:00Z\n");
}

#[test]
fn lists_and_contents() {
    let one = image("quay.io/ocp/release:4.19.0");
    assert_eq!(one.list(List::Name).unwrap().0, "console\nhyperkube\n");
    assert_eq!(
        one.list(List::PullSpec).unwrap().0,
        "quay.io/ocp/v4.0@sha256:console\nquay.io/ocp/v4.0@sha256:hyperkube\n"
    );
    assert_eq!(one.list(List::Digest).unwrap().0, "sha256:console\nsha256:hyperkube\n");
    let mut by_tag = image("quay.io/ocp/release:4.19.0");
    by_tag.tree =
        changed(&one, |_, text| text.replace("quay.io/ocp/v4.0@sha256:console", "quay.io/ocp/v4.0:console"));
    assert_eq!(
        by_tag.list(List::Digest).unwrap(),
        ("sha256:hyperkube\n".to_owned(), vec!["console does not point to a digest".to_owned()])
    );
    let mut of_streams = image("quay.io/ocp/release:4.19.0");
    of_streams.tree = changed(&one, |_, text| text.replace("DockerImage", "ImageStreamTag"));
    assert_eq!(of_streams.list(List::Name).unwrap().0, "console\nhyperkube\n");
    assert_eq!(of_streams.list(List::PullSpec).unwrap(), (String::new(), Vec::new()));
    let contents = String::from_utf8(one.contents().unwrap()).unwrap();
    let names: Vec<&str> = contents.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    assert_eq!(names, [REFERENCES, METADATA, "0000_03_config-operator_01_proxy.crd.yaml"]);
    assert!(contents.ends_with("\nkind: A\n"), "{contents}");
    let object = one.to_value().unwrap();
    assert_eq!(object["displayVersions"]["kubernetes"]["Version"], "1.32.5");
    assert_eq!(object["versionsTags"]["kubernetes"], "hyperkube");
}

#[test]
fn sizes_of_images() {
    let mut one = image("quay.io/ocp/release:4.19.0");
    let size = |layers: &[(&str, u64)]| ImageSize {
        created: Some(Moment::parse("2025-06-08T08:00:00Z").unwrap()),
        layers: layers.iter().map(|(digest, size)| ((*digest).to_owned(), *size)).collect(),
    };
    one.sizes.insert("console".to_owned(), size(&[("base", 2 << 20), ("top", 1 << 20)]));
    let unknown = one.info(Column::Size, now()).unwrap();
    assert!(
        unknown.ends_with("\nWarnings:\n* tag \"hyperkube\": the image cannot be read here\n\n"),
        "{unknown}"
    );
    one.sizes.insert("hyperkube".to_owned(), size(&[("other", 3 << 20), ("top", 1 << 20)]));
    let known = one.info(Column::Size, now()).unwrap();
    let table = &known[known.find("Images:").unwrap()..];
    assert_eq!(
        table,
        "Images:\n  NAME       AGE  LAYERS  SIZE MB  UNIQUE MB  BASE\n  console     2d       2      3.0        2.0  A\n  \
         hyperkube   2d       2      4.0        3.0   B\n\n  6.291MB across 3 layers, 2 different base images\n\n"
    );
}

#[test]
fn what_another_release_has_instead() {
    let (old, mut new) = (image("quay.io/ocp/release:4.19.0"), image("quay.io/ocp/release:4.19.1"));
    assert_eq!(new.changes_from(&old, false, now()).unwrap(), "Releases are identical\n");
    new.digest = format!("sha256:{}", "2".repeat(64));
    let mut tree = MemoryTree::default();
    let metadata = json!({"kind": "cincinnati-metadata-v0", "version": "4.19.1", "previous": ["4.19.0"]});
    tree.insert(format!("{DIRECTORY}/{METADATA}"), metadata.to_string());
    let tag = |name: &str, digest: &str, commit: &str| {
        json!({
            "name": name, "from": {"kind": "DockerImage", "name": format!("quay.io/ocp/v4.0@sha256:{digest}")},
            "annotations": {SOURCE: "https://github.com/openshift/x", COMMIT: commit},
        })
    };
    let references = json!({
        "kind": "ImageStream", "apiVersion": "image.openshift.io/v1",
        "metadata": {"name": "4.19.1", "creationTimestamp": "2025-06-10T08:00:30Z"},
        "spec": {"tags": [tag("console", "new", "def"), tag("etcd", "etcd", "abc")]},
    });
    tree.insert(format!("{DIRECTORY}/{REFERENCES}"), references.to_string());
    new.tree = Arc::new(tree);
    assert_eq!(
        new.changes_from(&old, false, now()).unwrap(),
        "          FROM    TO\nName:     4.19.0  4.19.1\nCreated:  1m      30s\n\n\
         Version:       4.19.0  4.19.1\nUpgrade From:          Yes\n\n\
         Images Changed:\n  console   sha256:console sha256:new\n\nImages Added:\n  etcd      sha256:etcd\n\n\
         Images Removed:\n  hyperkube\n\n"
    );
    let commits = new.changes_from(&old, true, now()).unwrap();
    assert!(commits.contains("  console   https://github.com/openshift/x/compare/abc...def\n"), "{commits}");
}

/// As with oc: a heading above nothing.
#[test]
fn images_that_moved_have_no_line() {
    let (old, mut new) = (image("quay.io/ocp/release:4.19.0"), image("quay.io/ocp/release:4.19.1"));
    new.digest = format!("sha256:{}", "2".repeat(64));
    new.tree = changed(&old, |_, text| text.replace("quay.io/ocp/v4.0@", "quay.io/ocp/moved@"));
    for shows_commits in [false, true] {
        let text = new.changes_from(&old, shows_commits, now()).unwrap();
        assert!(text.ends_with("\n\nImages Rebuilt:\n\n"), "{text}");
    }
}

#[test]
fn broken_payloads() {
    for (name, text, expected) in [
        (
            METADATA,
            "",
            "release image could not be read: invalid release metadata: unexpected end of JSON input",
        ),
        (
            REFERENCES,
            "kind: Pod",
            "release image could not be read: unrecognized image-references in release payload",
        ),
    ] {
        let mut one = image("quay.io/ocp/release:4.19.0");
        one.tree = changed(&one, |known, own| if known == name { text.to_owned() } else { own });
        assert_eq!(one.info(Column::Digest, now()).unwrap_err().to_string(), expected);
    }
}
