//! The update service: which updates exist, which of them are recommended, and what is known to go wrong with them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`graph`] | the graph that the service answers with |
//! | [`mod@offer`] | what a cluster takes from it |
//! | [`risk`] | whether a risk applies to a cluster |
//! | [`facts`], `promql` | what is known of a cluster as metrics, and queries over it |
//! | [`route`] | the shortest safe route over several minor versions |
//! | [`operators`] | installed operators that must move before the cluster does |
//! | [`protocol`] | requests for graphs, and the answers |
//! | [`graph_data`] | graphs from a directory of graph data and the metadata of releases |

mod bundle_needs;
pub mod facts;
pub mod graph;
pub mod graph_data;
pub mod offer;
pub mod operators;
mod promql;
pub mod protocol;
pub mod risk;
pub mod route;

pub use facts::Facts;
pub use graph::{Graph, GraphError};
pub use offer::{Offer, offer};
pub use promql::{Excess, QueryError, SyntaxError};
pub use risk::{Metrics, MetricsError, RiskCache, RiskError};
