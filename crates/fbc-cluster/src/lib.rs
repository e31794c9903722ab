//! A cluster in memory: an API server, and the controllers of any cluster.
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
//! | [`admission`] | what is added to objects on their way in, and who may refuse them: plugins, policies, webhooks |
//! | [`served_twice`] | kinds that two groups have |
//! | [`store`] | the objects, with indexes and a log of changes |
//! | [`api`] | the API server: every read and write |
//! | [`budget`] | what a cluster may take |
//! | [`engine`] | controllers, their queues, and the run of time |
//! | `pod_resources` | what the containers of a pod use together |
//! | [`taints`], [`drain`] | taints and tolerations; moving pods off a node, for command lines and controllers alike |
//! | [`add_ons`] | products that clusters may have besides: their kinds, and stand-ins for their controllers |
//! | [`control_plane`], [`controllers`] | what every cluster starts with, and does by itself |
//! | [`kubernetes_version`] | the release that servers and nodes report |

pub mod access;
pub mod add_ons;
pub mod admission;
pub mod api;
pub mod apply;
pub mod budget;
pub mod control_plane;
pub mod controllers;
mod distinct;
pub mod drain;
pub mod engine;
pub mod error;
pub mod kind;
pub mod kubernetes_version;
pub mod object;
mod pod_resources;
pub mod random;
pub mod schema;
pub mod selector;
pub mod served_twice;
pub mod store;
pub mod taints;
pub mod time;
pub mod types;
pub mod validation;
