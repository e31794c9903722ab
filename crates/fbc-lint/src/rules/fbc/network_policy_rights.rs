//! Operators that cannot manage network policies.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC239",
    name: "network-policy-rights",
    since: "0.1.0",
    summary: "An operator asks for no right to manage network policies",
    explanation: "\
Release policies want operators to manage the network policies of what they run: the ClusterServiceVersion must
ask for `create`, `delete`, and `update` or `patch` on `networkpolicies` of `networking.k8s.io`, all in one
rule. The rule sees bundles whose manifests are in the catalog.",
    sources: &[Source::Code(
        "conforma/policy:policy/release/olm/olm.rego",
        "required_network_policy_rbac_for_operands",
    )],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "rights",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6eyJpbnN0YWxsIjp7InNwZWMiOnsiY2x1c3RlclBlcm1pc3Npb25zIjpbeyJydWxlcyI6W3siYXBpR3JvdXBzIjpbIm5ldHdvcmtpbmcuazhzLmlvIl0sInJlc291cmNlcyI6WyJuZXR3b3JrcG9saWNpZXMiXSwidmVyYnMiOlsiY3JlYXRlIiwiZGVsZXRlIiwicGF0Y2giXX1dfV19fX19}}
",
            findings: &[],
        },
        Case {
            title: "none",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: eyJhcGlWZXJzaW9uIjoib3BlcmF0b3JzLmNvcmVvcy5jb20vdjFhbHBoYTEiLCJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6e319}}
",
            findings: &["5:43 bundle \"foo.v1\" asks for no right to manage network policies"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let description = context.manifests(item.number).and_then(|facts| facts.description.as_ref());
        let Some((description, whole)) =
            description.and_then(|description| Some((description, description.whole.as_ref()?)))
        else {
            continue;
        };
        if whole.manages_network_policies {
            continue;
        }
        let name = quote(&item.bundle.name);
        findings.push(
            Finding::new(&RULE, format!("bundle {name} asks for no right to manage network policies"))
                .at(context.value(item.bundle.origin, description.place()))
                .about(item.subject())
                .label("in this manifest")
                .help("ask for create, delete and patch on networkpolicies of networking.k8s.io"),
        );
    }
}
