//! What operators do before updates, by what their bundles say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use fbc_model::load::load_bytes;
use fbc_resolve::Rules;

use super::*;

/// A catalog of packages. A bundle is its version and what it says: `max:4.18`, `kube:1.32.0` or `needs:GROUP/VERSION/KIND`.
fn catalog(packages: &[(&str, &[&str])]) -> CatalogIndex {
    let mut text = String::new();
    for (package, bundles) in packages {
        text += &format!("---\nschema: olm.package\nname: {package}\ndefaultChannel: stable\n");
        let entries: Vec<String> = bundles
            .iter()
            .map(|bundle| {
                format!("{{name: {package}.v{}}}", bundle.split_once(' ').map_or(*bundle, |pair| pair.0))
            })
            .collect();
        text += &format!(
            "---\nschema: olm.channel\npackage: {package}\nname: stable\nentries: [{}]\n",
            entries.join(", ")
        );
        for bundle in *bundles {
            text += &blob(package, bundle);
        }
    }
    let catalog = load_bytes(Path::new("catalog.yaml"), text.as_bytes());
    assert_eq!(catalog.faults, [], "{text}");
    CatalogIndex::new(catalog, Rules::default())
}

fn blob(package: &str, bundle: &str) -> String {
    let mut words = bundle.split(' ');
    let version = words.next().unwrap();
    let mut text = format!(
        "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: example.com/{package}:v{version}\n\
         properties:\n- {{type: olm.package, value: {{packageName: {package}, version: \"{version}\"}}}}\n"
    );
    for word in words {
        text += &match word.split_once(':').unwrap() {
            ("max", last) => format!("- {{type: olm.maxOpenShiftVersion, value: \"{last}\"}}\n"),
            ("kube", minimum) => {
                format!("- {{type: olm.csv.metadata, value: {{minKubeVersion: \"{minimum}\"}}}}\n")
            }
            ("needs", kind) => {
                let [group, version, kind] = kind.split('/').collect::<Vec<_>>().try_into().unwrap();
                format!(
                    "- {{type: olm.gvk.required, value: {{group: {group}, version: {version}, kind: {kind}}}}}\n"
                )
            }
            other => unreachable!("{other:?}"),
        };
    }
    text
}

/// Version 1.0.0 of `lamp`, with the bundles that a catalog has of it.
fn lamp(bundles: &[&str]) -> Operators {
    let mut operators = Operators::default();
    operators.add("lamp", "1.0.0", &catalog(&[("lamp", bundles)])).unwrap();
    operators
}

fn hop(from: &str, to: &str) -> Hop {
    Hop {
        from: from.to_owned(),
        to: to.to_owned(),
        image: String::new(),
        channels: Vec::new(),
        is_early: false,
        risks: Vec::new(),
    }
}

/// The updates between versions that follow each other.
fn hops(versions: &[&str]) -> Vec<Hop> {
    versions.windows(2).map(|pair| hop(pair[0], pair[1])).collect()
}

/// What is done before each update, in one text.
fn told(moves: &[Moves]) -> Vec<String> {
    let of_one = |moves: &Moves| {
        let first = moves.first.iter().map(|(package, from, to)| format!("{package} {from} to {to}"));
        let stuck = moves.stuck.iter().map(|(package, version, _)| format!("{package} {version} is stuck"));
        first.chain(stuck).collect::<Vec<_>>().join(", ")
    };
    moves.iter().map(of_one).collect()
}

fn lost_beam() -> LostApi {
    let [group, version, kind] = ["light.io", "v1", "Beam"].map(str::to_owned);
    LostApi { group, version, kind }
}

const PSP: &str = "needs:policy/v1beta1/PodSecurityPolicy";
const PSP_IS_GONE: &str =
    "PodSecurityPolicy of policy/v1beta1, which is gone since Kubernetes 1.25, and 4.12.0 has 1.25";

