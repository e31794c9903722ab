//! `opm alpha bundle`: the metadata and images of bundles.
//!
//! Source: `operator-framework/operator-registry:cmd/opm/alpha/bundle`, `pkg/lib/bundle`.

mod build;
#[cfg(feature = "cluster")]
mod extract;
mod generate;
mod image;

pub(super) use build::build;
#[cfg(feature = "cluster")]
pub(super) use extract::extract;
pub(super) use generate::run as generate;
pub(super) use image::{unpack, validate};
