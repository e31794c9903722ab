//! Simulated clusters and OpenShift releases as use cases: data in, data out. What happens on the way is told to a
//! [`fbc_app::settings::Host`].
//!
//! | module | what it holds |
//! |---|---|
//! | `input` | scenarios, payloads, update graphs and operators that references name |
//! | `budget` | what a cluster may take |
//! | `install`, `upgrade`, `cluster_update` | bundles, catalogs and releases that are tried out |
//! | `updates` | what an update service offers, and safe routes |
//! | `seeds`, `migration` | seeds with which scenarios fail, and scenarios of migrations |
//! | `extraction` | bundles in ConfigMaps, as OLM v0 unpacks them |
//! | `problems` | what is wrong in files that editors have open |
//! | `page` | runs as a page for browsers |
//! | `server` | clusters behind a Kubernetes API, and their sessions played again |

pub mod budget;
pub mod cluster_update;
pub mod extraction;
pub mod input;
pub mod install;
pub mod migration;
pub mod page;
#[cfg(feature = "lsp")]
pub mod problems;
pub mod seeds;
pub mod server;
pub mod updates;
pub mod upgrade;
