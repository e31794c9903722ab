//! Members of etcd, quorum, and the operator that protects it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`members`] | the members, and when one may be added, promoted or removed |
//! | [`operator`] | the operator: hooks of machines, learners, promotion, removal |

pub mod members;
pub mod operator;
