//! What references name besides catalogs where clusters are simulated: scenarios, payloads, update graphs, operators.

pub mod bundle_directories;
pub mod operators;
pub mod payload;
pub mod scenario;
pub mod updates;
