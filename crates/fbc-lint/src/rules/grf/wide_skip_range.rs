//! Ranges that reach the version of their entry, or beyond it.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::rule::{Basis, Case, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF013",
    name: "skip-range-too-wide",
    since: "0.1.0",
    summary: "A `skipRange` covers the version of its own entry or a newer one",
    explanation: "\
Whoever is on a version in the `skipRange` of an entry is offered the entry as an update. A range that
covers the entry itself offers users what they have; one that covers newer versions offers a downgrade.

End the range below the version of the entry: `>=1.0.0 <1.4.2` for 1.4.2.",
    sources: &[
        Source::Advice("who is on a version in the range is offered the entry, also where it is not newer"),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/catalogmetadata/filter/successors.go",
            "legacySuccessor",
        ),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/cache/predicates.go",
            "SkipRangeIncludesPredicate",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "up to the version of the entry",
            files: "\
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
  skipRange: '>=1.0.0 <1.1.0'
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
            findings: &[],
        },
        Case {
            title: "including the version of the entry",
            files: "\
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
  skipRange: '>=1.0.0 <=1.1.0'
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
            findings: &[
                "9:14 `skipRange` \">=1.0.0 <=1.1.0\" of \"foo.v1.1.0\" in channel \"stable\" covers 1.1.0, its own version",
            ],
        },
        Case {
            title: "including a newer version",
            files: "\
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
  skipRange: '!=1.1.0'
- name: foo.v1.2.0
  replaces: foo.v1.1.0
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
---
schema: olm.bundle
name: foo.v1.2.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
",
            findings: &[
                "9:14 `skipRange` \"!=1.1.0\" of \"foo.v1.1.0\" in channel \"stable\" covers 1.2.0, the newer version of \"foo.v1.2.0\"",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (package, view) in &context.packages {
        let graph = view.graph();
        for channel in &view.channels {
            if channel.entries().iter().all(|entry| entry.skip_range.is_empty()) {
                continue;
            }
            let names = channel.entries().iter().map(|entry| entry.name.as_str());
            // Where a range covers anything newer, it nearly always covers the newest.
            let newest = names.max_by(|a, b| graph.order(a, b)).unwrap_or_default();
            for (number, entry) in channel.entries().iter().enumerate() {
                let Some(range) = graph.readable_skip_range(entry) else { continue };
                let Some(own) = graph.version(&entry.name) else { continue };
                let covered = match graph.version(newest) {
                    _ if range.matches(own) => format!("{own}, its own version"),
                    Some(newest_version)
                        if newest_version.compare_precedence(own).is_gt()
                            && range.matches(newest_version) =>
                    {
                        format!("{newest_version}, the newer version of {}", quote(newest))
                    }
                    _ => continue,
                };
                findings.push(
                    Finding::new(
                        &RULE,
                        format!(
                            "`skipRange` {} of {} in channel {} covers {covered}",
                            quote(&entry.skip_range),
                            quote(&entry.name),
                            quote(&channel.name)
                        ),
                    )
                    .at(context.value(channel.origin, format!("/entries/{number}/skipRange")))
                    .about(Subject::entry(package, &channel.name, &entry.name))
                    .label("reaches too far")
                    .help(format!("end the range with `<{own}`")),
                );
            }
        }
    }
}
