//! What a resolution changes in a namespace.

use crate::catalog::Entry;
use crate::namespace::SourceKey;

/// The answer: the operators that are not installed yet, in the order of an InstallPlan.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// Nothing where all Subscriptions stay with what is installed.
    pub operators: Vec<NewOperator>,
}

/// An operator of the answer.
#[derive(Clone, Debug)]
pub struct NewOperator {
    /// The catalog that it comes from.
    pub catalog: SourceKey,
    /// The entry; its image, or where there is none its manifests, are what is installed.
    pub entry: Entry,
    /// `spec.replaces` of its ClusterServiceVersion; empty where there is none.
    pub replaces: String,
    /// The names of the Subscriptions that lead to it, sorted.
    pub subscriptions: Vec<String>,
    /// Those of them whose `status.currentCSV` becomes its name, sorted.
    pub moved: Vec<String>,
    /// The Subscription that is made for it, if none leads to it.
    pub generated: Option<GeneratedSubscription>,
    /// Whether all its Subscriptions name it in `status.currentCSV` and its ClusterServiceVersion exists: then it needs no
    /// steps.
    pub is_up_to_date: bool,
}

/// A Subscription that OLM makes for an operator that others need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedSubscription {
    /// `PACKAGE-CHANNEL-CATALOG-NAMESPACE`
    pub name: String,
    /// `spec.name`
    pub package: String,
    /// `spec.channel`
    pub channel: String,
    /// `spec.source` and `spec.sourceNamespace`
    pub source: SourceKey,
    /// `spec.startingCSV`
    pub starting_csv: String,
}

impl GeneratedSubscription {
    /// The one for an entry of a catalog.
    ///
    /// Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/steps.go`.
    pub(crate) fn of(catalog: &SourceKey, entry: &Entry) -> Self {
        let (package, channel) = (&entry.bundle.package, &entry.channel);
        Self {
            name: format!("{package}-{channel}-{}-{}", catalog.name, catalog.namespace),
            package: package.clone(),
            channel: channel.clone(),
            source: catalog.clone(),
            starting_csv: entry.name().to_owned(),
        }
    }
}
