//! What prevents a resolution.

use fbc_resolve_v0::{ResolveError, Rules, resolve};
use serde_json::json;

use crate::harbor::{Harbor, RULES, Shelf, answer, harbor, is, operator};

fn shelf() -> Shelf {
    Shelf::default().channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0")
}

/// V0-030, V0-052
#[test]
fn a_catalog_that_cannot_be_read_blocks_the_namespace() {
    let error = "failed to list bundles: rpc error: code = Unavailable";
    let namespace = harbor().shelf("olm/shelf", 0, shelf()).broken("olm/other", error).subscribed("a", "c");
    let text = |name: &str| format!("error using catalogsource olm/{name}: {error}");
    assert_eq!(answer(&namespace), Err(text("other")));
    let namespace = namespace.broken("olm/another", error);
    assert_eq!(answer(&namespace), Err(format!("[{}, {}]", text("another"), text("other"))));
    let found = resolve(&namespace, RULES).unwrap_err();
    assert_eq!((found.reason(), found.is_retried()), ("ErrorPreventedResolution", true));
}

/// V0-042
#[test]
fn a_channel_without_order_is_told_before_anything_else_about_subscriptions() {
    let shelf = Shelf::default().channel("a", "c", "a.v1.0.0 a.v1.1.0").channel(
        "b",
        "c",
        "b.v1.0.0>b.v1.1.0 b.v1.1.0>b.v1.0.0",
    );
    let namespace =
        harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c").subscribed("b", "c").subscribed("z", "c");
    let expected = "[a unique replacement chain within a channel is required to determine the relative order between channel \
                    entries, but 2 replacement chains were found in channel \"c\" of package \"a\": a.v1.0.0, a.v1.1.0, no \
                    channel heads (entries not replaced by another entry) found in channel \"c\" of package \"b\"]";
    assert_eq!(answer(&namespace), Err(expected.to_owned()));
}

#[test]
fn a_constraint_that_cannot_be_read_prevents_the_resolution() {
    let shelf = shelf().property("a.v1.0.0", "olm.constraint", json!({"some": {}}));
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c");
    assert_eq!(answer(&namespace), Err(r#"parse olm.constraint: json: unknown field "some""#.to_owned()));
}

#[test]
fn operators_that_cannot_be_read_prevent_the_resolution() {
    let mut namespace = harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "c");
    let mut broken = operator("x.v1.0.0", None);
    broken.owned = Err(fbc_resolve_v0::WithoutGroup("things".to_owned()));
    namespace.operators.push(broken);
    let expected = "error using catalogsource n/@existing: error parsing crd name: things";
    assert_eq!(answer(&namespace), Err(expected.to_owned()));
    namespace.operators = vec![operator("x.v1.0.0", None)];
    namespace.operators[0].properties = Some("{".to_owned());
    let error = answer(&namespace).unwrap_err();
    assert!(error.contains(r#"failed to retrieve properties of csv "x.v1.0.0""#), "{error}");
}

/// Two operators of one package that both meet a need have no order, as they have no edges.
#[test]
fn two_operators_that_meet_one_need_prevent_the_resolution() {
    let need =
        json!({"type": "olm.package.required", "value": {"packageName": "b", "versionRange": ">=1.0.0"}});
    let shelf = Shelf::default().channel("b", "c", "b.v1.0.0 b.v1.1.0>b.v1.0.0");
    let namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("b", "c")
        .installed("b.v1.0.0", &[])
        .installed("b.v1.1.0", &[])
        .installed("a.v1.0.0", &[need]);
    let error = answer(&namespace).unwrap_err();
    assert!(error.ends_with(r#"were found in channel "" of package "b": b.v1.0.0, b.v1.1.0"#), "{error}");
}

/// V0-150, V0-151
#[test]
fn with_fail_forward_what_a_failed_operator_replaces_is_left_out() {
    let shelf = Shelf::default().channel("a", "c", "a.v1.0.0 a.v1.1.0>a.v1.0.0 a.v1.2.0>a.v1.1.0");
    let mut namespace = harbor()
        .shelf("olm/shelf", 0, shelf)
        .subscribed("a", "c")
        .installed("a.v1.0.0", &[])
        .installed("a.v1.1.0", &[]);
    "Replacing".clone_into(&mut namespace.operators[0].phase);
    "Failed".clone_into(&mut namespace.operators[1].phase);
    "a.v1.0.0".clone_into(&mut namespace.operators[1].replaces);
    assert!(
        answer(&namespace).unwrap_err().starts_with("constraints not satisfiable: @existing/n//a.v1.0.0")
    );
    namespace.fails_forward = true;
    assert_eq!(answer(&namespace), is("shelf c a.v1.2.0>a.v1.1.0"));
    "Succeeded".clone_into(&mut namespace.operators[0].phase);
    let expected =
        "error using catalogsource n/@existing: csv n/a.v1.0.0 in phase Succeeded instead of Replacing";
    assert_eq!(answer(&namespace), Err(expected.to_owned()));
    "Replacing".clone_into(&mut namespace.operators[0].phase);
    "Replacing".clone_into(&mut namespace.operators[1].phase);
    "a.v1.1.0".clone_into(&mut namespace.operators[0].replaces);
    let expected = "error using catalogsource n/@existing: csv n/a.v1.0.0 has already been seen";
    assert_eq!(answer(&namespace), Err(expected.to_owned()));
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let namespace = harbor().shelf("olm/shelf", 0, shelf()).subscribed("a", "c");
    assert_eq!(resolve(&namespace, Rules { steps: 1, ..RULES }).map(|_| ()), Err(ResolveError::Budget(1)));
    // Looking for what bundles need counts as well, above all by expressions.
    let rule = json!({"cel": {"rule": "properties.exists(p, p.type == 'other')"}});
    let shelf = shelf().property("a.v1.1.0", "olm.constraint", rule);
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c");
    let error = resolve(&namespace, Rules { steps: 99, ..RULES }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the search for a solution takes more than 99 steps (limit resolution-steps)"
    );
    assert_eq!(answer(&namespace), is("shelf c a.v1.0.0"));
}

#[test]
fn channels_whose_name_splits_identifiers_fail_as_in_olm() {
    let shelf = Shelf::default().channel("a", "c/d", "a.v1.0.0");
    let namespace = harbor().shelf("olm/shelf", 0, shelf).subscribed("a", "c/d");
    let expected = "unable to parse identifier shelf/olm/c/d/a.v1.0.0 for source info";
    assert!(answer(&namespace).unwrap_err().contains(expected));
}
