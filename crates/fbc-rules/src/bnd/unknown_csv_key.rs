//! Keys of a cluster service version that mean nothing.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::csv_shape::{Departure, departures};
use crate::fbc::go_words;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND206",
    name: "unknown-csv-key",
    since: "0.1.0",
    summary: "A key of a ClusterServiceVersion means nothing",
    explanation: "\
A key that the type of the ClusterServiceVersion does not have is dropped without a word: a misspelt `replaces`
means that nobody gets the update, a misspelt `minKubeVersion` that nobody is kept from it. The case counts:
`customresourcedefinitions` and `webhookdefinitions` are written in lower case.",
    sources: &[
        Source::Advice("Go's JSON decoder drops keys that a type does not have"),
        Source::Code(
            "operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go",
            "ClusterServiceVersionSpec",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("unknown_csv_key.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (pointer, departure) in departures(csv.object.node) {
        let Departure::Unknown { key, known } = departure else { continue };
        let message = format!("`{}` means nothing in a ClusterServiceVersion", go_words::path(&pointer));
        let question = names::did_you_mean(key, known.iter().copied());
        let help = if question.is_empty() {
            format!("remove it; known here: {}", known.join(", "))
        } else {
            question.trim_end().to_owned()
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.key(csv.origin(), pointer))
                .about(context.subject())
                .label("unknown key")
                .help(help),
        );
    }
}
