//! The APIs through which clusters read catalogs: the gRPC registry of OLM v0, and catalogd's HTTP API of OLM v1.
//!
//! | module | what it holds |
//! |---|---|
//! | [`registry`] | the gRPC registry |
//! | [`catalogs`] | catalogd's API |
//! | [`current`] | what is served right now |
//! | [`hosts`] | under which names a server may be asked |
//! | [`listener`] | connections: limits, encryption, the end |
//! | `door` | what every request passes |
//! | `opening` | the first bytes of a connection |

pub mod catalogs;
pub mod current;
mod door;
pub mod hosts;
pub mod listener;
mod opening;
pub mod registry;
pub mod stop;
