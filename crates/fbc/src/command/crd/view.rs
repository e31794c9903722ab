//! The view for people: what changes, grouped by cause, why it hurts whom, the rest counted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use fbc_app::count::counted;
use fbc_app::escape::markdown_code;
use fbc_bundle::crd_upgrade::{Cause, Change, Class, Upgrade};

use super::wording;
use crate::failure::{ERROR, HELP, STRONG, WARNING};

/// Changes of one cause that are listed.
const MOST_CHANGES: usize = 8;
/// Longer values are cut.
const LONGEST_VALUE: usize = 60;
/// How much is shown of the beginning of a value that differs further on from another one.
const HEAD: usize = 24;
/// How much is shown before the difference.
const BEFORE: usize = 12;
/// How much is shown of the difference at least.
const AFTER: usize = 16;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Markdown,
}

/// Writes the view of all definitions and a summary.
pub(super) fn write(upgrades: &[Upgrade], form: Form, out: &mut dyn Write) -> io::Result<()> {
    for upgrade in upgrades {
        definition(upgrade, form, out)?;
    }
    let refused = upgrades.iter().filter(|upgrade| !upgrade.is_safe).count();
    let count = counted(upgrades.len(), "definition");
    match (form, refused) {
        (Form::Text, 0) => writeln!(out, "{STRONG}{count}: the upgrade goes through{STRONG:#}"),
        (Form::Text, _) => {
            writeln!(out, "{STRONG}{count}: the upgrade is refused because of {refused}{STRONG:#}")
        }
        (Form::Markdown, 0) => writeln!(out, "**{count}: the upgrade goes through**"),
        (Form::Markdown, _) => writeln!(out, "**{count}: the upgrade is refused because of {refused}**"),
    }
}

fn definition(upgrade: &Upgrade, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let verdict = match (upgrade.is_safe, upgrade.changes.first().map(|change| change.class)) {
        (false, Some(Class::RefusedByServer)) => "the API server refuses the upgrade",
        (false, _) => "the upgrade is refused",
        (true, None) => "nothing changes",
        (true, Some(Class::Risky)) => "nothing refuses the upgrade, but",
        (true, _) => "safe",
    };
    match form {
        Form::Text => writeln!(out, "{STRONG}{}{STRONG:#}: {verdict}", upgrade.name)?,
        Form::Markdown => writeln!(out, "### {}\n\n{verdict}\n", markdown_code(&upgrade.name))?,
    }
    let mut groups: BTreeMap<(Class, Cause), Vec<&Change>> = BTreeMap::new();
    for change in &upgrade.changes {
        // Of what the server alone refuses under the same cause nothing is said twice.
        groups.entry((change.class, change.cause)).or_default().push(change);
    }
    for ((class, cause), changes) in groups {
        group(class, cause, &changes, form, out)?;
    }
    if form == Form::Markdown {
        writeln!(out)?;
    }
    Ok(())
}

fn group(class: Class, cause: Cause, changes: &[&Change], form: Form, out: &mut dyn Write) -> io::Result<()> {
    let heading = wording::heading(cause);
    match (form, class) {
        (Form::Text, Class::Refused | Class::RefusedByServer) => {
            writeln!(out, "  {ERROR}refused{ERROR:#}: {heading}")?;
        }
        (Form::Text, Class::Risky) => writeln!(out, "  {WARNING}risky{WARNING:#}: {heading}")?,
        (Form::Text, Class::Harmless) => writeln!(out, "  {HELP}harmless{HELP:#}: {heading}")?,
        (Form::Markdown, _) => {
            let word = if class == Class::RefusedByServer { "refused" } else { class.name() };
            writeln!(out, "- **{word}**: {heading}")?;
        }
    }
    let lines = lines(cause, changes);
    for line in lines.iter().take(MOST_CHANGES) {
        match form {
            Form::Text => writeln!(out, "    {line}")?,
            Form::Markdown => writeln!(out, "  - {}", markdown_code(line))?,
        }
    }
    if lines.len() > MOST_CHANGES {
        let more = lines.len() - MOST_CHANGES;
        match form {
            Form::Text => writeln!(out, "    and {more} more")?,
            Form::Markdown => writeln!(out, "  - and {more} more")?,
        }
    }
    let explain = |text: &str, out: &mut dyn Write| match form {
        Form::Text => writeln!(out, "      {text}"),
        Form::Markdown => writeln!(out, "  - {text}"),
    };
    if class != Class::Harmless {
        for party in cause.hurts() {
            let harm: &str = wording::harm(cause, *party);
            explain(harm, out)?;
        }
        let has_server = changes.iter().any(|change| !change.server_message.is_empty());
        if has_server && class == Class::Refused {
            explain("the API server refuses it even with enforcement None", out)?;
        }
    }
    if cause == Cause::DefinitionGone {
        explain("the upgrade removes it, and with it every object of its kind; no check looks at that", out)?;
    }
    Ok(())
}

