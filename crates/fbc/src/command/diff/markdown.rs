//! The changes as a comment on a pull request: a table of the packages, and what happens in each folded away.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use fbc_lint::comparison::{Change, ChangeKind, Class};
use fbc_model::{Catalog, ChannelEntry};

use fbc_app::comparison::Compared;
use fbc_app::comparison::grouping::{Group, alike, details};
use fbc_app::escape::{line, markdown, markdown_code};

/// Code hosts refuse long comments; GitHub's limit is 65,536 characters.
const MAX_BYTES: usize = 60_000;
/// Rows of the table.
const MAX_PACKAGES: usize = 50;
/// Changes shown of one class in one package.
const MAX_CHANGES: usize = 20;
/// Channels of a package that are drawn.
const MAX_DRAWINGS: usize = 20;
/// Bundles in a drawing; more are no help.
const MAX_DRAWN: usize = 12;

/// Writes one of several comparisons that share a comment.
pub(super) fn write(compared: &Compared<'_>, sharing: usize, out: &mut dyn Write) -> io::Result<()> {
    let max_bytes = MAX_BYTES / sharing.max(1);
    let comparison = compared.comparison;
    let sign = compared.worst().map_or("✅", sign);
    let mut text = format!("### {sign} fbc diff: {}\n", compared.summary());
    text.push_str(&format!(
        "\n{} → {}\n",
        markdown_code(&compared.old_name),
        markdown_code(&compared.new_name)
    ));
    if let Some((invalid, command)) = compared.invalid() {
        let (sign, command) = (self::sign(Class::Breaking), markdown_code(&command));
        text.push_str(&format!("\n{sign} **Breaking**: {invalid}; {command} shows where.\n"));
    }
    // The worst packages first: the comment may have to end before the others.
    let mut packages: Vec<(Class, &str)> = comparison
        .changed_packages
        .iter()
        .filter_map(|package| {
            let classes = comparison.of_package(package).iter().map(|change| change.class);
            Some((classes.min()?, package.as_str()))
        })
        .collect();
    packages.sort();
    if !packages.is_empty() {
        text.push_str("\n| | Package | Breaking | Risky | Harmless |\n|---|---|--:|--:|--:|\n");
    }
    for (worst, package) in packages.iter().take(MAX_PACKAGES) {
        let changes = comparison.of_package(package);
        let count = |class| changes.iter().filter(|change| change.class == class).count();
        let [breaking, risky, harmless] = Class::ALL.map(count);
        let name = if package.is_empty() { "(no package)".to_owned() } else { markdown_code(package) };
        text.push_str(&format!("| {} | {name} | {breaking} | {risky} | {harmless} |\n", self::sign(*worst)));
    }
    if packages.len() > MAX_PACKAGES {
        text.push_str(&format!("\nAnd {} more packages.\n", packages.len() - MAX_PACKAGES));
    }
    let mut left = packages.len();
    for (_, package) in &packages {
        let section = section(compared, package);
        if text.len() + section.len() > max_bytes {
            break;
        }
        text.push_str(&section);
        left -= 1;
    }
    if left > 0 {
        text.push_str(&format!("\nAnd the details of {left} more packages; run `fbc diff` to see them.\n"));
    }
    out.write_all(text.as_bytes())
}

fn sign(class: Class) -> &'static str {
    match class {
        Class::Breaking => "🔴",
        Class::Risky => "🟡",
        Class::Harmless => "🟢",
    }
}

fn section(compared: &Compared<'_>, package: &str) -> String {
    let changes = compared.comparison.of_package(package);
    let is_open = changes.iter().any(|change| change.class == Class::Breaking);
    let title = if package.is_empty() { "(no package)" } else { package };
    let mut text = format!(
        "\n<details{}>\n<summary>{}</summary>\n",
        if is_open { " open" } else { "" },
        markdown(title)
    );
    for class in Class::ALL {
        let of_class: Vec<&Change> = changes.iter().filter(|change| change.class == class).collect();
        if of_class.is_empty() {
            continue;
        }
        text.push_str(&format!("\n**{} {}**\n\n", sign(class), capital(class.name())));
        let groups = alike(&of_class);
        groups.iter().take(MAX_CHANGES).for_each(|group| push_group(&mut text, group));
        if groups.len() > MAX_CHANGES {
            text.push_str(&format!("- and {} more\n", groups.len() - MAX_CHANGES));
        }
    }
    for drawing in drawings(compared, changes) {
        text.push_str(&drawing);
    }
    text.push_str("\n</details>\n");
    text
}

