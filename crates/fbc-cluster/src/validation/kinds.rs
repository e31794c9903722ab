//! The kinds that a cluster has before any definition.

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
    kind::read_table(TABLE)
}

#[cfg(test)]
mod tests {
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
    fn every_kind_of_kubernetes_has_its_type() {
        for kind in builtin_kinds() {
            let version = &kind.versions[0];
            assert!(types().of_kind(&kind.group, version, &kind.kind).is_some(), "{}", kind.kind);
        }
    }
}
