//! Revisions in a cluster.

mod handover;
mod rollout;
mod scale;
mod trouble;
mod world;
