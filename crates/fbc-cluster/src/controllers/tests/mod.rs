//! Controllers against recordings of a real control plane, and what no recording shows.

mod defaults;
mod definitions;
mod deployments;
mod garbage;
mod namespaces;
mod play;
mod roles;
mod sets;
mod workloads;
