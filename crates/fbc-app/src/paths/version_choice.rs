//! Which version of a package somebody means.

use fbc_graph::{NodeIndex, PackageGraph};
use fbc_version::{Grammar, Range, Target, Version};

use fbc_model::closest::closest;
use fbc_source::Error;

/// The node of a bundle name or version. Of several with the version the one with the highest release counts, one that
/// the catalog has before one that it only names.
pub fn find(graph: &PackageGraph<'_>, text: &str) -> Option<NodeIndex> {
    let by_label = || graph.nodes.iter().position(|node| node.label() == text);
    let by_version = || {
        let version = Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()?;
        let is_it = |node: &NodeIndex| {
            let found = graph.nodes.get(*node).and_then(|node| node.version.as_ref());
            found.is_some_and(|found| {
                found.version.compare_precedence(&version).is_eq()
                    && (version.build().is_empty() || found.to_version().build() == version.build())
            })
        };
        let installable = |node: &NodeIndex| graph.nodes.get(*node).is_some_and(|node| node.is_installable());
        let all: Vec<NodeIndex> = (0..graph.nodes.len()).filter(is_it).collect();
        all.iter().rev().copied().find(installable).or_else(|| all.last().copied())
    };
    graph.node_by_name(text).or_else(by_label).or_else(by_version)
}

/// As [`find`], for what the catalog must know.
pub fn known(graph: &PackageGraph<'_>, text: &str) -> Result<NodeIndex, Error> {
    find(graph, text).ok_or_else(|| {
        if Version::parse(text).is_err() {
            return no_version(graph, text);
        }
        let failure = Error::refusal(format!("package {:?} has no version {text}", graph.name));
        with_proposal(graph, text, failure)
    })
}

/// Name and version of what the catalog does not know, but somebody may have installed. The name is made like that of
/// the bundles of the package.
pub fn supposed(graph: &PackageGraph<'_>, text: &str) -> Result<(String, Version), Error> {
    let number = text.strip_prefix('v').unwrap_or(text);
    let version = Version::parse(number).map_err(|_| no_version(graph, text))?;
    let prefix = graph.nodes.iter().rev().find_map(|node| {
        let number = node.version.as_ref()?.to_string();
        node.name.strip_suffix(number.as_str())
    });
    let prefix = prefix.map_or_else(|| format!("{}.v", graph.name), str::to_owned);
    Ok((format!("{prefix}{number}"), version))
}

fn no_version(graph: &PackageGraph<'_>, text: &str) -> Error {
    let is_range = [Grammar::Masterminds, Grammar::Blang]
        .into_iter()
        .any(|grammar| Range::parse(grammar, Target::Latest, text).is_ok());
    if is_range {
        return Error::new(format!("{text:?} is a range, and one version is asked for"))
            .help("name one version such as 1.2.3; `fbc range` lists what a range matches");
    }
    let failure =
        Error::new(format!("{text:?} is neither a version nor a bundle of package {:?}", graph.name));
    with_proposal(graph, text, failure)
}

fn with_proposal(graph: &PackageGraph<'_>, text: &str, failure: Error) -> Error {
    let labels: Vec<String> = graph.nodes.iter().rev().map(fbc_graph::package::Node::label).collect();
    let names = graph.nodes.iter().map(|node| node.name.as_str());
    match closest(text, labels.iter().map(String::as_str).chain(names)) {
        Some(known) => failure.help(format!("did you mean {known:?}?")),
        None => failure.help("`fbc paths` without --from and --to shows all versions"),
    }
}
