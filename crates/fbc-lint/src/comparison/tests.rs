//! What comparisons say: statements of the product documents, and properties. Only compiled for tests.

use std::path::Path;

use fbc_model::load::load_bytes;
use proptest::prelude::*;

use super::*;

fn catalog(text: &str) -> Catalog {
    let catalog = load_bytes(Path::new("catalog.yaml"), text.as_bytes());
    assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
    catalog
}

/// `class code subject` of each change.
fn said(old: &str, new: &str) -> Vec<String> {
    let changes = compare(&catalog(old), &catalog(new)).changes;
    let subject =
        |change: &Change| [&change.subject.channel, &change.subject.bundle].map(String::as_str).join(" ");
    let line =
        |change: &Change| format!("{} {} {}", change.class.name(), change.kind.code(), subject(change));
    changes.iter().map(|change| line(change).trim_end().to_owned()).collect()
}

fn package(channels: &[(&str, &[&str])], bundles: &[&str]) -> String {
    let mut text = "schema: olm.package\nname: foo\ndefaultChannel: stable\n".to_owned();
    for (name, entries) in channels {
        text += &format!("---\nschema: olm.channel\npackage: foo\nname: {name}\nentries:\n");
        entries.iter().for_each(|entry| text += &format!("- {{{entry}}}\n"));
    }
    for version in bundles {
        text += &format!(
            "---\nschema: olm.bundle\npackage: foo\nname: v{version}\nimage: quay.io/foo/foo@sha256:{}\n\
             properties:\n- type: olm.package\n  value: {{packageName: foo, version: {version}}}\n",
            "1".repeat(64)
        );
    }
    text
}

#[test]
fn changes_are_found_by_their_package() {
    let blob = |name: &str| format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: a\n");
    let old: String = ["a", "c", "e"].map(blob).concat();
    let new = ["a", "b", "d"].map(blob).concat() + "---\nschema: x\nname: of-no-package\n";
    let comparison = compare(&catalog(&old), &catalog(&new));
    let found = |package| -> Vec<&str> {
        comparison.of_package(package).iter().map(|change| change.subject.package.as_str()).collect()
    };
    for (package, count) in [("", 1), ("a", 0), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 0)] {
        assert_eq!(found(package), vec![package; count], "{package}");
    }
}

/// D-FBC-37: bundle images and their metadata count as immutable; a comparison flags bundles that changed.
#[test]
fn d_fbc_37_changed_bundles_are_flagged() {
    let old = package(&[("stable", &["name: v1.0.0"])], &["1.0.0"]);
    let image = old.replace(&"1".repeat(64), &"2".repeat(64));
    assert_eq!(said(&old, &image), ["breaking bundle-image-changed  v1.0.0"]);
    let property = format!("{old}- type: foo.io/size\n  value: 1\n");
    assert_eq!(said(&old, &property), ["risky bundle-content-changed  v1.0.0"]);
    let related = format!("{old}relatedImages:\n- {{name: a, image: quay.io/a/a:1}}\n");
    assert_eq!(said(&old, &related), ["risky bundle-content-changed  v1.0.0"]);
    // The way out that the statement names: a new bundle, with an update from the broken one.
    let fixed =
        package(&[("stable", &["name: v1.0.0", "name: v1.0.1, replaces: v1.0.0"])], &["1.0.0", "1.0.1"]);
    assert!(said(&old, &fixed).iter().all(|line| line.starts_with("harmless")));
}

/// D-FBC-39 (a): promotion, an entry for a released bundle in another channel, is a good change.
#[test]
fn d_fbc_39a_promotion_is_harmless() {
    let entries: [(&str, &[&str]); 2] =
        [("candidate", &["name: v1.1.0, replaces: v1.0.0", "name: v1.0.0"]), ("stable", &["name: v1.0.0"])];
    let old = package(&entries, &["1.0.0", "1.1.0"]);
    let new = package(&[entries[0], ("stable", entries[0].1)], &["1.0.0", "1.1.0"]);
    assert_eq!(
        said(&old, &new),
        [
            "harmless head-moved stable",
            "harmless updates-raised stable",
            "harmless entry-added stable v1.1.0"
        ]
    );
}

/// D-FBC-39 (b): 1.2.4 comes after 1.3.0, whose entry is edited so that it skips 1.2.4: a good change.
#[test]
fn d_fbc_39b_a_late_patch_that_the_head_skips_is_harmless() {
    let old =
        package(&[("stable", &["name: v1.2.3", "name: v1.3.0, replaces: v1.2.3"])], &["1.2.3", "1.3.0"]);
    let new = package(
        &[(
            "stable",
            &[
                "name: v1.2.3",
                "name: v1.2.4, replaces: v1.2.3",
                "name: v1.3.0, replaces: v1.2.3, skips: [v1.2.4]",
            ],
        )],
        &["1.2.3", "1.2.4", "1.3.0"],
    );
    assert_eq!(
        said(&old, &new),
        [
            "harmless entry-added stable v1.2.4",
            "harmless edges-added stable v1.3.0",
            "harmless bundle-added  v1.2.4"
        ]
    );
}

