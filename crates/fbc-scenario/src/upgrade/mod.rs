//! Every installed version of packages in an old catalog, upgraded by a new one: where it ends, and what keeps it there.

mod outcome;
mod scenario;
mod stranded;
mod upgrades;

use fbc_cluster::add_ons::AddOn;
use fbc_cluster::budget::{Budget, Exhausted};
use fbc_resolve::{CatalogIndex, DuplicateCatalog, IndexedBundle};
use fbc_version::Target;

use crate::fault::ScenarioFault;
use crate::model::BundleImage;

pub use outcome::{NOT_INSTALLED, Outcome};
pub use scenario::{NEW, OLD};
pub use stranded::Stranded;
pub use upgrades::Upgrades;

/// How versions are upgraded.
#[derive(Debug, Clone)]
pub struct UpgradeOptions {
    /// Whose behavior counts.
    pub target: Target,
    /// Products that the clusters have besides.
    pub with: Vec<AddOn>,
    /// The seed of all clusters.
    pub seed: u64,
    /// The channels that an extension follows after the installation; without any, all of them.
    pub channels: Vec<String>,
    /// Where the contents of bundles are.
    pub images: Vec<BundleImage>,
    /// Whether any bundle has contents.
    pub has_contents: bool,
    /// Whether whole runs are kept.
    pub keeps_runs: bool,
    /// What each cluster may take; its `work` is for all clusters of a package together.
    pub budget: Budget,
}

/// Why versions are not upgraded.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    /// What the upgrades share cannot be read.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Unprepared(Vec<ScenarioFault>),
    /// The catalogs cannot be put together.
    #[error(transparent)]
    Catalogs(#[from] DuplicateCatalog),
    /// The upgrades of a package take more than they may.
    #[error("the upgrades of package {package:?} take more than {most} units of work")]
    TooMuchWork {
        /// The package.
        package: String,
        /// What they may take.
        most: u64,
    },
    /// A cluster takes more than it may.
    #[error("{package} {version}: {exhausted}")]
    Exhausted {
        /// The package.
        package: String,
        /// The installed version.
        version: String,
        /// The budget that is used up.
        exhausted: Exhausted,
    },
}

/// A package and a version of it.
pub type Installed = (String, String);

/// The versions of a package, or of all, that are in a channel; the highest of a package first.
#[must_use]
pub fn versions(index: &CatalogIndex, package: Option<&str>) -> Vec<Installed> {
    let names = index.package_names().filter(|name| package.is_none_or(|package| package == *name));
    let mut all = Vec::new();
    for name in names {
        let Some(package) = index.package(name) else { continue };
        let members = package.bundles().iter().filter(|bundle| !package.channels_of(bundle).is_empty());
        let mut versions: Vec<_> = members.filter_map(IndexedBundle::semantic_version).collect();
        versions.sort_by(|a, b| b.compare_precedence(a));
        all.extend(versions.iter().map(|version| (name.to_owned(), version.to_string())));
    }
    all
}
