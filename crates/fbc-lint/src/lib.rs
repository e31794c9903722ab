//! Findings: rules, their documentation, and profiles.

pub mod comparison;
pub mod context;
pub mod finding;
pub mod graph;
pub mod lost;
pub mod profile;
pub mod report;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod verdict;

pub use finding::{Finding, Severity};
pub use profile::Profile;
pub use report::{Located, Report, Span, lint, load};
pub use rule::Rule;
