//! Changes that are alike are told once, with the names of the others behind.

use fbc_go::text::quote;
use fbc_lint::comparison::{Change, ChangeKind, Effect};

/// Names behind the first of a group.
const NAMES_SHOWN: usize = 12;

/// Changes of one kind, class and channel that differ in their bundle only.
pub struct Group<'c> {
    /// The first of them.
    pub first: &'c Change,
    /// The others.
    pub others: Vec<&'c Change>,
}

impl Group<'_> {
    /// The names of the others, all of them if wanted.
    pub fn names(&self, wants_all: bool) -> String {
        let shown = if wants_all { self.others.len() } else { NAMES_SHOWN };
        let names: Vec<String> =
            self.others.iter().take(shown).map(|change| quote(&change.subject.bundle)).collect();
        let more = self.others.len().saturating_sub(shown);
        if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
    }
}

/// Puts changes that are alike together; their order stays.
pub fn alike<'c>(changes: &[&'c Change]) -> Vec<Group<'c>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    for &change in changes {
        match groups.last_mut().filter(|group| is_alike(group.first, change)) {
            Some(group) => group.others.push(change),
            None => groups.push(Group { first: change, others: Vec::new() }),
        }
    }
    groups
}

fn is_alike(a: &Change, b: &Change) -> bool {
    let says_no_more = matches!(
        a.kind,
        ChangeKind::BundleRemoved
            | ChangeKind::BundleAdded
            | ChangeKind::EntryRemoved
            | ChangeKind::EntryAdded
            | ChangeKind::ManifestFormChanged
            | ChangeKind::DeprecationRemoved
    );
    says_no_more
        && (a.kind, a.class, &a.subject.package, &a.subject.channel, &a.reason)
            == (b.kind, b.class, &b.subject.package, &b.subject.channel, &b.reason)
}

/// What is worth knowing of a change besides its message, a line each.
pub fn details(change: &Change) -> Vec<String> {
    let mut lines = Vec::new();
    if !change.before.is_empty() && !change.after.is_empty() {
        lines.push(format!("before: {}", quote(&change.before)));
        lines.push(format!("now:    {}", quote(&change.after)));
    }
    // That the users of a bundle are on that bundle needs no saying.
    let is_plain = |effect, bundles: &[String]| {
        effect == Effect::Follows && bundles.iter().all(|bundle| *bundle == change.subject.bundle)
    };
    let affected = change.affected.iter().filter(|affected| !is_plain(affected.effect, &affected.bundles));
    lines.extend(affected.map(|affected| affected.sentence()));
    if !change.reason.is_empty() {
        lines.push(change.reason.clone());
    }
    lines
}
