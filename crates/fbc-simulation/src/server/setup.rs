//! The scenario that a cluster starts from: a file, or one made of flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_app::settings::Settings;
use fbc_cluster::budget::Budget;
use fbc_cluster::engine::RunError;
use fbc_model::tree::{DiskTree, Tree};
use fbc_olm::content::Outside;
use fbc_scenario::{Contents, Generations, Manifests, Options, Place, Prepared, Scenario};
use fbc_source::Error;
use fbc_source::Session;
use fbc_version::Target;
use serde_json::{Value, json};

use super::Header;
use crate::input::scenario;

/// What a cluster has besides what its scenario says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Additions {
    /// Nodes.
    pub nodes: u32,
    /// The generations of OLM that it runs, in place of those that the scenario says.
    pub olm: Option<Generations>,
    /// Whether bundles of its catalogs that nothing else gives install a record of their version.
    pub empty_bundles: bool,
}

/// Reads what a cluster starts from.
pub fn prepared(
    scenario: Option<&Path>,
    catalogs: &BTreeMap<String, Arc<dyn Tree>>,
    target: Option<Target>,
    additions: Additions,
    session: &Session,
    settings: &Settings,
) -> Result<Prepared, Error> {
    let adapt = |scenario: &mut Scenario| {
        if let Some(target) = target {
            let before = scenario.target.facts();
            if scenario.uses_service_accounts == before.uses_service_accounts {
                scenario.uses_service_accounts = target.facts().uses_service_accounts;
            }
            scenario.target = target;
        }
        scenario.olm = additions.olm.or(scenario.olm);
        scenario
            .objects
            .extend((1..=additions.nodes).map(|number| Manifests::Inline(node(number), Place::default())));
        scenario.empty_bundles |= additions.empty_bundles;
    };
    if let Some(path) = scenario {
        return scenario::prepare_as(path, catalogs, session, settings, adapt);
    }
    let mut scenario = Scenario::new("cluster", "A cluster with OLM v1");
    for name in catalogs.keys() {
        scenario.add_catalog(name, name, None);
    }
    adapt(&mut scenario);
    let contents = Contents { catalogs: catalogs.clone(), ..Contents::default() };
    Prepared::new(scenario, contents, Arc::new(DiskTree { root: PathBuf::from(".") }))
        .map_err(|faults| Error::of_reasons(faults.iter().map(ToString::to_string)))
}

/// The parts of a cluster without a scenario: what `--without` can name.
pub fn parts(settings: &Settings) -> Result<Vec<&'static str>, Error> {
    let additions = Additions { olm: Some(Generations::Both), ..Additions::default() };
    let prepared = prepared(None, &BTreeMap::new(), None, additions, &settings.session(), settings)?;
    Ok(fbc_scenario::Session::new(&prepared, None).parts())
}

/// A node that runs pods; its kubelet says the rest.
fn node(number: u32) -> Value {
    let name = format!("node-{number}");
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                "node-role.kubernetes.io/worker": "",
            },
        },
    })
}

/// The cluster that a scenario leaves, without the parts that stay out of it, and within a budget.
pub(super) fn played<'p>(
    prepared: &'p Prepared,
    header: &Header,
    budget: Budget,
    outside: Box<dyn Outside>,
    root_certificate: Option<&str>,
) -> Result<fbc_scenario::Session<'p>, Error> {
    let options = Options { seed: header.seed, budget, ..Options::default() };
    let mut session = fbc_scenario::Session::with_options(prepared, options);
    session.set_outside(outside);
    if let Some(certificate) = root_certificate {
        session.cluster().api.set_root_certificate(certificate);
    }
    for name in &header.without {
        if !session.remove(name) {
            let known = session.parts();
            return Err(Error::new(format!("--without: there is no part {name:?} in the cluster"))
                .help(format!("the parts are {}", known.join(", "))));
        }
    }
    session.play().map_err(|stopped| match stopped {
        RunError::Exhausted(exhausted) => crate::budget::failure(exhausted),
        RunError::Fight(fight) => Error::refusal(fight.to_string()),
    })?;
    Ok(session)
}
