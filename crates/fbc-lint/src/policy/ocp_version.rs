//! Versions of OpenShift that a catalog is for.

use std::fmt;

/// A minor version of OpenShift, such as `4.17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OcpVersion {
    /// The number before the dot.
    pub major: u32,
    /// The number behind the dot.
    pub minor: u32,
}

impl OcpVersion {
    /// A version.
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
}

/// A number without signs, spaces and leading zeros.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for OcpVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// `OpenShift 4.16, 4.17`
#[must_use]
pub fn in_words(versions: &[OcpVersion]) -> String {
    let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
    format!("OpenShift {}", versions.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{OcpVersion, in_words};

    #[test]
    fn forms() {
        assert_eq!(OcpVersion::parse("4.17"), Some(OcpVersion::new(4, 17)));
        assert_eq!(OcpVersion::parse("v5.0"), Some(OcpVersion::new(5, 0)));
        for text in ["", "4", "4.", ".17", "4.17.1", "vv4.17", "4.x", "+4.17", "4.017", "4.99999999999"] {
            assert_eq!(OcpVersion::parse(text), None, "{text}");
        }
    }

    #[test]
    fn order_is_by_number() {
        assert!(OcpVersion::new(4, 9) < OcpVersion::new(4, 17));
        assert!(OcpVersion::new(4, 22) < OcpVersion::new(5, 0));
        assert_eq!(in_words(&[OcpVersion::new(4, 9), OcpVersion::new(4, 17)]), "OpenShift 4.9, 4.17");
    }
}