/// A line for each place: the nearest to the root of fields that are removed, all causes of a place together.
fn lines(cause: Cause, changes: &[&Change]) -> Vec<String> {
    if cause != Cause::FieldRemoved {
        let mut lines: Vec<String> = changes.iter().map(|change| line(change)).collect();
        lines.dedup();
        return lines;
    }
    let places: BTreeSet<(&str, &str)> = changes
        .iter()
        .filter(|change| !change.path.is_empty())
        .map(|change| (change.version.as_str(), change.path.as_str()))
        .collect();
    // Places above come first, for their paths are the beginnings of those below.
    let mut roots: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (version, path) in places {
        let above = path.match_indices(['.', '[']).filter_map(|(end, _)| path.get(..end));
        let root = above.map(|above| (version, above)).find(|above| roots.contains_key(above));
        match root.and_then(|root| roots.get_mut(&root)) {
            Some(below) => *below += 1,
            None => {
                roots.insert((version, path), 0);
            }
        }
    }
    roots
        .into_iter()
        .map(|((version, path), below)| match below {
            0 => format!("{version} {path}"),
            below => format!("{version} {path} and {} below", counted(below, "field")),
        })
        .collect()
}

fn line(change: &Change) -> String {
    let mut line = [change.version.as_str(), change.path.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let is_version = change.cause == Cause::VersionAdded || change.cause == Cause::VersionRemoved;
    if !is_version && (!change.old.is_empty() || !change.new.is_empty()) {
        let separator = if line.is_empty() { "" } else { ": " };
        let attribute = match change.cause {
            Cause::Scope
            | Cause::Names
            | Cause::ApiVersion
            | Cause::StoredVersionRemoved
            | Cause::DefinitionGone
            | Cause::DefinitionAdded
            | Cause::Unknown => String::new(),
            _ => format!("{} ", change.validator),
        };
        let (old, new) = values(&change.old, &change.new);
        line.push_str(&format!("{separator}{attribute}{old} -> {new}"));
    }
    if line.is_empty() { change.message.clone() } else { line }
}

/// Two values side by side, shortened so that it is seen where they differ.
fn values(old: &str, new: &str) -> (String, String) {
    let [old, new] = [old, new].map(|text| text.replace(['\n', '\r'], " "));
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    (shortened(&old, same), shortened(&new, same))
}

/// A value of which so many characters are those of the other one.
fn shortened(text: &str, same: usize) -> String {
    if text.is_empty() {
        return "none".to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= LONGEST_VALUE {
        return text.to_owned();
    }
    let part = |range: std::ops::Range<usize>| {
        characters.iter().take(range.end).skip(range.start).collect::<String>()
    };
    let (head, rest) = if same + AFTER <= LONGEST_VALUE {
        (String::new(), 0)
    } else {
        (format!("{}...", part(0..HEAD)), (same - BEFORE).min(characters.len()))
    };
    let end = rest + LONGEST_VALUE - head.chars().count();
    let more = if end < characters.len() { "..." } else { "" };
    format!("{head}{}{more}", part(rest..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown() {
        let long = |at: usize, what: &str| format!("{}{what}{}", "a".repeat(at), "b".repeat(100));
        let shown = |old: &str, new: &str| {
            let (old, new) = values(old, new);
            format!("{old} -> {new}")
        };
        let ends = "b".repeat(LONGEST_VALUE);
        for (old, new, expected) in [
            ("", "one\ntwo", "none -> one two".to_owned()),
            (long(3, "x").as_str(), "y", format!("aaax{}... -> y", &ends[4..])),
            (
                long(200, "x").as_str(),
                long(200, "y").as_str(),
                format!(
                    "{head}...{before}x{rest}... -> {head}...{before}y{rest}...",
                    head = "a".repeat(HEAD),
                    before = "a".repeat(BEFORE),
                    rest = &ends[HEAD + 3 + BEFORE + 1..],
                ),
            ),
            // One is where the other one begins.
            (
                "a".repeat(200).as_str(),
                "a".repeat(201).as_str(),
                format!(
                    "{head}...{} -> {head}...{}",
                    "a".repeat(BEFORE),
                    "a".repeat(BEFORE + 1),
                    head = "a".repeat(HEAD),
                ),
            ),
        ] {
            assert_eq!(shown(old, new), expected, "{old} {new}");
        }
        let (old, new) = values(&long(LONGEST_VALUE, "x"), &long(LONGEST_VALUE, "y"));
        assert!(old.contains('x') && new.contains('y'), "{old} {new}");
    }
}
