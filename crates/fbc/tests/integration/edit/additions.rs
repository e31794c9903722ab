//! What is added, and what the statements of the documentation ask for.

use std::fs;

use super::sample::{FILE, PACKAGE, Sample, added, bundle, copy, testdata};

/// D-FBC-39 (a): promotion adds an entry for a released bundle to another channel, and nothing else.
#[test]
fn d_fbc_39a_promotion_adds_an_entry_only() {
    let sample = Sample::new();
    let old = sample.read(FILE);
    let name = "lighthouse-operator.v2.0.0-rc.1";
    sample.succeeds(&[
        "add",
        name,
        "catalog",
        "--channel",
        "stable",
        "--replaces",
        "lighthouse-operator.v1.2.0",
    ]);
    assert_eq!(
        added(&old, &sample.read(FILE)),
        ["- name: lighthouse-operator.v2.0.0-rc.1", "  replaces: lighthouse-operator.v1.2.0"]
    );
    sample.validates();
}

/// D-FBC-6: a bundle that exists is promoted to a new channel, also from a file that holds it once more; the
/// result validates.
#[test]
fn d_fbc_6_an_existing_bundle_is_promoted_to_a_new_channel() {
    let sample = Sample::new();
    let old = sample.read(FILE);
    let rendered = sample.run(&["render", "catalog/tide-operator", "-o", "yaml"]).stdout;
    fs::write(sample.folder.path().join("tide.yaml"), rendered).unwrap();
    let json = sample.read("tide-operator/catalog.json");
    sample.succeeds(&["add", "tide.yaml", "catalog", "--channel", "beta", "--create-channel"]);
    assert_eq!(sample.read(FILE), old);
    let new = sample.read("tide-operator/catalog.json");
    assert!(new.contains("\"name\": \"beta\"") && new.matches("olm.bundle\"").count() == 1, "{new}");
    assert!(added(&json, &new).len() > 5);
    sample.validates();
}

/// D-FBC-39 (b): 1.2.4 comes after 1.3.0, whose entry then skips it.
#[test]
fn d_fbc_39b_the_newer_entry_skips_the_later_bundle() {
    let sample = Sample::new();
    let add = |version: &str, more: &[&str]| {
        let bundle = bundle(version);
        let mut words = vec!["add", &bundle, "catalog", "--channel", "stable"];
        words.extend(more);
        sample.succeeds(&words)
    };
    add("1.3.0", &["--replaces", "lighthouse-operator.v1.2.0"]);
    let old = sample.read(FILE);
    add("1.2.4", &["--skipped-by", "lighthouse-operator.v1.3.0", "--replaces", "lighthouse-operator.v1.2.0"]);
    let new = sample.read(FILE);
    let entries = added(&old, &new);
    assert_eq!(
        entries.get(..4).unwrap(),
        [
            "  skips:",
            "  - lighthouse-operator.v1.2.4",
            "- name: lighthouse-operator.v1.2.4",
            "  replaces: lighthouse-operator.v1.2.0"
        ]
    );
    sample.validates();
}

/// D-FBC-37: a bundle that is published does not change.
#[test]
fn d_fbc_37_a_published_bundle_is_immutable() {
    let sample = Sample::new();
    let old = sample.read(FILE);
    let text = fs::read_to_string(bundle("1.3.0")).unwrap();
    let changed = text.replace("v1.3.0", "v1.2.0").replace("1.3.0", "1.2.0");
    fs::write(sample.folder.path().join("changed.yaml"), changed).unwrap();
    let err = sample.fails(1, &["add", "changed.yaml", "catalog", "--channel", "candidate", "--no-edges"]);
    assert!(err.contains("with other contents") && err.contains("new version"), "{err}");
    assert_eq!(sample.read(FILE), old);
}

/// D-FBC-31: deprecations lie in `deprecations.yaml` beside the other blobs of their package.
#[test]
fn d_fbc_31_deprecations_have_a_file_beside_the_package() {
    let sample = Sample::new();
    let tide = ["deprecate", "catalog", "tide-operator"];
    sample.succeeds(&[&tide[..], &["--message", "one\ntwo\n"]].concat());
    let path = "tide-operator/deprecations.yaml";
    assert!(
        sample.read(path).contains("- message: |\n    one\n    two\n  reference:\n"),
        "{}",
        sample.read(path)
    );
    sample.validates();
    let old = sample.read(path);
    sample.succeeds(&[&tide[..], &["--channel", "alpha", "--message", "no"]].concat());
    assert_eq!(added(&old, &sample.read(path)).len(), 4);
    assert!(sample.read(path).contains("- message: \"no\"\n"));
    let err = sample.succeeds(&[&tide[..], &["--channel", "alpha", "--message", "no"]].concat());
    assert!(err.contains("nothing to do"), "{err}");
    sample.succeeds(&[&tide[..], &["--channel", "alpha", "--remove"]].concat());
    assert_eq!(sample.read(path), old);
    // With the last message the file goes.
    sample.succeeds(&[&tide[..], &["--remove"]].concat());
    assert!(!sample.path(path).exists());
    sample.validates();
}

