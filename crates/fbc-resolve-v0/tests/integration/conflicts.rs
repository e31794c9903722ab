//! What does not go together, and how that is told.

use serde_json::json;

use crate::harbor::{Harbor, Shelf, answer, api, contradiction, harbor, is, operator};

/// V0-048
#[test]
fn an_operator_without_subscription_stays_and_is_in_the_way() {
    let shelf = || Shelf::default().channel("a", "c", "a.v1.0.0");
    let mut namespace =
        harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "c").installed("a.v1.0.0", &[]);
    namespace.subscriptions[0].installed_csv.clear();
    let expected = contradiction(&[
        "@existing/n//a.v1.0.0 and shelf/olm/c/a.v1.0.0 originate from package a",
        "clusterserviceversion a.v1.0.0 exists and is not referenced by a subscription",
        "subscription a exists",
        "subscription a requires shelf/olm/c/a.v1.0.0",
    ]);
    assert_eq!(answer(&namespace), expected);
    // Without the annotation there is no package to compare; only an API says that they collide.
    namespace.operators = vec![operator("a.v1.0.0", None)];
    assert_eq!(answer(&namespace), is("shelf c a.v1.0.0"));
}

/// V0-049, V0-050
#[test]
fn one_api_has_one_provider() {
    let shelf = Shelf::default()
        .channel("b", "s", "b.v1.0.0")
        .owns("b.v1.0.0", "K")
        .channel("a", "s", "a.v1.0.0")
        .owns("a.v1.0.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("b", "s").subscribed("a", "s");
    let expected = contradiction(&[
        "shelf/olm/s/a.v1.0.0 and shelf/olm/s/b.v1.0.0 provide K (g.io/v1)",
        "subscription a exists",
        "subscription a requires shelf/olm/s/a.v1.0.0",
        "subscription b exists",
        "subscription b requires shelf/olm/s/b.v1.0.0",
    ]);
    assert_eq!(answer(&namespace), expected);
}

#[test]
fn a_second_subscription_of_an_installed_package_fails() {
    let shelf = Shelf::default().channel("a", "s", "a.v1.0.0 a.v1.1.0>a.v1.0.0").owns("a.v1.1.0", "K");
    let namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("a", "s")
        .installed("a.v1.1.0", &[json!({"type": "olm.gvk", "value": api("K")})])
        .subscription(|second| {
            "again".clone_into(&mut second.name);
            "a".clone_into(&mut second.package);
            "s".clone_into(&mut second.channel);
        });
    let expected = contradiction(&[
        "@existing/n//a.v1.1.0, shelf/olm/s/a.v1.0.0 and shelf/olm/s/a.v1.1.0 originate from package a",
        "subscription a exists",
        "subscription a requires @existing/n//a.v1.1.0",
        "subscription again exists",
        "subscription again requires at least one of shelf/olm/s/a.v1.1.0 or shelf/olm/s/a.v1.0.0",
    ]);
    assert_eq!(answer(&namespace), expected);
}

/// During an upgrade, while old and new operator exist and only the new one has its Subscription.
#[test]
fn old_and_new_operator_beside_each_other_fail() {
    let shelf = Shelf::default().channel("a", "s", "a.v1.0.0 a.v1.1.0>a.v1.0.0");
    let namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("a", "s")
        .installed("a.v1.0.0", &[])
        .installed("a.v1.1.0", &[]);
    let expected = contradiction(&[
        "@existing/n//a.v1.0.0 and @existing/n//a.v1.1.0 originate from package a",
        "clusterserviceversion a.v1.0.0 exists and is not referenced by a subscription",
        "subscription a exists",
        "subscription a requires @existing/n//a.v1.1.0",
    ]);
    assert_eq!(answer(&namespace), expected);
}

/// The answer depends on no order of the input.
#[test]
fn the_order_of_the_input_does_not_matter() {
    let shelf = || {
        Shelf::default()
            .channel("a", "s", "a.v1.0.0")
            .needs("a.v1.0.0", "K")
            .channel("b", "s", "b.v1.0.0")
            .owns("b.v1.0.0", "K")
            .channel("c", "s", "c.v1.0.0")
            .owns("c.v1.0.0", "K")
    };
    let one = harbor()
        .shelf("olm/shelf", 0, shelf())
        .shelf("olm/x", 0, shelf())
        .subscribed("a", "s")
        .subscribed("c", "s");
    let mut other = harbor()
        .shelf("olm/x", 0, shelf())
        .shelf("olm/shelf", 0, shelf())
        .subscribed("c", "s")
        .subscribed("a", "s");
    assert_eq!(answer(&one), is("shelf s a.v1.0.0, shelf s c.v1.0.0"));
    assert_eq!(answer(&other), answer(&one));
    other.subscriptions.truncate(1);
    assert_eq!(answer(&other), is("shelf s c.v1.0.0"));
}
