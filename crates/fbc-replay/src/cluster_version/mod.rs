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
mod watcher;
mod world;

use std::path::Path;
use std::sync::Arc;

use fbc_cluster::engine::RunError;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use fbc_yaml::YamlError;
use serde_json::Value;

use crate::{Difference, Verdict};

/// What keeps a case from being played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    /// A file of the recordings cannot be read.
    #[error("{file}: {error}")]
    Read {
        /// The file.
        file: String,
        /// Why not.
        error: std::io::Error,
    },
    /// A file is not JSON.
    #[error("{file}: {error}")]
    Json {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A file is not YAML.
    #[error("{file}: {error}")]
    Yaml {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        error: YamlError,
    },
    /// An object of the beginning is not JSON any more.
    #[error(transparent)]
    Object(#[from] serde_json::Error),
    /// An object of the beginning is refused.
    #[error("{object}: {error}")]
    Refused {
        /// The object.
        object: String,
        /// Why.
        error: ApiError,
    },
    /// Nothing can be signed.
    #[error("no key can be made: {0}")]
    Key(String),
    /// The cluster does not come to rest.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Plays a recorded case.
pub(crate) fn verdict(recordings: &Arc<dyn Tree>, case: &Value) -> Verdict {
    let differences = play(recordings, case).map_err(|error| Difference::Unplayable(error.to_string()))?;
    crate::difference::several(differences)
}

/// Plays a case and answers with everything that differs. What it starts with lies in `cvo/initial` of the recordings,
/// the payloads that it speaks of in `cvo/payloads`.
///
/// # Errors
/// [`ReplayError`]
fn play(recordings: &Arc<dyn Tree>, case: &Value) -> Result<Vec<String>, ReplayError> {
    let file = || format!("cvo/initial/{}.json", case.text(&["initial"]));
    let bytes =
        recordings.read(Path::new(&file())).map_err(|error| ReplayError::Read { file: file(), error })?;
    let initial: Value =
        serde_json::from_slice(&bytes).map_err(|error| ReplayError::Json { file: file(), error })?;
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
