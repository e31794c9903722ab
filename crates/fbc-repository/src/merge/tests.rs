//! Tables of merges, and a property: changes of different entries always go together, in either order.

use std::collections::BTreeSet;

use super::*;

const PACKAGE: &str = "schema: olm.package\nname: a\ndefaultChannel: stable\n";

fn channel(name: &str, entries: &[&str]) -> String {
    let entries: String = entries.iter().map(|entry| format!("- {entry}\n")).collect();
    format!("---\nschema: olm.channel\npackage: a\nname: {name}\n# all of them\nentries:\n{entries}")
}

fn merged(base: &str, ours: &str, theirs: &str) -> Result<String, Vec<String>> {
    let words = |conflict: Conflict| format!("{}: {}", conflict.place, conflict.reason);
    merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .map_err(|unmerged| unmerged.conflicts.into_iter().map(words).collect())
}

const V1: &str = "name: a.v1";
const V2: &str = "{name: a.v2, replaces: a.v1}";

#[test]
fn different_blobs_go_together() {
    let base = format!("{PACKAGE}{}", channel("stable", &[V1]));
    let ours = format!("{PACKAGE}{}{}", channel("stable", &[V1]), channel("fast", &[V1]));
    let theirs = format!("{PACKAGE}{}", channel("stable", &[V1, V2]));
    let both = format!("{PACKAGE}{}{}", channel("stable", &[V1, V2]), channel("fast", &[V1]));
    assert_eq!(merged(&base, &ours, &theirs), Ok(both.clone()));
    assert_eq!(merged(&base, &theirs, &ours), Ok(both));
    // One removes what the other leaves alone.
    let less = merged(&ours, &format!("{PACKAGE}{}", channel("stable", &[V1])), &{
        format!("{PACKAGE}{}{}", channel("stable", &[V1, V2]), channel("fast", &[V1]))
    });
    assert_eq!(less, Ok(theirs));
}

#[test]
fn different_entries_of_one_channel_go_together() {
    let base = channel("stable", &[V1, "name: a.v2\n  replaces: a.v1", "name: a.v3\n  replaces: a.v2"]);
    let ours = channel(
        "stable",
        &[V1, "name: a.v2 # patched\n  replaces: a.v1\n  skipRange: <2.0.0", "name: a.v3\n  replaces: a.v2"],
    );
    let theirs = channel(
        "stable",
        &[V1, "name: a.v2\n  replaces: a.v1", "name: a.v3\n  replaces: a.v2", "name: a.v4\n  replaces: a.v3"],
    );
    let both = merged(&base, &ours, &theirs).unwrap();
    assert!(
        both.contains("a.v2 # patched") && both.contains("skipRange: <2.0.0") && both.contains("name: a.v4"),
        "{both}"
    );
    assert!(both.contains("# all of them"), "{both}");
}

