//! Why a substitutes template does not expand.

use fbc_go::text::quote;

use super::{BundleFault, DocumentFault};
use crate::version_release::VersionFault;

/// Why a substitutes template does not expand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubstitutesFault {
    /// It cannot be read.
    #[error("unable to parse template: {0}")]
    Document(DocumentFault),
    /// An entry cannot be loaded.
    #[error("unable to create declarative config from entries: {message}")]
    Entry {
        /// opm's text.
        message: String,
    },
    /// The entries are not valid catalog.
    #[error("entries are not valid FBC: {message}")]
    InvalidEntries {
        /// The text of the validation.
        message: String,
        /// The image of a bundle that has nothing else.
        image: Option<String>,
    },
    /// Two substitutions are for the same bundle.
    #[error("cannot reuse the same substitution base {}", quote(.base))]
    ReusedBase {
        /// The bundle.
        base: String,
    },
    /// Two substitutions bring the same image.
    #[error(
        "cannot reuse the same substitution {} for different bases ({} and {})",
        quote(.name), quote(.first), quote(.second)
    )]
    ReusedSubstitute {
        /// The image reference.
        name: String,
        /// The bundle of the first substitution.
        first: String,
        /// The bundle of the second one.
        second: String,
    },
    /// A substitution does not work.
    #[error("error processing substitution {} -> {}: {fault}", quote(.base), quote(.name))]
    Substitution {
        /// The bundle that is substituted.
        base: String,
        /// The image reference of the substitute.
        name: String,
        /// What is wrong.
        fault: SubstitutionFault,
    },
}

/// Why a substitution does not work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubstitutionFault {
    /// It brings no image.
    #[error("substitution name cannot be empty")]
    NoName,
    /// It is for no bundle.
    #[error("substitution base cannot be empty")]
    NoBase,
    /// Image and bundle are the same.
    #[error("substitution name and base cannot be the same")]
    SameNames,
    /// The bundle of the image cannot be pulled.
    #[error("failed to render bundle image reference {}: {fault}", quote(.name))]
    Bundle {
        /// The image reference.
        name: String,
        /// Why not.
        fault: BundleFault,
    },
    /// The substitute has no version.
    #[error("failed to get VersionRelease for substitute bundle {}: {error}", quote(.name))]
    SubstituteVersion {
        /// The image reference.
        name: String,
        /// Why not.
        error: VersionFault,
    },
    /// The bundle that is substituted is not among the entries.
    #[error("base bundle {} does not exist in catalog", quote(.base))]
    NoSuchBase {
        /// The bundle.
        base: String,
    },
    /// The bundle that is substituted has no version.
    #[error("failed to get VersionRelease for base bundle {}: {error}", quote(.base))]
    BaseVersion {
        /// The bundle.
        base: String,
        /// Why not.
        error: VersionFault,
    },
    /// The substitute is not newer.
    #[error("base bundle {} is not less than substitute bundle {}", quote(.base), quote(.name))]
    NotLess {
        /// The bundle.
        base: String,
        /// The image reference of the substitute.
        name: String,
    },
    /// The catalog with the substitute is not valid.
    #[error("resulting config is not valid FBC: {message}")]
    InvalidResult {
        /// The text of the validation.
        message: String,
    },
}
