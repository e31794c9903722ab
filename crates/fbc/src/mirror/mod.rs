//! Copies of catalogs with all images that they need, for clusters that cannot reach the registries themselves.
//!
//! What is to be copied is an [`Order`], from flags or from an ImageSetConfiguration ([`image_set`]). An order becomes
//! a [`Plan`]: catalogs, filtered where that is wanted, and images, each with its place at the destination. A plan is
//! carried out to a registry or to a directory ([`transfer`]), with what lies beside images ([`attached`]), and the manifests for the cluster follow from it
//! ([`resources`]).

pub(crate) mod attached;
pub(crate) mod image_set;
mod increment;
mod obstacle;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod resources;
mod shown;
pub(crate) mod transfer;

pub(crate) use place::{Place, Prefix};
pub(crate) use plan::{Order, Plan};