#[test]
fn an_operator_that_does_not_allow_the_release_moves_or_is_stuck() {
    let stuck = |why: &str| format!("remove lamp 1.0.0, or wait for a newer one: {why}");
    let none_allows = |last: &str, wanted: &str| {
        stuck(&format!(
            "it allows OpenShift up to {last}, and the catalog has no newer version that allows {wanted}"
        ))
    };
    let moves = |to: &str| format!("update lamp from 1.0.0 to {to}");
    let invalid = stuck(
        "error converting to semver for version \"four\": invalid semver format \"four\": expected <major>.<minor>",
    );
    let rows: [(&[&str], &str, &str, String); 32] = [
        // Nothing is to be done.
        (&["1.0.0", "1.1.0"], "4.18.8", "4.19.0", String::new()),
        (&["1.0.0 max:4.19", "1.1.0"], "4.18.8", "4.19.0", String::new()),
        // Neither patches nor ways back are blocked.
        (&["1.0.0 max:4.18", "1.1.0"], "4.18.8", "4.18.9", String::new()),
        (&["1.0.0 max:four"], "4.18.8", "4.18.9", String::new()),
        (&["1.0.0 max:4.18", "1.1.0"], "4.19.0", "4.18.9", String::new()),
        // It moves to the oldest version that allows the release, in the order of versions.
        (&["1.0.0 max:4.18", "1.10.0 max:4.20", "1.9.0 max:4.19"], "4.18.8", "4.19.0", moves("1.9.0")),
        (&["1.0.0 max:4.18", "1.1.0 max:4.18", "1.2.0"], "4.18.8", "4.19.0", moves("1.2.0")),
        (&["1.0.0 max:4.17", "1.1.0 max:4.19"], "4.18.8", "4.19.0-rc.1", moves("1.1.0")),
        // Nothing newer allows it.
        (&["1.0.0 max:4.18"], "4.18.8", "4.19.0", none_allows("4.18", "4.19")),
        (&["1.0.0 max:4.18", "1.1.0 max:4.18"], "4.18.8", "4.19.0", none_allows("4.18", "4.19")),
        (&["1.0.0 max:4.18", "0.9.0", "1.0.0-rc.1"], "4.18.8", "4.19.0", none_allows("4.18", "4.19")),
        (&["1.0.0 max:4.18", "1.1.0 max:v4.20"], "4.18.8", "4.19.0", none_allows("4.18", "4.19")),
        // The cluster still has its present release when the operator moves.
        (
            &["1.0.0 max:4.18", "1.1.0 kube:1.32.0"],
            "4.18.8",
            "4.19.0",
            stuck("1.1.0 needs Kubernetes 1.32, and OpenShift 4.18 has 1.31"),
        ),
        (&["1.0.0 max:4.18", "1.1.0 kube:v1.32.0", "1.2.0 kube:1.31.4"], "4.18.8", "4.19.0", moves("1.2.0")),
        (&["1.0.0 max:4.18", "1.1.0 kube:1.32.0 max:4.18"], "4.18.8", "4.19.0", none_allows("4.18", "4.19")),
        // It would not work after the update.
        (&["1.0.0 max:4.11", &format!("1.1.0 {PSP}"), "1.2.0"], "4.11.1", "4.12.0", moves("1.2.0")),
        (
            &["1.0.0 max:4.11", &format!("1.1.0 {PSP}")],
            "4.11.1",
            "4.12.0",
            stuck(&format!("1.1.0 needs {PSP_IS_GONE}")),
        ),
        (&["1.0.0 max:4.10", &format!("1.1.0 {PSP}")], "4.10.1", "4.11.0", moves("1.1.0")),
        (&["1.0.0 max:4.18", "1.1.0 needs:light.io/v1/Beam", "1.2.0"], "4.18.8", "4.19.0", moves("1.2.0")),
        (
            &["1.0.0 max:4.18", "1.1.0 needs:light.io/v1/Beam"],
            "4.18.8",
            "4.19.0",
            stuck("1.1.0 needs Beam of light.io/v1, which 4.19.0 no longer serves"),
        ),
        (&["1.0.0 max:4.18", "1.1.0 needs:light.io/v2/Beam"], "4.18.8", "4.19.0", moves("1.1.0")),
        // What cannot be understood blocks every update.
        (&["1.0.0 max:four", "1.1.0"], "4.18.8", "4.19.0", moves("1.1.0")),
        (&["1.0.0 max:four", "0.9.0"], "4.18.8", "4.19.0", invalid.clone()),
        (&["1.0.0 max:four", "1.1.0 max:4.18"], "4.18.8", "4.19.0", invalid),
        // The border: 4.23 and 5.0 are one release, and updates from both lead to 5.1.
        (&["1.0.0 max:4.22", "1.1.0 max:4.23"], "4.22.1", "5.0.0", moves("1.1.0")),
        (&["1.0.0 max:4.22", "1.1.0 max:5.0"], "4.22.1", "4.23.0", moves("1.1.0")),
        (&["1.0.0 max:5.0", "1.1.0"], "4.22.1", "4.23.0", String::new()),
        (&["1.0.0 max:4.23", "1.1.0"], "4.22.1", "5.0.0", String::new()),
        (&["1.0.0 max:4.22", "1.1.0 max:5.0", "1.2.0 max:5.1"], "4.23.1", "5.0.0", moves("1.2.0")),
        (&["1.0.0 max:5.0", "1.1.0 max:5.0"], "4.23.1", "5.0.0", none_allows("5.0", "5.1")),
        (&["1.0.0 max:5.0", "1.1.0 max:5.1"], "4.23.1", "5.1.0", moves("1.1.0")),
        (&["1.0.0 max:4.23", "1.1.0 max:5.1"], "5.0.1", "5.1.0", moves("1.1.0")),
    ];
    for (bundles, from, to, expected) in rows {
        let texts = lamp(bundles).to_do_first(&[lost_beam()], from, to);
        assert_eq!(texts.join("; "), expected, "{bundles:?} {from} to {to}");
    }
}

