//! Simulated clusters behind a Kubernetes API: certificates, kubeconfigs, threads, time.
//!
//! | module | what it holds |
//! |---|---|
//! | `authority` | the cluster's own authority, and what it signs |
//! | `catalogd` | what the cluster's catalogd answers |
//! | `client` | requests to an API server, of this program or another |
//! | `images` | the images that it pulls |
//! | `kubeconfig` | the file that clients are pointed to |
//! | `pace` | the clock of the machine as time of the cluster |
//! | `redaction` | sessions without what their Secrets hold |
//! | `replay` | sessions that were written down, played again |
//! | `setup` | the scenario that a cluster starts from |
//! | `services` | what answers in a cluster besides its API server |
//! | `running` | a cluster from its start to its end |
//! | `trace` | the file that a session is written to |
//! | `webhooks` | admission webhooks at URLs |

mod authority;
mod catalogd;
mod client;
mod images;
mod kubeconfig;
mod pace;
mod redaction;
mod replay;
mod running;
mod services;
mod setup;
mod trace;
mod webhooks;

pub use client::{ApiClient, ClientError};
pub use images::REGISTRY_NAME;
pub use kubeconfig::Kubeconfig;
pub use pace::Pace;
pub use replay::{Header, Played, Replayed, Step, replay};
pub use running::{Plan, RegistryPlan, Running, start};
use setup::played;
pub use setup::{Additions, parts, prepared};
