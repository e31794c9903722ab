//! Catalog templates: short documents that expand to file-based catalogs.
//!
//! [`render()`] expands the templates [`TemplateKind`] knows, [`composite`] plans the builds of a
//! contribution to several catalogs, [`convert()`] goes from a catalog back to a template, and
//! [`lint_expansion`] says what in an expansion its author may not have meant.
//!
//! [`from_bundles()`] makes a catalog of bundles without any template.
//!
//! The crate reads no files and pulls no images: templates come as bytes, bundles through
//! [`BundleSource`]. Errors are data with the texts of opm, and say where in the template they lie.
//! The outcome depends on nothing but the arguments; where opm's order is random, ours is that of the
//! template.

mod advice;
mod basic;
pub mod composite;
pub mod convert;
mod document;
pub mod error;
mod from_bundles;
mod kind;
mod render;
mod semantics;
mod semver;
mod stream;
mod strict;
mod substitutes;
#[cfg(test)]
mod testing;
mod version_release;

pub use advice::{Advice, DroppedEdge, lint_expansion};
pub use convert::{ConversionTarget, convert};
pub use error::{BundleFault, DetectionFault, SourceError, TemplateError, TemplateFault, TemplatePlace};
pub use from_bundles::{AnnotatedBundle, EdgeMode, FromBundles, FromBundlesError, from_bundles};
pub use kind::{TemplateKind, detect};
pub use render::{BundleSource, Renderer, render};
pub use semantics::{OpmSemantics, UnknownSemantics};
pub use semver::ChannelKind;
pub use stream::{entry_places, kind_of};
pub use version_release::VersionFault;
