//! What a ClusterExtension asks for.

use crate::selector::LabelSelector;

/// `spec.source.catalog` of a ClusterExtension, and what is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `packageName`
    pub package: String,
    /// `version`: a Masterminds range; empty for any version.
    pub version: String,
    /// `channels`; none for all channels, and for bundles in no channel.
    pub channels: Vec<String>,
    /// `selector`; none for all catalogs.
    pub selector: Option<LabelSelector>,
    /// `upgradeConstraintPolicy`
    pub policy: UpgradePolicy,
    /// `status.install.bundle`
    pub installed: Option<InstalledBundle>,
}

impl Request {
    /// A request for a package and nothing else.
    #[must_use]
    pub fn of_package(package: impl Into<String>) -> Self {
        Self { package: package.into(), ..Self::default() }
    }
}

/// The bundle that is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledBundle {
    /// Its name, which `replaces` and `skips` refer to.
    pub name: String,
    /// Its version, which `skipRange` covers.
    pub version: String,
    /// Its release where the cluster keeps it apart from the version.
    pub release: Option<String>,
}

/// Whose edges an upgrade follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpgradePolicy {
    /// Those of the catalog.
    #[default]
    CatalogProvided,
    /// None: the user vouches for the upgrade.
    SelfCertified,
}

impl UpgradePolicy {
    /// The policies with their names in the API.
    pub const ALL: [(Self, &'static str); 2] =
        [(Self::CatalogProvided, "CatalogProvided"), (Self::SelfCertified, "SelfCertified")];

    /// The policy of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(policy, _)| policy)
    }
}