#[test]
fn templates_merge_by_entry() {
    let template = |bundles: &[&str], entries: &str| {
        let bundles: String =
            bundles.iter().map(|image| format!("- schema: olm.bundle\n  image: {image}\n")).collect();
        format!(
            "# mine\nschema: olm.template.basic\nentries:\n- schema: olm.channel\n  package: a\n  name: stable\n  entries:\n{entries}{bundles}"
        )
    };
    let base = template(&["r/a:1"], "  - name: a.v1\n");
    let ours = template(&["r/a:1", "r/a:2"], "  - name: a.v1\n  - name: a.v2\n    replaces: a.v1\n");
    let theirs = template(&["r/a:1"], "  - name: a.v1\n    skipRange: <1.0.0\n");
    let both = merged(&base, &ours, &theirs).unwrap();
    assert!(
        both.starts_with("# mine") && both.contains("skipRange: <1.0.0") && both.contains("r/a:2"),
        "{both}"
    );
    // Two bundles that both replace the head: each is sound, together they are not.
    let theirs = template(&["r/a:1", "r/a:3"], "  - name: a.v1\n  - name: a.v3\n    replaces: a.v1\n");
    assert_eq!(
        merged(&base, &ours, &theirs),
        Err(vec![
            "channel \"stable\" of package \"a\": it would have several heads: \"a.v2\", \"a.v3\"; \
             set `replaces` of each head but the lowest to the next lower one"
                .to_owned()
        ])
    );
    // Keys of templates count in upper and lower case.
    for (schema, bundles, image) in [("schema", "bundles", "image"), ("Schema", "Bundles", "Image")] {
        let semver = |images: &[&str]| {
            let images: String = images.iter().map(|name| format!("  - {image}: {name}\n")).collect();
            format!("{schema}: olm.semver\nstable:\n  {bundles}:\n{images}")
        };
        assert!(has_blobs(semver(&[]).as_bytes()));
        let both = merged(&semver(&["r/a:1"]), &semver(&["r/a:1", "r/a:2"]), &semver(&["r/a:1", "r/a:3"]));
        assert_eq!(both, Ok(semver(&["r/a:1", "r/a:2", "r/a:3"])));
    }
}

/// Go's decoder takes keys in whatever case, and so do blobs that both branches add.
#[test]
fn the_case_of_keys_does_not_matter() {
    let bundle =
        |name: &str| format!("---\nSchema: olm.bundle\nName: {name}\nPackage: a\nImage: r.io/{name}\n");
    let ours = format!("{PACKAGE}{}", bundle("a.v1"));
    let theirs = format!("{PACKAGE}{}", bundle("a.v2"));
    let both = merged(PACKAGE, &ours, &theirs).unwrap();
    assert!(both.contains("Name: a.v1") && both.contains("Name: a.v2"), "{both}");
}

#[test]
fn conflicts_are_named() {
    let base = format!("{PACKAGE}{}", channel("stable", &[V1, V2]));
    let with = |entry: &str| format!("{PACKAGE}{}", channel("stable", &[V1, entry]));
    for (ours, theirs, expected) in [
        (
            with("{name: a.v2, replaces: a.v0}"),
            with("{name: a.v2, replaces: a.v9}"),
            "channel \"stable\" of package \"a\", entry \"a.v2\", `replaces`: both branches change it",
        ),
        (
            with("{name: a.v2, replaces: a.v1, skips: [a.v0]}"),
            format!("{PACKAGE}{}", channel("stable", &[V1])),
            "channel \"stable\" of package \"a\", entry \"a.v2\": the current branch changes it, and the other removes it",
        ),
        (
            PACKAGE.to_owned(),
            with("{name: a.v2, replaces: a.v0}"),
            "channel \"stable\" of package \"a\": the current branch removes it, and the other branch changes it",
        ),
        (with("a: ["), with("{name: a.v3}"), "the current branch: document 2 cannot be read"),
    ] {
        assert_eq!(merged(&base, &ours, &theirs), Err(vec![expected.to_owned()]));
    }
}

