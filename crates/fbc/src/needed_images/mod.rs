//! The images that a catalog needs on a cluster, and what registries say of them.

mod digests;
mod needs;

pub(crate) use digests::{Found, find_all, is_absent, only_in_mirrors};
pub(crate) use needs::{Needs, Role, Use};
