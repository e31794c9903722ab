//! Versions, releases and the two range grammars of OLM, and minor versions of OpenShift.
//!
//! A bundle has a strict [`Version`] and may have a [`Release`]. Ranges over versions come in two grammars:
//! [`masterminds`] in what a user asks of a cluster, [`blang`] inside catalogs. They look alike and differ in
//! nearly everything, so no range is ever guessed to be of one or the other: the caller says which. [`Range`]
//! covers both.
//!
//! ```
//! use fbc_version::{Grammar, Range, Target, Version};
//!
//! let range = Range::parse(Grammar::Masterminds, Target::Latest, ">1.15, <1.17")?;
//! assert!(!range.matches(&Version::parse("1.15.2")?));
//! assert_eq!(range.intervals().to_string(), "[1.16.0, 1.17.0) (releases only)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate reads no files and knows nothing of bundles, channels or catalogs.

pub mod blang;
mod cut;
pub mod explain;
pub mod interval;
pub mod masterminds;
pub mod openshift_release;
pub mod range;
pub mod release;
pub mod version;
pub mod version_set;

pub use explain::{AlternativeExplanation, Explanation, Note, NoteKind};
pub use interval::{Interval, IntervalSet};
pub use openshift_release::OpenShiftRelease;
pub use range::{FACTS, Facts, Grammar, Range, RangeError, Target, UnknownName};
pub use release::{Release, ReleaseError, VersionRelease};
pub use version::{Identifier, Version, VersionError};
pub use version_set::{PrereleaseRule, VersionSet};
