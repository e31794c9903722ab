//! A default channel that the template did not ask for.

use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "one kind of channel",
            files: "\
-- template.yaml --
schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: quay.io/foo/foo:1.0.0
  - image: quay.io/foo/foo:1.1.0
-- bundles.yaml --
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
            findings: &[],
        },
        Case {
            title: "a later minor version",
            files: "\
-- template.yaml --
schema: olm.semver
generateMajorChannels: true
generateMinorChannels: true
defaultChannelTypePreference: major
stable:
  bundles:
  - image: quay.io/foo/foo:1.0.0
  - image: quay.io/foo/foo:1.1.0
-- bundles.yaml --
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: quay.io/foo/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: quay.io/foo/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
            findings: &[
                "template.yaml:4:31 the default channel is stable-v1.1, although the template prefers major channels and generates stable-v1: channels compare by their lowest versions before the preference counts",
            ],
        },
    ],
};
