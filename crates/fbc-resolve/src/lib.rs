//! OLM v1 resolution: which bundle a cluster would install for a ClusterExtension, and why.
//!
//! A [`CatalogIndex`] is built once for each catalog. A [`Resolver`] holds the ClusterCatalogs of a cluster
//! with their indexes and answers any number of [`Request`]s: [`Resolver::resolve`] with the bundle or the
//! reference's error, [`Resolver::explain`] with every bundle that was looked at and what removed it.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use fbc_model::load::load_bytes;
//! use fbc_resolve::{CatalogIndex, ClusterCatalog, Request, Resolver, Rules};
//!
//! let blobs = br#"{"schema": "olm.bundle", "package": "foo", "name": "foo.v1.0.0",
//!     "properties": [{"type": "olm.package", "value": {"packageName": "foo", "version": "1.0.0"}}]}"#;
//! let rules = Rules::default();
//! let index = CatalogIndex::new(load_bytes(Path::new("foo.json"), blobs), rules);
//! let resolver = Resolver::new(rules, [ClusterCatalog::serving("sample", Arc::new(index))])?;
//!
//! let resolution = resolver.resolve(&Request::of_package("foo"))?;
//! assert_eq!(resolution.bundle.blob.name, "foo.v1.0.0");
//! let error = resolver.resolve(&Request::of_package("bar")).unwrap_err();
//! assert_eq!(error.to_string(), r#"no bundles found for package "bar""#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads files or judges catalogs. Source of the behaviour:
//! `operator-framework/operator-controller:internal/operator-controller/resolve/catalog.go`.

pub mod bundle_version;
pub mod catalog;
pub mod error;
pub mod explain;
mod filters;
pub mod index;
mod label;
pub mod request;
mod resolve;
mod route;
pub mod rules;
pub mod selector;

pub use bundle_version::BundleVersionError;
pub use catalog::{ClusterCatalog, Content};
pub use error::{InstalledVersionError, ResolveError};

pub use explain::{BundleExplanation, CatalogExplanation, CatalogVerdict, Explanation, Filter, Wanted};
pub use filters::Edge;
pub use index::{CatalogIndex, IndexedBundle, IndexedEntry, PackageIndex};
pub use request::{InstalledBundle, Request, UpgradePolicy};
pub use resolve::{DuplicateCatalog, Resolution, Resolver, ServedDeprecations};
pub use rules::Rules;
pub use selector::{LabelSelector, Requirement, SelectorError};
