//! What Kubernetes' own types mean, wherever objects are read: in bundles, in a simulated cluster, on a terminal.
//!
//! | module | what it holds |
//! |---|---|
//! | [`quantity`] | `resource.Quantity`: amounts such as `100m` and `64Mi` |
//! | [`rbac`] | role-based access control: policy rules, what they allow and cover, what follows from roles and bindings |
//! | [`removed_apis`] | versions of kinds that Kubernetes no longer has |
//! | [`types`] | the Go types of kinds as tables: fields in Go's order, what is left out, how lists and maps merge |

pub mod quantity;
pub mod rbac;
pub mod removed_apis;
pub mod types;
