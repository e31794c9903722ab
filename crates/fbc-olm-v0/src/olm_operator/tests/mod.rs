//! Operators that are created by hand, on a cluster with OLM and nothing else.

mod chains;
mod groups;
mod health;
mod rights;
mod world;
