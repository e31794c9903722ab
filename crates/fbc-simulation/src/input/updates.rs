//! What update services are made of on the command line: graphs, releases, facts.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_model::tree::DiskTree;
use fbc_openshift::update_service::graph_data::{GraphData, ReleaseRecord};
use fbc_openshift::update_service::protocol::UpdateService;
use fbc_openshift::update_service::{Facts, Graph};
use serde_json::Value;

use fbc_app::input;
use fbc_app::settings::Settings;
use fbc_source::Error;

/// The architectures of releases.
const ARCHITECTURES: [&str; 5] = ["amd64", "arm64", "ppc64le", "s390x", "multi"];

/// The architecture of releases unless another one is asked for.
const USUAL: &str = "amd64";

/// Reads a graph: a JSON file, or a directory of graph data with releases, of an architecture.
pub fn graph(
    path: &Path,
    releases: Option<&Path>,
    architecture: Option<&str>,
    settings: &Settings,
) -> Result<Graph, Error> {
    if !path.is_dir() {
        if architecture.is_some() {
            return Err(Error::new(format!(
                "--architecture goes with a directory of graph data, and {} is a file",
                path.display()
            ))
            .help("an update service answers for one architecture; ask it for the graph of another one"));
        }
        return file_graph(path, releases, settings);
    }
    let (data, releases) = graph_data(path, releases, settings)?;
    let architecture = architecture.unwrap_or(USUAL);
    let known: BTreeSet<&str> = releases.iter().map(|release| release.architecture.as_str()).collect();
    if !known.is_empty() && !known.contains(architecture) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(Error::new(format!("there are no releases for the architecture {architecture:?}"))
            .help(format!("--architecture takes what there is: {}", known.join(", "))));
    }
    Ok(data.graph(&releases, architecture))
}

fn file_graph(path: &Path, releases: Option<&Path>, settings: &Settings) -> Result<Graph, Error> {
    if releases.is_some() {
        return Err(Error::new(format!(
            "--releases goes with a directory of graph data, and {} is a file",
            path.display()
        )));
    }
    let bytes = input::file::read(path, settings)?;
    Graph::parse(&bytes).map_err(|error| {
        Error::new(format!("{}: {error}", path.display())).help(
            "a graph is a JSON object with nodes, edges and conditionalEdges, as an update service answers",
        )
    })
}

/// An update service for all architectures that have releases; a graph of a file is that of amd64.
pub fn service(path: &Path, releases: Option<&Path>, settings: &Settings) -> Result<UpdateService, Error> {
    if !path.is_dir() {
        return Ok(UpdateService::new([(USUAL.to_owned(), file_graph(path, releases, settings)?)]));
    }
    let (data, releases) = graph_data(path, releases, settings)?;
    let graph = |architecture: &str| (architecture.to_owned(), data.graph(&releases, architecture));
    Ok(UpdateService::new(ARCHITECTURES.map(graph)))
}

/// A directory of graph data, and the releases that it says something about.
fn graph_data(
    path: &Path,
    releases: Option<&Path>,
    settings: &Settings,
) -> Result<(GraphData, Vec<ReleaseRecord>), Error> {
    let Some(releases) = releases else {
        let text = format!("{} is a directory of graph data, which holds no releases", path.display());
        return Err(Error::new(text)
            .help("--releases FILE names a list of them: version, image, previous, next, metadata"));
    };
    let data = GraphData::read(&DiskTree { root: path.to_path_buf() })
        .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
    Ok((data, read_releases(releases, settings)?))
}

fn read_releases(path: &Path, settings: &Settings) -> Result<Vec<ReleaseRecord>, Error> {
    let bytes = input::file::read(path, settings)?;
    let document = fbc_yaml::stream::read_one(&bytes)
        .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
    let value = document.root().to_json();
    let Value::Array(list) = value else {
        return Err(Error::new(format!("{}: a list of releases is expected", path.display())));
    };
    let one = |(index, release): (usize, &Value)| {
        ReleaseRecord::read(release)
            .map_err(|error| Error::new(format!("{}: release {}: {error}", path.display(), index + 1)))
    };
    list.iter().enumerate().map(one).collect()
}

/// Reads metrics.
pub fn facts(path: &Path, settings: &Settings) -> Result<Facts, Error> {
    let text = input::file::read_text(path, settings)?;
    Facts::parse(&text).map_err(|error| Error::new(format!("{}:{error}", path.display())))
}