#[test]
fn what_both_branches_replace_is_a_conflict() {
    let bundle = |version: &str, related: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: a\nname: a.v1\nimage: r/a:1\nproperties:\n- type: olm.package\n  \
             value: {{packageName: a, version: {version}}}\nrelatedImages:\n- image: {related}\n  name: op\n"
        )
    };
    let base = bundle("1.0.0", "r/op:0");
    let version = "bundle \"a.v1\" of package \"a\", {\"type\":\"olm.package\",\"value\":{\"packageName\":\"a\",\
                   \"version\":\"1.0.0\"}}: both branches replace it";
    let stream = |image: &str| format!("{PACKAGE}---\nschema: olm.bundle\nimage: {image}\n");
    let template = |image: &str| {
        format!("schema: olm.template.basic\nentries:\n- {{schema: olm.bundle, image: \"{image}\"}}\n")
    };
    for (base, ours, theirs, expected) in [
        (&base, bundle("1.0.1", "r/op:0"), bundle("1.0.2", "r/op:0"), version),
        (
            &base,
            bundle("1.0.0", "r/op:1"),
            bundle("1.0.0", "r/op:2"),
            "bundle \"a.v1\" of package \"a\", image \"r/op:0\": both branches replace it",
        ),
        (&stream("r/a:0"), stream("r/a:1"), stream("r/a:2"), "bundle \"r/a:0\": both branches replace it"),
        (
            &template("r/a:0"),
            template("r/a:1"),
            template("r/a:2"),
            "template \"olm.template.basic\", bundle \"r/a:0\": both branches replace it",
        ),
    ] {
        assert_eq!(merged(base, &ours, &theirs), Err(vec![expected.to_owned()]));
    }
    // Both say the same, or replace different things.
    let (ours, theirs) = (bundle("1.0.1", "r/op:0"), bundle("1.0.1", "r/op:1"));
    assert_eq!(merged(&base, &ours, &theirs), Ok(theirs));
    let both = merged(&base, &ours, &bundle("1.0.0", "r/op:1")).unwrap();
    assert!(both.contains("1.0.1") && both.contains("r/op:1") && !both.contains("r/op:0"), "{both}");
}

/// Two branches replace the same head: the blobs of both are there, and the conflict says which edges make one head.
#[test]
fn what_breaks_only_the_graph_is_merged() {
    let file = |versions: &[&str]| {
        let entry = |version: &&str| match *version {
            "1.0.0" => "name: a.v1.0.0".to_owned(),
            version => format!("name: a.v{version}\n  replaces: a.v1.0.0"),
        };
        let entries: Vec<String> = versions.iter().map(entry).collect();
        let bundle = |version: &&str| format!("---\nschema: olm.bundle\npackage: a\nname: a.v{version}\n");
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        let bundles: String = versions.iter().map(bundle).collect();
        format!("{PACKAGE}{}{bundles}", channel("stable", &entries))
    };
    let base = file(&["1.0.0"]);
    for (ours, theirs, set) in [
        ("1.9.0", "1.10.0", "`replaces` of \"a.v1.10.0\" to \"a.v1.9.0\""),
        ("1.10.0", "1.9.0", "`replaces` of \"a.v1.10.0\" to \"a.v1.9.0\""),
        ("1.1.0", "next", "set `replaces` of each head but the lowest"),
    ] {
        let (one, other) = (file(&["1.0.0", ours]), file(&["1.0.0", theirs]));
        let unmerged = merge(base.as_bytes(), one.as_bytes(), other.as_bytes()).unwrap_err();
        let text = String::from_utf8(unmerged.merged.unwrap()).unwrap();
        let blobs = |text: &str| text.split("---\n").map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(blobs(&text), blobs(&file(&["1.0.0", ours, theirs])));
        let [Conflict { reason, .. }] = unmerged.conflicts.as_slice() else {
            panic!("{:?}", unmerged.conflicts)
        };
        assert!(reason.contains(set), "{reason}");
    }
    // What both change differently has no merged text.
    let range = |range: &str| {
        base.replace("name: a.v1.0.0\n---", &format!("name: a.v1.0.0\n  skipRange: {range}\n---"))
    };
    let unmerged =
        merge(base.as_bytes(), range("<1.0.0").as_bytes(), range("<0.9.0").as_bytes()).unwrap_err();
    assert_eq!(unmerged.merged, None);
}

