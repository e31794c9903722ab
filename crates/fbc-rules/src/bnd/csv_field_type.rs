//! Fields of a cluster service version of the wrong kind.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Kind;

use super::csv_shape::{Departure, departures};
use crate::fbc::go_words;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND008",
    name: "csv-field-type",
    since: "0.1.0",
    summary: "A field of a ClusterServiceVersion has a value of the wrong kind",
    explanation: "\
The tools decode the ClusterServiceVersion into types, and refuse it as a whole for one value of another kind.
The usual reason is YAML: an unquoted `1.0` is a number and an unquoted `true` is not a string. Annotations are texts
without exception.",
    sources: &[
        Source::Code("operator-framework/api:pkg/operators/v1alpha1/clusterserviceversion_types.go", ""),
        Source::Code("operator-framework/api:pkg/manifests/bundleloader.go", "loadBundle"),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("csv_field_type.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    for (pointer, departure) in departures(csv.object.node) {
        let Departure::Kind { expected, found } = departure else { continue };
        let shown = go_words::path(&pointer);
        let message =
            format!("`{shown}` must be {expected}, but it is {}", go_words::found_kind(found.go_name()));
        let fix = (expected == "text" && matches!(found, Kind::Number | Kind::Bool))
            .then(|| Fix::safe("put the value in quotes").quote(csv.origin(), pointer.clone()));
        findings.push(
            context.finding(&RULE, csv.origin(), pointer, message).fix_if(fix).label("another kind").help(
                match expected {
                    "text" => "put the value in quotes",
                    "true or false" => "write `true` or `false` without quotes",
                    "a number" => "write the number without quotes",
                    _ => "correct the indentation, or the value",
                },
            ),
        );
    }
}
