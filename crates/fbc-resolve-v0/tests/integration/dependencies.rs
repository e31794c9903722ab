//! What else a bundle needs.

use serde_json::json;

use crate::harbor::{Harbor, Shelf, answer, contradiction, harbor, is};

/// `a` needs the API `K`.
fn needing() -> Shelf {
    Shelf::default().channel("a", "stable", "a.v1.0.0").needs("a.v1.0.0", "K")
}

/// V0-043
#[test]
fn an_api_that_nobody_provides_is_named() {
    let namespace = harbor().shelf("olm/shelf", 0, needing()).subscribed("a", "stable");
    let expected = contradiction(&[
        "bundle a.v1.0.0 requires an operator providing an API with group: g.io, version: v1, kind: K",
        "subscription a exists",
        "subscription a requires shelf/olm/stable/a.v1.0.0",
    ]);
    assert_eq!(answer(&namespace), expected);
}

/// Of several needs of one bundle that nothing meets the last one is told.
#[test]
fn of_several_unmet_needs_the_last_one_is_told() {
    let shelf = needing().needs_package("a.v1.0.0", "b", ">=1.0.0");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    let error = answer(&namespace).unwrap_err();
    assert!(error.contains("with package: b and with version in range: >=1.0.0"), "{error}");
    assert!(!error.contains("kind: K"), "{error}");
}

