//! Whose expansion of semver templates counts: repositories pin an opm and commit what it wrote.
//!
//! Sources: operator-framework/operator-registry#1749 (v1.57), #1813 (v1.61), #1933 (v1.65).

use fbc_version::Version;

/// The rules by which an opm expands semver templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OpmSemantics {
    /// From v1.37: edges stay within a channel; the highest patch of a minor version replaces that of the minor before
    /// and skips it too, and the lower patches of its own minor.
    V1_37,
    /// From v1.57: what is replaced is not skipped as well.
    V1_57,
    /// From v1.61: edges cross minor channels, and all lower versions of the major are skipped.
    V1_61,
    /// From v1.65: the package has the description and icon of the head of its default channel.
    #[default]
    V1_65,
}

/// The first minor version of opm 1 with each set of rules.
const FIRST: [(u64, OpmSemantics); 4] = [
    (37, OpmSemantics::V1_37),
    (57, OpmSemantics::V1_57),
    (61, OpmSemantics::V1_61),
    (65, OpmSemantics::V1_65),
];

/// An opm whose rules are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownSemantics {
    /// It is not a version.
    #[error("write a version of opm, such as v1.47")]
    NoVersion,
    /// It is older, or of a later major version.
    #[error("the rules of opm v1.37 and later 1.x are known; what older ones expand differs in more")]
    OtherVersion,
}

impl OpmSemantics {
    /// The rules of a version of opm, such as `v1.47`, `1.47.0` or `latest`.
    ///
    /// # Errors
    /// [`UnknownSemantics`]
    pub fn parse(version: &str) -> Result<Self, UnknownSemantics> {
        if version == "latest" {
            return Ok(Self::default());
        }
        let number = version.strip_prefix('v').unwrap_or(version);
        let dots = number.matches('.').count();
        let full = if dots == 1 { format!("{number}.0") } else { number.to_owned() };
        let parsed = Version::parse(&full).map_err(|_| UnknownSemantics::NoVersion)?;
        let is_known = |first: u64| parsed.major() == 1 && first <= parsed.minor();
        let known = FIRST.iter().rev().find(|(first, _)| is_known(*first));
        known.map(|(_, semantics)| *semantics).ok_or(UnknownSemantics::OtherVersion)
    }
}

#[cfg(test)]
mod tests {
    use super::OpmSemantics;

    #[test]
    fn versions_of_opm() {
        for (version, expected) in [
            ("v1.47", Some(OpmSemantics::V1_37)),
            ("1.37.0", Some(OpmSemantics::V1_37)),
            ("v1.57.0", Some(OpmSemantics::V1_57)),
            ("v1.64.9", Some(OpmSemantics::V1_61)),
            ("v1.73.0", Some(OpmSemantics::V1_65)),
            ("latest", Some(OpmSemantics::V1_65)),
            ("v1.36.0", None),
            ("v2.0.0", None),
            ("c10b001a3", None),
            ("", None),
        ] {
            assert_eq!(OpmSemantics::parse(version).ok(), expected, "{version}");
        }
    }
}
