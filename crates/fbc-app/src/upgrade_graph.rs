//! What is asked of upgrade graphs: packages and channels that must be there, and what opm says of a channel.

use fbc_graph::package::ChannelGraph;
use fbc_graph::{ChainEnd, PackageGraph};
use fbc_model::Catalog;
use fbc_model::closest::closest;
use fbc_model::writer::package_names;
use fbc_source::Error;

/// Refuses what has no channels, such as a bundle.
pub fn require_upgrade_graph(catalog: &Catalog) -> Result<(), Error> {
    if !catalog.channels.is_empty() {
        return Ok(());
    }
    let help = match catalog.bundles.is_empty() {
        true => "name the directory or file of a catalog",
        false => "a bundle alone has no upgrade graph; name the catalog that it is part of",
    };
    Err(Error::refusal("there is no upgrade graph: no channel has entries").help(help))
}

/// Refuses a package that the catalog does not have.
pub fn require_package(catalog: &Catalog, name: &str) -> Result<(), Error> {
    let known = package_names(catalog);
    if known.contains(name) {
        return Ok(());
    }
    let failure = Error::refusal(format!("there is no package {name:?}"));
    Err(match closest(name, known) {
        Some(known) => failure.help(format!("did you mean {known:?}?")),
        None => failure.help("`fbc list packages` shows what there is"),
    })
}

/// Refuses channels that none of the packages has.
pub fn require_channels(
    catalog: &Catalog,
    wanted: &[String],
    is_package: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    let known: Vec<&str> = catalog
        .channels
        .iter()
        .filter(|channel| is_package(&channel.package))
        .map(|channel| channel.name.as_str())
        .collect();
    let Some(name) = wanted.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let failure = Error::refusal(format!("there is no channel {name:?}"));
    Err(match closest(name, known) {
        Some(known) => failure.help(format!("did you mean {known:?}?")),
        None => failure.help("`fbc list channels` shows what there is"),
    })
}

/// What opm says of a channel that it refuses, in its own words.
pub fn objection(graph: &PackageGraph<'_>, channel: &ChannelGraph<'_>) -> Option<String> {
    let analysis = &channel.analysis;
    let name = |entry: usize| channel.entries.get(entry).map(|entry| entry.name.as_str()).unwrap_or_default();
    let sorted = |entries: &[usize]| {
        let mut names: Vec<&str> = entries.iter().map(|&entry| name(entry)).collect();
        names.sort_unstable();
        names.join(", ")
    };
    let lonely = || -> Option<String> {
        let nodes = channel.edges.iter().filter_map(|edges| graph.nodes.get(edges.node));
        let names: Vec<&str> =
            nodes.filter(|node| !node.is_installable()).map(|node| node.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "no olm.bundle blobs found in package {:?} for olm.channel entries [{}]",
                graph.name,
                names.join(" ")
            )
        })
    };
    match analysis.end {
        ChainEnd::NoEntries => Some("channel must contain at least one bundle".to_owned()),
        ChainEnd::NoHead => Some("no channel head found in graph".to_owned()),
        ChainEnd::SeveralHeads => {
            Some(format!("multiple channel heads found in graph: {}", sorted(&analysis.heads)))
        }
        ChainEnd::Cycle { .. } => {
            let cycle: Vec<&str> =
                analysis.cycle().iter().chain(analysis.cycle().first()).map(|&e| name(e)).collect();
            Some(format!("detected cycle in replaces chain of upgrade graph: {}", cycle.join(" -> ")))
        }
        _ if !analysis.stranded.is_empty() => {
            Some(format!("channel contains one or more stranded bundles: {}", sorted(&analysis.stranded)))
        }
        _ => lonely(),
    }
}
