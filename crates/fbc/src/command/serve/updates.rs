//! The update service beside the catalogs, where the program is built with OpenShift's part of the cluster.

#[cfg(feature = "cluster")]
use std::path::PathBuf;

use clap::Args;
#[cfg(feature = "cluster")]
use clap::ValueHint;
use fbc_catalog_server::OtherService;
#[cfg(feature = "cluster")]
use fbc_openshift::update_service::protocol::{PATHS, UpdateService};

use crate::failure::Failure;
use crate::settings::Settings;

/// Which update service answers.
#[derive(Args, Debug)]
pub(super) struct UpdateArguments {
    #[cfg(feature = "cluster")]
    /// Answer as an update service as well, at `/graph` and `/api/upgrades_info/v1/graph`: a graph, or a directory of graph
    /// data with --releases
    #[arg(long, value_name = "GRAPH", value_hint = ValueHint::AnyPath)]
    updates: Option<PathBuf>,
    #[cfg(feature = "cluster")]
    /// The releases of a directory of graph data
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "updates")]
    releases: Option<PathBuf>,
}

#[cfg(feature = "cluster")]
impl UpdateArguments {
    /// Whether a graph is named.
    pub(super) fn are_given(&self) -> bool {
        self.updates.is_some()
    }

    /// The service of the graph that is named.
    ///
    /// # Errors
    /// If the graph or its releases cannot be read.
    pub(super) fn service(&self, settings: &Settings) -> Result<Option<Box<dyn OtherService>>, Failure> {
        let Some(graph) = &self.updates else { return Ok(None) };
        let service = fbc_simulation::input::updates::service(graph, self.releases.as_deref(), settings)?;
        tell_graphs(&service);
        Ok(Some(Box::new(Graphs(service))))
    }
}

#[cfg(not(feature = "cluster"))]
impl UpdateArguments {
    /// There is no flag that could name one.
    pub(super) fn are_given(&self) -> bool {
        false
    }

    /// Nothing.
    ///
    /// # Errors
    /// None.
    pub(super) fn service(&self, _settings: &Settings) -> Result<Option<Box<dyn OtherService>>, Failure> {
        Ok(None)
    }
}

#[cfg(feature = "cluster")]
struct Graphs(UpdateService);

#[cfg(feature = "cluster")]
impl OtherService for Graphs {
    fn has(&self, path: &str) -> bool {
        PATHS.contains(&path)
    }

    fn answer(&self, query: &str, accept: Option<&str>) -> (u16, String) {
        let answer = self.0.answer(query, accept);
        (answer.status, answer.body)
    }
}

#[cfg(feature = "cluster")]
/// Says what an update service has, and what is wrong with it.
fn tell_graphs(service: &UpdateService) {
    for (architecture, graph) in service.graphs().filter(|(_, graph)| !graph.nodes.is_empty()) {
        for fault in graph.faults() {
            tracing::warn!(architecture, fault, "the graph of updates has a fault");
        }
        tracing::info!(
            architecture,
            releases = graph.nodes.len(),
            edges = graph.edges.len(),
            "loaded the graph of updates"
        );
    }
}
