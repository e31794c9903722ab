//! Whether a merge breaks an upgrade graph that is sound on both sides.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_graph::ChannelAnalysis;
use fbc_lint::Profile;
use fbc_model::bundle_name;
use fbc_model::load::load_bytes;
use fbc_model::tree::MemoryTree;
use fbc_model::{Catalog, Channel, ChannelEntry, go_type};
use fbc_version::VersionRelease;
use fbc_yaml::{Document, Node, json_writer, stream};

use super::Conflict;

/// What is wrong with the channels of a merged file, and was wrong with none of the sides.
pub(super) fn broken(merged: &[u8], sides: [&[u8]; 2]) -> Vec<Conflict> {
    let known: Vec<Problems> = sides.iter().map(|side| problems(side)).collect();
    problems(merged)
        .into_iter()
        .filter(|(place, _)| !known.iter().any(|side| side.contains_key(place)))
        .map(|(place, reason)| Conflict { place, reason })
        .collect()
}

type Problems = BTreeMap<String, String>;

/// What is wrong with the channels of a file, by channel; with a whole package also what opm refuses.
fn problems(text: &[u8]) -> Problems {
    let catalog = blobs(text);
    let mut problems = Problems::new();
    for package in catalog.packages.iter().filter(|package| !package.default_channel.is_empty()) {
        let is_default =
            |channel: &Channel| channel.package == package.name && channel.name == package.default_channel;
        if !catalog.channels.iter().any(is_default) {
            problems.insert(
                format!("package {:?}", package.name),
                format!("its default channel {:?} would not exist", package.default_channel),
            );
        }
    }
    for channel in &catalog.channels {
        if let Some(problem) = problem(channel.entries()) {
            problems.insert(format!("channel {:?} of package {:?}", channel.name, channel.package), problem);
        }
    }
    // A template, and a file of a catalog in many files, is no whole package.
    let is_whole = !catalog.packages.is_empty()
        && !catalog.bundles.is_empty()
        && catalog.bundles.iter().all(|bundle| !bundle.properties.is_empty());
    if is_whole && problems.is_empty() {
        let report = fbc_rules::lint(&catalog, &MemoryTree::default(), Profile::Opm);
        if let Some(error) = report.opm_error {
            problems.insert("the catalog".to_owned(), format!("opm would refuse it: {error}"));
        }
    }
    problems
}

fn problem(entries: &[ChannelEntry]) -> Option<String> {
    let analysis = ChannelAnalysis::from_entries(entries);
    match analysis.heads.as_slice() {
        _ if entries.is_empty() => None,
        [_] if analysis.cycle().is_empty() => None,
        [_] => Some("its edges would lead in a circle".to_owned()),
        [] => Some("it would have no head".to_owned()),
        heads => {
            let heads: Vec<&str> =
                heads.iter().filter_map(|head| entries.get(*head)).map(|entry| entry.name.as_str()).collect();
            let shown: Vec<String> = heads.iter().map(|head| format!("{head:?}")).collect();
            Some(format!("it would have several heads: {}; {}", shown.join(", "), advice(&heads)))
        }
    }
}

/// Which edges make one head of several: each version replaces the next lower one. Where names tell no version, their
/// order is for the user to know.
fn advice(heads: &[&str]) -> String {
    let versions: Option<Vec<(VersionRelease, &str)>> =
        heads.iter().map(|head| Some((bundle_name::version_in(head)?, *head))).collect();
    let Some(mut versions) = versions else {
        return "set `replaces` of each head but the lowest to the next lower one".to_owned();
    };
    versions.sort_by(|a, b| a.0.compare_precedence(&b.0).then_with(|| a.1.cmp(b.1)));
    let edits: Vec<String> = versions
        .iter()
        .zip(versions.iter().skip(1))
        .map(|((_, lower), (_, higher))| format!("`replaces` of {higher:?} to {lower:?}"))
        .collect();
    format!("set {}", edits.join(", and "))
}

/// The blobs of a catalog or template.
fn blobs(text: &[u8]) -> Catalog {
    let read = stream::read::<_, ()>(text, &|document: Document| Ok(document));
    let mut stream = String::new();
    let mut add = |node: Node<'_>| {
        json_writer::write_compact(&mut stream, node);
        stream.push('\n');
    };
    for document in read.iter().filter_map(|one| one.outcome.as_ref().ok()) {
        let root = document.root();
        let is_template = go_type::text(root, "schema").starts_with("olm.template");
        match go_type::field(root, "entries").filter(|_| is_template) {
            Some(entries) => entries.items().for_each(&mut add),
            None => add(root),
        }
    }
    load_bytes(Path::new("catalog.json"), stream.as_bytes())
}
