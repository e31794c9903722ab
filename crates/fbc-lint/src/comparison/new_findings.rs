//! Findings that a change brings: those of the new catalog that the old one does not have.
//!
//! Lines move, so findings are matched by their rule and by what they are about, never by place.

use std::collections::HashMap;

use crate::finding::Subject;
use crate::report::Located;

/// Takes out of the findings of the new catalog those that the old one has as well.
///
/// First equal messages about equal things are matched. Of the rest, findings of one rule about one thing
/// are matched one to one: their messages may count something that changed.
#[must_use]
pub fn only_new(new: Vec<Located>, old: &[Located]) -> Vec<Located> {
    let mut exact: HashMap<(Identity<'_>, &str), usize> = HashMap::new();
    let mut loose: HashMap<Identity<'_>, usize> = HashMap::new();
    for located in old {
        let identity = Identity::from_located(located);
        *exact.entry((identity, &located.finding.message)).or_default() += 1;
        *loose.entry(identity).or_default() += 1;
    }
    let mut is_known = Vec::with_capacity(new.len());
    for located in &new {
        let identity = Identity::from_located(located);
        let taken = exact.get_mut(&(identity, located.finding.message.as_str())).is_some_and(take);
        if taken {
            loose.get_mut(&identity).map(take);
        }
        is_known.push(taken);
    }
    let is_known: Vec<bool> = new
        .iter()
        .zip(is_known)
        .map(|(located, is_known)| {
            let identity = Identity::from_located(located);
            // Files as a whole are told apart by their messages alone.
            is_known || identity.is_about_something() && loose.get_mut(&identity).is_some_and(take)
        })
        .collect();
    new.into_iter().zip(is_known).filter(|(_, is_known)| !is_known).map(|(located, _)| located).collect()
}

fn take(count: &mut usize) -> bool {
    let is_there = *count > 0;
    *count = count.saturating_sub(1);
    is_there
}

/// A rule, and what a finding of it is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Identity<'f> {
    code: &'static str,
    package: &'f str,
    channel: &'f str,
    bundle: &'f str,
}

impl<'f> Identity<'f> {
    fn from_located(located: &'f Located) -> Self {
        let Subject { package, channel, bundle } = &located.finding.subject;
        Self { code: located.finding.rule.code, package, channel, bundle }
    }

    fn is_about_something(&self) -> bool {
        !(self.package.is_empty() && self.channel.is_empty() && self.bundle.is_empty())
    }
}
