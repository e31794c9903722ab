//! Which files are written, and which are left alone.

use std::fs;

use super::sample::{FILE, PACKAGE, Sample, bundle, copy, testdata};

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
