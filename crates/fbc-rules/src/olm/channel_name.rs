//! Channels that nobody can ask for.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "OLM007",
    name: "channel-name",
    since: "0.1.0",
    summary: "The name of a channel cannot be given to OLM v1",
    explanation: "\
A ClusterExtension names channels as DNS-1123 subdomains: lower-case letters, digits, `-` and `.`, with a letter
or digit at both ends of every part, 253 characters at the most. A channel of another name works only for those who name no channel.",
    sources: &[Source::Code(
        "operator-framework/operator-controller:api/v1/clusterextension_types.go",
        "CatalogFilter",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("channel_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for channel in &context.catalog.channels {
        if channel.name.is_empty() || is_subdomain(&channel.name) {
            continue;
        }
        let name = quote(&channel.name);
        findings.push(
            Finding::new(&RULE, format!("channel {name} cannot be named in a ClusterExtension"))
                .at(context.value(channel.origin, "/name"))
                .about(Subject::channel(&channel.package, &channel.name))
                .label("no DNS-1123 subdomain")
                .help("add a channel of the same entries whose name has lower-case letters, digits, `-` and `.`"),
        );
    }
}

fn is_subdomain(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}
