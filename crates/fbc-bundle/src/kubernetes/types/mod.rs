//! The types that cluster service versions, custom resource definitions and the objects made of them
//! consist of, as tables. Fields stand in the order in which Go writes them.

pub mod admission;
pub mod apps;
pub(crate) mod containers;
pub mod extensions;
pub(crate) mod meta;
pub mod operators;
pub(crate) mod pods;
pub mod rbac;
pub mod services;
pub(crate) mod volumes;
