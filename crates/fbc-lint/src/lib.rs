//! Findings: rules, their documentation, and profiles.

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
pub mod policy;
pub mod profile;
pub mod report;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod template;
pub mod verdict;

pub use bundle::{BundleContext, Targets, lint_bundle};
pub use finding::{Finding, Severity};
pub use fix::Fix;
pub use image_facts::ImageFacts;
pub use policy::Policy;
pub use profile::Profile;
pub use report::{Located, RelatedPlace, Report, Span, lint, lint_under, lint_with, load, load_within};
pub use rule::Rule;
pub use template::lint_template;
