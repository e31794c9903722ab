//! opm's answers about graphs and deprecations that no recorded case shows, after the specification.

use fbc_lint::Profile;
use fbc_lint::load;
use fbc_model::tree::MemoryTree;
use fbc_rules::lint;

fn opm_says(parts: &[&str]) -> String {
    let tree: MemoryTree = [("catalog.yaml", parts.join("---\n"))].into_iter().collect();
    lint(&load(&tree), &tree, Profile::Default).opm_error.unwrap_or_default()
}

const PACKAGE: &str = "schema: olm.package\nname: foo\ndefaultChannel: stable\n";

fn channel(name: &str, entries: &str) -> String {
    format!("schema: olm.channel\npackage: foo\nname: {name}\nentries: {entries}\n")
}

fn bundle(name: &str, version: &str) -> String {
    format!(
        "schema: olm.bundle\nname: {name}\npackage: foo\nimage: quay.io/foo/foo:v1\nproperties:\n\
         - {{type: olm.package, value: {{packageName: foo, version: {version}}}}}\n"
    )
}

fn deprecations(entries: &str) -> String {
    format!("schema: olm.deprecations\npackage: foo\nentries: {entries}\n")
}

#[test]
fn leaves_stand_before_and_behind_nodes() {
    let stable = channel("stable", "[{name: a}, {name: b, skips: [a, \"\"], skipRange: ^1}]");
    let (a, b) = (bundle("a", "1.0.0"), bundle("b", "1.0.0"));
    let deprecations = deprecations(
        "[{reference: {schema: olm.bundle, name: a}}, {reference: {schema: olm.channel, name: stable}}, \
         {reference: {schema: olm.package}}]",
    );
    let package = "schema: olm.package\nname: foo\n";
    let expected = r#"
invalid index:
└── invalid package "foo":
    ├── default channel must be set
    ├── invalid channel "fast":
    │   ├── channel contains one or more stranded bundles: a
    │   └── invalid bundle "a":
    │       └── invalid deprecation: message must be set
    ├── invalid channel "stable":
    │   ├── invalid bundle "a":
    │   │   └── invalid deprecation: message must be set
    │   ├── invalid bundle "b":
    │   │   ├── skip[1] is empty
    │   │   └── invalid skipRange "^1": Could not parse Range "^1": Could not parse comparator "^" in "^1"
    │   └── invalid deprecation: message must be set
    ├── duplicate versions found in bundles: [{1.0.0: [a, b]}]
    └── invalid deprecation: message must be set"#;
    // In this channel `b` replaces what it skips, so the way ends above both.
    let fast = channel("fast", "[{name: a}, {name: b, replaces: c, skips: [c]}, {name: c, replaces: a}]");
    let c = bundle("c", "1.1.0");
    assert_eq!(opm_says(&[package, &stable, &fast, &a, &b, &c, &deprecations]), expected.trim_start());
}

#[test]
fn entries_without_bundles_are_of_version_zero() {
    let fast = channel("fast", "[{name: w}, {name: x, replaces: w}]");
    let stable = channel("stable", "[{name: a}]");
    let said = opm_says(&[PACKAGE, &fast, &stable, &bundle("a", "0.0.0")]);
    assert!(said.ends_with("duplicate versions found in bundles: [{0.0.0: [a, w, x]}]"), "{said}");
}

#[test]
fn a_release_is_part_of_the_version() {
    let stable = channel("stable", "[{name: a}, {name: foo-v1.0.0-1, replaces: a}]");
    let released = bundle("foo-v1.0.0-1", "1.0.0").replace("1.0.0}", "1.0.0, release: \"1\"}");
    let said = opm_says(&[PACKAGE, &stable, &bundle("a", "1.0.0-1"), &released]);
    assert!(said.ends_with("[{1.0.0-1: [a, foo-v1.0.0-1]}]"), "{said}");
}

#[test]
fn deprecations_are_checked_entry_by_entry() {
    let (stable, a) = (channel("stable", "[{name: a}]"), bundle("a", "1.0.0"));
    // The first entry fails in a later check than the second.
    let entries = deprecations("[{reference: {schema: olm.bundle, name: z}}, {reference: {name: a}}]");
    assert_eq!(
        opm_says(&[PACKAGE, &stable, &a, &entries]),
        "cannot deprecate bundle \"z\" for package \"foo\": bundle not found"
    );
    // A channel that opm makes up can be deprecated.
    let entries = deprecations("[{reference: {schema: olm.channel, name: nope}}]");
    let package = "schema: olm.package\nname: foo\ndefaultChannel: nope\n";
    assert_eq!(
        opm_says(&[package, &stable, &a, &entries]),
        "invalid index:\n└── invalid package \"foo\":\n    └── invalid channel \"nope\":\n        \
         ├── channel must contain at least one bundle\n        └── invalid deprecation: message must be set"
    );
}
