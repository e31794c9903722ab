//! Why a Subscription gets what it gets.

use fbc_resolve_v0::{Cause, Explanation, Namespace, Verdict, explain};
use serde_json::json;

use crate::harbor::{Harbor, RULES, Shelf, harbor};

fn explained(namespace: &Namespace) -> Explanation {
    explain(namespace, RULES)
}

/// The bundles of the first Subscription, `CHANNEL NAME VERDICT` each.
fn verdicts(explanation: &Explanation) -> Vec<String> {
    let shown = |verdict: &Verdict| match verdict {
        Verdict::PassedOver(causes) => format!("passed over for {} causes", causes.len()),
        other => format!("{other:?}"),
    };
    let bundles = explanation.subscriptions[0].bundles.iter();
    bundles.map(|one| format!("{} {} {}", one.bundle.channel, one.bundle.name, shown(&one.verdict))).collect()
}

#[test]
fn every_bundle_of_the_package_has_a_verdict() {
    let shelf = Shelf::default()
        .channel(
            "a",
            "c",
            "a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0!a.v1.1.0~<1.2.0 a.v1.3.0>a.v1.2.0~<1.2.0",
        )
        .needs("a.v1.3.0", "K")
        .channel("a", "other", "a.v2.0.0");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").installed("a.v1.0.0", &[]);
    let explanation = explained(&namespace);
    assert_eq!(
        verdicts(&explanation),
        [
            "c a.v1.3.0 passed over for 1 causes",
            "c a.v1.2.0 Chosen",
            "c a.v1.0.0 Installed",
            r#"c a.v1.1.0 Skipped("a.v1.2.0")"#,
            "other a.v2.0.0 OtherChannel",
        ]
    );
    assert!(explanation.needs.is_empty());
    let answer = &explanation.subscriptions[0];
    assert_eq!(answer.installed.as_ref().unwrap().name, "a.v1.0.0");
    assert_eq!(answer.gets.as_ref().unwrap().version.as_deref(), Some("1.2.0"));
    let Verdict::PassedOver(causes) = &answer.bundles[0].verdict else { panic!("{:?}", answer.bundles[0]) };
    let [Cause::Needs { bundle, requirement, met_by }] = causes.as_slice() else { panic!("{causes:?}") };
    assert_eq!((bundle.name.as_str(), met_by.len()), ("a.v1.3.0", 0));
    assert_eq!(requirement, "providing an API with group: g.io, version: v1, kind: K");
}

#[test]
fn what_is_chosen_before_is_a_cause() {
    let shelf = Shelf::default()
        .channel("a", "c", "a.v1.0.0")
        .owns("a.v1.0.0", "K")
        .channel("b", "c", "b.v1.0.0 b.v1.1.0>b.v1.0.0")
        .owns("b.v1.1.0", "K");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("b", "c").subscribed("a", "c");
    let explanation = explained(&namespace);
    assert_eq!(explanation.subscriptions[1].gets.as_ref().unwrap().name, "b.v1.0.0");
    let Verdict::PassedOver(causes) = &explanation.subscriptions[1].bundles[0].verdict else { panic!() };
    // The only candidate of another Subscription is a better reason than that it was chosen before.
    let kinds: Vec<&str> = causes
        .iter()
        .map(|cause| match cause {
            Cause::SameApi { .. } => "same API",
            Cause::Subscription(_) => "subscription",
            Cause::Candidates { .. } => "candidates",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["same API", "subscription", "candidates"]);
}

#[test]
fn a_contradiction_has_its_causes_in_the_order_of_the_text() {
    let shelf = Shelf::default().channel("a", "c", "a.v1.0.0").channel("b", "c", "b.v1.0.0");
    let range =
        json!({"type": "olm.package.required", "value": {"packageName": "z", "versionRange": ">1.0.0"}});
    let mut namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("a", "c")
        .subscribed("b", "c")
        .installed("x.v1.0.0", &[range]);
    let explanation = explained(&namespace);
    let [Cause::Needs { bundle, .. }, Cause::Unsubscribed(operator)] = explanation.causes.as_slice() else {
        panic!("{:?}", explanation.causes)
    };
    assert_eq!((&bundle.name, bundle.catalog.as_ref()), (&operator.name, None));
    assert_eq!(verdicts(&explanation), ["c a.v1.0.0 Undecided"]);
    namespace.operators.clear();
    assert!(explained(&namespace).outcome.is_ok());
    namespace = namespace.broken("olm/other", "gone");
    let explanation = explained(&namespace);
    assert!(explanation.outcome.is_err() && explanation.subscriptions.is_empty());
}

#[test]
fn needs_that_are_met_are_told_once() {
    let shelf = Shelf::default()
        .channel("a", "c", "a.v1.0.0")
        .needs("a.v1.0.0", "K")
        .channel("b", "c", "b.v1.0.0")
        .owns("b.v1.0.0", "K");
    let explanation = explained(&harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c"));
    let needs = explanation.needs.iter().map(|need| (need.bundle.name.as_str(), need.met_by.name.as_str()));
    assert_eq!(needs.collect::<Vec<_>>(), [("a.v1.0.0", "b.v1.0.0")]);
}
