//! The clusters that a bundle is meant for.

/// Versions of clusters, as their minor versions. Empty means: none in particular.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// The minor versions `x` of Kubernetes 1.x.
    pub kubernetes: Vec<u64>,
    /// The minor versions `x` of OpenShift 4.x.
    pub openshift: Vec<u64>,
}

/// A text that names no known version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a version of Kubernetes: write 1.32")]
pub struct TargetError {
    text: String,
}

impl Targets {
    /// Reads a version of Kubernetes, such as `1.32`, with or without `v` and patch version: its minor
    /// version.
    ///
    /// # Errors
    /// [`TargetError`]
    pub fn parse_kubernetes(text: &str) -> Result<u64, TargetError> {
        minor_of(text).ok_or_else(|| TargetError { text: text.to_owned() })
    }

    /// Whether there is no target in particular.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kubernetes.is_empty() && self.openshift.is_empty()
    }

    /// The targets with the Kubernetes that is in each: its minor version, and the name of the target.
    #[must_use]
    pub fn clusters(&self) -> Vec<(u64, String)> {
        let kubernetes = self.kubernetes.iter().map(|minor| (*minor, format!("Kubernetes 1.{minor}")));
        let openshift = self.openshift.iter().map(|minor| {
            let inside = kubernetes_in_openshift(*minor);
            (inside, format!("OpenShift 4.{minor} (Kubernetes 1.{inside})"))
        });
        kubernetes.chain(openshift).collect()
    }
}

fn minor_of(text: &str) -> Option<u64> {
    let text = text.trim();
    let rest = text.strip_prefix('v').unwrap_or(text).strip_prefix('1')?.strip_prefix('.')?;
    let mut parts = rest.split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let minor = parts.next().filter(|part| is_number(part))?.parse().ok().filter(|minor| *minor < 1000)?;
    let patch_is_fine = parts.next().is_none_or(is_number);
    (patch_is_fine && parts.next().is_none()).then_some(minor)
}

/// The Kubernetes in an OpenShift 4: minor versions are 13 apart since 4.3.
fn kubernetes_in_openshift(minor: u64) -> u64 {
    match minor {
        0..=2 => minor + 12,
        _ => minor + 13,
    }
}

#[cfg(test)]
mod tests {
    use super::Targets;

    #[test]
    fn versions() {
        assert_eq!(Targets::parse_kubernetes("1.25"), Ok(25));
        assert_eq!(Targets::parse_kubernetes(" v1.32.4 "), Ok(32));
        for text in ["", "1", "1.", "2.3", "1.x", "1.2.3.4", "1.2.", "1.99999999999999999999"] {
            assert!(Targets::parse_kubernetes(text).is_err(), "{text}");
        }
        let targets = Targets { kubernetes: vec![25], openshift: vec![2, 12, 19] };
        let inside: Vec<u64> = targets.clusters().into_iter().map(|(minor, _)| minor).collect();
        assert_eq!(inside, [25, 14, 25, 32]);
    }
}
