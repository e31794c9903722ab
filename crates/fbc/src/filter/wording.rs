//! What filtering did, and why it could not, in words.

use std::collections::HashSet;
use std::io::Write;

use fbc_graph::filter::{Changes, ChannelChange, Refusal, Requirement};
use fbc_model::Catalog;

use crate::failure::{Failure, HELP, WARNING, closest};

/// Names that are listed; `--verbose` lists all.
const MAX_LISTED: usize = 8;

/// A refusal, with the flag that would help.
pub(crate) fn refusal(refusal: &Refusal, catalog: &Catalog) -> Failure {
    let failure = Failure::refusal(refusal.to_string());
    match refusal {
        Refusal::NoPackage { package } => {
            match closest(package, catalog.packages.iter().map(|package| package.name.as_str())) {
                Some(name) => failure.help(format!("did you mean {name:?}?")),
                None => failure.help("`fbc list packages` shows what there is"),
            }
        }
        Refusal::NoChannel { channel, known, .. } => {
            match closest(channel, known.iter().map(String::as_str)) {
                Some(name) => failure.help(format!("did you mean {name:?}?")),
                None => failure.help(format!("there are {}", listed(known, false))),
            }
        }
        Refusal::NothingInRange { known, .. } => failure.help(format!(
            "there are {}; prereleases are only in ranges that name one, as `>=1.0.0-0`",
            listed(known, false)
        )),
        Refusal::NoVersion { .. } => {
            failure.help("its bundle needs a property olm.package with a version; `fbc validate` says more")
        }
        Refusal::SeveralHeads { joined_by: Some(entry), .. } => {
            failure.help(format!("widen the range so that it takes {entry:?}, which comes after all of them"))
        }
        Refusal::SeveralHeads { joined_by: None, .. } | Refusal::Cycle { .. } => {
            failure.help("fix the channel first; `fbc validate` says more")
        }
        Refusal::Stranded { package, channel, .. } => failure
            .help(format!("take more of the channel, or all of it with `--package {package}:{channel}`")),
        Refusal::NoWay { package, .. } => failure.help(format!(
            "name the channels that have one with `--package {package}:CHANNEL`, or give another version"
        )),
        Refusal::DefaultChannelLost { package, candidates, .. }
        | Refusal::UnknownDefaultChannel { package, candidates, .. } => {
            let channel = candidates.first().map_or("CHANNEL", String::as_str);
            failure.help(format!(
                "choose one that stays ({}), as with `--default-channel {package}={channel}`",
                listed(candidates, true)
            ))
        }
    }
}

/// Tells on standard error what went.
pub(crate) fn changes(changes: &Changes, catalog: &Catalog, is_verbose: bool) {
    let mut err = crate::terminal::stderr();
    // What is said here is not worth failing for.
    let _ = write_changes(&mut err, changes, catalog, is_verbose);
}

fn write_changes(
    err: &mut dyn Write,
    changes: &Changes,
    catalog: &Catalog,
    is_verbose: bool,
) -> std::io::Result<()> {
    let note = |err: &mut dyn Write, text: String| writeln!(err, "{HELP}note{HELP:#}: {text}");
    if !changes.packages.is_empty() {
        let (left, all) = (changes.packages.len(), catalog.packages.len().max(changes.packages.len()));
        note(err, format!("left out {left} of {all} packages: {}", listed(&changes.packages, is_verbose)))?;
    }
    for (package, channel) in &changes.dropped_channels {
        note(
            err,
            format!(
                "left out channel {channel:?} of package {package:?}; who follows it gets no more upgrades"
            ),
        )?;
    }
    for change in &changes.channels {
        let count = counted(change.removed.len(), "entry", "entries");
        let removed = listed(&change.removed, is_verbose);
        note(err, format!("left out {count} of {}: {removed}", place(change)))?;
        if let Some((old, new)) = &change.head {
            note(err, format!("the head of {} was {old:?}, and is now {new:?}", place(change)))?;
        }
    }
    if !changes.bundles.is_empty() {
        let names: Vec<String> = changes.bundles.iter().map(|(_, bundle)| bundle.clone()).collect();
        let count = counted(names.len(), "bundle", "bundles");
        note(err, format!("left out {count}: {}", listed(&names, is_verbose)))?;
    }
    for change in &changes.channels {
        for (meaning, stuck) in meanings(change) {
            let stuck = listed(&stuck, is_verbose);
            writeln!(
                err,
                "{WARNING}warning{WARNING:#}: under {meaning} no way leads any more to the head of {} from {stuck}",
                place(change)
            )?;
        }
    }
    for lost in &changes.lost_dependencies {
        let what = match &lost.requirement {
            Requirement::Package { name, range } => format!("package {name:?} in {range:?}"),
            Requirement::Api { group, version, kind } => format!("{group}/{version} {kind}"),
        };
        writeln!(
            err,
            "{WARNING}warning{WARNING:#}: bundle {:?} requires {what}, which was left out",
            lost.bundle
        )?;
    }
    Ok(())
}

/// Who is stuck, told once where both meanings agree.
fn meanings(change: &ChannelChange) -> Vec<(&'static str, Vec<String>)> {
    let (v0, v1): (HashSet<&String>, HashSet<&String>) =
        (change.stuck_v0.iter().collect(), change.stuck_v1.iter().collect());
    let those = |names: &[String], other: &HashSet<&String>, in_both: bool| -> Vec<String> {
        names.iter().filter(|name| other.contains(name) == in_both).cloned().collect()
    };
    let both = those(&change.stuck_v0, &v1, true);
    let (only_v0, only_v1) = (those(&change.stuck_v0, &v1, false), those(&change.stuck_v1, &v0, false));
    [("OLM v0 and v1", both), ("OLM v0", only_v0), ("OLM v1", only_v1)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .collect()
}

fn place(change: &ChannelChange) -> String {
    format!("channel {:?} of package {:?}", change.channel, change.package)
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

fn listed(names: &[String], all: bool) -> String {
    let shown = if all { names.len() } else { MAX_LISTED.min(names.len()) };
    let mut text = names.iter().take(shown).cloned().collect::<Vec<_>>().join(", ");
    if shown < names.len() {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}
