//! Which release of Kubernetes a cluster reports.

use std::fmt;

/// A release of Kubernetes 1, as servers and nodes report it: `v1.36.2`. What the API server does is what 1.36 does, whichever
/// it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KubernetesVersion {
    /// The minor version.
    pub minor: u32,
    patch: u32,
}

impl KubernetesVersion {
    /// The first patch of a minor version.
    pub fn of_minor(minor: u32) -> Self {
        if minor == Self::default().minor { Self::default() } else { Self { minor, patch: 0 } }
    }

    /// What runs the containers of a node.
    pub fn container_runtime(self) -> String {
        format!("cri-o://1.{}.{}", self.minor, self.patch)
    }
}

impl Default for KubernetesVersion {
    fn default() -> Self {
        Self { minor: 36, patch: 2 }
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v1.{}.{}", self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_servers_and_nodes_report_them() {
        let texts = |version: KubernetesVersion| (version.to_string(), version.container_runtime());
        assert_eq!(texts(KubernetesVersion::default()), ("v1.36.2".to_owned(), "cri-o://1.36.2".to_owned()));
        assert_eq!(
            texts(KubernetesVersion::of_minor(32)),
            ("v1.32.0".to_owned(), "cri-o://1.32.0".to_owned())
        );
        assert_eq!(KubernetesVersion::of_minor(36), KubernetesVersion::default());
    }
}