#[test]
fn a_target_of_a_move_lets_the_update_happen() {
    let releases =
        [(4, 21), (4, 22), (4, 23), (5, 0), (5, 1)].map(|(major, minor)| OpenShiftRelease::new(major, minor));
    let bundles: Vec<String> = std::iter::once("1.0.0 max:4.21".to_owned())
        .chain((1u32..).zip(releases).map(|(minor, last)| format!("1.{minor}.0 max:{last}")))
        .collect();
    let bundles: Vec<&str> = bundles.iter().map(String::as_str).collect();
    let operators = lamp(&bundles);
    let mut moved = 0;
    for from in releases {
        for to in releases {
            for (_, _, target) in &operators.moves(&[hop(&format!("{from}.0"), &format!("{to}.0"))])[0].first
            {
                let found =
                    operators.operators[0].bundles.iter().find(|one| one.version.to_string() == *target);
                let limit = &found.unwrap().limit;
                assert!(limit.allows(to) && !limit.blocks_update_from(from), "{from} to {to}: {limit:?}");
                moved += 1;
            }
        }
    }
    assert_eq!(moved, 10);
}

#[test]
fn over_several_updates_operators_move_as_seldom_as_they_can() {
    let rows: [(&[&str], &[&str], &[&str]); 9] = [
        // At once to what allows the last release.
        (
            &["1.0.0 max:4.17", "1.1.0 max:4.18", "1.2.0 max:4.19", "1.3.0"],
            &["4.17.9", "4.18.8", "4.19.0"],
            &["lamp 1.0.0 to 1.2.0", ""],
        ),
        // Only before the update that is blocked.
        (
            &["1.0.0 max:4.18", "1.1.0 max:4.19"],
            &["4.17.9", "4.17.10", "4.18.8", "4.19.0"],
            &["", "", "lamp 1.0.0 to 1.1.0"],
        ),
        // In steps where what allows the last release does not run yet.
        (
            &["1.0.0 max:4.17", "1.1.0 max:4.18", "1.2.0 max:4.19 kube:1.31.0"],
            &["4.17.9", "4.18.8", "4.19.0"],
            &["lamp 1.0.0 to 1.1.0", "lamp 1.1.0 to 1.2.0"],
        ),
        // As far as they can.
        (
            &["1.0.0 max:4.16", "1.1.0 max:4.17", "1.2.0 max:4.18"],
            &["4.16.1", "4.17.9", "4.18.8", "4.19.0"],
            &["lamp 1.0.0 to 1.2.0", "", "lamp 1.2.0 is stuck"],
        ),
        // One that is stuck stays so.
        (
            &["1.0.0 max:4.17"],
            &["4.17.9", "4.18.8", "4.19.0"],
            &["lamp 1.0.0 is stuck", "lamp 1.0.0 is stuck"],
        ),
        // What works on the way, but not at its end.
        (
            &["1.0.0 max:4.10", &format!("1.1.0 {PSP} max:4.11"), "1.2.0 kube:1.24.0"],
            &["4.10.1", "4.11.1", "4.12.0"],
            &["lamp 1.0.0 to 1.1.0", "lamp 1.1.0 to 1.2.0"],
        ),
        // Over the border.
        (
            &["1.0.0 max:4.22", "1.1.0 max:4.23", "1.2.0 max:5.1"],
            &["4.21.1", "4.22.1", "5.0.0", "5.1.0"],
            &["", "lamp 1.0.0 to 1.2.0", ""],
        ),
        (
            &["1.0.0 max:4.22", "1.1.0 max:5.0", "1.2.0 max:5.1 kube:1.36.0"],
            &["4.22.1", "4.23.0", "5.1.0"],
            &["lamp 1.0.0 to 1.1.0", "lamp 1.1.0 to 1.2.0"],
        ),
        // Versions that say nothing are updates all the same.
        (
            &["1.0.0 max:4.18", "1.1.0"],
            &["4.17", "4.18.8", "4.19.0", "later"],
            &["", "lamp 1.0.0 to 1.1.0", ""],
        ),
    ];
    for (bundles, route, expected) in rows {
        assert_eq!(told(&lamp(bundles).moves(&hops(route))), expected, "{bundles:?} {route:?}");
    }
    assert_eq!(lamp(&["1.0.0 max:4.17"]).moves(&[]), []);
}

