//! Release payloads: what a release image holds, and in which order a cluster applies it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`payload`] | a payload as the Cluster Version Operator loads it |
//! | [`manifest`] | the objects of a file, with their places |
//! | [`metadata`] | `release-metadata` and `image-references` |
//! | [`inclusion`] | which manifests a cluster takes |
//! | [`capabilities`] | the parts of OpenShift that a cluster can leave out |
//! | [`file_name`] | runlevel and component |
//! | [`graph`], [`drawing`] | the graph of tasks, and its forms |
//! | [`check`] | what makes a cluster refuse a payload or stumble over it |
//! | [`difference`] | what an update from one payload to another changes |

pub mod capabilities;
pub mod check;
pub mod difference;
pub mod drawing;
pub mod file_name;
pub mod graph;
pub mod inclusion;
pub mod manifest;
pub mod metadata;
pub mod payload;
mod template;
#[cfg(test)]
mod tests;

pub use graph::{Mode, TaskGraph};
pub use inclusion::Inclusion;
pub use manifest::Manifest;
pub use metadata::Release;
pub use payload::{LoadError, Payload};
