//! Images that nobody can have.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::reference::{Mention, first_mentions};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG307",
    name: "unreachable-image",
    since: "0.1.0",
    summary: "A bundle image or related image cannot be pulled",
    explanation: "\
What the registry does not give, clusters cannot run and mirrors cannot copy. `fbc validate --check-images` asks for the
manifest of every image; with `--index` only of those that this catalog does not name. Credentials, mirrors and mirror sets
count as for every command. Without the question the rule finds nothing. In the examples `facts.json` stands for the answers.",
    sources: &[Source::Code("conforma/policy:policy/release/olm/olm.rego", "inaccessible_related_images")],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "all there",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
relatedImages:
- name: operator
  image: registry.redhat.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
-- facts.json --
{\"unreachable\": {}}
",
            findings: &[],
        },
        Case {
            title: "one missing",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
image: registry.redhat.io/foo/foo@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
relatedImages:
- name: operator
  image: registry.redhat.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
-- facts.json --
{\"unreachable\": {\"registry.redhat.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\": \"there is no such image\"}}
",
            findings: &["7:10 image \"registry.redhat.io/foo/operator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" cannot be pulled: there is no such image"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let unreachable = &context.images.unreachable;
    if unreachable.is_empty() {
        return;
    }
    for Mention { item, image, pointer } in first_mentions(context, |image| unreachable.contains_key(image)) {
        let reason = unreachable.get(image).map(String::as_str).unwrap_or_default();
        findings.push(
            Finding::new(&RULE, format!("image {} cannot be pulled: {reason}", quote(image)))
                .at(context.value(item.bundle.origin, pointer))
                .about(item.subject())
                .help("push the image, fix the reference, or name the credentials (`--authfile`)"),
        );
    }
}
