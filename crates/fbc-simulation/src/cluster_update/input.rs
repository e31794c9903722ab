//! What `fbc simulate cluster-update` is given: payloads, operators, pools, behaviours.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_app::settings::Settings;
use fbc_cluster::object::ObjectFields as _;
use fbc_model::tree::{DiskTree, Tree, TreeEntry};
use fbc_openshift::cluster_operators;
use fbc_openshift::cluster_update::{Companions, MOST_NODES, Plan, Pool};
use fbc_openshift::machine_config::daemon;
use fbc_openshift::release::difference::{Difference, LostApi};
use fbc_openshift::release::payload::missing_part;
use fbc_openshift::release::{Inclusion, Payload};
use fbc_resolve::CatalogIndex;
use fbc_scenario::installed::{Catalogs, InstalledOperators};
use fbc_source::Error;
use fbc_source::Session;
use fbc_version::{Target, Version};
use serde_json::json;

use super::{Order, behaviour};
use crate::input::operators::{open_catalog, operators_of_flags};
use crate::input::payload::PayloadSource;

/// A cluster as users describe it.
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its present version.
    pub from: String,
    /// Its operators, as `PACKAGE=VERSION`.
    pub operators: Vec<String>,
    /// Its pools.
    pub pools: Vec<Pool>,
}

/// What all clusters share.
pub(super) struct Material {
    /// Payloads by version.
    payloads: Vec<(String, DiskTree)>,
    catalog: Option<Arc<CatalogIndex>>,
    /// The catalogs for OLM, by the target whose behaviour counts.
    catalogs: Option<Catalogs>,
    operators: Vec<cluster_operators::Behaviour>,
    pub(super) nodes: Vec<daemon::Behaviour>,
    /// Keeps what was unpacked of images.
    _sources: Vec<PayloadSource>,
}

/// Reads `NAME=NODES[:MAX]`; pools that are not named are as by default.
pub(super) fn pools(flags: &[String]) -> Result<Vec<Pool>, Error> {
    let one = |flag: &String| {
        let wrong = || {
            Error::new(format!("--pool: {flag:?} is not NAME=NODES[:MAX]")).help(format!(
                "such as worker=10, or worker=10:3, or worker=10:20%; at most {MOST_NODES} nodes"
            ))
        };
        let (name, rest) = flag.split_once('=').ok_or_else(wrong)?;
        let (nodes, max) = rest.split_once(':').unwrap_or((rest, "1"));
        let max = max.parse::<u64>().map_or_else(|_| json!(max), |number| json!(number));
        let max_unavailable = Pool::read_maximum(&max).ok_or_else(wrong)?;
        let nodes = nodes.parse::<u64>().ok().and_then(|number| Pool::read_nodes(&json!(number)));
        Ok(Pool { max_unavailable, ..Pool::new(name, nodes.ok_or_else(wrong)?) })
    };
    let named = flags.iter().map(one).collect::<Result<_, Error>>()?;
    Pool::with_defaults(named).map_err(|fault| {
        Error::new(format!("--pool: {fault}"))
            .help("pools that are not named keep their default; worker=0 is a cluster without workers")
    })
}

impl Material {
    pub(super) fn open(order: &Order, session: &Session, settings: &Settings) -> Result<Self, Error> {
        let mut payloads = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut sources = Vec::new();
        for path in &order.payloads {
            let source = PayloadSource::open(path, session)?;
            if let Some(missing) = missing_part(&source.tree) {
                return Err(Error::new(format!("{} is not a payload: it has no {missing}", path.display()))
                    .help("a payload has `manifests` and `release-manifests`, as in a release image"));
            }
            let payload = source.load(&Inclusion::default())?;
            let operators = payload.manifests.iter().filter(|manifest| manifest.is_cluster_operator());
            names.extend(operators.map(|manifest| manifest.object.name().to_owned()));
            payloads.push((payload.release.version, DiskTree { root: source.tree.root.clone() }));
            sources.push(source);
        }
        if !payloads.iter().any(|(version, _)| *version == order.to) {
            let known: Vec<&str> = payloads.iter().map(|(version, _)| version.as_str()).collect();
            return Err(Error::new(format!("no payload is that of {}", order.to))
                .help(format!("the payloads are those of {}", known.join(", "))));
        }
        let catalog = match &order.catalog {
            Some(catalog) => Some(open_catalog(catalog, session, settings)?),
            None => None,
        };
        let next = match &order.new_catalog {
            Some(catalog) => Some(open_catalog(catalog, session, settings)?),
            None => None,
        };
        let catalogs = catalog.as_ref().map(|present| {
            let next = next.as_ref().unwrap_or(present);
            Catalogs::new(target_of(&order.to), Arc::clone(present), Arc::clone(next))
        });
        let (operators, nodes) = match &order.behaviour {
            Some(path) => behaviour::read(path, &names, settings)?,
            None => (Vec::new(), Vec::new()),
        };
        Ok(Self { payloads, catalog, catalogs, operators, nodes, _sources: sources })
    }

    fn payload(&self, version: &str) -> Option<Arc<dyn Tree>> {
        let found = self.payloads.iter().find(|(known, _)| known == version);
        found.map(|(_, tree)| Arc::new(DiskTree { root: tree.root.clone() }) as Arc<dyn Tree>)
    }

