//! Will a cluster get through an update, how long does it take, what stops it, and what is to be done first.

mod behaviour;
mod fleet;
mod input;
pub mod page;
pub mod words;

use std::path::PathBuf;

use fbc_app::settings::Settings;
use fbc_openshift::cluster_update::{Fate, Plan, Pool, Report, simulate};
use fbc_source::{Error, Session};
use rayon::prelude::*;
use serde_json::{Value, json};

pub use input::Described;
use input::Material;

/// What is to be updated.
pub struct Order {
    /// The wanted version.
    pub to: String,
    /// Payloads: directories, or release images.
    pub payloads: Vec<PathBuf>,
    /// The catalog that operators were installed from.
    pub catalog: Option<PathBuf>,
    /// The catalog that takes its place in a new minor version.
    pub new_catalog: Option<PathBuf>,
    /// The file that says how operators and nodes behave.
    pub behaviour: Option<PathBuf>,
    /// The clusters.
    pub clusters: Clusters,
    /// Whether it is updated although a precondition fails.
    pub is_forced: bool,
    /// The virtual time after which an update is given up, in milliseconds.
    pub limit: u64,
    /// The seed of all clusters.
    pub seed: u64,
}

/// The clusters that are updated.
pub enum Clusters {
    /// A file describes them.
    Fleet(PathBuf),
    /// One.
    One {
        /// Its present version.
        from: String,
        /// Its operators, as `PACKAGE=VERSION`.
        operators: Vec<String>,
        /// Its pools, as `NAME=NODES[:MAX]`; those that are not named are as by default.
        pools: Vec<String>,
    },
}

/// Updates clusters side by side; `part` takes those that this run is about.
///
/// # Errors
/// If an input cannot be read, or does not fit the others.
pub fn update(
    order: &Order,
    part: &dyn Fn(Vec<Described>) -> Vec<Described>,
    session: &Session,
    settings: &Settings,
) -> Result<Vec<Outcome>, Error> {
    let material = Material::open(order, session, settings)?;
    let clusters = match &order.clusters {
        Clusters::Fleet(file) => fleet::read(file, settings)?,
        Clusters::One { from, operators, pools } => vec![Described {
            name: "cluster".to_owned(),
            from: from.clone(),
            operators: operators.clone(),
            pools: input::pools(pools)?,
        }],
    };
    if let Some(path) = &order.behaviour {
        let pools: Vec<&Pool> = clusters.iter().flat_map(|cluster| &cluster.pools).collect();
        behaviour::check_nodes(path, &material.nodes, &pools)?;
    }
    let clusters = part(clusters);
    let plans = clusters
        .iter()
        .map(|cluster| Ok((cluster, material.plan(cluster, order)?)))
        .collect::<Result<Vec<(&Described, (Plan, Vec<String>))>, Error>>()?;
    let progress = settings.host.begin("updating clusters", plans.len());
    plans
        .par_iter()
        .map(|(cluster, (plan, first))| {
            let simulated = simulate(plan);
            progress.advance();
            match simulated {
                Ok(report) => Ok(Outcome { name: cluster.name.clone(), report, first: first.clone() }),
                Err(fault) => Err(Error::new(format!("{}: {fault}", cluster.name))),
            }
        })
        .collect()
}

/// What became of a cluster.
pub struct Outcome {
    /// The name of the cluster.
    pub name: String,
    /// What became of it.
    pub report: Report,
    /// What must be done before the update.
    pub first: Vec<String>,
}

impl Outcome {
    /// Whether control plane and nodes get through, and etcd with them.
    #[must_use]
    pub fn is_success(&self) -> bool {
        let report = &self.report;
        report.control_plane.is_some() && report.nodes.is_some() && report.quorum_loss.is_none()
    }

    /// Whether it gets through, and all operators with it.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        let has_trouble = self.report.operators.iter().any(|fate| fate.trouble.is_some());
        self.is_success() && self.first.is_empty() && !has_trouble
    }

    /// The outcome as a JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let report = &self.report;
        let since = |at: fbc_cluster::time::Moment| at.since(report.start) / 1000;
        let operator = |fate: &Fate| json!({"name": fate.name, "before": fate.before, "after": fate.after, "trouble": fate.trouble});
        let bar = |bar: &fbc_openshift::cluster_update::Bar| json!({"kind": words::word(bar.kind), "name": bar.name, "group": bar.group, "from": since(bar.from), "to": bar.to.map(since)});
        json!({
            "name": self.name,
            "from": report.versions.0, "to": report.versions.1,
            "success": self.is_success(),
            "controlPlaneSeconds": report.control_plane.map(|time| time / 1000),
            "nodesSeconds": report.nodes.map(|time| time / 1000),
            "givenUpAfterSeconds": report.given_up.map(|time| time / 1000),
            "obstacles": report.obstacles,
            "quorumLoss": report.quorum_loss.map(|loss| json!({"unavailable": loss.unavailable, "masters": loss.masters})),
            "first": self.first,
            "operators": report.operators.iter().map(operator).collect::<Vec<_>>(),
            "catalogs": report.catalogs.iter().map(|(name, from, to)| json!({"name": name, "from": from, "to": to})).collect::<Vec<_>>(),
            "mostUnavailable": report.most_unavailable,
            "bars": report.bars.iter().map(bar).collect::<Vec<_>>(),
        })
    }
}
