//! OLM v0 resolution: what the catalog-operator installs in a namespace for its Subscriptions, and why.
//!
//! A [`Catalog`] is made once for each content of a CatalogSource. A [`Namespace`] is what the resolver sees of a cluster:
//! catalogs, Subscriptions and ClusterServiceVersions. [`resolve`] says what is installed next, or gives OLM's error; [`explain()`] says why, and why
//! nothing else.
//!
//! Where the real program is random (the order of Go's maps), the order is that of names, so that the same namespace gets
//! the same answer. Nothing here reads files or judges catalogs. Source of the behavior:
//! `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver`.

pub mod catalog;
mod constraint;
mod core;
pub mod error;
pub mod explain;
mod facts;
mod index;
pub mod namespace;
mod order;
mod pool;
mod problem;
pub mod property;
mod question;
pub mod resolution;
mod resolve;
mod search;

pub use catalog::{Bundle, Catalog, Deprecations, Entry};
pub use constraint::{CompileExpression, Expression, MOST_LEVELS};
pub use error::ResolveError;
pub use explain::{Answer, BundleName, Cause, Considered, Explanation, Need, Verdict, explain};
pub use namespace::{
    CatalogSource, Content, InstalledOperator, Namespace, SourceKey, Subscription, WithoutGroup,
};
pub use problem::Part;
pub use property::{Api, Property};
pub use question::MOST_CANDIDATES;
pub use resolution::{GeneratedSubscription, NewOperator, Resolution};
pub use resolve::{MOST_STEPS, Rules, resolve};
