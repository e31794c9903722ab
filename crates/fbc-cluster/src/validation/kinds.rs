//! The kinds that a cluster has before any definition.

use std::sync::LazyLock;

use super::strategy::Strategy;
use crate::kind::{self, Kind, Registry};

/// The table; its head says what the columns are.
static TABLE: &str = include_str!("builtin.kinds");

/// Registers every built-in kind.
pub fn register(registry: &mut Registry) {
    for kind in builtin_kinds() {
        registry.register(kind);
    }
}

/// Every kind of Kubernetes that users and operators meet. Kinds of other products, such as `Certificate` and `Route`,
/// come with the platform or with add-ons.
pub fn builtin_kinds() -> Vec<Kind> {
    ROWS.iter().map(|(kind, _)| kind.clone()).collect()
}

/// What updates of a built-in kind mean. Every row of the table says it: a row without is none, and its kind is not served.
pub fn strategy_of(kind: &Kind) -> Option<&'static Strategy> {
    let of_kind = |(row, _): &&(Kind, Strategy)| row.kind == kind.kind && row.group == kind.group;
    ROWS.iter().find(of_kind).map(|(_, strategy)| strategy)
}

static ROWS: LazyLock<Vec<(Kind, Strategy)>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (columns, words) = line.split_once(" | ")?;
        let strategy = Strategy::read(words)?;
        let kind = kind::read_table(columns).pop()?;
        Some((kind, strategy))
    });
    rows.collect()
});

#[cfg(test)]
mod tests {
    use super::super::strategy::Counts;
    use super::*;
    use crate::kind::GroupVersionKind;
    use crate::types::types;

    #[test]
    fn kinds_are_registered_with_what_they_are() {
        let mut registry = Registry::default();
        register(&mut registry);
        let (_, deployment) = registry.served(&GroupVersionKind::of("apps/v1", "Deployment")).unwrap();
        assert_eq!(deployment.qualified_plural(), "deployments.apps");
        assert_eq!(deployment.short_names, ["deploy"]);
        assert!(deployment.namespaced && deployment.has_status && deployment.has_generation);
        let (_, node) = registry.find("", "Node").unwrap();
        assert!(!node.namespaced && node.group.is_empty());
        assert!(registry.find("cert-manager.io", "Certificate").is_none());
    }

    #[test]
    fn every_kind_says_what_updates_do() {
        let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines.count(), builtin_kinds().len());
        let of =
            |name: &str| strategy_of(builtin_kinds().iter().find(|kind| kind.kind == name).unwrap()).unwrap();
        assert_eq!(of("Namespace").keeps, [["spec", "finalizers"]]);
        assert!(of("Lease").versioned && of("Lease").puts_create && !of("ConfigMap").versioned);
        assert_eq!(of("Deployment").counts, Counts::Annotations);
    }

    #[test]
    fn every_kind_of_kubernetes_has_its_type() {
        for kind in builtin_kinds() {
            let version = &kind.versions[0];
            assert!(types().of_kind(&kind.group, version, &kind.kind).is_some(), "{}", kind.kind);
        }
    }
}
