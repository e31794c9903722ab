//! The upgrade graph of a package: heads, replaces chains, and its drawings.
//!
//! [`channel`] says what opm (and OLM v0) makes of the entries of one channel, [`mermaid`] draws the
//! channels of a catalog as opm does, and [`bundle_version`] finds the versions of bundles.
//!
//! This crate reads no files and makes no findings: it answers with data, and others have the words.

pub mod bundle_version;
pub mod channel;
pub mod entry_place;
pub mod filter;
pub mod mermaid;

pub use channel::{ChainEnd, ChannelAnalysis};
