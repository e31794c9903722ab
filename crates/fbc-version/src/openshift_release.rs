//! Minor versions of OpenShift: what a catalog is for, what a cluster has, what a bundle works on.

use std::fmt;

/// A minor version of OpenShift, such as `4.17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpenShiftRelease {
    /// The number before the dot.
    pub major: u32,
    /// The number behind the dot.
    pub minor: u32,
}

impl OpenShiftRelease {
    /// A release.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Reads `4.17` or `v4.17`; nothing for any other form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.strip_prefix('v').unwrap_or(text).split_once('.')?;
        Some(Self { major: number(major)?, minor: number(minor)? })
    }

    /// The first release with a minor version of Kubernetes 1: since 4.3 the two are 13 apart. Nothing for older ones.
    #[must_use]
    pub fn of_kubernetes(minor: u32) -> Option<Self> {
        let minor = minor.checked_sub(13).filter(|minor| *minor >= 3)?;
        Some(Self { major: 4, minor }.counted())
    }

    /// The minor version of Kubernetes 1 that the release has. Nothing for releases before 4.3, and after 5.
    #[must_use]
    pub fn kubernetes(self) -> Option<u32> {
        match self.counted() {
            Self { major: 4, minor: 3.. } => self.minor.checked_add(13),
            Self { major: 5, minor } => minor.checked_add(36),
            _ => None,
        }
    }

    /// The next minor version.
    #[must_use]
    pub fn next(self) -> Self {
        let Self { major, minor } = self.counted();
        Self { major, minor: minor.saturating_add(1) }
    }

    /// The release by the name that counts: 4.23 is another name of 5.0.
    #[must_use]
    pub fn counted(self) -> Self {
        match self {
            Self { major: 4, minor } if minor >= 23 => Self { major: 5, minor: minor - 23 },
            other => other,
        }
    }
}

/// A number without signs, spaces and leading zeros.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for OpenShiftRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// `OpenShift 4.16, 4.17`
#[must_use]
pub fn in_words(versions: &[OpenShiftRelease]) -> String {
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    format!("OpenShift {}", versions.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{OpenShiftRelease, in_words};

    #[test]
    fn forms() {
        assert_eq!(OpenShiftRelease::parse("4.17"), Some(OpenShiftRelease::new(4, 17)));
        assert_eq!(OpenShiftRelease::parse("v5.0"), Some(OpenShiftRelease::new(5, 0)));
        for text in ["", "4", "4.", ".17", "4.17.1", "vv4.17", "4.x", "+4.17", "4.017", "4.99999999999"] {
            assert_eq!(OpenShiftRelease::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_by_number() {
        assert!(OpenShiftRelease::new(4, 9) < OpenShiftRelease::new(4, 17));
        assert!(OpenShiftRelease::new(4, 22) < OpenShiftRelease::new(5, 0));
        assert_eq!(
            in_words(&[OpenShiftRelease::new(4, 9), OpenShiftRelease::new(4, 17)]),
            "OpenShift 4.9, 4.17"
        );
    }
}
