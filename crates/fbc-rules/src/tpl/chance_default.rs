//! A default channel that the template did not ask for.

use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "TPL002",
    name: "chance-default",
    since: "0.1.0",
    summary: "The default channel is of another kind than the template prefers",
    explanation: "\
A semver template chooses the default channel while it makes the channels: each new one is compared by
the version that it begins with, so a later minor version beats the channel of the whole major version,
which began with the first. `defaultChannelTypePreference` only decides between channels that begin with
the same version.

Generate one kind of channel only, or set the default channel in the rendered catalog.

The rule looks at what `fbc template render` makes; the place is in the template. In the examples `bundles.yaml` holds
what the images do.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/template/semver/semver.go",
        "highwaterChannel.gt",
    )],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("chance_default.cases"),
};
