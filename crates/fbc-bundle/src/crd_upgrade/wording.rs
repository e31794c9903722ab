//! What a generation refuses of the changes of attributes, in its words.
//!
//! Sources: `kubernetes-sigs/crdify:pkg/validations/property`; for 4.19 `operator-framework/operator-controller:
//! internal/operator-controller/rukpak/preflights/crdupgradesafety/checks.go` at v1.3.0, and for new required
//! fields the product document (statement D-CRD-22), which words them as kapp did.

use fbc_go::text::quote;
use fbc_version::Target;

use super::change::Cause;
use super::check::{AttributeChange, Turn, listed};

/// The words in which a target refuses a change; nothing if it allows it.
pub(super) fn refusal(target: Target, change: &AttributeChange) -> Option<String> {
    match target {
        Target::Ocp419 => first(change),
        _ => crdify(change),
    }
}

fn crdify(change: &AttributeChange) -> Option<String> {
    let AttributeChange { attribute, turn, old, new, values } = change;
    let values = listed(values);
    let between = || format!("{} -> {}", quote(old), quote(new));
    Some(match (*attribute, turn) {
        ("enum", Turn::Added) => format!("enum constraint added when there was none previously : {values}"),
        ("enum", Turn::Removed | Turn::Tightened) => format!("allowed enum values removed : {values}"),
        ("required", Turn::Tightened) => format!("new required fields: {values}"),
        ("default", Turn::Added) => format!("default added when there was none previously : {}", quote(new)),
        ("default", Turn::Removed) => format!("default value removed : {}", quote(old)),
        ("default", _) => format!("default value changed : {}", between()),
        ("type", _) => format!("type changed : {}", between()),
        ("pattern", Turn::Added) => format!("pattern added : {}", between()),
        ("pattern", Turn::Removed) => format!("pattern removed : {}", between()),
        ("pattern", _) => format!("pattern changed : {}", between()),
        ("nullable", Turn::Added) => format!("nullable added : {old} -> {new}"),
        ("nullable", _) => format!("nullable removed : {old} -> {new}"),
        ("oneOf", Turn::Added) => format!("oneOf constraint added when there was none previously: {values}"),
        ("oneOf", Turn::Loosened) => format!("allowed oneOf schemas added: {values}"),
        ("oneOf", _) => format!("allowed oneOf schemas removed: {values}"),
        (_, Turn::Loosened | Turn::Removed | Turn::Changed) => return None,
        (bound, Turn::Added) => {
            format!("{} constraint added when there was none previously : {new}", side(bound))
        }
        (bound, Turn::Tightened) => {
            let word = if side(bound) == "minimum" { "increased" } else { "decreased" };
            format!("{} {word} : {old} -> {new}", side(bound))
        }
    })
}

fn first(change: &AttributeChange) -> Option<String> {
    let AttributeChange { attribute, turn, old, new, values } = change;
    let values = listed(values);
    Some(match (*attribute, turn) {
        ("enum", Turn::Added) => {
            format!("enum constraints {values} added when there were no restrictions previously")
        }
        ("enum", Turn::Removed | Turn::Tightened) => {
            format!("enums {values} removed from the set of previously allowed values")
        }
        ("required", Turn::Tightened) => format!("new required fields added: {values}"),
        ("default", Turn::Added) => {
            format!("default value {} added when there was no default previously", quote(new))
        }
        ("default", Turn::Removed) => format!("default value {} removed", quote(old)),
        ("default", _) => format!("default value changed from {} to {}", quote(old), quote(new)),
        ("type", _) => format!("type changed from {} to {}", quote(old), quote(new)),
        (_, Turn::Loosened | Turn::Removed | Turn::Changed) => return None,
        (bound, Turn::Added) => {
            format!("{bound}: constraint {new} added when there were no restrictions previously")
        }
        (bound, Turn::Tightened) => {
            let word = if side(bound) == "minimum" { "increased" } else { "decreased" };
            format!("{bound}: constraint {word} from {old} to {new}")
        }
    })
}

fn side(bound: &str) -> &'static str {
    if bound.starts_with("min") { "minimum" } else { "maximum" }
}

/// Why a change of an attribute matters.
pub(super) fn cause(change: &AttributeChange) -> Cause {
    match (change.attribute, change.turn) {
        ("default", _) => Cause::Default,
        ("type", _) => Cause::Type,
        ("required", Turn::Tightened) => Cause::FieldRequired,
        ("nullable", Turn::Added) | ("oneOf", Turn::Loosened) => Cause::ValuesUnexpected,
        (_, Turn::Removed) if change.attribute != "nullable" => Cause::Loosened,
        (_, Turn::Loosened) => Cause::Loosened,
        _ => Cause::ValuesForbidden,
    }
}
