//! Which sets of namespaces an operator can work in.
//!
//! Source: `openshift/operator-framework-olm:staging/api/pkg/operators/v1alpha1/clusterserviceversion.go` (`Supports`).

use std::collections::BTreeMap;

use crate::look_error::{LookError, fail};
use fbc_cluster::object::ObjectFields;
use serde_json::Value;

/// The modes that an operator lists, with whether it supports them.
#[derive(Debug, PartialEq, Eq)]
pub struct InstallModes<'m>(BTreeMap<&'m str, bool>);

impl<'m> InstallModes<'m> {
    /// Reads the list of a ClusterServiceVersion.
    ///
    /// # Errors
    /// A mode is listed twice.
    pub fn read(modes: &'m [Value]) -> Result<Self, LookError> {
        let mut set = BTreeMap::new();
        for mode in modes {
            if set.insert(mode.text(&["type"]), mode["supported"] == true).is_some() {
                let list = modes
                    .iter()
                    .map(|mode| format!("{{{} {}}}", mode.text(&["type"]), mode["supported"] == true));
                let list = list.collect::<Vec<_>>().join(" ");
                return fail(format!("InstallMode list contains duplicates, cannot make set: [{list}]"));
            }
        }
        Ok(Self(set))
    }

    /// Whether an operator in a namespace can work in these, which are one empty one for all.
    ///
    /// # Errors
    /// What is missing.
    pub fn check(&self, own: &str, targets: &[&str]) -> Result<(), LookError> {
        let need = |mode: &str, what: &str| {
            if self.0.get(mode) == Some(&true) {
                return Ok(());
            }
            fail(format!("{mode} InstallModeType not supported, cannot configure to watch {what}"))
        };
        match targets {
            [] => Err(
                "operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces"
                    .into(),
            ),
            [""] => need("AllNamespaces", "all namespaces"),
            [only] if *only == own => need("OwnNamespace", "own namespace"),
            [_] => need("SingleNamespace", "one namespace"),
            several => {
                need("MultiNamespace", &format!("{} namespaces", several.len()))?;
                several.iter().try_for_each(|namespace| match *namespace {
                    "" => Err(
                        "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected \
                               namespaces| > 1"
                            .into(),
                    ),
                    namespace if namespace == own => need("OwnNamespace", "own namespace"),
                    _ => Ok(()),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Shows V0-082.
    #[test]
    fn modes_fit_targets() {
        let supporting = |names: &[&str]| -> Vec<Value> {
            names.iter().map(|name| json!({"type": name, "supported": true})).collect()
        };
        for (modes, targets, missing) in [
            (&["AllNamespaces"][..], &[""][..], None),
            (
                &["OwnNamespace"],
                &[""],
                Some("AllNamespaces InstallModeType not supported, cannot configure to watch all namespaces"),
            ),
            (
                &["AllNamespaces"],
                &["port"],
                Some("OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"),
            ),
            (
                &["OwnNamespace"],
                &["quay"],
                Some(
                    "SingleNamespace InstallModeType not supported, cannot configure to watch one namespace",
                ),
            ),
            (
                &["SingleNamespace"],
                &["dock", "quay"],
                Some("MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces"),
            ),
            (&["MultiNamespace"], &["dock", "quay"], None),
            (
                &["MultiNamespace"],
                &["dock", "port"],
                Some("OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"),
            ),
            (
                &["MultiNamespace"],
                &["", "quay"],
                Some(
                    "operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1",
                ),
            ),
        ] {
            let modes = supporting(modes);
            let result = InstallModes::read(&modes).unwrap().check("port", targets);
            assert_eq!(result.err().as_deref(), missing, "{modes:?} {targets:?}");
        }
        let twice = [
            json!({"type": "OwnNamespace", "supported": true}),
            json!({"type": "OwnNamespace", "supported": false}),
        ];
        assert_eq!(
            InstallModes::read(&twice).unwrap_err().to_string(),
            "InstallMode list contains duplicates, cannot make set: [{OwnNamespace true} {OwnNamespace false}]"
        );
    }
}
