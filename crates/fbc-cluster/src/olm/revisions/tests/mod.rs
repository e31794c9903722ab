//! Revisions in a cluster.

mod handover;
mod rollout;
mod trouble;
mod world;
