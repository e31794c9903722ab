//! Waivers: findings that somebody has decided to live with, with a reason and perhaps until a day.

use std::ops::Range;
use std::path::Path;

use fbc_go::text::quote;

use super::pattern::Pattern;
use super::set_aside::{Cause, SetAside};
use super::{Date, selector};
use crate::finding::Finding;
use crate::report::{Located, Report};
use crate::rules::cfg;

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
    pub fn new(waivers: Vec<Waiver>, rules: WaiverRules) -> Self {
        let codes_of = |waiver: &Waiver| {
            let rules = selector::select(&waiver.code).map(|(_, rules)| rules).unwrap_or_default();
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

    /// What is wrong with the waivers themselves, each in its place in the configuration file.
    #[must_use]
    pub fn faults(&self, scope: &dyn Scope, source: &[u8], path: &Path) -> Vec<Located> {
        let faults = self.entries.iter().filter_map(|entry| Some((entry, entry.fault(self.rules, scope)?)));
        faults
            .map(|(entry, finding)| Located::in_file(finding, path, source, entry.waiver.place.clone()))
            .collect()
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

    fn fault(&self, rules: WaiverRules, scope: &dyn Scope) -> Option<Finding> {
        let code = quote(&self.waiver.code);
        if self.codes.is_empty() {
            return Some(cfg::unknown_code::finding(&self.waiver.code));
        }
        if self.waiver.reason.trim().is_empty() {
            let message = format!("the waiver of {code} gives no reason, and does not count");
            return Some(
                Finding::new(&cfg::waiver_without_reason::RULE, message)
                    .label("no reason")
                    .help("add `reason = \"...\"`: who decided it, and why it is right"),
            );
        }
        if let (true, Some(expires)) = (self.is_expired(rules), self.waiver.expires) {
            let message = format!("the waiver of {code} expired on {expires}");
            return Some(
                Finding::new(&cfg::expired_waiver::RULE, message)
                    .label("no longer counts")
                    .note(format!("its reason was: {}", self.waiver.reason))
                    .help("fix what it covers and remove it, or decide on a new date"),
            );
        }
        if rules.must_expire && self.waiver.expires.is_none() {
            let message = format!("the waiver of {code} does not say when it expires, and does not count");
            return Some(
                Finding::new(&cfg::waiver_without_expiry::RULE, message)
                    .label("no `expires`")
                    .help("add `expires = \"YYYY-MM-DD\"`"),
            );
        }
        (!self.is_used && self.is_in(scope)).then(|| {
            Finding::new(&cfg::unused_waiver::RULE, format!("the waiver of {code} covers no finding"))
                .label("of no use")
                .help("remove it; if it should cover something, compare it with `-o json` without it")
        })
    }
}
