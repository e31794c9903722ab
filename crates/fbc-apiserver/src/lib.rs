//! The simulated cluster as a Kubernetes API over HTTP, for whoever has a kubeconfig.
//!
//! | module | what it holds |
//! |---|---|
//! | [`server`] | connections to requests, answers to bytes: limits, bodies, streams |
//! | [`authentication`] | who asks: certificates, tokens |
//! | [`request`] | a request as data: path, options, body |
//! | [`answer`] | an answer as data |
//! | [`actor`] | the one thread that owns the cluster: requests in order, and time |
//! | `resources` | what each verb does |
//! | `present` | objects as JSON, tables, metadata alone, streams of events |
//! | `discovery`, `openapi` | what is served, from the tables of types and the definitions |
//! | [`service`], [`services`] | programs in the cluster that answer requests, and how these reach them: through the proxy and at ports of their pods |
//! | [`port_forward`] | ports of pods, carried over upgraded connections |
//! | [`spdy`] | the protocol of these connections: frames and their bytes |
//! | `reviews`, `logs`, `metrics` | questions about access, the logs of pods, figures |
//!
//! The cluster runs on one thread, so that order and outcome follow from the requests alone; bytes are read and written
//! on others. Sources of what the answers are: `kubernetes/apiserver:pkg/endpoints`, and recordings of version 1.36.

pub mod actor;
pub mod answer;
pub mod authentication;
pub mod body;
mod discovery;
pub mod endpoints;
mod later;
mod logs;
mod metrics;
mod openapi;
pub mod port_forward;
mod present;
pub mod request;
mod resources;
mod reviews;
mod served_resource;
pub mod server;
pub mod service;
pub mod services;
pub mod spdy;
#[cfg(test)]
mod tests;
