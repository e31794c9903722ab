//! Members of etcd, quorum, and the operator that protects it.
