//! The commands of fbc, one file each: arguments, and what they print.

pub(crate) mod add;
pub(crate) mod build;
pub(crate) mod bundle;
pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod crd;
pub(crate) mod debug;
pub(crate) mod deprecate;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod generate;
pub(crate) mod graph;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod paths;
pub(crate) mod query;
pub(crate) mod range;
pub(crate) mod render;
pub(crate) mod resolve;
pub(crate) mod schema;
pub(crate) mod template;
pub(crate) mod unpack;
pub(crate) mod validate;
pub(crate) mod version;
