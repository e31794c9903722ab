//! catalogd's HTTP API, which OLM v1 asks.
//!
//! | module | what it holds |
//! |---|---|
//! | [`store`] | a catalog as lines of JSON |
//! | `text` | where these lines lie |
//! | [`packages`] | its packages at a glance |
//! | `graphql` | questions in GraphQL, with the feature `graphql` |
//! | `without_graphql` | what stands for it without the feature |
//! | `request` | what a request asks for |
//! | `conditions` | the conditions of a request, and the bytes that it wants |
//! | `fields` | some fields of blobs |
//! | [`body`] | bodies of answers |
//! | `service` | the answers |

pub mod body;
mod conditions;
pub mod content;
mod fields;
#[cfg(feature = "graphql")]
mod graphql;
pub mod packages;
mod request;
mod service;
pub mod store;
#[cfg(test)]
mod tests;
mod text;
#[cfg(not(feature = "graphql"))]
mod without_graphql;

#[cfg(not(feature = "graphql"))]
use without_graphql as graphql;

pub use body::AnswerBody;
pub use graphql::SchemaFault;
pub use service::CatalogService;
