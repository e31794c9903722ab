//! Copies of catalogs with all images that they need, for clusters that cannot reach the registries themselves.
//!
//! What is to be copied is an [`Order`], from flags or from an ImageSetConfiguration ([`image_set`]). An order becomes
//! a [`Plan`]: catalogs, filtered where that is wanted, and images, each with its place at the destination. A plan is
//! carried out ([`run`]) to a registry or to a directory ([`transfer`]), with what is attached to images ([`attached`]), and
//! the manifests for the cluster follow from it ([`resources`]). A directory may build upon earlier ones ([`increment`]).

pub mod attached;
mod catalog_image;
mod copy_error;
pub mod image_set;
pub mod increment;
mod joined;
pub mod order;
pub mod place;
pub mod plan;
pub mod record;
pub mod resources;
mod rules;
pub mod run;
mod sink;
pub mod transfer;

pub use order::Order;
pub use place::{Place, Prefix};
pub use plan::{Plan, PlanError};
