//! Why nothing is resolved, in the exact words of the reference.

use fbc_go::text::quote;
use fbc_version::VersionError;
use fbc_version::masterminds::ConstraintError;

use crate::bundle_version::BundleVersionError;
use crate::selector::SelectorError;

/// Why nothing is resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The selector is refused.
    #[error("desired catalog selector is invalid: {0}")]
    Selector(#[from] SelectorError),
    /// The version range is refused.
    #[error("desired version range {} is invalid: {error}", quote(.range))]
    Range {
        /// The range as written.
        range: String,
        /// What is wrong.
        error: ConstraintError,
    },
    /// A selected catalog gives no answer.
    #[error(
        "error walking catalogs: error getting package {} from catalog {}: {message}",
        quote(.package), quote(.catalog)
    )]
    Catalog {
        /// The package.
        package: String,
        /// The catalog.
        catalog: String,
        /// What it says instead.
        message: String,
    },
    /// The version of what is installed is none.
    #[error("error walking catalogs: error finding upgrade edges: {0}")]
    InstalledVersion(#[from] InstalledVersionError),
    /// No catalog has a bundle that meets all constraints.
    #[error("{}", resolution_text(.wish, &[]))]
    NoBundle {
        /// What was asked for.
        wish: Wish,
    },
    /// Several catalogs have one, and neither deprecation nor priority decides between them.
    #[error("{}", resolution_text(.wish, .catalogs))]
    Ambiguous {
        /// What was asked for.
        wish: Wish,
        /// The catalogs, sorted; those of lower priority too.
        catalogs: Vec<String>,
    },
    /// The chosen bundle has no version.
    #[error("error getting resolved bundle version for bundle {}: {error}", quote(.bundle))]
    BundleVersion {
        /// The bundle.
        bundle: String,
        /// What is wrong.
        error: BundleVersionError,
    },
    /// The chosen bundle depends on something. There is no fall back to another bundle.
    #[error(
        "validating bundle {bundle}: bundle {bundle} has a dependency declared via property {property} which is \
         currently not supported",
        bundle = quote(.bundle), property = quote(.property)
    )]
    Dependency {
        /// The bundle.
        bundle: String,
        /// The type of the property.
        property: String,
    },
}

/// The parts of a request that its error repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The package.
    pub package: String,
    /// The version range; empty for any version.
    pub version: String,
    /// The channels.
    pub channels: Vec<String>,
    /// The version of what is installed.
    pub installed: Option<String>,
}

fn resolution_text(wish: &Wish, catalogs: &[String]) -> String {
    let mut parts = Vec::new();
    if let Some(installed) = &wish.installed {
        parts.push(format!("error upgrading from currently installed version {}:", quote(installed)));
    }
    let found = if catalogs.is_empty() { "no bundles found" } else { "found bundles" };
    parts.push(format!("{found} for package {}", quote(&wish.package)));
    if !wish.version.is_empty() {
        parts.push(format!("matching version {}", quote(&wish.version)));
    }
    if !wish.channels.is_empty() {
        parts.push(format!("in channels [{}]", wish.channels.join(" ")));
    }
    if !catalogs.is_empty() {
        parts.push(format!("in multiple catalogs with the same priority [{}]", catalogs.join(" ")));
    }
    parts.join(" ").trim().to_owned()
}

/// Why the version of what is installed is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstalledVersionError {
    /// It is not a version.
    #[error("failed to get version and release of installed bundle: {0}")]
    Version(VersionError),
    /// It is not a version, or its release is not valid, where the two are kept apart.
    #[error("failed to parse installed bundle version and release: {0}")]
    VersionAndRelease(BundleVersionError),
    /// It is not a version even to the lenient library of 4.19.
    #[error("parsing installed bundle {} version {}: Invalid Semantic Version", quote(.name), quote(.version))]
    Lenient {
        /// The bundle.
        name: String,
        /// The version as written.
        version: String,
    },
    /// Only the lenient library of 4.19 takes it for a version.
    #[error("getting successorsPredicate: error parsing installed bundle version: {0}")]
    Strict(VersionError),
}
