//! The APIs through which clusters read catalogs: the gRPC registry of OLM v0, and catalogd's HTTP API of OLM v1.
//!
//! | module | what it holds |
//! |---|---|
//! | [`registry`] | the gRPC registry |
//! | [`catalogs`] | catalogd's API |
//! | [`current`] | what is served right now |
//! | [`listener`] | connections: limits, encryption, the end |
//! | `opening` | the first bytes of a connection |

pub mod catalogs;
pub mod current;
pub mod listener;
mod opening;
pub mod registry;
