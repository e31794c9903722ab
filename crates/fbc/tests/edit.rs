//! `fbc add` and `fbc deprecate` on copies of catalogs: what is written, and what the statements of the
//! documentation ask for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const PACKAGE: &str = "lighthouse-operator";

/// A copy of the sample catalog, and what the commands say about it.
struct Sample {
    folder: TempDir,
}

fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(path)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Sample {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&testdata("sample-catalog"), &folder.path().join("catalog"));
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("catalog").join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_fbc"))
            .args(words)
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    #[track_caller]
    fn succeeds(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}\n{err}");
        err
    }

    #[track_caller]
    fn fails(&self, code: i32, words: &[&str]) -> String {
        let output = self.run(words);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}\n{err}");
        err
    }

    fn validates(&self) {
        self.succeeds(&["validate", "--profile", "opm", "catalog"]);
    }
}

fn bundle(version: &str) -> String {
    testdata(&format!("edits/lighthouse-{version}.yaml")).to_str().unwrap().to_owned()
}

const FILE: &str = "lighthouse-operator/catalog.yaml";

/// The lines of the new text that the old one does not have, all old lines being there in their order.
#[track_caller]
fn added(old: &str, new: &str) -> Vec<String> {
    let mut old = old.lines().peekable();
    let added = new.lines().filter(|line| old.next_if_eq(line).is_none()).map(str::to_owned).collect();
    assert_eq!(old.next(), None, "a line is gone:\n{new}");
    added
}

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

#[test]
fn a_file_that_would_be_ignored_or_shared_is_not_made() {
    let sample = Sample::new();
    sample.write("tide-operator/.indexignore", "dep*\n");
    sample.succeeds(&["deprecate", "catalog", "tide-operator", "--message", "x"]);
    assert!(sample.read("tide-operator/catalog.json").contains("olm.deprecations"));
    // Two packages in one directory.
    let sample = Sample::new();
    fs::rename(sample.path(FILE), sample.path("tide-operator/lighthouse.yaml")).unwrap();
    sample.succeeds(&["deprecate", "catalog", "tide-operator", "--message", "x"]);
    assert!(sample.read("tide-operator/catalog.json").contains("olm.deprecations"));
    assert!(!sample.path("tide-operator/deprecations.yaml").exists());
}

#[test]
fn a_refused_edit_writes_nothing() {
    let sample = Sample::new();
    let old = sample.read(FILE);
    let bundle = bundle("1.3.0");
    let words = ["add", &bundle, "catalog", "--channel", "stable", "--no-edges"];
    let err = sample.fails(1, &words);
    assert!(err.contains("GRF002") && err.contains("--replaces lighthouse-operator.v1.2.0"), "{err}");
    assert_eq!(sample.read(FILE), old);
    let left = fs::read_dir(sample.path("lighthouse-operator")).unwrap().count();
    assert_eq!(left, 1, "a temporary file was left");
}

/// Errors that were there before are no reason to refuse.
#[test]
fn old_errors_do_not_stand_in_the_way() {
    let sample = Sample::new();
    sample.write("broken.yaml", "schema: olm.package\nname: Broken\n");
    sample.succeeds(&[
        "add",
        &bundle("1.3.0"),
        "catalog",
        "--channel",
        "stable",
        "--replaces",
        "lighthouse-operator.v1.2.0",
    ]);
    sample.succeeds(&["deprecate", "catalog", PACKAGE, "--message", "x"]);
}