/// The edges that a bundle directory declares, its image, and its form beside migrated bundles.
#[test]
fn a_bundle_folder_brings_its_edges() {
    let sample = Sample::new();
    let folder = sample.folder.path().join("bundle");
    copy(&testdata("lighthouse-bundle"), &folder);
    let csv = fs::read_dir(folder.join("manifests")).unwrap().map(|entry| entry.unwrap().path());
    let csv = csv
        .into_iter()
        .find(|path| fs::read_to_string(path).unwrap().contains("kind: ClusterServiceVersion"))
        .unwrap();
    let text = fs::read_to_string(&csv).unwrap().replace("1.2.0", "1.4.0");
    let (before, after) = text.split_once("\nspec:\n").unwrap();
    let edges = "  replaces: lighthouse-operator.v1.2.0\n  skips: [lighthouse-operator.v1.1.0]\n";
    fs::write(&csv, format!("{before}\nspec:\n{edges}{after}")).unwrap();
    let add = ["add", "bundle", "catalog", "--channel", "stable"];
    let err = sample.fails(1, &add);
    assert!(err.contains("has no image") && err.contains("--image"), "{err}");
    let old = sample.read(FILE);
    sample.succeeds(&[&add[..], &["--image-ref-template", "quay.io/x/{{.Package}}:v{{.Version}}"]].concat());
    let text = sample.read(FILE);
    let lines = added(&old, &text);
    assert_eq!(
        lines.get(..4).unwrap(),
        [
            "- name: lighthouse-operator.v1.4.0",
            "  replaces: lighthouse-operator.v1.2.0",
            "  skips:",
            "  - lighthouse-operator.v1.1.0"
        ]
    );
    assert!(text.contains("image: quay.io/x/lighthouse-operator:v1.4.0\n"));
    assert!(!text.contains("olm.bundle.object"), "the others of the package have their metadata only");
    sample.validates();
    // The same directory once more, without an image: nothing but the entry.
    let old = sample.read(FILE);
    let words = [
        "add",
        "bundle",
        "catalog",
        "--channel",
        "candidate",
        "--skipped-by",
        "lighthouse-operator.v2.0.0-rc.1",
    ];
    sample.succeeds(&words);
    assert_eq!(added(&old, &sample.read(FILE)).len(), 6);
}

/// The first bundle of a package has the form that the release of the catalog wants.
#[test]
fn a_first_bundle_is_as_its_release_wants_it() {
    let sample = Sample::new();
    copy(&testdata("lighthouse-bundle"), &sample.folder.path().join("bundle"));
    fs::write(sample.folder.path().join("fbc.toml"), "").unwrap();
    for (release, is_migrated) in [("v4.20", true), ("4.17", true), ("v4.16", false), ("latest", false)] {
        let catalog = format!("catalogs/{release}");
        let file = sample.folder.path().join(&catalog).join("catalog.yaml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("schema: olm.package\nname: {PACKAGE}\ndefaultChannel: stable\n")).unwrap();
        let image = ["--image", "quay.io/x/y:v1", "--create-channel", "--no-edges"];
        sample.succeeds(&[&["add", "bundle", &catalog, "--channel", "stable"], &image[..]].concat());
        let text = fs::read_to_string(&file).unwrap();
        let forms = [text.contains("olm.csv.metadata"), text.contains("olm.bundle.object")];
        assert_eq!(forms, [is_migrated, !is_migrated], "{release}:\n{text}");
    }
}

/// The next `fbc generate` would drop the bundle; only shown, nothing is lost.
#[test]
fn edits_of_a_generated_catalog_are_warned_of() {
    let sample = Sample::new();
    let declared =
        "[[catalogs]]\npath = \"catalog\"\nocp = [\"4.18\"]\ntemplate = \"catalog-template.yaml\"\n";
    fs::write(sample.folder.path().join("fbc.toml"), declared).unwrap();
    fs::write(sample.folder.path().join("catalog-template.yaml"), "schema: olm.semver\n").unwrap();
    let bundle = bundle("1.3.0");
    let add = ["add", &bundle, "catalog", "--channel", "stable", "--replaces", "1.2.0"];
    let warning = "catalog is generated: the next `fbc generate` makes it from its template again";
    assert!(!sample.succeeds(&[&add[..], &["--dry-run"]].concat()).contains(warning));
    let err = sample.succeeds(&add);
    assert!(err.contains(warning) && err.contains("catalog-template.yaml"), "{err}");
}
