//! Many clusters in a file: a list of `{name, from, operators: {PACKAGE: VERSION}, pools: {NAME: NODES}}`; a pool is a
//! number of nodes, or `{nodes, maxUnavailable, paused}`, and those that are not named are as by default.

use std::path::Path;

use fbc_app::input;
use fbc_app::settings::Settings;
use fbc_openshift::cluster_update::{Pool, PoolFault, PoolsFault};
use fbc_source::Error;
use serde_json::Value;

use super::input::Described;

pub(super) fn read(path: &Path, settings: &Settings) -> Result<Vec<Described>, Error> {
    let bytes = input::file::read(path, settings)?;
    let document = fbc_yaml::stream::read_one(&bytes)
        .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
    let value = document.root().to_json();
    let Some(list) = value.as_array().filter(|list| !list.is_empty()) else {
        return Err(Error::new(format!("{}: a list of clusters is expected", path.display()))
            .help("each has a name, the version it is at (from), operators and pools"));
    };
    let one = |(index, value): (usize, &Value)| {
        cluster(value)
            .map_err(|fault| Error::new(format!("{}: cluster {}: {fault}", path.display(), index + 1)))
    };
    list.iter().enumerate().map(one).collect()
}

/// What is wrong with a cluster of a fleet.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum FleetFault {
    #[error("must be an object")]
    NoObject,
    #[error("{0} must be {1}")]
    Type(String, &'static str),
    #[error("unknown field {0:?}; known are name, from, operators, pools")]
    UnknownField(String),
    #[error("name is missing")]
    NoName,
    #[error("from is missing: the version that the cluster is at")]
    NoVersion,
    #[error("pools.{pool}: unknown field {field:?}; known are {}", Pool::FIELDS.join(", "))]
    UnknownPoolField { pool: String, field: String },
    #[error("pools.{pool}{field} {message}")]
    Pool { pool: String, field: String, message: String },
    #[error("pools: {0}")]
    Pools(#[from] PoolsFault),
}

fn cluster(value: &Value) -> Result<Described, FleetFault> {
    let mut described = Described {
        name: String::new(),
        from: String::new(),
        operators: Vec::new(),
        pools: Pool::defaults(),
    };
    for (field, value) in value.as_object().ok_or(FleetFault::NoObject)? {
        let text =
            || value.as_str().map(str::to_owned).ok_or_else(|| FleetFault::Type(field.clone(), "a text"));
        let members = || value.as_object().ok_or_else(|| FleetFault::Type(field.clone(), "an object"));
        match field.as_str() {
            "name" => described.name = text()?,
            "from" => described.from = text()?,
            "operators" => {
                for (package, version) in members()? {
                    let version = version
                        .as_str()
                        .ok_or_else(|| FleetFault::Type(format!("operators.{package}"), "a text"))?;
                    described.operators.push(format!("{package}={version}"));
                }
            }
            "pools" => {
                let named = members()?.iter().map(|(name, value)| pool(name, value));
                described.pools = Pool::with_defaults(named.collect::<Result<_, _>>()?)?;
            }
            other => return Err(FleetFault::UnknownField(other.to_owned())),
        }
    }
    match (described.name.as_str(), described.from.as_str()) {
        ("", _) => Err(FleetFault::NoName),
        (_, "") => Err(FleetFault::NoVersion),
        _ => Ok(described),
    }
}

fn pool(name: &str, value: &Value) -> Result<Pool, FleetFault> {
    let mut fields = value.as_object().into_iter().flatten().map(|(field, _)| field);
    if let Some(field) = fields.find(|field| !Pool::FIELDS.contains(&field.as_str())) {
        return Err(FleetFault::UnknownPoolField { pool: name.to_owned(), field: field.clone() });
    }
    Pool::read(name, value).map_err(|PoolFault { field, message }| {
        let field = field.map(|field| format!(".{field}")).unwrap_or_default();
        FleetFault::Pool { pool: name.to_owned(), field, message: message.to_string() }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_of_pools_name_their_fields() {
        for (value, fault) in [
            (json!(5001), " must be a number of nodes, at most 5000"),
            (json!({"nodes": 1_000_000_000_000_u64}), ".nodes must be a number of nodes, at most 5000"),
            (json!({"nodes": 1, "paused": 1}), ".paused must be true or false"),
            (json!({"": 1}), ": unknown field \"\"; known are nodes, maxUnavailable, paused"),
        ] {
            assert_eq!(pool("master", &value).unwrap_err().to_string(), format!("pools.master{fault}"));
        }
        assert_eq!(pool("master", &json!(5000)), Ok(Pool::new("master", 5000)));
    }

    #[test]
    fn clusters_keep_the_pools_that_they_do_not_name() {
        let read = |pools: Value| cluster(&json!({"name": "a", "from": "4.18.8", "pools": pools}));
        let pools = read(json!({"worker": 5})).unwrap().pools;
        assert_eq!(pools, [Pool::new("master", 3), Pool::new("worker", 5)]);
        let fault = read(json!({"master": 0})).map(|described| described.name).unwrap_err();
        assert_eq!(fault, FleetFault::Pools(PoolsFault::NoControlPlane));
    }

    #[test]
    fn broken_fleets_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet.yaml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            super::read(&path, &Settings::default())
        };
        let fleet = "- {name: a, from: 4.18.8, operators: {ferry: 1.1.0}}\n- name: b\n  from: 4.18.8\n  pools: {worker: {nodes: 2, \
                     maxUnavailable: 20%, paused: true}, infra: 1}\n";
        assert_eq!(read(fleet).unwrap().len(), 2);
        for broken in fbc_testing::broken_variants(fleet) {
            if let Ok(clusters) = read(&broken) {
                assert!(
                    clusters.iter().all(|one| !one.name.is_empty() && !one.from.is_empty()),
                    "{broken:?}"
                );
            }
        }
    }
}
