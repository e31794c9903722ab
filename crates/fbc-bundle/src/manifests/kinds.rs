//! The kinds of objects that a bundle may bring along.
//!
//! Source: `operator-framework/operator-registry:pkg/lib/bundle/supported_resources.go`. Kinds are known
//! by their names only, whatever their group.

/// Kinds, and whether their objects get the namespace of the installation.
/// `VerticalPodAutoscaler` counts as one without a namespace.
const KINDS: [(&str, bool); 22] = [
    ("ClusterServiceVersion", true),
    ("CustomResourceDefinition", false),
    ("ClusterRole", false),
    ("ClusterRoleBinding", false),
    ("Service", true),
    ("ServiceAccount", true),
    ("Role", true),
    ("RoleBinding", true),
    ("PrometheusRule", true),
    ("ServiceMonitor", true),
    ("Secret", true),
    ("ConfigMap", true),
    ("PodDisruptionBudget", true),
    ("PriorityClass", false),
    ("VerticalPodAutoscaler", false),
    ("ConsoleYAMLSample", false),
    ("ConsoleQuickStart", false),
    ("ConsoleCLIDownload", false),
    ("ConsoleLink", false),
    ("ConsolePlugin", false),
    ("NetworkPolicy", true),
    ("PodMonitor", true),
];

/// Whether a bundle may hold objects of the kind.
#[must_use]
pub fn is_supported(kind: &str) -> bool {
    KINDS.iter().any(|(name, _)| *name == kind)
}

/// Whether objects of the kind get the namespace of the installation.
#[must_use]
pub fn is_namespaced(kind: &str) -> bool {
    KINDS.contains(&(kind, true))
}