    /// Versions of APIs that the present payload serves and the wanted one does not.
    fn lost(&self, cluster: &Described, order: &Order) -> Vec<LostApi> {
        let load = |version: &str| {
            let (_, tree) = self.payloads.iter().find(|(known, _)| known == version)?;
            Payload::load(tree, "", &Inclusion::default()).ok()
        };
        match (load(&cluster.from), load(&order.to)) {
            (Some(old), Some(new)) => Difference::between(&old, &new).lost,
            _ => Vec::new(),
        }
    }

    /// The plan of a cluster, and what must be done first.
    pub(super) fn plan(&self, cluster: &Described, order: &Order) -> Result<(Plan, Vec<String>), Error> {
        let missing = || Error::new(format!("no payload is that of {}", order.to));
        let to = self.payload(&order.to).ok_or_else(missing)?;
        let from = match self.payload(&cluster.from) {
            Some(tree) => tree,
            None => Arc::new(RenamedTree {
                root: self
                    .payloads
                    .iter()
                    .find(|(known, _)| *known == order.to)
                    .map(|(_, tree)| tree.root.clone())
                    .unwrap_or_default(),
                version: order.to.clone(),
                other: cluster.from.clone(),
            }) as Arc<dyn Tree>,
        };
        let mut first = Vec::new();
        let mut companions = None;
        match (&self.catalog, &self.catalogs) {
            (Some(catalog), Some(catalogs)) if !cluster.operators.is_empty() => {
                let installed = operators_of_flags(&cluster.operators, catalog)?;
                let lost = self.lost(cluster, order);
                first.extend(installed.to_do_first(&lost, &cluster.from, &order.to));
                first.extend(installed.stops_working(&lost, &cluster.from, &order.to));
                companions = Some(Arc::new(InstalledOperators {
                    catalogs: catalogs.clone(),
                    operators: installed.versions(),
                    versions: (cluster.from.clone(), order.to.clone()),
                    seed: order.seed,
                }) as Arc<dyn Companions>);
            }
            (None, _) if !cluster.operators.is_empty() => {
                return Err(Error::new(format!("{}: no catalog knows the operators", cluster.name))
                    .help("--catalog CATALOG names the catalog that they were installed from"));
            }
            _ => {}
        }
        let plan = Plan {
            from,
            to,
            operators: self.operators.clone(),
            nodes: self.nodes.clone(),
            pools: cluster.pools.clone(),
            is_forced: order.is_forced,
            limit: order.limit,
            seed: order.seed,
            restarts: Vec::new(),
            companions,
        };
        Ok((plan, first))
    }
}

/// The release of OLM v1 whose behaviour comes closest to that of a version.
fn target_of(version: &str) -> Target {
    let minor = Version::parse(version).map(|version| format!("ocp-{}.{}", version.major(), version.minor()));
    minor.ok().and_then(|name| name.parse().ok()).unwrap_or_default()
}

/// A payload under another version.
struct RenamedTree {
    root: PathBuf,
    version: String,
    other: String,
}

impl Tree for RenamedTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        DiskTree { root: self.root.clone() }.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let bytes = DiskTree { root: self.root.clone() }.read(file)?;
        Ok(match String::from_utf8(bytes) {
            Ok(text) => renamed(&text, &self.version, &self.other).into_bytes(),
            Err(error) => error.into_bytes(),
        })
    }
}

/// Replaces a version where it stands alone: `4.19.1` is no part of `4.19.10` or `14.19.1`.
fn renamed(text: &str, version: &str, other: &str) -> String {
    let continues =
        |neighbour: Option<char>| neighbour.is_some_and(|neighbour| neighbour.is_ascii_alphanumeric());
    let mut renamed = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(version) {
        let after = at + version.len();
        renamed.push_str(&text[done..at]);
        done = after;
        let stands_alone =
            !continues(text[..at].chars().next_back()) && !continues(text[after..].chars().next());
        renamed.push_str(if stands_alone { other } else { version });
    }
    renamed.push_str(&text[done..]);
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_versions_are_renamed() {
        for (text, expected) in [
            ("version: 4.19.1\n", "version: 4.18.0\n"),
            ("4.19.10, 14.19.1 and 4.19.1-x86_64", "4.19.10, 14.19.1 and 4.18.0-x86_64"),
            ("quay.io/ocp:4.19.1", "quay.io/ocp:4.18.0"),
        ] {
            assert_eq!(renamed(text, "4.19.1", "4.18.0"), expected);
        }
    }

    #[test]
    fn pools_have_as_many_nodes_as_kubernetes_supports() {
        let read = |flag: &str| pools(&[flag.to_owned()]);
        assert_eq!(read("worker=5000").unwrap()[1], Pool::new("worker", 5000));
        assert!(read("worker=5001").is_err());
    }

    #[test]
    fn what_may_be_unavailable_is_a_number_or_a_percentage() {
        for (value, fits) in [(json!(2), true), (json!("10%"), true), (json!("2"), false), (json!(-1), false)]
        {
            assert_eq!(Pool::read_maximum(&value).is_some(), fits, "{value}");
        }
    }
}
