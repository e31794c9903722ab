//! Plays recorded scenarios of OLM v1: directories with manifests for each step, and the images that they speak of.
//!
//! | module | what it holds |
//! |---|---|
//! | `recording` | the files of a scenario |
//! | `content` | the images that it speaks of |
//! | `settle` | when a step is over |
//! | `step` | what a step does |
//! | `differences` | what a step changed |
//!
//! A scenario's directory has `scenario.yaml` and `steps/NN-VERB.yaml`. Content lies in `catalogs/NAME` and
//! `bundles/PACKAGE-VERSION`; further bundles in `PACKAGE/VERSION` of a second directory.

mod content;
mod differences;
mod recording;

mod settle;
mod step;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use fbc_model::tree::Tree;
use serde_json::{Value, json};

use self::content::Content;
use self::recording::Recording;
use self::step::Play;

/// What keeps a scenario from being played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct ReplayError {
    /// The file, relative to the scenario or to the content.
    pub file: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl ReplayError {
    fn new(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), message: message.into() }
    }
}

/// Where the content of images lies.
#[derive(Clone)]
pub struct ContentDirectories {
    /// With `catalogs/NAME` and `bundles/PACKAGE-VERSION`.
    pub images: Arc<dyn Tree>,
    /// Further bundles as `PACKAGE/VERSION`, if there are any.
    pub bundles: Option<Arc<dyn Tree>>,
}

/// Plays a scenario and answers what `{"steps":[{"file","settled","objects","errors"}]}` says of each step: all catalogs,
/// extensions and revisions afterwards, what else changed, and what the API server refused.
///
/// # Errors
/// A file of the scenario or an image cannot be read, or a step is not understood.
pub fn play(scenario: &dyn Tree, content: &ContentDirectories, seed: u64) -> Result<Value, ReplayError> {
    let recording = Recording::read(scenario)?;
    let content = Content::new(content.clone(), recording.options.resolution_rules())?;
    let mut play = Play::new(&recording, content, seed)?;
    let steps: Result<Vec<Value>, ReplayError> = recording.steps.iter().map(|step| play.step(step)).collect();
    Ok(json!({"steps": steps?}))
}