/// D-FBC-6: promoting a bundle, changing the default channel and editing upgrade paths are ordinary edits;
/// a comparison tells them apart.
#[test]
fn d_fbc_6_ordinary_edits_are_told_apart() {
    let channels: [(&str, &[&str]); 2] =
        [("stable", &["name: v1.0.0"]), ("fast", &["name: v1.1.0, replaces: v1.0.0"])];
    let old = package(&channels, &["1.0.0", "1.1.0"]);
    let new = old.replace("defaultChannel: stable", "defaultChannel: fast");
    assert_eq!(said(&old, &new), ["risky default-channel-changed"]);
    let new = old.replace(", replaces: v1.0.0", ", skipRange: <1.1.0");
    assert_eq!(
        said(&old, &new),
        ["harmless edges-removed fast v1.1.0", "harmless skip-range-changed fast v1.1.0"]
    );
}

/// D-FBC-23: versions under a `skipRange` leave the classic graph; losing the range strands them.
#[test]
fn d_fbc_23_a_lost_range_strands_whom_it_covered() {
    let old = package(
        &[("stable", &["name: v1.0.0", "name: v1.1.0, skips: [v1.0.0], skipRange: <1.1.0"])],
        &["1.0.0", "1.1.0"],
    );
    let new = package(&[("stable", &["name: v1.1.0"])], &["1.0.0", "1.1.0"]);
    let changes = compare(&catalog(&old), &catalog(&new)).changes;
    let stranded = changes.iter().find(|change| change.kind == ChangeKind::UsersStranded).unwrap();
    assert_eq!(stranded.affected[0].bundles, ["v1.0.0"]);
    assert_eq!(stranded.affected[0].meanings, Meaning::ALL);
}

#[test]
fn default_channels_without_a_way_over_are_breaking() {
    let channels: [(&str, &[&str]); 2] = [("stable", &["name: v1.0.0"]), ("fast", &["name: v2.0.0"])];
    let old = package(&channels, &["1.0.0", "2.0.0"]);
    let new = old.replace("defaultChannel: stable", "defaultChannel: fast");
    assert_eq!(said(&old, &new), ["breaking default-channel-changed"]);
}

#[test]
fn names_are_compared_as_a_whole() {
    // A check that looks for words takes `stable` for found in `stable-v1`.
    let old = package(&[("stable", &["name: v1.1.0"]), ("stable-v1", &["name: v1.1.0"])], &["1.1.0"]);
    let new = package(&[("stable-v1", &["name: v1.1.0"])], &["1.1.0"]);
    assert!(said(&old, &new).contains(&"breaking channel-removed stable".to_owned()));
    // Channels that promise nothing may go.
    let old = old.replace("name: stable\n", "name: candidate-1\n");
    assert!(said(&old, &new).contains(&"risky channel-removed candidate-1".to_owned()));
}

#[test]
fn forms_of_manifests_are_no_change_of_contents() {
    let with = |property: &str| package(&[("stable", &["name: v1.0.0"])], &["1.0.0"]) + property;
    let objects = with("- type: olm.bundle.object\n  value: {data: e30=}\n");
    let metadata = with("- type: olm.csv.metadata\n  value: {displayName: Foo}\n");
    assert_eq!(said(&objects, &metadata), ["harmless manifest-form-changed  v1.0.0"]);
    let other = with("- type: olm.csv.metadata\n  value: {displayName: Bar}\n");
    assert_eq!(said(&metadata, &other), ["risky bundle-content-changed  v1.0.0"]);
}

#[test]
fn platform_limits_mean_minor_versions() {
    let with = |limit: &str| {
        package(&[("stable", &["name: v1.0.0"])], &["1.0.0"])
            + &format!("- type: olm.maxOpenShiftVersion\n  value: \"{limit}\"\n")
    };
    assert_eq!(said(&with("4.19"), &with("4.9")), ["breaking platform-limit-lowered  v1.0.0"]);
    assert_eq!(said(&with("4.9"), &with("4.19")), ["harmless platform-limit-raised  v1.0.0"]);
    let without = package(&[("stable", &["name: v1.0.0"])], &["1.0.0"]);
    assert_eq!(said(&without, &with("4.19")), ["breaking platform-limit-lowered  v1.0.0"]);
    assert_eq!(said(&with("4.19"), &with("soon")), ["breaking platform-limit-lowered  v1.0.0"]);
}

