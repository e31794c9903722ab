//! The upgrade graph of a package: heads, replaces chains, and its drawings.
//!
//! [`channel`] says what opm makes of the entries of one channel, [`package`] is the graph of a package over its
//! channels, [`moves`] says how clusters move along it in both generations of OLM, and [`missing_edge`] which edit
//! would help who is stuck. [`mermaid`] draws as opm does; [`dot`], [`svg`] and [`page`] draw more, and [`document`]
//! is the graph as data for other tools. [`bundle_version`] finds the versions of bundles.
//!
//! This crate reads no files and makes no findings: it answers with data, and others have the words.

pub mod bundle_version;
pub mod channel;
pub mod document;
pub mod dot;
pub mod entry_place;
pub mod filter;
pub mod mermaid;
pub mod missing_edge;
pub mod moves;
pub mod package;
pub mod page;
pub mod svg;

pub use channel::{ChainEnd, ChannelAnalysis};
pub use moves::{EdgeKind, Moves, Semantics};
pub use package::{NodeIndex, PackageGraph};
