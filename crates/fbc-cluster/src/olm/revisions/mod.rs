//! ClusterObjectSets.
