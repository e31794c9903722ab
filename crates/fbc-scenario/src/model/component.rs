//! Controllers that scenarios start anew.

/// A controller that can be started anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The controller of ClusterCatalogs.
    Catalogd,
    /// The controller of ClusterExtensions and their revisions.
    OperatorController,
    /// The operator that applies releases.
    ClusterVersionOperator,
    /// The controllers of CatalogSources, Subscriptions and InstallPlans.
    CatalogOperator,
    /// The controllers of OperatorGroups and ClusterServiceVersions.
    OlmOperator,
}

impl Component {
    /// All components, with their names.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Catalogd, "catalogd"),
        (Self::OperatorController, "operator-controller"),
        (Self::ClusterVersionOperator, "cluster-version-operator"),
        (Self::CatalogOperator, "catalog-operator"),
        (Self::OlmOperator, "olm-operator"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, name)| name)
    }
}
