//! What the rules of graphs and deprecations share: nodes and order of opm's tree.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::finding::OpmText;

/// Where leaves stand among the children of their node in opm's tree.
pub(crate) mod leaf_order {
    use fbc_lint::verdict::NODES;

    /// Of a package: `default channel must be set`
    pub(crate) const DEFAULT_CHANNEL: u8 = 1;
    /// Of a package: `package must contain at least one channel`
    pub(crate) const CHANNELS: u8 = 2;
    /// Of a package, behind its channels: `duplicate versions found in bundles: …`
    pub(crate) const DUPLICATE_VERSIONS: u8 = NODES + 1;
    /// Of a package, behind its channels: `invalid deprecation: …`
    pub(crate) const PACKAGE_DEPRECATION: u8 = NODES + 2;
    /// Of a channel: that it is empty, or what is wrong with its replaces chain.
    pub(crate) const CHANNEL: u8 = 1;
    /// Of a channel, behind its bundles: `invalid deprecation: …`
    pub(crate) const CHANNEL_DEPRECATION: u8 = NODES + 1;
    /// Of a bundle: `skip[…] is empty`
    pub(crate) const SKIP: u8 = 4;
    /// Of a bundle: `invalid skipRange …`
    pub(crate) const SKIP_RANGE: u8 = 5;
    /// Of a bundle: `invalid deprecation: …`
    pub(crate) const BUNDLE_DEPRECATION: u8 = 8;
}

/// A leaf of a package.
pub(crate) fn package_leaf(package: &str, order: u8, text: impl Into<String>) -> OpmText {
    OpmText::Model { paths: vec![vec![package_node(package)]], order, text: text.into() }
}

/// A leaf of a channel.
pub(crate) fn channel_leaf(package: &str, channel: &str, order: u8, text: impl Into<String>) -> OpmText {
    OpmText::Model {
        paths: vec![vec![package_node(package), channel_node(channel)]],
        order,
        text: text.into(),
    }
}

/// A leaf of an entry of one channel.
pub(crate) fn entry_leaf(
    package: &str,
    channel: &str,
    entry: &str,
    order: u8,
    text: impl Into<String>,
) -> OpmText {
    let path = vec![package_node(package), channel_node(channel), bundle_node(entry)];
    OpmText::Model { paths: vec![path], order, text: text.into() }
}

/// A leaf of a bundle, once for every channel that lists it.
pub(crate) fn bundle_leaf(
    package: &str,
    channels: &BTreeSet<&str>,
    bundle: &str,
    order: u8,
    text: impl Into<String>,
) -> OpmText {
    let path = |channel: &&str| vec![package_node(package), channel_node(channel), bundle_node(bundle)];
    OpmText::Model { paths: channels.iter().map(path).collect(), order, text: text.into() }
}

fn package_node(package: &str) -> String {
    format!("invalid package {}", quote(package))
}

fn channel_node(channel: &str) -> String {
    format!("invalid channel {}", quote(channel))
}

fn bundle_node(bundle: &str) -> String {
    format!("invalid bundle {}", quote(bundle))
}
