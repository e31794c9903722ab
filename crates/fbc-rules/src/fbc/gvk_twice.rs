//! APIs that a bundle provides twice.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::go_type;
use fbc_yaml::Node;

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC213",
    name: "api-twice",
    since: "0.1.0",
    summary: "A bundle names an API twice",
    explanation: "\
A bundle has several properties `olm.gvk`, or several `olm.gvk.required`, with the same group, version and
kind. One is enough; a second one is most often a copy in which the version or kind was not changed.",
    sources: &[Source::Advice(
        "an API is provided or needed as a whole, so that a second property says nothing",
    )],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("gvk_twice.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for kind in ["olm.gvk", "olm.gvk.required"] {
            let mut apis: Vec<(Api<'_>, usize)> =
                opm::values(item.bundle, kind).map(|(index, value)| (Api::from_node(value), index)).collect();
            // Stable: of equal ones the first stays first.
            apis.sort_by_key(|(api, _)| *api);
            for pair in apis.windows(2) {
                let [(first, first_index), (api, index)] = pair else { continue };
                if first != api {
                    continue;
                }
                let message = format!(
                    "bundle {} has two properties {} for {}/{} {}",
                    quote(&item.bundle.name),
                    quote(kind),
                    api.group,
                    api.version,
                    api.kind
                );
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(item.bundle.origin, format!("/properties/{index}")))
                        .about(item.subject())
                        .label("given before")
                        .related(
                            context.value(item.bundle.origin, format!("/properties/{first_index}")),
                            "given first",
                        )
                        .help("remove one, or correct its version or kind"),
                );
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Api<'d> {
    kind: &'d str,
    version: &'d str,
    group: &'d str,
}

impl<'d> Api<'d> {
    fn from_node(value: Node<'d>) -> Self {
        let text = |name| go_type::field(value, name).and_then(Node::as_str).unwrap_or_default();
        Self { kind: text("kind"), version: text("version"), group: text("group") }
    }
}
