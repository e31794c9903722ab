//! What filtering did, in words.

use std::collections::HashSet;
use std::io::Write;

use fbc_app::filter::refusal::listed;
use fbc_graph::filter::{Changes, ChannelChange, Requirement};
use fbc_model::Catalog;

use crate::failure::{HELP, WARNING};

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
