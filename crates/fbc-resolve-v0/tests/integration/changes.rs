//! What an answer changes in a namespace.

use fbc_resolve_v0::NewOperator;

use crate::harbor::{Harbor, Shelf, harbor, resolved};

fn shelf() -> Shelf {
    Shelf::default()
        .channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0")
        .needs("a.v1.1.0", "K")
        .channel("k", "stable", "k.v1.0.0")
        .owns("k.v1.0.0", "K")
        .deprecated("k", "olm.package", "")
        .deprecated("k", "olm.channel", "stable")
        .deprecated("k", "olm.bundle", "k.v1.0.0")
}

/// V0-045
#[test]
fn who_has_no_subscription_gets_one() {
    let namespace = harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "c");
    let operators = resolved(&namespace).unwrap().operators;
    let [a, k] = operators.as_slice() else { panic!("{operators:?}") };
    assert_eq!(
        (a.subscriptions.as_slice(), &a.moved, &a.generated),
        (["a".to_owned()].as_slice(), &a.subscriptions, &None)
    );
    assert_eq!(a.entry.bundle.image, "registry.example/a:v1.1.0");
    let generated = k.generated.clone().unwrap();
    assert_eq!(generated.name, "k-stable-shelf-olm");
    assert_eq!((generated.package.as_str(), generated.channel.as_str()), ("k", "stable"));
    assert_eq!(
        (generated.source.to_string().as_str(), generated.starting_csv.as_str()),
        ("shelf/olm", "k.v1.0.0")
    );
    // V0-061
    let notes = &k.entry.deprecations;
    assert_eq!(notes.package.as_deref(), Some("olm.package/k: old"));
    assert_eq!(notes.channel.as_deref(), Some("olm.channel/stable: old"));
    assert_eq!(notes.bundle.as_deref(), Some("olm.bundle/k.v1.0.0: old"));
}

#[test]
fn a_subscription_that_leads_to_it_is_used() {
    let namespace = harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "c").subscribed("k", "");
    let operators = resolved(&namespace).unwrap().operators;
    let names = |operator: &NewOperator| operator.subscriptions.join(" ");
    assert_eq!(operators.iter().map(names).collect::<Vec<String>>(), ["a", "k"]);
    assert!(operators.iter().all(|operator| operator.generated.is_none() && !operator.is_up_to_date));
}

/// What is named by its Subscriptions and exists needs no steps; what was deleted by hand does.
#[test]
fn what_is_there_already_needs_no_steps() {
    let mut namespace =
        harbor().shelf("olm/shelf", 0, shelf()).subscribed("k", "stable").installed("k.v1.0.0", &[]);
    namespace.subscriptions[0].installed_csv.clear();
    namespace.operators[0].is_copied = true;
    let operators = resolved(&namespace).unwrap().operators;
    assert!(operators[0].is_up_to_date && operators[0].moved.is_empty());
    namespace.operators.clear();
    let operators = resolved(&namespace).unwrap().operators;
    assert!(!operators[0].is_up_to_date && operators[0].moved.is_empty());
}

/// Requirements come back from opm twice, and an annotation has them twice where the bundle comes by image.
#[test]
fn the_annotation_of_a_bundle_by_image_has_requirements_twice() {
    let catalog = shelf().catalog();
    let entry = catalog.entry("a", "c", "a.v1.1.0").unwrap();
    let kinds: Vec<&str> =
        entry.bundle.annotated_properties().iter().map(|property| property.kind.as_str()).collect();
    assert_eq!(kinds, ["olm.package", "olm.gvk.required", "olm.gvk.required"]);
    let last = entry.bundle.properties.last().unwrap();
    assert_eq!(last.value, r#"{"group":"g.io","version":"v1","kind":"K"}"#);
    assert!(catalog.entry("a", "c", "a.v2.0.0").is_none());
}