fn push_group(text: &mut String, group: &Group<'_>) {
    text.push_str(&format!("- {}\n", prose(&group.first.message)));
    if !group.others.is_empty() {
        text.push_str(&format!("  - likewise: {}\n", prose(&group.names(false))));
    }
    if group.first.class != Class::Harmless {
        details(group.first).iter().for_each(|line| text.push_str(&format!("  - {}\n", prose(line))));
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A sentence whose names stand in quotation marks: they become code, the rest is escaped.
fn prose(sentence: &str) -> String {
    let mut text = String::with_capacity(sentence.len());
    for (number, part) in sentence.split('"').enumerate() {
        if number % 2 == 1 { text.push_str(&markdown_code(part)) } else { text.push_str(&markdown(part)) }
    }
    text
}

/// A drawing of each channel whose entries or edges changed: what changed, and what it is joined to.
fn drawings(compared: &Compared<'_>, changes: &[Change]) -> Vec<String> {
    let mut touched: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for change in changes {
        let is_edge = matches!(
            change.kind,
            ChangeKind::EntryAdded
                | ChangeKind::EntryRemoved
                | ChangeKind::EdgesAdded
                | ChangeKind::EdgesRemoved
                | ChangeKind::SkipRangeChanged
        );
        if is_edge {
            touched.entry(&change.subject.channel).or_default().insert(&change.subject.bundle);
        }
        for affected in change.affected.iter().filter(|_| change.kind == ChangeKind::UsersStranded) {
            touched
                .entry(&change.subject.channel)
                .or_default()
                .extend(affected.bundles.iter().map(String::as_str));
        }
    }
    let package = changes.first().map_or("", |change| change.subject.package.as_str());
    let drawn = touched.iter().take(MAX_DRAWINGS);
    drawn.filter_map(|(channel, bundles)| drawing(compared, package, channel, bundles)).collect()
}

fn drawing(
    compared: &Compared<'_>,
    package: &str,
    channel: &str,
    touched: &BTreeSet<&str>,
) -> Option<String> {
    let (old, new) = (edges(compared.old, package, channel), edges(compared.new, package, channel));
    let all: BTreeSet<(&str, &str, &str)> = old.union(&new).copied().collect();
    let near: Vec<_> =
        all.iter().filter(|(from, to, _)| touched.contains(from) || touched.contains(to)).collect();
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for name in near.iter().flat_map(|(from, to, _)| [from, to]).chain(touched) {
        let number = nodes.len();
        nodes.entry(name).or_insert(number);
    }
    if near.is_empty() || nodes.len() > MAX_DRAWN {
        return None;
    }
    let legend =
        match (near.iter().any(|edge| !new.contains(edge)), near.iter().any(|edge| !old.contains(edge))) {
            (true, true) => ": dashed edges are gone, thick ones are new.",
            (true, false) => ": dashed edges are gone.",
            (false, true) => ": thick edges are new.",
            (false, false) => ":",
        };
    let mut text = format!("\nChannel {}{legend}\n\n```mermaid\ngraph LR\n", markdown_code(channel));
    for (name, number) in &nodes {
        text.push_str(&format!("  n{number}[\"{}\"]\n", mermaid_label(name)));
    }
    for edge @ (from, to, kind) in near {
        let (Some(from), Some(to)) = (nodes.get(from), nodes.get(to)) else { continue };
        let arrow = match (old.contains(edge), new.contains(edge)) {
            (true, false) => "-.->",
            (false, true) => "==>",
            _ => "-->",
        };
        text.push_str(&format!("  n{from} {arrow}|{kind}| n{to}\n"));
    }
    text.push_str("```\n");
    Some(text)
}

/// The label of a node. Mermaid makes markup and links of what looks like it, but for entities.
fn mermaid_label(name: &str) -> String {
    let mut label = String::with_capacity(name.len());
    for c in line(name).chars() {
        if c.is_alphanumeric() || "-_. +~,".contains(c) {
            label.push(c);
        } else {
            label.push_str(&format!("#{};", u32::from(c)));
        }
    }
    label
}

/// The edges of a channel: from, to, and what the edge is called.
fn edges<'c>(
    catalog: &'c Catalog,
    package: &str,
    channel: &str,
) -> BTreeSet<(&'c str, &'c str, &'static str)> {
    let found = catalog.channels.iter().find(|found| found.package == package && found.name == channel);
    let of_entry = |entry: &'c ChannelEntry| {
        let replaces = [(entry.replaces.as_str(), entry.name.as_str(), "replaces")];
        let skips = entry.skips.iter().map(|skipped| (skipped.as_str(), entry.name.as_str(), "skips"));
        replaces.into_iter().filter(|edge| !edge.0.is_empty()).chain(skips)
    };
    found.into_iter().flat_map(|channel| channel.entries()).flat_map(of_entry).collect()
}
