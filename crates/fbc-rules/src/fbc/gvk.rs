//! Names of APIs that bundles provide or need.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::go_type;
use fbc_yaml::Node;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC212",
    name: "api-name",
    since: "0.1.0",
    summary: "An API that a bundle provides or needs has no valid group, version or kind",
    explanation: "\
`olm.gvk` and `olm.gvk.required` name an API by group, version and kind. Kubernetes asks for a group in
the form of a domain name, a version such as `v1alpha1`, and a kind in the form of a Go type name. No
API can have another name, so nothing provides or satisfies this one.",
    sources: &[Source::Statement("D-FBC-34", "4.1.4.2")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("gvk.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for kind in ["olm.gvk", "olm.gvk.required"] {
            for (index, value) in opm::values(item.bundle, kind) {
                let Some((field, message)) = fault(value, kind, &item.bundle.name) else { continue };
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(item.bundle.origin, format!("/properties/{index}/value/{field}")))
                        .about(item.subject())
                        .label(format!("no valid {field}"))
                        .help("write them as the CustomResourceDefinition does"),
                );
            }
        }
    }
}

/// A field, what it must satisfy, and what is said of it if it does not.
type FieldCheck = (&'static str, fn(&str) -> bool, &'static str);

fn fault(value: Node<'_>, kind: &str, bundle: &str) -> Option<(&'static str, String)> {
    let checks: [FieldCheck; 3] = [
        ("group", is_group, "not a domain name"),
        ("version", is_label, "not a version such as \"v1\""),
        ("kind", |kind| is_label(&kind.to_ascii_lowercase()), "not the name of a type"),
    ];
    checks.into_iter().find_map(|(field, is_valid, fault)| {
        let found = go_type::field(value, field);
        // Another type than text is refused by opm.
        let text = match found {
            Some(found) => found.as_str()?,
            None => "",
        };
        if text.is_empty() && field != "group" {
            let message = format!("property {} of bundle {} has no {field}", quote(kind), quote(bundle));
            return Some((field, message));
        }
        let message = || format!("{field} {} of property {} is {fault}", quote(text), quote(kind));
        (!text.is_empty() && !is_valid(text)).then(|| (field, message()))
    })
}

/// A lower-case RFC 1123 subdomain.
fn is_group(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= 253
        && text.split('.').all(|part| {
            part.bytes().next().is_some_and(is_word)
                && part.bytes().last().is_some_and(is_word)
                && part.bytes().all(|byte| is_word(byte) || byte == b'-')
        })
}

/// A lower-case RFC 1035 label.
fn is_label(text: &str) -> bool {
    text.len() <= 63
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
