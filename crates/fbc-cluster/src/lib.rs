//! A cluster in memory: an API server, the controllers of a cluster, OLM v1 on top, and scenarios that drive them.
//!
//! Everything is single-threaded and deterministic: state and an event give state and events. Time is a number of
//! milliseconds that only the engine moves. Nothing here reads files, prints, or knows the clock of the machine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`object`] | Kubernetes objects as JSON values, and what is asked of them everywhere |
//! | [`kind`] | groups, versions and kinds as data |
//! | [`error`] | what the API server answers when it refuses |
//! | [`access`] | role-based access control |
//! | [`apply`] | who owns which field, server-side apply, patches |
//! | [`types`] | the Go types of the built-in kinds |
//! | [`validation`] | the built-in kinds: which there are, defaults, refusals |
//! | [`time`] | virtual time and how Kubernetes writes it |

pub mod access;
pub mod apply;
pub mod error;
pub mod kind;
pub mod object;
pub mod time;
pub mod types;
pub mod validation;
