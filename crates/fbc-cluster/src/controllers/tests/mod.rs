//! Controllers against recordings of a real control plane, and what no recording shows.

mod definitions;
mod garbage;
mod namespaces;
mod play;
mod roles;
