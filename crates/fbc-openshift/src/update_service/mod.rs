//! The update service: which updates exist, which of them are recommended, and what is known to go wrong with them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`graph`] | the graph that the service answers with |
//! | [`mod@offer`] | what a cluster takes from it |
//! | [`risk`] | whether a risk applies to a cluster |

pub mod graph;
pub mod offer;
pub mod risk;

pub use graph::{Graph, GraphError};
pub use offer::{Offer, offer};
pub use risk::{Metrics, RiskCache};