#[test]
fn line_ends_and_comments_stay() {
    let base = format!("{PACKAGE}{}{}", channel("stable", &[V1]), channel("fast", &[V1]));
    let ours = base.replace("defaultChannel", "description: mine\ndefaultChannel");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    for theirs in [
        // A blob with a change, one that is added, and one with a comment alone.
        format!("{PACKAGE}{}{}", channel("stable", &[V1, V2]), channel("fast", &[V1])),
        format!("{base}{}", channel("slow", &[V1])),
        base.replacen("# all of them", "# theirs", 1),
    ] {
        let expected = theirs.replace("defaultChannel", "description: mine\ndefaultChannel");
        assert_eq!(merged(&base, &ours, &theirs), Ok(expected.clone()));
        assert_eq!(merged(&crlf(&base), &crlf(&ours), &crlf(&theirs)), Ok(crlf(&expected)));
    }
    // A comment of one and an entry of the other in one blob.
    let commented = base.replacen("# all of them", "# mine", 1);
    let in_block = "name: a.v2\n  replaces: a.v1";
    let theirs = format!("{PACKAGE}{}{}", channel("stable", &[V1, in_block]), channel("fast", &[V1]));
    let both = theirs.replacen("# all of them", "# mine", 1);
    assert_eq!(merged(&base, &commented, &theirs), Ok(both));
}

#[test]
fn a_list_with_equal_items_changes_as_a_whole() {
    let with = |title: &str, list: &str| format!("schema: my.own\nname: x\ntitle: {title}\nlist: {list}\n");
    let (base, ours) = (with("a", "[1, 1]"), with("b", "[1, 1]"));
    assert_eq!(
        merged(&base, &ours, &with("a", "[1, 1, 2]")),
        Ok(with("b", "\n- 1\n- 1\n- 2").replace("list: ", "list:"))
    );
    assert!(merged(&base, &with("a", "[1, 1, 3]"), &with("a", "[1, 1, 2]")).is_err());
}

#[test]
fn a_default_channel_that_the_other_branch_removes_is_a_conflict() {
    let channels = format!("{}{}", channel("stable", &[V1]), channel("fast", &[V1]));
    let ours = format!("{}{channels}", PACKAGE.replace("stable", "fast"));
    let theirs = format!("{PACKAGE}{}", channel("stable", &[V1]));
    let expected = "package \"a\": its default channel \"fast\" would not exist".to_owned();
    assert_eq!(merged(&format!("{PACKAGE}{channels}"), &ours, &theirs), Err(vec![expected]));
}

/// All pairs of changes of a small file: either they conflict both ways round, or both ways round say the same.
#[test]
fn merges_are_the_same_both_ways_round() {
    let entry = |name: u32, range: u32| match (name, range) {
        (1, 0) => "{name: a.v1}".to_owned(),
        (_, 0) => format!("{{name: a.v{name}, replaces: a.v{}}}", name - 1),
        (1, _) => format!("{{name: a.v1, skipRange: <{range}.0.0}}"),
        _ => format!("{{name: a.v{name}, replaces: a.v{}, skipRange: <{range}.0.0}}", name - 1),
    };
    let file = |count: u32, changed: u32, range: u32| {
        let entries: Vec<String> =
            (1..=count).map(|name| entry(name, if name == changed { range } else { 0 })).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        format!("{PACKAGE}{}", channel("stable", &entries))
    };
    let base = file(3, 0, 0);
    let variants: Vec<String> = (2..=4)
        .flat_map(|count| {
            (0..=count).flat_map(move |changed| [1, 2].map(|range| file(count, changed, range)))
        })
        .collect();
    let mut went_together = 0;
    for ours in &variants {
        for theirs in &variants {
            let (one, other) = (merged(&base, ours, theirs), merged(&base, theirs, ours));
            match (&one, &other) {
                (Ok(one), Ok(other)) => {
                    let values = |text: &str| {
                        let read = stream::read::<_, ()>(text.as_bytes(), &|document| Ok(document));
                        read.into_iter().map(|one| one.outcome.unwrap()).collect::<Vec<_>>()
                    };
                    assert_eq!(values(one), values(other), "{ours}\n{theirs}");
                    went_together += 1;
                }
                (Err(_), Err(_)) => {}
                _ => panic!("{one:?} and {other:?} of\n{ours}\n{theirs}"),
            }
        }
    }
    assert!(went_together > variants.len() * 5, "{went_together}");
}
