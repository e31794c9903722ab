//! Providers, maintainers and links that lead nowhere.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND226",
    name: "contact",
    since: "0.1.0",
    summary: "The provider, a maintainer or a link of the operator is incomplete",
    explanation: "\
Users see who provides an operator, whom to ask, and where to read more. `spec.provider.name` should be given; each of
`spec.maintainers` has a name and an email address, each of `spec.links` a name and a URL. OperatorHub refuses operators
without.",
    sources: &[
        Source::Code(
            "operator-framework/api:pkg/validation/internal/operatorhub.go",
            "checkSpecProviderName",
        ),
        Source::Code("operator-framework/api:pkg/validation/internal/operatorhub.go", "checkSpecMaintainers"),
        Source::Code("operator-framework/api:pkg/validation/internal/operatorhub.go", "checkSpecLinks"),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("contact.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut report = |pointer: String, message: String, help: &str| {
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    };
    let provider = csv.spec("provider").and_then(|provider| provider.get_str("name")).unwrap_or_default();
    if provider.trim().is_empty() {
        let message = "the ClusterServiceVersion names no provider".to_owned();
        report("/spec/provider/name".to_owned(), message, "add `provider: {name: ...}`");
    }
    for (list, field, is_valid, noun) in [
        ("maintainers", "email", is_email as fn(&str) -> bool, "an email address"),
        ("links", "url", is_url, "a URL"),
    ] {
        for (number, item) in csv.list(list) {
            let text = |key: &str| item.get_str(key).unwrap_or_default();
            let pointer = format!("/spec/{list}/{number}");
            if text("name").is_empty() || text(field).is_empty() {
                let message = format!(
                    "item {} of `{list}` has no {}",
                    number + 1,
                    if text("name").is_empty() { "name" } else { field }
                );
                report(pointer, message, "give both, or remove it");
            } else if !is_valid(text(field)) {
                let message = format!("{} is not {noun}", quote(text(field)));
                report(format!("{pointer}/{field}"), message, "correct it, or remove the item");
            }
        }
    }
}

fn is_email(text: &str) -> bool {
    let address = text.rsplit_once('<').map_or(text, |(_, rest)| rest.trim_end_matches('>'));
    address
        .split_once('@')
        .is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'))
        && !address.contains(char::is_whitespace)
}

/// A URL with a scheme, or a path.
fn is_url(text: &str) -> bool {
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
            && !rest.is_empty()
    });
    (has_scheme || text.starts_with('/')) && !text.contains(char::is_whitespace)
}
