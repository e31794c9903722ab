//! How operators and nodes behave: a file with `operators` and `nodes`.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_openshift::cluster_update::Pool;
use fbc_openshift::machine_config::daemon;
use fbc_openshift::{DataError, cluster_operators};
use serde_json::{Map, Value};

use fbc_app::input;
use fbc_app::settings::Settings;
use fbc_model::closest::closest;
use fbc_source::Error;

/// The fields of the file.
const FIELDS: [&str; 2] = ["operators", "nodes"];

type Behaviours = (Vec<cluster_operators::Behaviour>, Vec<daemon::Behaviour>);

/// What is wrong with the file.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("a mapping with `operators` and `nodes` is expected")]
    NoMapping,
    #[error("{0} must be a list")]
    NoList(&'static str),
    #[error("unknown field {field:?}; known are {}", FIELDS.join(", "))]
    UnknownField { field: String },
    #[error("{field}[{index}]: {error}")]
    Behaviour { field: &'static str, index: usize, error: DataError },
    #[error("operators[{index}]: the payloads have no operator {name:?}")]
    UnknownOperator { index: usize, name: String },
}

/// Reads the file; `known` are the operators of the payloads.
pub(super) fn read(path: &Path, known: &BTreeSet<String>, settings: &Settings) -> Result<Behaviours, Error> {
    let bytes = input::file::read(path, settings)?;
    let document = fbc_yaml::stream::read_one(&bytes)
        .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
    behaviours(&document.root().to_json(), known).map_err(|fault| {
        let failure = Error::new(format!("{}: {fault}", path.display()));
        match &fault {
            Fault::NoMapping => failure.help("such as `operators: [{operator: kube-apiserver, takes: 900}]`"),
            Fault::UnknownOperator { name, .. } => failure.help(unknown_help(name, known)),
            _ => failure,
        }
    })
}

/// Refuses a behavior of nodes that no cluster has.
pub(super) fn check_nodes(path: &Path, nodes: &[daemon::Behaviour], pools: &[&Pool]) -> Result<(), Error> {
    let Some((index, prefix)) = without_node(nodes, pools) else { return Ok(()) };
    let names: BTreeSet<&str> = pools.iter().map(|pool| pool.name.as_str()).collect();
    let shown: Vec<String> = names.iter().map(|name| format!("{name}-0")).collect();
    let failure = Error::new(format!(
        "{}: nodes[{index}]: no node has a name that begins with {prefix:?}",
        path.display()
    ));
    Err(failure.help(format!("nodes are named by their pools and counted from 0: {}", shown.join(", "))))
}

/// The first behavior of a node that no pool has.
fn without_node<'b>(nodes: &'b [daemon::Behaviour], pools: &[&Pool]) -> Option<(usize, &'b str)> {
    let prefixes = nodes.iter().map(|behaviour| behaviour.node.as_str()).enumerate();
    let mut named = prefixes.filter(|(_, prefix)| !prefix.is_empty());
    named.find(|(_, prefix)| !pools.iter().any(|pool| pool.node_names().any(|name| name.starts_with(prefix))))
}

/// The operator that was meant, or those that there are.
fn unknown_help(name: &str, known: &BTreeSet<String>) -> String {
    closest(name, known.iter().map(String::as_str)).map_or_else(
        || format!("they have {}", known.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        |meant| format!("did you mean {meant:?}?"),
    )
}

fn behaviours(value: &Value, known: &BTreeSet<String>) -> Result<Behaviours, Fault> {
    let fields = value.as_object().ok_or(Fault::NoMapping)?;
    if let Some((field, _)) = fields.iter().find(|(field, _)| !FIELDS.contains(&field.as_str())) {
        return Err(Fault::UnknownField { field: field.clone() });
    }
    let operators = list(fields, "operators", cluster_operators::Behaviour::read)?;
    for (index, behaviour) in operators.iter().enumerate() {
        // Without a name it is that of all operators.
        let mut named =
            std::iter::once(&behaviour.operator).filter(|name| !name.is_empty()).chain(&behaviour.after);
        if let Some(name) = named.find(|name| !known.contains(*name)) {
            return Err(Fault::UnknownOperator { index, name: name.clone() });
        }
    }
    Ok((operators, list(fields, "nodes", daemon::Behaviour::read)?))
}

fn list<T>(
    fields: &Map<String, Value>,
    field: &'static str,
    read: impl Fn(&Value) -> Result<T, DataError>,
) -> Result<Vec<T>, Fault> {
    let Some(value) = fields.get(field) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or(Fault::NoList(field))?.iter().enumerate();
    list.map(|(index, one)| read(one).map_err(|error| Fault::Behaviour { field, index, error })).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_understood_is_refused() {
        let known: BTreeSet<String> = ["kube-apiserver", "olm"].map(str::to_owned).into();
        let expected = "a mapping with `operators` and `nodes` is expected";
        for (value, fault) in [
            (json!({}), ""),
            (json!({"operators": [{"takes": 60}, {"operator": "olm", "after": ["kube-apiserver"]}]}), ""),
            (json!([{"operator": "olm"}]), expected),
            (json!("foo"), expected),
            (json!(null), expected),
            (json!({"operators": {}}), "operators must be a list"),
            (json!({"nodes": 3}), "nodes must be a list"),
            (json!({"pools": []}), "unknown field \"pools\"; known are operators, nodes"),
            (json!({"nodes": [{}, 3]}), "nodes[1]: a behavior of nodes must be an object"),
            (
                json!({"operators": [{"operator": "kube-apisever"}]}),
                "operators[0]: the payloads have no operator \"kube-apisever\"",
            ),
            (
                json!({"operators": [{"operator": "olm", "after": ["etcd"]}]}),
                "operators[0]: the payloads have no operator \"etcd\"",
            ),
        ] {
            let seen = behaviours(&value, &known).map_or_else(|fault| fault.to_string(), |_| String::new());
            assert_eq!(seen, fault, "{value}");
        }
        let behaviours = |prefixes: &[&str]| -> Vec<_> {
            prefixes.iter().map(|node| daemon::Behaviour::read(&json!({"node": node})).unwrap()).collect()
        };
        let (worker, infra) = (Pool::new("worker", 3), Pool::new("infra", 0));
        for (prefixes, expected) in [
            (&["", "worker", "worker-2"][..], None),
            (&["worker-0", "worker-3"], Some((1, "worker-3"))),
            (&["infra"], Some((0, "infra"))),
        ] {
            let seen = behaviours(prefixes);
            assert_eq!(without_node(&seen, &[&worker, &infra]), expected, "{prefixes:?}");
        }
        assert_eq!(unknown_help("kube-apisever", &known), "did you mean \"kube-apiserver\"?");
        assert_eq!(unknown_help("etcd", &known), "they have kube-apiserver, olm");
    }

    #[test]
    fn broken_files_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("behaviour.yaml");
        let known: BTreeSet<String> = ["olm".to_owned()].into();
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            super::read(&path, &known, &Settings::default())
        };
        let text = "operators:\n- {operator: olm, takes: 60}\nnodes: [{node: worker}]\n";
        assert!(read(text).is_ok());
        for broken in fbc_testing::broken_variants(text) {
            if let Ok((operators, _)) = read(&broken) {
                let is_known = |name: &String| name.is_empty() || known.contains(name);
                assert!(operators.iter().all(|one| is_known(&one.operator)), "{broken:?}");
            }
        }
    }
}
