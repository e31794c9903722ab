//! catalogd's HTTP API, which OLM v1 asks.
//!
//! | module | what it holds |
//! |---|---|
//! | [`store`] | a catalog as lines of JSON |
//! | `request` | what a request asks for |
//! | `service` | the answers |

mod request;
mod service;
pub mod store;
#[cfg(test)]
mod tests;

pub use service::{AnswerBody, CatalogService};
