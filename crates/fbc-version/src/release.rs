//! Releases: the counter that distinguishes rebuilds of one version, and the pair of version and release.
//!
//! Whether a release comes from a bundle's `release` field or from the build metadata of its version is the
//! caller's decision (it depends on the target); this module only has both ways.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use fbc_go::text::quote;

use crate::version::{Identifier, Version, VersionError, write_identifiers};

/// The longest release, in bytes.
pub const MAXIMUM_RELEASE_LENGTH: usize = 20;

/// A release: dot-separated identifiers of at most [`MAXIMUM_RELEASE_LENGTH`] bytes, or nothing.
///
/// The order is that of prerelease identifiers, except that no release comes before any release.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(Vec<Identifier>);

/// Why a text is not a release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// More than [`MAXIMUM_RELEASE_LENGTH`] bytes.
    #[error("invalid release {}: exceeds maximum length of {MAXIMUM_RELEASE_LENGTH} characters", quote(.0))]
    TooLong(
        /// The release as written.
        String,
    ),
    /// At least one segment is not an identifier. The message has one line per such segment.
    #[error("invalid release {}: {}", quote(.text), join_segments(.segments))]
    Segments {
        /// The release as written.
        text: String,
        /// Position, from 0, and reason of every segment at fault.
        segments: Vec<(usize, VersionError)>,
    },
}

fn join_segments(segments: &[(usize, VersionError)]) -> String {
    let lines: Vec<String> =
        segments.iter().map(|(index, error)| format!("segment {index}: {error}")).collect();
    lines.join("\n")
}

impl Release {
    /// Parses a release. The empty text is not a release and not an error.
    ///
    /// Source of the behaviour: `operator-registry:alpha/declcfg`, function `NewRelease`.
    ///
    /// # Errors
    ///
    /// [`ReleaseError::TooLong`] first; otherwise every segment at fault.
    pub fn parse(text: &str) -> Result<Self, ReleaseError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        if text.len() > MAXIMUM_RELEASE_LENGTH {
            return Err(ReleaseError::TooLong(text.to_owned()));
        }
        let mut identifiers = Vec::new();
        let mut segments = Vec::new();
        for (index, segment) in text.split('.').enumerate() {
            match Identifier::parse(segment) {
                Ok(identifier) => identifiers.push(identifier),
                Err(error) => segments.push((index, error)),
            }
        }
        if segments.is_empty() {
            Ok(Self(identifiers))
        } else {
            Err(ReleaseError::Segments { text: text.to_owned(), segments })
        }
    }

    /// Whether there is no release.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The segments.
    #[must_use]
    pub fn identifiers(&self) -> &[Identifier] {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_identifiers(formatter, &self.0)
    }
}

impl FromStr for Release {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// A version together with its release.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionRelease {
    /// The version.
    pub version: Version,
    /// The release; empty when there is none.
    pub release: Release,
}

impl VersionRelease {
    /// A version whose build metadata stays build metadata, and a separate release.
    #[must_use]
    pub fn new(version: Version, release: Release) -> Self {
        Self { version, release }
    }

    /// Takes the release out of the build metadata of a version, as OLM 4.22 and later does for registry+v1
    /// bundles: build metadata that forms a valid release moves, anything else stays where it is.
    ///
    /// Source of the behaviour: `operator-controller:internal/operator-controller/bundle/versionrelease.go`.
    #[must_use]
    pub fn from_build_metadata(version: Version) -> Self {
        match Release::parse(version.build()) {
            Ok(release) => Self { version: version.without_build(), release },
            Err(_) => Self { version, release: Release::default() },
        }
    }

    /// The version with the release put back as its build metadata: the form that a cluster reports.
    #[must_use]
    pub fn to_version(&self) -> Version {
        if self.release.is_empty() {
            self.version.clone()
        } else {
            self.version.clone().with_build(self.release.to_string())
        }
    }

    /// Compares by the precedence of the version, then by release. Remaining build metadata does not count.
    #[must_use]
    pub fn compare_precedence(&self, other: &Self) -> Ordering {
        self.version.compare_precedence(&other.version).then_with(|| self.release.cmp(&other.release))
    }

