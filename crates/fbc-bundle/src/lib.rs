//! registry+v1 bundles: directories with the manifests of one version of an operator, and what becomes of
//! them.

mod apis;
pub mod contents;
pub mod crd_upgrade;
pub mod folder;
pub mod image_template;
pub mod kubernetes;
pub mod manifests;
pub mod metadata;
pub mod migration;
pub mod operator_conditions;
pub mod permissions;
pub mod readiness;
pub mod render;

pub use contents::BundleContents;
pub use folder::{BundleError, BundleFolder};
pub use image_template::{ImageTemplate, ImageTemplateError};