#[test]
fn entries_from_aliases_are_refused() {
    let sample = Sample::new();
    let text = sample.read("tide-operator/catalog.json");
    let text = text.replace("{\n  \"schema\": \"olm.channel\"", "---\n{\n  \"schema\": \"olm.channel\"");
    fs::remove_file(sample.path("tide-operator/catalog.json")).unwrap();
    let yaml = "schema: olm.channel\npackage: tide-operator\nname: beta\nx: &e\n- name: tide-operator.v0.1.0\nentries: *e\n---\n";
    sample.write("tide-operator/catalog.yaml", &format!("{yaml}{text}"));
    let words = ["add", "lighthouse-operator.v1.0.0", "catalog", "--channel", "beta", "--no-edges"];
    sample.fails(1, &words);
    let channel = "schema: olm.channel\npackage: lighthouse-operator\nname: beta\nx: &e\n- name: lighthouse-operator.v1.0.0\nentries: *e\n";
    sample.write("lighthouse-operator/beta.yaml", channel);
    let words = [
        "add",
        "lighthouse-operator.v1.1.0",
        "catalog",
        "--channel",
        "beta",
        "--replaces",
        "lighthouse-operator.v1.0.0",
    ];
    let err = sample.fails(1, &words);
    assert!(err.contains("beta.yaml, document 1:") && err.contains("alias"), "{err}");
    assert_eq!(sample.read("lighthouse-operator/beta.yaml"), channel);
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

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sample = Sample::new();
    let real = sample.folder.path().join("real.yaml");
    fs::rename(sample.path(FILE), &real).unwrap();
    symlink(&real, sample.path(FILE)).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let err = sample.fails(1, &["deprecate", "catalog", PACKAGE, "--message", "x"]);
    assert!(err.contains("cannot be loaded"), "{err}");
    // The link leads out of the catalog.
    let message = ["--follow-links", "deprecate", "catalog", PACKAGE, "--message", "x"];
    sample.succeeds(&message);
    assert!(fs::symlink_metadata(sample.path(FILE)).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).unwrap();
    let err = sample.fails(2, &["--follow-links", "deprecate", "catalog", PACKAGE, "--message", "y"]);
    assert!(err.contains("read-only"), "{err}");
    let shown =
        sample.run(&["--follow-links", "deprecate", "catalog", PACKAGE, "--message", "y", "-o", "-"]).stdout;
    assert!(String::from_utf8(shown).unwrap().contains("message: \"y\""));
}

/// A directory of catalogs is several catalogs; what is no place on disk cannot be edited.
#[test]
fn only_one_catalog_on_disk_is_edited() {
    let sample = Sample::new();
    let versions = ["v4.18", "v4.19"];
    for version in versions {
        copy(&testdata("sample-catalog"), &sample.folder.path().join("catalogs").join(version));
    }
    let deprecate = |catalog: &str, code| {
        sample.fails(code, &["deprecate", catalog, PACKAGE, "--channel", "stable", "--message", "Gone."])
    };
    let err = deprecate("catalogs", 2);
    assert!(err.contains("catalogs holds the catalogs v4.18, v4.19"), "{err}");
    assert!(err.contains("such as catalogs/v4.18"), "{err}");
    let add = ["add", "tide-operator.v0.1.0", "catalogs", "--channel", "beta", "--create-channel"];
    assert!(sample.fails(2, &add).contains("holds the catalogs"));
    let err = deprecate("oci:image", 2);
    assert!(err.contains("oci:image is an image"), "{err}");
    // The same package in two files of a catalog.
    copy(&testdata("sample-catalog/lighthouse-operator"), &sample.path("again"));
    let err = deprecate("catalog", 1);
    assert!(err.contains("declared more than once") && err.contains("catalog/again"), "{err}");
}

/// With --output the words name that file, and it is written whatever there is to do; nothing is deleted.
#[test]
fn output_names_what_is_written() {
    let sample = Sample::new();
    let tide = ["deprecate", "catalog", "tide-operator"];
    let with = |words: &[&'static str]| [&tide[..], words].concat();
    let copy = sample.folder.path().join("copy.yaml");
    let err = sample.succeeds(&with(&["--message", "x", "-o", "copy.yaml"]));
    assert!(err.contains("wrote copy.yaml") && !err.contains("wrote catalog"), "{err}");
    assert!(copy.exists() && !sample.path("tide-operator/deprecations.yaml").exists());
    sample.succeeds(&with(&["--message", "x"]));
    let text = sample.read("tide-operator/deprecations.yaml");
    fs::remove_file(&copy).unwrap();
    let err = sample.succeeds(&with(&["--message", "x", "-o", "copy.yaml"]));
    assert!(err.contains("nothing to do") && err.contains("wrote copy.yaml"), "{err}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    let err = sample.fails(2, &with(&["--remove", "-o", "copy.yaml"]));
    assert!(err.contains("deprecations.yaml would be deleted"), "{err}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    let err = sample.succeeds(&with(&["--remove"]));
    assert!(err.contains("deleted, because nothing was left in it: catalog/tide-operator/deprecations.yaml"));
}

/// What the configuration of the project makes an error is one here too, and what it turns off is none.
#[test]
fn edits_are_judged_under_the_configuration() {
    let bundle = bundle("1.3.0");
    let words = ["add", &bundle, "catalog", "--channel", "stable", "--no-edges"];
    let sample = Sample::new();
    assert!(sample.fails(1, &words).contains("GRF002"));
    fs::write(sample.folder.path().join("fbc.toml"), "[rules]\nGRF = \"off\"\n").unwrap();
    sample.succeeds(&words);
}
