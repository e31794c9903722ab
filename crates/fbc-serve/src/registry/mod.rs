//! The gRPC registry that OLM v0 asks.
//!
//! | module | what it holds |
//! |---|---|
//! | [`message`] | the messages |
//! | `index` | a catalog by package, channel and entry |
//! | `bundle` | bundles as messages |
//! | `cache` | the catalog as files that opm serves from |
//! | `custom` | blobs of other schemas |
//! | `query` | the answers |
//! | `service` | the answers over gRPC |
//! | [`reflection`] | what the API consists of, for clients that ask |

mod bundle;
mod cache;
mod custom;
pub(crate) mod index;
pub mod message;
mod query;
pub mod reflection;
mod service;
#[cfg(test)]
mod tests;

pub use cache::CacheFile;
pub use index::{Registry, RegistryError};
pub use service::RegistryService;
