//! Changes as findings of the rules of the family REP.

use fbc_go::text::quote;
use fbc_model::Catalog;
use fbc_model::tree::Tree;

use super::change::{Affected, Change, Class};
use super::updates::Meaning;
use crate::context::Context;
use crate::finding::{Finding, Severity};
use crate::policy::Policy;
use crate::report::{self, Report};
use crate::rules::grf::opm::name_list;
use crate::rules::rep;

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
    locate(new, tree, findings.collect(), policy)
}

/// Findings of a change set with their places, at the severity of a policy; those that it leaves out are
/// gone.
#[must_use]
pub fn locate(new: &Catalog, tree: &dyn Tree, mut findings: Vec<Finding>, policy: &Policy) -> Report {
    report::judge(&mut findings, policy);
    Report { findings: report::locate(new, tree, findings, policy.with_fixes), ..Report::default() }
}

fn finding(context: &Context<'_>, change: &Change) -> Option<Finding> {
    let rule = rep::of_change(change.kind)?;
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

impl Affected {
    /// Who is affected, in words: `stranded under OLM v0 and v1: "foo.v1.0.0"`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let names = name_list(self.bundles.iter().map(String::as_str));
        let meanings: Vec<&str> = self.meanings.iter().copied().map(Meaning::name).collect();
        let what = match self.effect {
            super::Effect::Follows => "users of",
            effect => effect.name(),
        };
        match meanings.as_slice() {
            [] => format!("{what}: {names}"),
            meanings => format!("{what} under OLM {}: {names}", meanings.join(" and ")),
        }
    }
}
