//! Constraints that OLM v0 cannot use.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_model::constraint::{CONDITIONS, Constraint, ConstraintFault, FaultKind, TYPE};

use super::{go_words, opm};
use crate::grf::invalid_skip_range;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC247",
    name: "constraint",
    since: "0.1.0",
    summary: "A property `olm.constraint` cannot be used",
    explanation: "\
The value of `olm.constraint` says what OLM v0 must find before it installs the bundle: `failureMessage`, and one of

- `cel`: `{rule}`, an expression of the Common Expression Language over `properties`, a list of maps with `type` and `value`; its
  result is a boolean. Beside the standard library there is `semver_compare(a, b)`, and nothing else
- `package`: `{packageName, versionRange}`, a range in the grammar of GRF010
- `gvk`: `{group, version, kind}`
- `all`, `any`, `not`: `{constraints}`, a list of constraints

opm does not read the value in a catalog. The resolver refuses what has a field that there is not, says nothing, or does not
compile, and then it updates nothing in the namespace. Of several conditions side by side it reads one.",
    sources: &[
        Source::Code("operator-framework/api:pkg/constraints/constraint.go", "Parse"),
        Source::Code("operator-framework/api:pkg/constraints/cel.go", "Validate"),
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go",
            "convertConstraints",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("constraint.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        for (index, value) in opm::values(item.bundle, TYPE) {
            let Err(faults) = Constraint::parse(value) else { continue };
            let of = format!("`{TYPE}` of bundle {}", quote(&item.bundle.name));
            for fault in &faults {
                let place = format!("/properties/{index}/value");
                findings.push(
                    Finding::new(&RULE, message(&of, fault))
                        .at(context.value(item.bundle.origin, format!("{place}{}", fault.pointer)))
                        .about(item.subject())
                        .label("OLM v0 cannot use this")
                        .help(help(fault))
                        .fix_if(fix(fault, item.bundle.origin, &place)),
                );
            }
        }
    }
}

/// What is wrong, in words; `of` names whose constraint it is.
pub(crate) fn message(of: &str, fault: &ConstraintFault) -> String {
    match &fault.kind {
        FaultKind::WrongType(error) => {
            let field =
                if fault.pointer.is_empty() { "value".to_owned() } else { go_words::path(&fault.pointer) };
            format!("{of}: `{field}` {}", go_words::explain(&error.message))
        }
        FaultKind::Expression(error) => {
            // The report of the compiler has three lines for each fault; its first says what.
            let report = error.to_string();
            let first = report.lines().next().unwrap_or_default();
            let first = first.strip_prefix("ERROR: <input>:").unwrap_or(first);
            format!("{of}: the CEL expression does not compile: {first}")
        }
        kind => format!("{of}: {kind}"),
    }
}

/// What to do about it.
pub(crate) fn help(fault: &ConstraintFault) -> String {
    let known = || {
        let fields: Vec<String> = CONDITIONS.iter().map(|name| format!("`{name}`")).collect();
        format!("write `failureMessage` and one of {}", fields.join(", "))
    };
    match &fault.kind {
        FaultKind::TooLarge(_) => {
            "shorten it, or make several properties of it, all of which must hold".to_owned()
        }
        FaultKind::WrongType(error) => match go_words::help(&error.message) {
            "" => known(),
            help => help.to_owned(),
        },
        FaultKind::UnknownField { meant: Some(meant), .. } => {
            format!("did you mean `{meant}`? OLM refuses the constraint with an unknown field")
        }
        FaultKind::UnknownField { meant: None, .. } => format!("remove it; {}", known()),
        FaultKind::Empty => known(),
        FaultKind::Several(_) => "keep one, or put each into a constraint of its own below `all`".to_owned(),
        FaultKind::OldName => "write `not`".to_owned(),
        FaultKind::NoText(name) => format!("write `{name}`"),
        FaultKind::NoConstraints(_) => "write them as a list `constraints`".to_owned(),
        FaultKind::Range { range, .. } => invalid_skip_range::help(range),
        FaultKind::Expression(_) => {
            "the variable is `properties`, as in `properties.exists(p, p.type == 'certified')`".to_owned()
        }
        FaultKind::NoCondition => {
            "compare its result with something, as in `properties.exists(p, p.type == 'certified')`"
                .to_owned()
        }
    }
}

/// What would put it right, where that can be meant in one way only. `place` is the JSON pointer of the value.
pub(crate) fn fix(fault: &ConstraintFault, origin: Origin, place: &str) -> Option<Fix> {
    match &fault.kind {
        FaultKind::UnknownField { meant: Some(meant), .. } => {
            Some(Fix::risky(format!("rename the field to `{meant}`")).rename(
                origin,
                format!("{place}{}", fault.pointer),
                meant,
            ))
        }
        FaultKind::OldName => Some(Fix::risky("rename the field to `not`").rename(
            origin,
            format!("{place}{}", fault.pointer),
            "not",
        )),
        FaultKind::Range { range, .. } => invalid_skip_range::meant(range).map(|meant| {
            Fix::safe(format!("write {}", quote(&meant))).set(
                origin,
                format!("{place}{}", fault.pointer),
                &meant,
            )
        }),
        _ => None,
    }
}
