//! What Kubernetes' own types of values mean, wherever objects are read: in bundles, in a simulated cluster, on a terminal.
//!
//! | module | type of Kubernetes |
//! |---|---|
//! | [`quantity`] | `resource.Quantity`: amounts such as `100m` and `64Mi` |

pub mod quantity;
