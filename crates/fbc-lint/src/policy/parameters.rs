//! What rules need to know that is not in the catalog.

use fbc_version::OpenShiftRelease;

/// What rules need to know that is not in the catalog. A rule whose parameter is empty finds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The versions of OpenShift that the catalog is for, lowest first, none twice.
    pub targets: Vec<OpenShiftRelease>,
    /// Where bundle images may come from; see [`is_allowed`].
    pub allowed_registries: Vec<String>,
    /// Where related images, and images in a ClusterServiceVersion, may come from.
    pub allowed_related_registries: Vec<String>,
    /// Annotations that every bundle must have as `"true"` or `"false"`.
    pub required_features: Vec<String>,
    /// The kinds of manifests that a bundle may hold.
    pub allowed_kinds: Vec<String>,
    /// The repositories that catalog images may be built on.
    pub allowed_base_images: Vec<String>,
}

/// What a rule needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// [`Parameters::targets`]
    Targets,
    /// [`Parameters::allowed_registries`]
    AllowedRegistries,
    /// [`Parameters::allowed_related_registries`]
    AllowedRelatedRegistries,
    /// [`Parameters::required_features`]
    RequiredFeatures,
    /// [`Parameters::allowed_kinds`]
    AllowedKinds,
    /// [`Parameters::allowed_base_images`]
    AllowedBaseImages,
}

/// The rules that need to know something, by code.
pub const NEEDS: [(&str, Need); 11] = [
    ("FBC230", Need::Targets),
    ("FBC231", Need::Targets),
    ("FBC232", Need::Targets),
    ("FBC236", Need::RequiredFeatures),
    ("FBC238", Need::AllowedKinds),
    ("FBC240", Need::Targets),
    ("IMG102", Need::AllowedRegistries),
    ("IMG104", Need::AllowedRelatedRegistries),
    ("IMG106", Need::AllowedRelatedRegistries),
    ("IMG303", Need::AllowedBaseImages),
    ("OLM004", Need::Targets),
];

impl Need {
    /// The key of the configuration that says it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Targets => "targets",
            Self::AllowedRegistries => "allowed-registries",
            Self::AllowedRelatedRegistries => "allowed-related-registries",
            Self::RequiredFeatures => "required-features",
            Self::AllowedKinds => "allowed-kinds",
            Self::AllowedBaseImages => "allowed-base-images",
        }
    }
}

impl Parameters {
    /// Whether nothing is known of something.
    #[must_use]
    pub fn lack(&self, need: Need) -> bool {
        match need {
            Need::Targets => self.targets.is_empty(),
            Need::AllowedRegistries => self.allowed_registries.is_empty(),
            Need::AllowedRelatedRegistries => self.allowed_related_registries.is_empty(),
            Need::RequiredFeatures => self.required_features.is_empty(),
            Need::AllowedKinds => self.allowed_kinds.is_empty(),
            Need::AllowedBaseImages => self.allowed_base_images.is_empty(),
        }
    }

    /// The targets before a version, and those from it on.
    #[must_use]
    pub fn split_targets(&self, version: OpenShiftRelease) -> (&[OpenShiftRelease], &[OpenShiftRelease]) {
        self.targets.split_at(self.targets.partition_point(|target| *target < version))
    }
}

/// Whether an image is below one of some prefixes. A prefix without a slash at its end stands for whole
/// components: `quay.io/foo` covers `quay.io/foo/bar` and `quay.io/foo:v1`, not `quay.io/foobar`.
#[must_use]
pub fn is_allowed(image: &str, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| {
        image
            .strip_prefix(prefix.as_str())
            .is_some_and(|rest| prefix.ends_with('/') || rest.is_empty() || rest.starts_with(['/', ':', '@']))
    })
}

#[cfg(test)]
mod tests {
    use super::{OpenShiftRelease, Parameters, is_allowed};

    #[test]
    fn prefixes_end_at_components() {
        let prefixes = ["registry.redhat.io/".to_owned(), "quay.io/foo".to_owned()];
        for image in ["registry.redhat.io/a@sha256:0", "quay.io/foo/bar", "quay.io/foo:v1", "quay.io/foo@x"] {
            assert!(is_allowed(image, &prefixes), "{image}");
        }
        for image in ["quay.io/foobar", "registry.redhat.io.example.com/a", "quay.io", "x/quay.io/foo", ""] {
            assert!(!is_allowed(image, &prefixes), "{image}");
        }
        assert!(!is_allowed("quay.io/foo", &[]));
    }

    #[test]
    fn targets_are_split_at_a_version() {
        let [old, new] = [OpenShiftRelease::new(4, 16), OpenShiftRelease::new(4, 17)];
        let parameters = Parameters { targets: vec![old, new], ..Parameters::default() };
        assert_eq!(parameters.split_targets(new), ([old].as_slice(), [new].as_slice()));
        assert_eq!(parameters.split_targets(old).0, []);
    }
}
