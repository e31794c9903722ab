//! Which bundle a Subscription gets.

use fbc_resolve_v0::Namespace;

use crate::harbor::{Harbor, Shelf, answer, contradiction, harbor, is, operator};

fn chain() -> Shelf {
    Shelf::default().channel("a", "stable", "a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0").channel(
        "a",
        "beta",
        "a.v1.0.0 a.v2.0.0~>=1.1.0_<2.0.0",
    )
}

fn first(channel: &str) -> Namespace {
    harbor().shelf("olm/shelf", 0, chain()).subscribed("a", channel)
}

/// V0-032, V0-033
#[test]
fn what_leads_nowhere_has_a_text_of_its_own() {
    let missing = |text: &str| contradiction(&[text, "subscription a exists"]);
    let no_catalog = harbor().shelf("olm/other", 0, chain()).subscribed("a", "stable");
    assert_eq!(
        answer(&no_catalog),
        missing("no operators found from catalog shelf in namespace olm referenced by subscription a")
    );
    let no_package = harbor()
        .shelf("olm/shelf", 0, Shelf::default().channel("b", "c", "b.v1.0.0"))
        .subscribed("a", "stable");
    assert_eq!(
        answer(&no_package),
        missing("no operators found in package a in the catalog referenced by subscription a")
    );
    assert_eq!(
        answer(&first("gamma")),
        missing(
            "no operators found in channel gamma of package a in the catalog referenced by subscription a"
        )
    );
    let mut no_name = first("stable");
    no_name.subscriptions[0].starting_csv = "a.v2.0.0".to_owned();
    assert_eq!(
        answer(&no_name),
        missing(
            "no operators found with name a.v2.0.0 in channel stable of package a in the catalog referenced by subscription a"
        )
    );
}

/// V0-034, V0-041
#[test]
fn a_first_install_takes_the_head_and_its_own_replaces() {
    assert_eq!(answer(&first("stable")), is("shelf stable a.v1.2.0>a.v1.1.0"));
    let default = Shelf::default()
        .channel("a", "stable", "a.v1.0.0 a.v1.1.0>a.v1.0.0")
        .channel("a", "alpha", "a.v1.2.0");
    let namespace = harbor().shelf("olm/shelf", 0, default).subscribed("a", "");
    assert_eq!(answer(&namespace), is("shelf stable a.v1.1.0>a.v1.0.0"));
}

/// V0-042
#[test]
fn a_channel_with_two_heads_is_refused() {
    let expected = Err("a unique replacement chain within a channel is required to determine the relative order between channel entries, \
         but 2 replacement chains were found in channel \"beta\" of package \"a\": a.v1.0.0, a.v2.0.0"
        .to_owned());
    assert_eq!(answer(&first("beta")), expected);
}

/// V0-035
#[test]
fn a_starting_version_is_taken_even_if_another_one_skips_it() {
    let shelf =
        Shelf::default().channel("a", "stable", "a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0!a.v1.1.0");
    let mut namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    namespace.subscriptions[0].starting_csv = "a.v1.1.0".to_owned();
    assert_eq!(answer(&namespace), is("shelf stable a.v1.1.0>a.v1.0.0"));
    // V0-158: with an operator installed it says nothing any more.
    assert_eq!(answer(&namespace.installed("a.v1.2.0", &[])), is(""));
}