    /// The name that a bundle with a release must have: `<package>-v<version>-<release>`. `None` without a
    /// release, because then no rule applies.
    #[must_use]
    pub fn normalized_bundle_name(&self, package: &str) -> Option<String> {
        (!self.release.is_empty()).then(|| format!("{package}-v{}-{}", self.version, self.release))
    }
}

/// `<version>` or `<version>-<release>`, build metadata included: the text by which duplicates are found.
impl fmt::Display for VersionRelease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.version.fmt(formatter)?;
        if !self.release.is_empty() {
            write!(formatter, "-{}", self.release)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_the_known_texts() {
        for (text, error) in [
            (
                "01",
                "invalid release \"01\": segment 0: Numeric PreRelease version must not contain leading zeroes \"01\"",
            ),
            (
                "a_b.",
                "invalid release \"a_b.\": segment 0: Invalid character(s) found in prerelease \"a_b\"\n\
                 segment 1: Prerelease is empty",
            ),
            (
                "123456789.123456789.1",
                "invalid release \"123456789.123456789.1\": exceeds maximum length of 20 characters",
            ),
            ("\u{e9}", "invalid release \"é\": segment 0: Invalid character(s) found in prerelease \"é\""),
            (
                "18446744073709551616",
                "invalid release \"18446744073709551616\": segment 0: strconv.ParseUint: parsing \
                 \"18446744073709551616\": value out of range",
            ),
        ] {
            assert_eq!(Release::parse(text).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn releases_are_ordered() {
        let ladder = ["", "0", "2", "10", "10.1", "A", "a", "a.0", "a.b"];
        for pair in ladder.windows(2) {
            let [lower, higher] = pair else { unreachable!() };
            assert!(Release::parse(lower).unwrap() < Release::parse(higher).unwrap(), "{lower} {higher}");
        }
    }

    #[test]
    fn build_metadata_becomes_a_release_when_it_can() {
        for (text, version, release) in [
            ("1.0.0", "1.0.0", ""),
            ("1.0.0+2", "1.0.0", "2"),
            ("1.0.0-rc.1+2.a", "1.0.0-rc.1", "2.a"),
            ("1.0.0+02", "1.0.0+02", ""),
            ("1.0.0+1.01", "1.0.0+1.01", ""),
            ("1.0.0+123456789.123456789.", "", ""),
            ("1.0.0+123456789-123456789-1", "1.0.0+123456789-123456789-1", ""),
            ("1.0.0+18446744073709551616", "1.0.0+18446744073709551616", ""),
        ] {
            let Ok(parsed) = Version::parse(text) else {
                assert_eq!(version, "");
                continue;
            };
            let pair = VersionRelease::from_build_metadata(parsed);
            assert_eq!(
                (pair.version.to_string().as_str(), pair.release.to_string().as_str()),
                (version, release)
            );
            assert_eq!(pair.to_version().to_string(), text);
        }
    }

    #[test]
    fn pairs_compare_by_version_then_release() {
        let pair = |text: &str| VersionRelease::from_build_metadata(Version::parse(text).unwrap());
        let ladder = ["1.0.0-rc.1+9", "1.0.0", "1.0.0+1", "1.0.0+a", "1.0.1"];
        for window in ladder.windows(2) {
            let [lower, higher] = window else { unreachable!() };
            assert_eq!(pair(lower).compare_precedence(&pair(higher)), Ordering::Less, "{lower} {higher}");
        }
        assert_eq!(pair("1.0.0+01").compare_precedence(&pair("1.0.0+02")), Ordering::Equal);
    }

    #[test]
    fn names_and_unique_text() {
        let pair = VersionRelease::new(Version::parse("0.1.0+git").unwrap(), Release::parse("1").unwrap());
        assert_eq!(pair.to_string(), "0.1.0+git-1");
        assert_eq!(pair.normalized_bundle_name("foo").as_deref(), Some("foo-v0.1.0+git-1"));
        assert_eq!(
            VersionRelease::from_build_metadata(Version::new(1, 0, 0)).normalized_bundle_name("foo"),
            None
        );
    }
}
