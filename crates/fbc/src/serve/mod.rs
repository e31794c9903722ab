//! Serving catalogs: loading them, watching what they come from, and the listeners.
//!
//! | module | what it holds |
//! |---|---|
//! | `content` | a catalog, loaded and checked |
//! | `watch` | what it comes from, and whether that changed |
//! | `encryption` | certificates, read again when they change |
//! | `hosts` | the flag that says under which names a server is asked |
//! | `health` | what probes and Prometheus ask |
//! | `slot` | a catalog while it is served |
//! | `server` | the listeners, from the start to the end |
//! | `answers` | what they answer with |
//! | `stop` | the signals that end a server |
//! | `pages` | what people see in a browser |
//! | `log` | what a server writes about its work |

mod answers;
mod content;
mod encryption;
mod health;
mod hosts;
pub(crate) mod log;
mod pages;
mod server;
mod slot;
pub(crate) mod stop;
mod watch;

pub(crate) use content::{Content, Wanted, store};
pub(crate) use encryption::Encryption;
pub(crate) use hosts::HostArguments;
pub(crate) use server::{Plan, run};
pub(crate) use slot::Served;
pub(crate) use watch::Origin;