#[test]
fn the_documentation_lists_every_kind() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/diff.md");
    let text = std::fs::read_to_string(page).unwrap();
    for kind in ChangeKind::ALL {
        let row = format!("| `{}` | {} |", kind.code(), kind.class().name());
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn the_recorded_catalogs_equal_themselves() {
    let Some(folder) = fbc_testing::recordings("catalogs/kueue-v4.18") else { return };
    let catalog = fbc_model::load::load_tree(&fbc_model::tree::DiskTree { root: folder });
    assert_eq!(compare(&catalog, &catalog).changes, []);
}

/// A package from small choices: channels with entries, and bundles with versions and images.
fn packages() -> impl Strategy<Value = String> {
    let entry = (0..5u8, prop::option::of(0..5u8), prop::collection::vec(0..5u8, 0..2), any::<bool>());
    let channel = prop::collection::vec(entry, 0..5);
    let bundle = (0..5u8, 0..2u8, 0..3u8);
    let deprecated = prop::collection::btree_set(0..5u8, 0..3);
    let parts = (
        0..3u8,
        prop::collection::btree_map(0..3u8, channel, 0..3),
        prop::collection::vec(bundle, 0..5),
        deprecated,
        0..3u8,
    );
    parts.prop_map(|(default, channels, bundles, deprecated, others)| {
        let mut text = format!("schema: olm.package\nname: foo\ndefaultChannel: c{default}\n");
        for (name, entries) in channels {
            text += &format!("---\nschema: olm.channel\npackage: foo\nname: c{name}\nentries: [");
            for (name, replaces, skips, has_range) in entries {
                text += &format!("{{name: v1.{name}.0");
                replaces.iter().for_each(|name| text += &format!(", replaces: v1.{name}.0"));
                let skips: Vec<String> = skips.iter().map(|name| format!("v1.{name}.0")).collect();
                text += &format!(", skips: [{}]", skips.join(", "));
                if has_range {
                    text += &format!(", skipRange: '<1.{name}.0'");
                }
                text += "}, ";
            }
            text += "]\n";
        }
        for (name, image, property) in bundles {
            text += &format!(
                "---\nschema: olm.bundle\npackage: foo\nname: v1.{name}.0\nimage: quay.io/foo/foo:{image}\nproperties:\n\
                 - {{type: olm.package, value: {{packageName: foo, version: 1.{name}.0}}}}\n\
                 - {{type: olm.gvk, value: {{group: g, version: v1, kind: K{property}}}}}\n"
            );
        }
        if !deprecated.is_empty() {
            text += "---\nschema: olm.deprecations\npackage: foo\nentries:\n";
            for name in deprecated {
                text += &format!("- {{reference: {{schema: olm.bundle, name: v1.{name}.0}}, message: m}}\n");
            }
        }
        for other in 0..others {
            text += &format!("---\nschema: foo.io/x\npackage: foo\nname: o{other}\n");
        }
        text
    })
}

/// What is added the one way is removed the other way.
const MIRRORED: [(ChangeKind, ChangeKind); 9] = [
    (ChangeKind::PackageAdded, ChangeKind::PackageRemoved),
    (ChangeKind::ChannelAdded, ChangeKind::ChannelRemoved),
    (ChangeKind::EntryAdded, ChangeKind::EntryRemoved),
    (ChangeKind::EdgesAdded, ChangeKind::EdgesRemoved),
    (ChangeKind::SkipRangeChanged, ChangeKind::SkipRangeChanged),
    (ChangeKind::BundleAdded, ChangeKind::BundleRemoved),
    (ChangeKind::BundleImageChanged, ChangeKind::BundleImageChanged),
    (ChangeKind::DeprecationAdded, ChangeKind::DeprecationRemoved),
    (ChangeKind::OtherBlobAdded, ChangeKind::OtherBlobRemoved),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_catalog_equals_itself(text in packages()) {
        let catalog = catalog(&text);
        prop_assert_eq!(compare(&catalog, &catalog), Comparison { packages: 1, ..Comparison::default() });
    }

    #[test]
    fn comparisons_mirror(old in packages(), new in packages()) {
        let (old, new) = (catalog(&old), catalog(&new));
        let (there, back) = (compare(&old, &new), compare(&new, &old));
        let of = |comparison: &Comparison, kind| -> Vec<_> {
            let mut subjects: Vec<_> = comparison
                .changes
                .iter()
                .filter(|change| change.kind == kind)
                .map(|change| (change.subject.channel.clone(), change.subject.bundle.clone()))
                .collect();
            subjects.sort();
            subjects
        };
        for (added, removed) in MIRRORED {
            prop_assert_eq!(of(&there, added), of(&back, removed), "{:?}", added);
            prop_assert_eq!(of(&there, removed), of(&back, added), "{:?}", removed);
        }
    }
}