#[test]
fn an_operator_that_needs_what_goes_is_named_with_what_helps() {
    let beam = "it needs Beam of light.io/v1, which 4.19.0 no longer serves";
    let psp = format!("it needs {PSP_IS_GONE}");
    let needs = "1.0.0 needs:light.io/v1/Beam";
    let old = format!("1.0.0 {PSP}");
    let moves = |to: &str, why: &str| format!("update lamp from 1.0.0 to {to}: {why}");
    let stuck = |why: &str| format!("remove lamp 1.0.0, or wait for a newer one: {why}");
    let rows: [(&[&str], &str, &str, String); 11] = [
        (&["1.0.0", "1.1.0 needs:light.io/v1/Beam"], "4.18.8", "4.19.0", String::new()),
        (&[needs], "4.18.8", "4.19.0", stuck(beam)),
        (&[needs, "0.9.0", "1.1.0", "1.2.0"], "4.18.8", "4.19.0", moves("1.1.0", beam)),
        (&[needs, "1.1.0 needs:light.io/v1/Beam", "1.2.0"], "4.18.8", "4.19.0", moves("1.2.0", beam)),
        // What does not run yet does not help, nor what blocks the update.
        (&[needs, "1.1.0 kube:1.32.0", "1.2.0 kube:1.31.0"], "4.18.8", "4.19.0", moves("1.2.0", beam)),
        (&[needs, "1.1.0 kube:1.32.0"], "4.18.8", "4.19.0", stuck(beam)),
        (&[needs, "1.1.0 max:4.18", "1.2.0 max:4.19"], "4.18.8", "4.19.0", moves("1.2.0", beam)),
        (&[needs, "1.1.0 max:four"], "4.18.8", "4.19.0", stuck(beam)),
        // A patch may take an API away, and is blocked by no limit.
        (&[needs, "1.1.0 max:4.18"], "4.18.8", "4.18.9", moves("1.1.0", &beam.replace("4.19.0", "4.18.9"))),
        (&[&old, "1.1.0"], "4.10.1", "4.11.0", String::new()),
        (&[&old, "1.1.0"], "4.11.1", "4.12.0", moves("1.1.0", &psp)),
    ];
    for (bundles, from, to, expected) in rows {
        let texts = lamp(bundles).stops_working(&[lost_beam()], from, to);
        assert_eq!(texts.join("; "), expected, "{bundles:?} {from} to {to}");
    }
}

#[test]
fn each_operator_is_judged_alone() {
    let packages: [(&str, &[&str]); 3] =
        [("lamp", &["1.0.0 max:4.18", "1.1.0"]), ("oar", &["2.0.0"]), ("raft", &["0.1.0 max:4.18"])];
    let catalog = catalog(&packages);
    let mut operators = Operators::default();
    for (package, version, unknown) in [
        ("lamp", "1.0.0", None),
        ("oar", "2.0.0", None),
        ("raft", "0.1.0", None),
        ("lantern", "1.0.0", Some(UnknownOperator::Package)),
        ("", "1.0.0", Some(UnknownOperator::Package)),
        ("lamp", "1.2.0", Some(UnknownOperator::Version)),
        ("lamp", "v1.0.0", Some(UnknownOperator::Version)),
        ("lamp", "1.0", Some(UnknownOperator::Version)),
        ("oar", "1.0.0", Some(UnknownOperator::Version)),
    ] {
        assert_eq!(operators.add(package, version, &catalog).err(), unknown, "{package} {version}");
    }
    let versions = [("lamp", "1.0.0"), ("oar", "2.0.0"), ("raft", "0.1.0")];
    assert_eq!(
        operators.versions(),
        versions.map(|(package, version)| (package.to_owned(), version.to_owned()))
    );
    assert_eq!(
        told(&operators.moves(&hops(&["4.18.8", "4.19.0"]))),
        ["lamp 1.0.0 to 1.1.0, raft 0.1.0 is stuck"]
    );
}
