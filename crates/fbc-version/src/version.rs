//! Strict semantic versions as bundles carry them, with the error texts that people search for.
//!
//! Parsing accepts exactly `x.y.z[-prerelease][+build]`. This module must not be lenient: prefixes, partial
//! versions and wildcards belong to the range grammars.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use fbc_go::text::quote;

/// A semantic version: three numbers, an optional prerelease and optional build metadata.
///
/// Not the `semver` crate's type, for three reasons: its ordering counts build metadata, which precedence must
/// ignore; its errors have other words; and it compares numeric identifiers beyond [`u64::MAX`] as numbers,
/// while the constraints of Masterminds compare such identifiers as text.
///
/// Equality and hashing look at the whole version, build metadata included. Order is a question of precedence
/// and has its own method, [`Version::compare_precedence`], so that nobody gets it by accident.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    prerelease: Vec<Identifier>,
    build: String,
}

/// One dot-separated part of a prerelease or of a release.
///
/// The order is that of precedence: numbers first, by value; then text, byte by byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identifier {
    /// Digits only, without leading zeros, at most [`u64::MAX`].
    Numeric(u64),
    /// Letters, digits and hyphens. In the base of a Masterminds constraint also digits beyond [`u64::MAX`],
    /// which that library compares as text.
    AlphaNumeric(String),
}

/// The three numbers of a version, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The first number.
    Major,
    /// The second number.
    Minor,
    /// The third number.
    Patch,
}

/// Why a text is not a version. The texts are those of `blang/semver:semver.go`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The text is empty.
    #[error("Version string empty")]
    Empty,
    /// Fewer than two dots.
    #[error("No Major.Minor.Patch elements found")]
    MissingElements,
    /// Too few numbers are followed by a prerelease or build metadata.
    #[error("Short version cannot contain PreRelease/Build meta data")]
    Short,
    /// A number holds something other than digits.
    #[error("Invalid character(s) found in {element} number {}", quote(.text))]
    InvalidCharacters {
        /// Which number.
        element: Element,
        /// The number as written.
        text: String,
    },
    /// A number starts with a superfluous zero.
    #[error("{} number must not contain leading zeroes {}", .element.title(), quote(.text))]
    LeadingZeroes {
        /// Which number.
        element: Element,
        /// The number as written.
        text: String,
    },
    /// A number is absent, as the middle one of `1..2`.
    #[error("strconv.ParseUint: parsing \"\": invalid syntax")]
    NumberEmpty,
    /// A number, of the version or of its prerelease, is above [`u64::MAX`].
    #[error("strconv.ParseUint: parsing {}: value out of range", quote(.0))]
    NumberTooLarge(
        /// The number as written.
        String,
    ),
    /// An identifier of the prerelease is empty.
    #[error("Prerelease is empty")]
    PrereleaseEmpty,
    /// A numeric identifier of the prerelease starts with a superfluous zero.
    #[error("Numeric PreRelease version must not contain leading zeroes {}", quote(.0))]
    PrereleaseLeadingZeroes(
        /// The identifier as written.
        String,
    ),
    /// An identifier of the prerelease holds something other than ASCII letters, digits and hyphens.
    #[error("Invalid character(s) found in prerelease {}", quote(.0))]
    PrereleaseInvalidCharacters(
        /// The identifier as written.
        String,
    ),
    /// An identifier of the build metadata is empty.
    #[error("Build meta data is empty")]
    BuildEmpty,
    /// An identifier of the build metadata holds something other than ASCII letters, digits and hyphens.
    #[error("Invalid character(s) found in build meta data {}", quote(.0))]
    BuildInvalidCharacters(
        /// The identifier as written.
        String,
    ),
}

impl Element {
    fn title(self) -> &'static str {
        match self {
            Self::Major => "Major",
            Self::Minor => "Minor",
            Self::Patch => "Patch",
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Major => "major",
            Self::Minor => "minor",
            Self::Patch => "patch",
        })
    }
}

