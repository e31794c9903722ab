//! The kinds that a cluster has before any definition.

use crate::kind::{Kind, Registry};

/// The table; its head says what the columns are.
static TABLE: &str = include_str!("builtin.kinds");

/// Registers every built-in kind.
pub fn register(registry: &mut Registry) {
    for kind in builtin_kinds() {
        registry.register(kind);
    }
}

/// Every kind of Kubernetes that users and operators meet, and those of OpenShift that bundles hold. Kinds of other
/// products, such as `Certificate` and `ServiceMonitor`, come with their definitions.
pub fn builtin_kinds() -> Vec<Kind> {
    TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(read).collect()
}

fn read(line: &str) -> Kind {
    let mut columns = line.split(' ');
    let mut next = || columns.next().unwrap_or_default();
    let texts = |list: &str| -> Vec<String> {
        list.split(',').filter(|text| !text.is_empty()).map(str::to_owned).collect()
    };
    let (group, versions, kind, plural, flags, short_names) =
        (next(), next(), next(), next(), next(), next());
    Kind {
        group: group.trim_start_matches('-').to_owned(),
        versions: texts(versions),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        singular: kind.to_lowercase(),
        short_names: texts(short_names),
        categories: if flags.contains('a') { vec!["all".to_owned()] } else { Vec::new() },
        namespaced: flags.contains('n'),
        has_status: flags.contains('s'),
        has_generation: flags.contains('g'),
    }
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
        for kind in builtin_kinds().iter().filter(|kind| !kind.group.ends_with("openshift.io")) {
            let version = &kind.versions[0];
            assert!(types().of_kind(&kind.group, version, &kind.kind).is_some(), "{}", kind.kind);
        }
    }
}