/// V0-036, V0-038, V0-040
#[test]
fn upgrades_go_along_edges_to_the_highest_entry() {
    let table = [
        // One step of a chain.
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0", "a.v1.0.0", "shelf c a.v1.1.0>a.v1.0.0"),
        // A head that skips what is installed.
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.0.0!a.v1.1.0", "a.v1.1.0", "shelf c a.v1.2.0>a.v1.1.0"),
        // A range that jumps over entries.
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0~<1.2.0", "a.v1.0.0", "shelf c a.v1.2.0>a.v1.0.0"),
        // What is installed is not in the catalog any more.
        ("a.v1.2.0>a.v1.1.0", "a.v1.1.0", "shelf c a.v1.2.0>a.v1.1.0"),
        // V0-037: no edge, no upgrade, no error.
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0", "a.v0.9.0", ""),
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0", "a.v1.1.0", ""),
        // An entry that is skipped itself is no candidate.
        ("a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0!a.v1.1.0", "a.v1.0.0", ""),
    ];
    for (channel, installed, expected) in table {
        let shelf = Shelf::default().channel("a", "c", channel);
        let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").installed(installed, &[]);
        assert_eq!(answer(&namespace), is(expected), "{channel} from {installed}");
    }
}

/// V0-158
#[test]
fn another_channel_changes_nothing_without_an_edge() {
    let shelf = || Shelf::default().channel("a", "stable", "a.v1.0.0").channel("a", "next", "a.v2.0.0");
    let namespace =
        harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "next").installed("a.v1.0.0", &[]);
    assert_eq!(answer(&namespace), is(""));
    let namespace =
        harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "stable").installed("a.v2.0.0", &[]);
    assert_eq!(answer(&namespace), is(""));
}

/// V0-047
#[test]
fn a_bundle_that_is_deprecated_by_property_is_no_answer() {
    let shelf = chain().property("a.v1.2.0", "olm.deprecated", serde_json::json!({}));
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "stable");
    assert_eq!(answer(&namespace), is("shelf stable a.v1.1.0>a.v1.0.0"));

    let alone = || {
        Shelf::default().channel("a", "c", "a.v1.0.0").property(
            "a.v1.0.0",
            "olm.deprecated",
            serde_json::json!({}),
        )
    };
    let namespace = harbor().shelf("olm/shelf", 0, alone()).subscribed("a", "c");
    let expected = contradiction(&[
        "bundle shelf/olm/c/a.v1.0.0 is deprecated",
        "subscription a exists",
        "subscription a requires shelf/olm/c/a.v1.0.0",
    ]);
    assert_eq!(answer(&namespace), expected);
    // One that is installed is as bad, unless it is replaced.
    let deprecated = serde_json::json!({"type": "olm.deprecated", "value": {}});
    let namespace =
        harbor().shelf("olm/shelf", 0, Shelf::default().channel("a", "c", "a.v1.0.0")).subscribed("a", "c");
    let expected = contradiction(&[
        "bundle @existing/n//a.v1.0.0 is deprecated",
        "subscription a exists",
        "subscription a requires @existing/n//a.v1.0.0",
    ]);
    assert_eq!(answer(&namespace.installed("a.v1.0.0", std::slice::from_ref(&deprecated))), expected);
    let shelf = Shelf::default().channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0");
    let namespace =
        harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").installed("a.v1.0.0", &[deprecated]);
    assert_eq!(answer(&namespace), is("shelf c a.v1.1.0>a.v1.0.0"));
}

#[test]
fn a_bundle_of_several_channels_comes_once_for_each() {
    let shelf =
        Shelf::default().channel("a", "x", "a.v1.0.0").channel("a", "b", "a.v1.0.0").needs("a.v1.0.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "");
    let error = answer(&namespace).unwrap_err();
    let candidates = "subscription a requires at least one of shelf/olm/x/a.v1.0.0, shelf/olm/b/a.v1.0.0, \
                      shelf/olm/b/a.v1.0.0 or shelf/olm/x/a.v1.0.0";
    assert!(error.contains(candidates), "{error}");
}

/// V0-029
#[test]
fn copies_of_operators_of_other_namespaces_do_not_count() {
    let mut namespace = first("stable");
    let mut copy = operator("a.v1.2.0", None);
    copy.is_copied = true;
    namespace.operators.push(copy);
    assert_eq!(answer(&namespace), is("shelf stable a.v1.2.0>a.v1.1.0"));
}