impl Version {
    /// A version without prerelease and build metadata.
    #[must_use]
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, prerelease: Vec::new(), build: String::new() }
    }

    /// Parses `x.y.z[-prerelease][+build]` strictly.
    ///
    /// Source of the behaviour: `blang/semver:semver.go`, function `Parse`, version 4.0.0.
    ///
    /// # Errors
    ///
    /// The first violation from left to right: see [`VersionError`].
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return Err(VersionError::Empty);
        }
        let mut elements = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (elements.next(), elements.next(), elements.next())
        else {
            return Err(VersionError::MissingElements);
        };
        let major = parse_number(Element::Major, major)?;
        let minor = parse_number(Element::Minor, minor)?;
        let (rest, build) = split_optional(rest, '+');
        let (patch, prerelease) = split_optional(rest, '-');
        let patch = parse_number(Element::Patch, patch)?;
        let prerelease = match prerelease {
            Some(text) => text.split('.').map(Identifier::parse).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        for identifier in build.into_iter().flat_map(|text| text.split('.')) {
            if identifier.is_empty() {
                return Err(VersionError::BuildEmpty);
            }
            if !identifier.bytes().all(is_identifier_byte) {
                return Err(VersionError::BuildInvalidCharacters(identifier.to_owned()));
            }
        }
        Ok(Self { major, minor, patch, prerelease, build: build.unwrap_or_default().to_owned() })
    }

    /// Parses a version that may begin with `v`, lack its last numbers, and have superfluous zeroes.
    ///
    /// Source of the behaviour: `blang/semver:semver.go`, function `ParseTolerant`, version 4.0.0.
    ///
    /// # Errors
    ///
    /// As [`Version::parse`], and where a prerelease or build metadata follow too few numbers.
    pub fn parse_tolerant(text: &str) -> Result<Self, VersionError> {
        let text = text.trim();
        let mut elements: Vec<String> =
            text.strip_prefix('v').unwrap_or(text).splitn(3, '.').map(without_extra_zeroes).collect();
        if elements.len() < 3 && elements.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err(VersionError::Short);
        }
        elements.resize(3, "0".to_owned());
        Self::parse(&elements.join("."))
    }

    /// The first number.
    #[must_use]
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    #[must_use]
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    #[must_use]
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// The identifiers of the prerelease; empty for a release version.
    #[must_use]
    pub fn prerelease(&self) -> &[Identifier] {
        &self.prerelease
    }

    /// Whether the version has a prerelease.
    #[must_use]
    pub fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }

    /// The build metadata without its `+`; empty when there is none.
    #[must_use]
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The same version without build metadata.
    #[must_use]
    pub fn without_build(mut self) -> Self {
        self.build.clear();
        self
    }

    /// The same version without prerelease and build metadata: `1.2.3` for `1.2.3-rc.1+5`.
    #[must_use]
    pub fn core(&self) -> Self {
        Self::new(self.major, self.minor, self.patch)
    }

    /// Compares by precedence: numbers, then prerelease (a prerelease comes before its release). Build metadata
    /// has no part in it, so two versions that differ can be equal here.
    #[must_use]
    pub fn compare_precedence(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch)).then_with(
            || match (self.is_prerelease(), other.is_prerelease()) {
                (false, true) => Ordering::Greater,
                (true, false) => Ordering::Less,
                _ => self.prerelease.cmp(&other.prerelease),
            },
        )
    }

    /// Replaces the prerelease. The caller answers for the identifiers being well formed.
    pub(crate) fn with_prerelease(mut self, prerelease: Vec<Identifier>) -> Self {
        self.prerelease = prerelease;
        self
    }

    /// Replaces the build metadata. The caller answers for its form.
    pub(crate) fn with_build(mut self, build: String) -> Self {
        self.build = build;
        self
    }
}

/// A number, and what follows it, without superfluous zeroes.
fn without_extra_zeroes(element: &str) -> String {
    if element.len() < 2 {
        return element.to_owned();
    }
    let rest = element.trim_start_matches('0');
    let zero = if rest.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
    format!("{zero}{rest}")
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.is_prerelease() {
            formatter.write_str("-")?;
            write_identifiers(formatter, &self.prerelease)?;
        }
        if !self.build.is_empty() {
            write!(formatter, "+{}", self.build)?;
        }
        Ok(())
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl Identifier {
    /// Parses one identifier of a prerelease or of a release.
    ///
    /// Source of the behaviour: `blang/semver:semver.go`, function `NewPRVersion`.
    ///
    /// # Errors
    ///
    /// When it is empty, has other characters than `[0-9A-Za-z-]`, or is a number with leading zeros or above
    /// [`u64::MAX`].
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return Err(VersionError::PrereleaseEmpty);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            if has_leading_zero(text) {
                return Err(VersionError::PrereleaseLeadingZeroes(text.to_owned()));
            }
            return text
                .parse()
                .map(Self::Numeric)
                .map_err(|_| VersionError::NumberTooLarge(text.to_owned()));
        }
        if text.bytes().all(is_identifier_byte) {
            return Ok(Self::AlphaNumeric(text.to_owned()));
        }
        Err(VersionError::PrereleaseInvalidCharacters(text.to_owned()))
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numeric(number) => number.fmt(formatter),
            Self::AlphaNumeric(text) => formatter.write_str(text),
        }
    }
}

/// Writes identifiers with dots between them.
pub(crate) fn write_identifiers(
    formatter: &mut fmt::Formatter<'_>,
    identifiers: &[Identifier],
) -> fmt::Result {
    for (index, identifier) in identifiers.iter().enumerate() {
        if index > 0 {
            formatter.write_str(".")?;
        }
        write!(formatter, "{identifier}")?;
    }
    Ok(())
}

/// Whether a byte may occur in an identifier.
pub(crate) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Whether a run of digits starts with a zero that is not all of it.
pub(crate) fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

fn parse_number(element: Element, text: &str) -> Result<u64, VersionError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(VersionError::InvalidCharacters { element, text: text.to_owned() });
    }
    if has_leading_zero(text) {
        return Err(VersionError::LeadingZeroes { element, text: text.to_owned() });
    }
    // An empty text passes the checks above, as it does in the reference, and fails as a number.
    if text.is_empty() {
        return Err(VersionError::NumberEmpty);
    }
    text.parse().map_err(|_| VersionError::NumberTooLarge(text.to_owned()))
}

fn split_optional(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
