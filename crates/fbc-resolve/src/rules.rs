//! What differs between releases of the reference.

use fbc_version::Target;

/// Whose behaviour counts. An index and the resolver over it are made with the same rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The release of the reference.
    pub target: Target,
    /// The feature gate `BundleReleaseSupport`, off by default: the key `release` of a property `olm.package`
    /// is the release, and the version keeps its build metadata. Has no effect up to [`Target::Ocp421`].
    pub bundle_release_support: bool,
}

impl Rules {
    /// The rules of a release with its feature gates as they are by default.
    #[must_use]
    pub fn from_target(target: Target) -> Self {
        Self { target, bundle_release_support: false }
    }

    /// Whether releases exist at all: not so before 4.22, where build metadata never counts.
    #[must_use]
    pub fn knows_releases(self) -> bool {
        self.target >= Target::Ocp50
    }
}
