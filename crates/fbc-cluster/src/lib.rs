//! A cluster in memory: an API server, the controllers of a cluster, OLM v1 on top, and scenarios that drive them.
//!
//! Everything is single-threaded and deterministic: state and an event give state and events. Time is a number of
//! milliseconds that only the engine moves. Nothing here reads files, prints, or knows the clock of the machine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`object`] | Kubernetes objects as JSON values, and what is asked of them everywhere |
//! | [`kind`] | groups, versions and kinds as data |
//! | [`kubectl`] | kubectl and oc: what they print, how their command lines read |
//! | [`schema`] | definitions of kinds: pruning, defaults, validation, rules |
//! | [`error`] | what the API server answers when it refuses |
//! | [`selector`] | label and field selectors |
//! | [`time`], [`random`] | virtual time and how Kubernetes writes it; numbers that look random |
//! | [`store`] | the objects, with indexes and a log of changes |
//! | [`api`] | the API server: every read and write |
//! | [`control_plane`] | an API server as every cluster starts with it |
//! | [`engine`] | controllers, their queues, and the run of time |
//! | [`olm`] | OLM v1: catalogd and operator-controller |
//! | [`replay`] | plays recorded scenarios of OLM v1 |
//! | [`olm`] | catalogd and operator-controller |
//! | [`access`] | role-based access control |
//! | [`apply`] | who owns which field, server-side apply, patches |
//! | [`types`] | the Go types of the built-in kinds |
//! | [`types`] | the Go types of the built-in kinds |
//! | [`validation`] | the built-in kinds: which there are, defaults, refusals |
//! | [`time`] | virtual time and how Kubernetes writes it |

pub mod access;
pub mod api;
pub mod apply;
#[cfg(test)]
mod conformance;
pub mod control_plane;
pub mod controllers;
pub mod engine;
pub mod error;
pub mod kind;
pub mod kubectl;
pub mod object;
pub mod olm;
pub mod random;
pub mod replay;
pub mod scenario;
pub mod schema;
pub mod selector;
pub mod store;
pub mod time;
pub mod types;
pub mod validation;
