//! Operators that cannot manage network policies.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

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
    cases: include_str!("network_policy_rights.cases"),
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
