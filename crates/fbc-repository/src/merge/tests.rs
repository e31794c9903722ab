//! Tables of merges, and a property: changes of different entries always go together, in either order.

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
        .map_err(|conflicts| conflicts.into_iter().map(words).collect())
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
            "channel \"stable\" of package \"a\": it would have several heads: \"a.v2\", \"a.v3\"".to_owned()
        ])
    );
    let semver = |images: &[&str]| {
        let images: String = images.iter().map(|image| format!("  - image: {image}\n")).collect();
        format!("schema: olm.semver\nstable:\n  bundles:\n{images}")
    };
    let both = merged(&semver(&["r/a:1"]), &semver(&["r/a:1", "r/a:2"]), &semver(&["r/a:1", "r/a:3"]));
    assert_eq!(both, Ok(semver(&["r/a:1", "r/a:2", "r/a:3"])));
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
