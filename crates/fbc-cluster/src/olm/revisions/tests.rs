//! Revisions in a cluster.
