//! Pools of nodes, as users describe them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::machine_config::{MASTER, WORKER};

/// The nodes of a pool: as many as Kubernetes supports in a cluster.
pub const MOST_NODES: u32 = 5_000;

/// A pool of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Its name, which is the role of its nodes.
    pub name: String,
    /// How many nodes it has.
    pub nodes: usize,
    /// How many may be unavailable: a number or a percentage.
    pub max_unavailable: Value,
    /// Whether its updates wait.
    pub is_paused: bool,
}

/// What is wrong with the description of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolFault {
    /// The field; none if it is the description itself.
    pub field: Option<String>,
    /// What it must be.
    pub message: String,
}

/// What is wrong with pools that together make a cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoolsFault {
    /// A pool comes twice.
    #[error("pool {0} is given twice")]
    Twice(String),
    /// The pool of the control plane has no nodes.
    #[error("pool {MASTER} has no nodes, and a cluster does not run without its control plane")]
    NoControlPlane,
}

impl Pool {
    /// The fields of a description.
    pub const FIELDS: [&str; 3] = ["nodes", "maxUnavailable", "paused"];

    /// The names of its nodes.
    pub fn node_names(&self) -> impl Iterator<Item = String> {
        (0..self.nodes).map(|number| format!("{}-{number}", self.name))
    }

    /// Reads a number of nodes, or an object with [`Pool::FIELDS`]. Other fields are for callers to refuse, who know
    /// where they stand.
    ///
    /// # Errors
    /// The field that has a value that does not fit.
    pub fn read(name: &str, value: &Value) -> Result<Self, PoolFault> {
        let fault = |field: Option<&str>, message: &str| PoolFault {
            field: field.map(str::to_owned),
            message: message.to_owned(),
        };
        let nodes = |field: Option<&str>, value: &Value| {
            let message = format!("must be a number of nodes, at most {MOST_NODES}");
            Self::read_nodes(value).ok_or_else(|| fault(field, &message))
        };
        let mut pool = Self::new(name, 0);
        let Some(members) = value.as_object() else { return Ok(Self { nodes: nodes(None, value)?, ..pool }) };
        for (field, value) in members {
            let fault = |message: &str| fault(Some(field), message);
            match field.as_str() {
                "nodes" => pool.nodes = nodes(Some(field), value)?,
                "maxUnavailable" => {
                    let message = "must be a number of nodes, or a percentage such as \"20%\"";
                    pool.max_unavailable = Self::read_maximum(value).ok_or_else(|| fault(message))?;
                }
                "paused" => {
                    pool.is_paused = value.as_bool().ok_or_else(|| fault("must be true or false"))?;
                }
                _ => {}
            }
        }
        Ok(pool)
    }

    /// How many nodes there are.
    pub fn read_nodes(value: &Value) -> Option<usize> {
        let number = value.as_u64().filter(|number| *number <= u64::from(MOST_NODES))?;
        usize::try_from(number).ok()
    }

    /// How many nodes may be unavailable: a number, or a percentage.
    pub fn read_maximum(value: &Value) -> Option<Value> {
        let is_percentage =
            |text: &str| text.strip_suffix('%').is_some_and(|number| number.parse::<u8>().is_ok());
        (value.is_u64() || value.as_str().is_some_and(is_percentage)).then(|| value.clone())
    }

    /// A pool of so many nodes, of which one may be unavailable.
    pub fn new(name: impl Into<String>, nodes: usize) -> Self {
        Self { name: name.into(), nodes, max_unavailable: json!(1), is_paused: false }
    }

    /// The pools of a small cluster.
    pub fn defaults() -> Vec<Self> {
        [MASTER, WORKER].map(|name| Self::new(name, 3)).to_vec()
    }

    /// The pools of a small cluster with others in their places or beside them.
    ///
    /// # Errors
    /// If a pool comes twice, or nothing is left of the control plane.
    pub fn with_defaults(named: Vec<Self>) -> Result<Vec<Self>, PoolsFault> {
        let mut pools = Self::defaults();
        let mut seen = BTreeSet::new();
        for pool in named {
            if !seen.insert(pool.name.clone()) {
                return Err(PoolsFault::Twice(pool.name));
            }
            if pool.name == MASTER && pool.nodes == 0 {
                return Err(PoolsFault::NoControlPlane);
            }
            match pools.iter_mut().find(|default| default.name == pool.name) {
                Some(default) => *default = pool,
                None => pools.push(pool),
            }
        }
        Ok(pools)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_that_are_not_named_stay() {
        let names = |named: &[(&str, usize)]| {
            let named = named.iter().map(|(name, nodes)| Pool::new(*name, *nodes)).collect();
            let text = |pools: Vec<Pool>| {
                let texts: Vec<String> =
                    pools.iter().map(|pool| format!("{}={}", pool.name, pool.nodes)).collect();
                texts.join(" ")
            };
            Pool::with_defaults(named).map_or_else(|fault| fault.to_string(), text)
        };
        for (named, expected) in [
            (&[][..], "master=3 worker=3"),
            (&[("worker", 5)], "master=3 worker=5"),
            (&[("infra", 2), ("worker", 0)], "master=3 worker=0 infra=2"),
            (&[("worker", 1), ("worker", 2)], "pool worker is given twice"),
            (
                &[("master", 0)],
                "pool master has no nodes, and a cluster does not run without its control plane",
            ),
        ] {
            assert_eq!(names(named), expected);
        }
    }
}
