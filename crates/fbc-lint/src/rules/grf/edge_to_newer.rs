//! Edges that lead from a newer version to an older one.

use std::cmp::Ordering;

use fbc_graph::ChainEnd;
use fbc_yaml::go_text::quote;

use crate::context::{Context, PackageView};
use crate::finding::{Finding, Subject};
use crate::rule::{Basis, Case, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "GRF012",
    name: "replaces-newer",
    summary: "An entry replaces or skips a newer version",
    explanation: "\
`replaces` and `skips` name what users come from: older versions. An edge to a newer version offers its
users a downgrade as if it were an update. opm does not look at versions here.

Mostly two names were mixed up, or `replaces` stands in the wrong entry. A downgrade on purpose is better
made by a bundle of a higher version with the old contents.",
    basis: Basis::Advice,
    check,
    cases: &[
        Case {
            title: "an update",
            catalog: "\
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
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
            title: "a downgrade",
            catalog: "\
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
  replaces: foo.v1.1.0
- name: foo.v1.1.0
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
",
            findings: &["9:13 \"foo.v1.0.0\" (1.0.0) replaces the newer \"foo.v1.1.0\" (1.1.0) in channel \"stable\""],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (package, view) in &context.packages {
        for graph in view.channel_graphs() {
            // Where the edges run in a circle, one of them leads to a newer version, and there is a
            // finding about it.
            if matches!(graph.analysis.end, ChainEnd::NoHead | ChainEnd::Cycle { .. }) {
                continue;
            }
            let channel = graph.channel;
            for (number, entry) in channel.entries().iter().enumerate() {
                let is_newer =
                    |target: &str| view.graph().compare(target, &entry.name) == Some(Ordering::Greater);
                let mut report = |verb: &str, target: &str, pointer: String| {
                    findings.push(
                        Finding::new(
                            &RULE,
                            format!(
                                "{} {verb} the newer {} in channel {}",
                                with_version(view, &entry.name),
                                with_version(view, target),
                                quote(&channel.name)
                            ),
                        )
                        .at(context.value(channel.origin, pointer))
                        .about(Subject::entry(package, &channel.name, &entry.name))
                        .label("users of this version are offered a downgrade"),
                    );
                };
                if is_newer(&entry.replaces) {
                    report("replaces", &entry.replaces, format!("/entries/{number}/replaces"));
                }
                for (index, skip) in entry.skips.iter().enumerate().filter(|(_, skip)| is_newer(skip)) {
                    report("skips", skip, format!("/entries/{number}/skips/{index}"));
                }
            }
        }
    }
}

fn with_version(view: &PackageView<'_>, bundle: &str) -> String {
    let version = view.graph().version_release(bundle).map(|version| format!(" ({version})"));
    format!("{}{}", quote(bundle), version.unwrap_or_default())
}
