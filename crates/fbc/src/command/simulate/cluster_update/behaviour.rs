//! How operators and nodes behave: a file with `operators` and `nodes`.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_openshift::machine_config::daemon;
use fbc_openshift::{DataError, cluster_operators};
use serde_json::{Map, Value};

use crate::failure::{Failure, closest};
use crate::input;
use crate::settings::Settings;

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
pub(super) fn read(
    path: &Path,
    known: &BTreeSet<String>,
    settings: &Settings,
) -> Result<Behaviours, Failure> {
    let bytes = input::file::read(path, settings)?;
    let document = fbc_yaml::stream::read_one(&bytes)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    behaviours(&document.root().to_json(), known).map_err(|fault| {
        let failure = Failure::new(format!("{}: {fault}", path.display()));
        match &fault {
            Fault::NoMapping => failure.help("such as `operators: [{operator: kube-apiserver, takes: 900}]`"),
            Fault::UnknownOperator { name, .. } => failure.help(unknown_help(name, known)),
            _ => failure,
        }
    })
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
        assert_eq!(unknown_help("kube-apisever", &known), "did you mean \"kube-apiserver\"?");
        assert_eq!(unknown_help("etcd", &known), "they have kube-apiserver, olm");
    }
}