/// V0-045
#[test]
fn a_dependency_comes_from_the_default_channel_of_its_package() {
    let shelf = needing()
        .channel("k", "stable", "k.v1.0.0 k.v1.1.0>k.v1.0.0")
        .channel("k", "beta", "k.v1.0.0 k.v2.0.0>k.v1.0.0")
        .owns("k.v1.0.0", "K")
        .owns("k.v1.1.0", "K")
        .owns("k.v2.0.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    assert_eq!(answer(&namespace), is("shelf stable a.v1.0.0, shelf stable k.v1.1.0>k.v1.0.0"));
}

/// V0-044
#[test]
fn the_catalogs_are_looked_through_in_order() {
    let provider = |package: &str| {
        Shelf::default()
            .channel(package, "c", &format!("{package}.v1.0.0"))
            .owns(&format!("{package}.v1.0.0"), "K")
    };
    // The catalog of the one that needs it comes before one of higher priority.
    let own = harbor()
        .shelf("olm/shelf", 0, needing().channel("k", "c", "k.v1.0.0").owns("k.v1.0.0", "K"))
        .shelf("olm/first", 100, provider("x"))
        .subscribed("a", "stable");
    assert_eq!(answer(&own), is("shelf c k.v1.0.0, shelf stable a.v1.0.0"));
    // Then priority, then the namespace itself, then the name.
    let others = [("olm/b", 0), ("n/c", 0), ("olm/a", 0), ("olm/z", 1)];
    let expected = ["z c x.v1.0.0", "c c x.v1.0.0", "a c x.v1.0.0", "b c x.v1.0.0"];
    let mut left = others.to_vec();
    for expected in expected {
        let mut namespace = harbor().shelf("olm/shelf", 0, needing()).subscribed("a", "stable");
        for (key, priority) in &left {
            namespace = namespace.shelf(key, *priority, provider("x"));
        }
        let found = answer(&namespace).unwrap();
        assert!(found.contains(expected), "{found}");
        left.retain(|(key, _)| !expected.starts_with(key.split_once('/').unwrap().1));
    }
    // What is installed comes first of all.
    let installed = harbor()
        .shelf("olm/shelf", 0, needing().channel("k", "c", "k.v1.0.0").owns("k.v1.0.0", "K"))
        .subscribed("a", "stable")
        .installed("y.v1.0.0", &[json!({"type": "olm.gvk", "value": crate::harbor::api("K")})]);
    assert_eq!(answer(&installed), is("shelf stable a.v1.0.0"));
}

/// V0-039
#[test]
fn an_upgrade_that_cannot_be_completed_is_not_taken() {
    let shelf = Shelf::default()
        .channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0~<1.2.0")
        .needs("a.v1.2.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").installed("a.v1.0.0", &[]);
    assert_eq!(answer(&namespace), is("shelf c a.v1.1.0>a.v1.0.0"));
    // Nor is one that breaks the range of an operator that is installed.
    let shelf =
        Shelf::default().channel("a", "c", "a.v1.0.0").channel("b", "c", "b.v1.1.0 b.v2.0.0>b.v1.1.0");
    let range =
        json!({"type": "olm.package.required", "value": {"packageName": "b", "versionRange": "<2.0.0"}});
    let namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("a", "c")
        .subscribed("b", "c")
        .installed("a.v1.0.0", &[range])
        .installed("b.v1.1.0", &[]);
    assert_eq!(answer(&namespace), is(""));
}

#[test]
fn a_first_install_falls_back_to_older_entries() {
    let shelf = Shelf::default().channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0").needs("a.v1.1.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c");
    assert_eq!(answer(&namespace), is("shelf c a.v1.0.0"));
}

#[test]
fn constraints_of_any_kind_are_met() {
    let package = |name: &str, range: &str| json!({"package": {"packageName": name, "versionRange": range}});
    let table = [
        (
            json!({"any": {"constraints": [package("raft", ">=1.0.0"), package("buoy", ">=1.0.0")]}}),
            is("2.0.0"),
        ),
        (
            json!({"all": {"constraints": [package("buoy", ">=1.0.0"), {"not": {"constraints": [package("buoy", ">=2.0.0")]}}]}}),
            is("1.1.0"),
        ),
        (json!({"cel": {"rule": "properties.exists(p, p.type == 'certified' && p.value)"}}), is("1.0.0")),
    ];
    for (value, expected) in table {
        let shelf = Shelf::default()
            .channel("a", "stable", "a.v1.0.0")
            .property("a.v1.0.0", "olm.constraint", value)
            .channel("buoy", "stable", "buoy.v1.0.0 buoy.v1.1.0>buoy.v1.0.0 buoy.v2.0.0>buoy.v1.1.0")
            .property("buoy.v1.0.0", "certified", json!(true));
        let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
        let found = answer(&namespace).map(|found| {
            let (_, version) = found.split_once("buoy.v").unwrap();
            version.split('>').next().unwrap().to_owned()
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn a_bundle_may_meet_its_own_need_and_needs_may_go_in_circles() {
    let shelf = needing().owns("a.v1.0.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    assert_eq!(answer(&namespace), is("shelf stable a.v1.0.0"));

    let mut shelf = Shelf::default();
    for number in 0..30 {
        let (name, next) = (format!("p{number}.v1.0.0"), (number + 1) % 30);
        shelf = shelf
            .channel(&format!("p{number}"), "c", &name)
            .owns(&name, &format!("K{number}"))
            .needs(&name, &format!("K{next}"));
    }
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("p7", "c");
    assert_eq!(answer(&namespace).unwrap().split(", ").count(), 30);
}

#[test]
fn labels_are_needs_too() {
    let shelf = Shelf::default()
        .channel("a", "stable", "a.v1.0.0")
        .property("a.v1.0.0", "olm.label.required", json!({"label": "blue"}))
        .channel("b", "c", "b.v1.0.0 b.v1.1.0>b.v1.0.0")
        .property("b.v1.0.0", "olm.label", json!({"label": "blue"}));
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    assert_eq!(answer(&namespace), is("shelf c b.v1.0.0, shelf stable a.v1.0.0"));
}

/// A requirement of an operator that is installed is met by installing more.
#[test]
fn what_an_installed_operator_lacks_is_installed() {
    let need = json!({"type": "olm.gvk.required", "value": crate::harbor::api("K")});
    let shelf =
        Shelf::default().channel("k", "c", "k.v1.0.0").owns("k.v1.0.0", "K").channel("a", "c", "a.v1.0.0");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").installed("a.v1.0.0", &[need]);
    assert_eq!(answer(&namespace), is("shelf c k.v1.0.0"));
}
