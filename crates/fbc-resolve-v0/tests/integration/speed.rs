//! How long large namespaces take. The bounds are in steps of the search, which no machine changes; the time is a bench's.

use fbc_resolve_v0::{Namespace, ResolveError, Rules, resolve};
use serde_json::json;

use crate::harbor::{Harbor, RULES, Shelf, harbor};

/// So many Subscriptions to packages of twenty versions, each of which needs an API of the next package.
fn large(packages: usize) -> Namespace {
    let mut shelf = Shelf::default();
    for package in 0..packages {
        let name = |version: usize| format!("p{package:03}.v1.{version}.0");
        let entries: Vec<String> = (0..20)
            .map(|version| match version {
                0 => name(0),
                _ => format!("{}>{}", name(version), name(version - 1)),
            })
            .collect();
        shelf = shelf.channel(&format!("p{package:03}"), "stable", &entries.join(" "));
        for version in 0..20 {
            shelf = shelf.owns(&name(version), &format!("K{package}"));
            shelf = shelf.needs(&name(version), &format!("K{}", (package + 1) % packages));
        }
    }
    let namespace = harbor().shelf("olm/shelf", 0, shelf);
    (0..packages)
        .fold(namespace, |namespace, package| namespace.subscribed(&format!("p{package:03}"), "stable"))
}

#[test]
fn a_hundred_subscriptions_take_few_steps() {
    let namespace = large(100);
    let resolution = resolve(&namespace, Rules { steps: 1_000_000, ..RULES }).unwrap();
    assert_eq!(resolution.operators.len(), 100);
    assert!(resolution.operators.iter().all(|operator| operator.entry.name().ends_with(".v1.19.0")));
}

/// Why a large namespace cannot be resolved takes no longer than the budget allows.
#[test]
fn a_hundred_subscriptions_that_contradict_each_other_are_explained() {
    let mut namespace =
        large(100).installed("x.v1.0.0", &[json!({"type": "olm.gvk", "value": crate::harbor::api("K50")})]);
    namespace.subscriptions.retain(|subscription| subscription.package != "x");
    let Err(ResolveError::Unsatisfiable(texts)) = resolve(&namespace, RULES) else { panic!("it resolves") };
    assert!(texts.contains(
        &"clusterserviceversion x.v1.0.0 exists and is not referenced by a subscription".to_owned()
    ));
}
