//! Changes as findings of the rules of the family REP.

use fbc_go::text::quote;
use fbc_lint::comparison::{Change, Class};
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Severity};
use fbc_lint::policy::Policy;
use fbc_lint::report::{self, Report};
use fbc_model::Catalog;
use fbc_model::tree::Tree;

use super::of_change;

/// The breaking and risky changes as a report on the new catalog: errors and warnings. The
/// tree must be the one that the catalog was loaded from.
#[must_use]
pub fn report(new: &Catalog, tree: &dyn Tree, changes: &[Change]) -> Report {
    let context = Context::new(new, tree);
    let findings = changes.iter().filter_map(|change| {
        let mut finding = finding(&context, change)?;
        finding.severity = match change.class {
            Class::Breaking => Severity::Error,
            Class::Risky => Severity::Warning,
            Class::Harmless => return None,
        };
        Some(finding)
    });
    Report { findings: report::locate(new, tree, findings.collect(), false), ..Report::default() }
}

/// Changes as findings with their places, at the severities of a policy.
#[must_use]
pub fn broken(new: &Catalog, tree: &dyn Tree, changes: &[Change], policy: &Policy) -> Report {
    let context = Context::new(new, tree);
    let findings = changes.iter().filter_map(|change| finding(&context, change));
    report::judged(new, tree, findings.collect(), policy)
}

fn finding(context: &Context<'_>, change: &Change) -> Option<Finding> {
    let rule = of_change(change.kind)?;
    let mut finding = Finding::new(rule, change.message.as_str()).about(change.subject.clone());
    if let Some((origin, pointer)) = &change.place {
        finding = finding.at(context.value(*origin, pointer.as_str()));
    }
    if !change.before.is_empty() || !change.after.is_empty() {
        let text = |text: &str| if text.is_empty() { "nothing".to_owned() } else { quote(text) };
        finding = finding.note(format!("before: {}; now: {}", text(&change.before), text(&change.after)));
    }
    for affected in &change.affected {
        finding = finding.note(affected.sentence());
    }
    Some(if change.reason.is_empty() { finding } else { finding.note(change.reason.as_str()) })
}
