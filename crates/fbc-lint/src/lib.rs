//! Findings: what rules look at, runs of rules over catalogs and bundles, places and fixes of what they find, and policies.

pub mod bundle;
pub mod comparison;
pub mod context;
pub mod finding;
pub mod fingerprint;
pub mod fix;
pub mod graph;
pub mod image_facts;
pub mod lost;
pub mod manifests;
pub mod names;
pub mod policy;
pub mod profile;
pub mod registry;
pub mod report;
pub mod rule;
pub mod schema;
pub mod verdict;

pub use bundle::{BundleContext, Targets};
pub use finding::{Finding, Severity};
pub use fix::Fix;
pub use image_facts::ImageFacts;
pub use policy::Policy;
pub use profile::Profile;
pub use registry::Registry;
pub use report::{Located, RelatedPlace, Report, Span, load, load_within};
pub use rule::Rule;
