//! The Cluster Version Operator.
