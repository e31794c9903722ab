//! A cluster in memory: an API server, the controllers of a cluster, OLM v1 on top, and scenarios that drive them.
//!
//! Everything is single-threaded and deterministic: state and an event give state and events. Time is a number of
//! milliseconds that only the engine moves. Nothing here reads files, prints, or knows the clock of the machine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`object`], [`kind`] | Kubernetes objects as JSON values; groups, versions and kinds as data |
//! | [`error`] | what the API server answers when it refuses |
//! | [`time`], [`random`] | virtual time and how Kubernetes writes it; numbers that look random |
//! | [`selector`] | label and field selectors |
//! | [`types`], [`validation`] | the built-in kinds: Go's types, defaults, refusals |
//! | [`schema`] | definitions of kinds: pruning, defaults, validation, rules |
//! | [`apply`] | who owns which field, server-side apply, patches |
//! | [`access`] | role-based access control |
//! | [`store`] | the objects, with indexes and a log of changes |
//! | [`api`] | the API server: every read and write |
//! | [`engine`] | controllers, their queues, and the run of time |
//! | [`control_plane`], [`controllers`] | what every cluster starts with, and does by itself |
//! | [`olm`] | OLM v1: catalogd and operator-controller |
//! | [`kubectl`] | kubectl and oc: what they print, how their command lines read |
//! | [`scenario`] | scenario files: steps, expectations, timelines |
//! | [`replay`] | plays recorded scenarios of OLM v1 |

pub mod access;
pub mod api;
pub mod apply;
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
#[cfg(test)]
mod tests;
pub mod time;
pub mod types;
pub mod validation;
