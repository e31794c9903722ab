//! Products that a cluster may have besides what every cluster has: their kinds, and stand-ins for their controllers.
//!
//! | module | what it holds |
//! |---|---|
//! | [`cert_manager`] | cert-manager: issuers are ready, certificates are issued |
//! | [`ca_injection`] | certificates of authorities are written where webhooks are configured |
//! | [`certificate`] | what stands for certificates and keys |
//!
//! Monitoring is nothing but its kinds: monitors and rules are accepted, and nothing is scraped.

pub mod ca_injection;
pub mod cert_manager;
pub mod certificate;

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::engine::Controller;
use crate::kind::{Kind, read_table};
use crate::object::Object;

/// The kinds of the Prometheus Operator.
const MONITORING: &str = include_str!("monitoring.kinds");

/// A product that a cluster may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddOn {
    /// cert-manager.
    CertManager,
    /// The kinds of the Prometheus Operator.
    Monitoring,
}

/// A name that is that of no add-on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown add-on {0:?}, expected {names}", names = AddOn::NAMES.join(" or "))]
pub struct UnknownAddOn(pub String);

impl AddOn {
    /// The names, as command lines and scenarios write them.
    pub const NAMES: [&'static str; 2] = ["cert-manager", "monitoring"];
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::CertManager, Self::Monitoring];

    /// The kinds that it brings.
    pub fn kinds(self) -> Vec<Kind> {
        read_table(match self {
            Self::CertManager => cert_manager::KINDS,
            Self::Monitoring => MONITORING,
        })
    }

    /// The controllers that it brings.
    pub fn controllers(self) -> Vec<Box<dyn Controller>> {
        match self {
            Self::CertManager => cert_manager::controllers(),
            Self::Monitoring => Vec::new(),
        }
    }

    /// The namespace in which it runs, if it has one.
    pub fn namespace(self) -> Option<&'static str> {
        match self {
            Self::CertManager => Some(cert_manager::NAMESPACE),
            Self::Monitoring => None,
        }
    }

    /// The add-on whose kinds these are, by their group.
    pub fn of_group(group: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|add_on| add_on.kinds().iter().any(|kind| kind.group == group))
    }
}

impl fmt::Display for AddOn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::CertManager => "cert-manager",
            Self::Monitoring => "monitoring",
        })
    }
}

impl FromStr for AddOn {
    type Err = UnknownAddOn;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|add_on| add_on.to_string() == name);
        found.ok_or_else(|| UnknownAddOn(name.to_owned()))
    }
}

/// The definition of a kind whose objects may hold anything.
pub fn open_definition(kind: &Kind) -> Object {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |(index, name): (usize, &String)| {
        let mut version = json!({
            "name": name, "served": true, "storage": index == 0, "schema": {"openAPIV3Schema": schema},
        });
        if kind.has_status {
            version["subresources"] = json!({"status": {}});
        }
        version
    };
    let versions: Vec<Value> = kind.versions.iter().enumerate().map(version).collect();
    let mut annotations = json!({});
    if kind.group.ends_with(".k8s.io") {
        annotations = json!({"api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements"});
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.qualified_plural(), "annotations": annotations},
        "spec": {
            "group": kind.group, "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
            "names": {
                "kind": kind.kind, "plural": kind.plural, "singular": kind.singular,
                "shortNames": kind.short_names, "listKind": format!("{}List", kind.kind),
            },
            "versions": versions,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_plane::api_server;
    use crate::time::Moment;

    #[test]
    fn a_server_takes_the_kinds_of_all_add_ons() {
        let mut api = api_server(&[], 1, Moment::START);
        for (add_on, name) in AddOn::ALL.into_iter().zip(AddOn::NAMES) {
            assert_eq!(name.parse(), Ok(add_on));
            for kind in add_on.kinds() {
                api.install_definition(open_definition(&kind)).unwrap();
                assert!(api.kind_id(&kind.group, &kind.kind).is_some());
                assert_eq!(AddOn::of_group(&kind.group), Some(add_on));
            }
        }
    }
}
