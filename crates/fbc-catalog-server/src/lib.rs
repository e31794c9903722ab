//! Catalogs that are served to clusters and browsers: loading them, watching what they come from, and the listeners.
//!
//! | module | what it holds |
//! |---|---|
//! | `content` | a catalog, loaded and checked |
//! | `watch` | what it comes from, and whether that changed |
//! | `encryption` | certificates, read again when they change |
//! | `health` | what probes and Prometheus ask |
//! | `slot` | a catalog while it is served |
//! | `server` | the listeners, from the start to the end |
//! | `answers` | what they answer with |
//! | `pages` | what people see in a browser |

mod answers;
mod content;
mod encryption;
mod health;
mod pages;
mod server;
mod slot;
mod watch;

pub use answers::OtherService;
pub use content::{Content, ContentError, Wanted};
pub use encryption::Encryption;
pub use server::{Plan, run};
pub use slot::Served;
pub use watch::Origin;
