//! Serving catalogs: loading them, watching what they come from, and the listeners.
//!
//! | module | what it holds |
//! |---|---|
//! | `content` | a catalog, loaded and checked |
//! | `watch` | what it comes from, and whether that changed |
//! | `encryption` | certificates, read again when they change |
//! | `health` | what probes and Prometheus ask |
//! | `server` | the listeners, from the start to the end |
//! | `stop` | the signals that end a server |
//! | `pages` | what people see in a browser |
//! | `log` | what a server writes about its work |

mod content;
mod encryption;
mod health;
pub(crate) mod log;
mod pages;
mod server;
pub(crate) mod stop;
mod watch;

pub(crate) use content::{Content, Wanted};
pub(crate) use encryption::Encryption;
pub(crate) use server::{Plan, Served, run};
pub(crate) use watch::Origin;
