//! Lists of channels with slips.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::annotation_keys::{CHANNELS, DEFAULT_CHANNEL};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND204",
    name: "channel-list",
    since: "0.1.0",
    summary: "The list of channels, or the default channel, does not mean what it says",
    explanation: "\
`channels.v1` is a list of channel names with commas between them and nothing else: a space becomes part of a
name, as does whatever stands between two commas. The default channel should be one of them, unless other
bundles of the package bring it along. opm takes everything, and puts the bundle into channels that nobody
meant.",
    sources: &[Source::Code("operator-framework/operator-registry:pkg/registry/types.go", "GetChannels")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("channels.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else { return };
    let list = context.annotation(CHANNELS);
    let mut seen = BTreeSet::new();
    for channel in list.split(',').filter(|_| !list.is_empty()) {
        let problem = if channel.trim().is_empty() {
            "an item of the list of channels is empty".to_owned()
        } else if channel.trim() != channel {
            format!("channel {} begins or ends with a space", quote(channel))
        } else if channel.contains(char::is_whitespace) {
            format!("channel {} has a space in its name", quote(channel))
        } else if !seen.insert(channel) {
            format!("channel {} is listed twice", quote(channel))
        } else {
            continue;
        };
        findings.push(
            context
                .finding(&RULE, annotations.origin, pointer("/annotations", CHANNELS), problem)
                .help("write the names with commas between them, without spaces"),
        );
    }
    let default = context.annotation(DEFAULT_CHANNEL);
    if !default.is_empty() && !list.is_empty() && list.split(',').all(|channel| channel.trim() != default) {
        let message = format!(
            "the default channel {} is not one of the channels of the bundle: {}",
            quote(default),
            quote(list)
        );
        let question = names::did_you_mean(default, list.split(',').map(str::trim));
        findings.push(
            context
                .finding(&RULE, annotations.origin, pointer("/annotations", DEFAULT_CHANNEL), message)
                .help(format!("{question}name a channel that some bundle of the package has")),
        );
    }
}
