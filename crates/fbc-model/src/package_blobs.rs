//! The blobs of a catalog by the packages that they belong to.

use std::collections::BTreeMap;

use crate::blob::{Bundle, Channel, Deprecation, Other, Package};
use crate::catalog::Catalog;

/// The blobs of a package, each kind in the order of the catalog.
#[derive(Clone, Debug, Default)]
pub struct PackageBlobs<'c> {
    /// Its `olm.package`; more than one in a catalog that is not valid.
    pub packages: Vec<&'c Package>,
    /// Its channels.
    pub channels: Vec<&'c Channel>,
    /// Its bundles.
    pub bundles: Vec<&'c Bundle>,
    /// Blobs of other schemas that name it.
    pub others: Vec<&'c Other>,
    /// Its `olm.deprecations`.
    pub deprecations: Vec<&'c Deprecation>,
}

impl<'c> PackageBlobs<'c> {
    /// The blobs of the packages that a caller wants, by name; those without a package have the empty name. Each blob is
    /// looked at once.
    pub fn by_package(catalog: &'c Catalog, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<&'c str, Self> {
        let mut all: BTreeMap<&str, Self> = BTreeMap::new();
        for package in catalog.packages.iter().filter(|package| is_wanted(&package.name)) {
            all.entry(&package.name).or_default().packages.push(package);
        }
        for channel in catalog.channels.iter().filter(|channel| is_wanted(&channel.package)) {
            all.entry(&channel.package).or_default().channels.push(channel);
        }
        for bundle in catalog.bundles.iter().filter(|bundle| is_wanted(&bundle.package)) {
            all.entry(&bundle.package).or_default().bundles.push(bundle);
        }
        for other in catalog.others.iter().filter(|other| is_wanted(&other.meta.package)) {
            all.entry(&other.meta.package).or_default().others.push(other);
        }
        for deprecation in catalog.deprecations.iter().filter(|blob| is_wanted(&blob.package)) {
            all.entry(&deprecation.package).or_default().deprecations.push(deprecation);
        }
        all
    }
}
