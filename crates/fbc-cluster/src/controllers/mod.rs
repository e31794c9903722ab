//! What a cluster does by itself: the controllers that a control plane and its nodes run.
//!
//! Every controller is an [`crate::engine::Controller`]: it hears of changes, looks at one object, and writes what is
//! missing. What it asks of the store goes through indexes, so the cost of an event does not grow with objects that
//! have nothing to do with it.
//!
//! | module | what it does |
//! |---|---|
//! | [`garbage`] | objects go with their owners |
//! | [`namespaces`] | namespaces are emptied before they go |
//! | [`accounts`] | every namespace has a service account and the authority's certificates |
//! | [`roles`] | cluster roles that are put together from others |
//! | [`definitions`] | conditions of custom resource definitions, and their objects' end |

pub mod accounts;
pub mod definitions;
pub mod garbage;
pub mod namespaces;
pub mod roles;
pub mod template_hash;
mod write;

#[cfg(test)]
mod tests;
