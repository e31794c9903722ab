//! Why a semver template does not expand.

use fbc_go::text::quote;
use fbc_graph::bundle_version::BundleVersionError;

use crate::semver::ChannelKind;

/// Why a semver template cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SemverFileFault {
    /// The text does not parse, or gives a key twice.
    #[error("error converting YAML to JSON: {0}")]
    Malformed(String),
    /// A field is unknown or has the wrong type.
    #[error("error unmarshaling JSON: while decoding JSON: {0}")]
    Decoding(String),
    /// The schema is not that of semver templates.
    #[error("readFile: input file has unknown schema, should be \"olm.semver\"")]
    Schema,
    /// The preferred kind of channel is not among those that are generated.
    #[error(
        "schema attribute mismatch: DefaultChannelTypePreference set to '{0}' doesn't make sense if not \
         generating {0}-version channels"
    )]
    PreferenceMismatch(ChannelKind),
    /// The preferred kind of channel does not exist.
    #[error("unknown DefaultChannelTypePreference: {}\nValid values are 'major' or 'minor'", quote(.0))]
    UnknownPreference(String),
}

/// Why the bundles of a semver template do not make channels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SemverBundleFault {
    /// A bundle has no version.
    #[error("{0}")]
    Version(BundleVersionError),
    /// A bundle belongs to another package than the first one.
    #[error("bundle {} does not belong to this package: {}", quote(.found), quote(.package))]
    OtherPackage {
        /// The bundle.
        bundle: String,
        /// Its package.
        found: String,
        /// The package of the first bundle.
        package: String,
    },
    /// Two bundles of a list have the same name.
    #[error("duplicate bundle name {}", quote(.name))]
    DuplicateName {
        /// The name.
        name: String,
        /// The images of the two.
        images: [String; 2],
    },
    /// Versions of a list cannot be ordered.
    #[error(
        "encountered bundle versions which differ only by build metadata, which cannot be ordered: {}",
        clash_list(.clashes)
    )]
    VersionClash {
        /// The clashes, in the order of the list.
        clashes: Vec<VersionClash>,
    },
}

/// A bundle whose version comes after another one that is equal but for build metadata.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bundle version {} cannot be compared to {}", quote(.version), quote(.core))]
pub struct VersionClash {
    /// The bundle.
    pub bundle: String,
    /// Its version.
    pub version: String,
    /// The version without build metadata.
    pub core: String,
    /// Its image.
    pub image: String,
    /// The earlier bundle.
    pub other: String,
    /// The image of that.
    pub other_image: String,
    /// Whether the two have different releases, which semver templates do not look at.
    pub has_releases: bool,
}

/// Several errors as Kubernetes' aggregate prints them: equal texts once.
fn clash_list(clashes: &[VersionClash]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in clashes.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [text] => text.clone(),
        texts => format!("[{}]", texts.join(", ")),
    }
}
