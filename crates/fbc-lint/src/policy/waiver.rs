//! Waivers: findings that somebody has decided to live with, with a reason and perhaps until a day.

use std::ops::Range;
use std::path::Path;

use super::pattern::Pattern;
use super::set_aside::{Cause, SetAside};
use super::{Date, selector};
use crate::finding::Finding;
use crate::registry::Registry;
use crate::report::Report;

/// A waiver. A part that is not given covers everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The code, name or family of the rules that it is about, as written.
    pub code: String,
    /// The packages.
    pub package: Option<Pattern>,
    /// The channels.
    pub channel: Option<Pattern>,
    /// The bundles.
    pub bundle: Option<Pattern>,
    /// The files, as paths from the directory of the configuration file, with slashes.
    pub path: Option<Pattern>,
    /// Why; empty where nothing is said.
    pub reason: String,
    /// The last day on which it holds.
    pub expires: Option<Date>,
    /// Where it stands in the configuration file, in bytes.
    pub place: Range<usize>,
}

/// What was looked at, for the question whether a waiver could have been of use.
pub trait Scope {
    /// Whether everything that the configuration file is about was looked at.
    fn is_whole(&self) -> bool;
    /// Whether there is a package whose name the pattern covers.
    fn has_package(&self, pattern: &Pattern) -> bool;
    /// Whether a rule, by its code, was on, and looked at all of that.
    fn has_rule(&self, code: &str) -> bool;
    /// Whether a file was read whose path the pattern covers.
    fn has_path(&self, pattern: &Pattern) -> bool;
}

/// What is asked of waivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaiverRules {
    /// Today. Without it nothing expires.
    pub today: Option<Date>,
    /// Whether each must say when it expires.
    pub must_expire: bool,
}

/// What is wrong with a waiver itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaiverProblem {
    /// It names no rule.
    UnknownCode,
    /// It gives no reason, and does not count.
    WithoutReason,
    /// It expired on a day, and does not count any longer.
    Expired(Date),
    /// It does not say when it expires although it must, and does not count.
    WithoutExpiry,
    /// It covers no finding of a run that looked at everything that it is about.
    Unused,
}

/// Waivers at work: which of them hold, and which were of use.
#[derive(Clone, Debug)]
pub struct Waivers {
    entries: Vec<Entry>,
    rules: WaiverRules,
}

#[derive(Clone, Debug)]
struct Entry {
    waiver: Waiver,
    codes: Vec<&'static str>,
    is_used: bool,
}

impl Waivers {
    /// Waivers of which none has been of use yet.
    #[must_use]
    pub fn new(registry: &Registry, waivers: Vec<Waiver>, rules: WaiverRules) -> Self {
        let codes_of = |waiver: &Waiver| {
            let rules = selector::select(registry, &waiver.code).map(|(_, rules)| rules).unwrap_or_default();
            rules.into_iter().map(|rule| rule.code).collect()
        };
        let entry = |waiver: Waiver| Entry { codes: codes_of(&waiver), waiver, is_used: false };
        Self { entries: waivers.into_iter().map(entry).collect(), rules }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets the findings aside that a waiver covers. `path_of` turns the path of a finding into one from
    /// the directory of the configuration file.
    pub fn apply(&mut self, report: &mut Report, path_of: &dyn Fn(&Path) -> String) {
        if self.is_empty() {
            return;
        }
        let rules = self.rules;
        let mut kept = Vec::with_capacity(report.findings.len());
        for located in std::mem::take(&mut report.findings) {
            let mut reason = None;
            let holding = self.entries.iter_mut().filter(|entry| entry.holds(rules));
            for entry in holding.filter(|entry| entry.covers(&located.finding, path_of)) {
                // All that cover it are of use, so that their order does not matter.
                entry.is_used = true;
                reason.get_or_insert_with(|| entry.waiver.reason.clone());
            }
            match reason {
                Some(reason) => report.set_aside.push(SetAside { located, cause: Cause::Waived { reason } }),
                None => kept.push(located),
            }
        }
        report.findings = kept;
    }

    /// The waivers with something wrong about themselves.
    pub fn problems(&self, scope: &dyn Scope) -> impl Iterator<Item = (&Waiver, WaiverProblem)> {
        self.entries.iter().filter_map(|entry| Some((&entry.waiver, entry.problem(self.rules, scope)?)))
    }
}

impl Entry {
    /// Whether it counts: it has a reason and its time is not over.
    fn holds(&self, rules: WaiverRules) -> bool {
        !self.waiver.reason.trim().is_empty()
            && !self.is_expired(rules)
            && (self.waiver.expires.is_some() || !rules.must_expire)
    }

    fn is_expired(&self, rules: WaiverRules) -> bool {
        self.waiver.expires.zip(rules.today).is_some_and(|(expires, today)| expires < today)
    }

    fn covers(&self, finding: &Finding, path_of: &dyn Fn(&Path) -> String) -> bool {
        let covers = |pattern: &Option<Pattern>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
        };
        self.codes.contains(&finding.rule.code)
            && covers(&self.waiver.package, &finding.subject.package)
            && covers(&self.waiver.channel, &finding.subject.channel)
            && covers(&self.waiver.bundle, &finding.subject.bundle)
            && self.waiver.path.as_ref().is_none_or(|pattern| {
                finding.place.as_ref().is_some_and(|place| pattern.matches(&path_of(&place.path)))
            })
    }

    /// Whether it would have been of use in the run if it ever is: its rules were on, its package and files
    /// were looked at.
    fn is_in(&self, scope: &dyn Scope) -> bool {
        if !self.codes.iter().all(|code| scope.has_rule(code)) {
            return false;
        }
        scope.is_whole()
            || self.waiver.package.as_ref().is_none_or(|pattern| scope.has_package(pattern))
                && self.waiver.path.as_ref().is_none_or(|pattern| scope.has_path(pattern))
    }

    fn problem(&self, rules: WaiverRules, scope: &dyn Scope) -> Option<WaiverProblem> {
        if self.codes.is_empty() {
            return Some(WaiverProblem::UnknownCode);
        }
        if self.waiver.reason.trim().is_empty() {
            return Some(WaiverProblem::WithoutReason);
        }
        if let (true, Some(expires)) = (self.is_expired(rules), self.waiver.expires) {
            return Some(WaiverProblem::Expired(expires));
        }
        if rules.must_expire && self.waiver.expires.is_none() {
            return Some(WaiverProblem::WithoutExpiry);
        }
        (!self.is_used && self.is_in(scope)).then_some(WaiverProblem::Unused)
    }
}
