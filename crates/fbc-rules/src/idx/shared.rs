//! Channels of packages that both the catalog and the released index have.

use fbc_lint::comparison::is_unstable;
use fbc_lint::context::{Context, PackageView};
use fbc_model::Channel;

/// A channel of the index, and the package of the catalog that it belongs to.
pub(super) struct Released<'a, 'c> {
    /// The channel as users have it.
    pub(super) channel: &'a Channel,
    /// The package here.
    pub(super) package: &'a PackageView<'c>,
    /// Its channels of the same name here.
    pub(super) kept: Vec<&'c Channel>,
}

/// The channels of the index that promise something to users. Nothing where parts of the catalog could not be loaded,
/// since they may hold what would be missed.
pub(super) fn channels<'a, 'c>(context: &'a Context<'c>) -> Vec<Released<'a, 'c>> {
    let index = context.images.index.as_ref().filter(|_| context.catalog.faults.is_empty());
    let of = |channel: &'a Channel| {
        let package = context.packages.get(channel.package.as_str())?;
        let kept = package.channels.iter().copied().filter(|kept| kept.name == channel.name).collect();
        Some(Released { channel, package, kept })
    };
    let channels = index.into_iter().flat_map(|index| &index.channels);
    channels.filter(|channel| !is_unstable(&channel.name)).filter_map(of).collect()
}
