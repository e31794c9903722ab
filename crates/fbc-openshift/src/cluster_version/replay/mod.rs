//! Plays recordings of the real operator: the cluster as it was, the same things done to it, and a comparison of what the
//! operator wrote.
//!
//! | module | what it holds |
//! |---|---|
//! | `world` | the cluster, and the steps |
//! | `initial`, `payloads`, `metrics` | what a case begins with |
//! | `watcher` | what is kept of it |
//! | `agent` | workloads, operators and the kubelet, as the agent of the recordings plays them |
//! | `inputs` | what chance and the machine added |
//! | `signer` | signatures of releases |
//! | `comparison`, `order` | what must be equal: states; writes and events |

mod agent;
mod comparison;
mod initial;
mod inputs;
mod metrics;
mod order;
mod payloads;
mod signer;
#[cfg(test)]
mod tests;
mod watcher;
mod world;

use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use serde_json::Value;

/// Plays a case and answers with everything that differs. What it starts with lies in `cvo/initial` of the recordings,
/// the payloads that it speaks of in `cvo/payloads`.
///
/// # Errors
/// A file of the recordings cannot be read, or the cluster cannot be set up.
pub fn play(recordings: &Arc<dyn Tree>, case: &Value) -> Result<Vec<String>, String> {
    let file = format!("cvo/initial/{}.json", case.text(&["initial"]));
    let failed = |error: &dyn std::fmt::Display| format!("{file}: {error}");
    let bytes = recordings.read(Path::new(&file)).map_err(|error| failed(&error))?;
    let initial: Value = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
    let played = world::play(recordings, &initial, case)?;
    let mut differences = comparison::differences(&initial, case, &played);
    differences.extend(order::differences(recordings.as_ref(), case, &played));
    Ok(differences)
}

/// `3m7.071286369s` in milliseconds; what is no duration takes no time.
fn duration(text: &str) -> u64 {
    let nanoseconds = fbc_go::time::parse_duration(text).unwrap_or_default();
    u64::try_from(nanoseconds / 1_000_000).unwrap_or_default()
}
