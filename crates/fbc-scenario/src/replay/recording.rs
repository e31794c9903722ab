//! The files of a recorded scenario.

use std::path::Path;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use fbc_olm::{Options, Target};
use fbc_yaml::stream::{self, Fault};
use serde_json::Value;

use super::ReplayError;

/// A scenario.
pub(super) struct Recording {
    /// How OLM is set up.
    pub(super) options: Options,
    /// True if the definitions of the experimental channel are installed.
    pub(super) is_experimental: bool,
    /// Tags that are pushed before: reference and content.
    pub(super) pushed: Vec<(String, String)>,
    /// The steps in their order.
    pub(super) steps: Vec<Step>,
}

/// A step.
pub(super) struct Step {
    /// Its number as in the file's name.
    pub(super) number: String,
    /// The file.
    pub(super) file: String,
    /// The text, with placeholders for digests.
    pub(super) text: String,
}

impl Step {
    /// What the name of the file says is done: `create`, `patch`, `poke`, `delete`, `push`, `deployments`, `gates`.
    pub(super) fn verb(&self) -> &str {
        let stem = self.file.strip_suffix(".yaml").unwrap_or(&self.file);
        stem.split_once('-').map_or("", |(_, verb)| verb)
    }
}

impl Recording {
    /// Reads a scenario.
    pub(super) fn read(tree: &dyn Tree) -> Result<Self, ReplayError> {
        let scenario = read_one(tree, "scenario.yaml")?;
        let mut options = Options::of(Target::Latest);
        set_gates(&mut options, scenario.text(&["featureGates"]), "scenario.yaml")?;
        let pushed = scenario.list(&["registryBefore"]).iter();
        let pushed = pushed.map(|one| (one.text(&["image"]).to_owned(), one.text(&["content"]).to_owned()));
        let directory = Path::new("steps");
        let entries = tree.list(directory).map_err(|error| ReplayError::new("steps", error.to_string()))?;
        let mut steps = Vec::new();
        for entry in entries.iter().filter(|entry| !entry.is_directory) {
            let file = entry.name.to_string_lossy().into_owned();
            let text = read_text(tree, &format!("steps/{file}"))?;
            let number = file.split('-').next().unwrap_or_default().to_owned();
            steps.push(Step { number, file, text });
        }
        Ok(Self {
            options,
            is_experimental: scenario.text(&["crds"]) == "experimental",
            pushed: pushed.collect(),
            steps,
        })
    }
}

/// Sets the gates of a command line; `(defaults)` sets none.
pub(super) fn set_gates(options: &mut Options, gates: &str, file: &str) -> Result<(), ReplayError> {
    if gates == "(defaults)" {
        return Ok(());
    }
    options.gates.set(gates).map_err(|error| ReplayError::new(file, error.to_string()))
}

fn read_text(tree: &dyn Tree, file: &str) -> Result<String, ReplayError> {
    let bytes = tree.read(Path::new(file)).map_err(|error| ReplayError::new(file, error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| ReplayError::new(file, "is not UTF-8"))
}

fn read_one(tree: &dyn Tree, file: &str) -> Result<Value, ReplayError> {
    let mut documents = documents(&read_text(tree, file)?, file)?;
    if documents.len() == 1 {
        Ok(documents.remove(0))
    } else {
        Err(ReplayError::new(file, "must hold one document"))
    }
}

/// The documents of a YAML text.
pub(super) fn documents(text: &str, file: &str) -> Result<Vec<Value>, ReplayError> {
    let read = stream::read(text.as_bytes(), &|document| Ok::<_, ()>(document));
    let documents = read.iter().map(|decoded| match &decoded.outcome {
        Ok(document) => Ok(document.root().to_json()),
        Err(Fault::Malformed { message, .. }) => Err(ReplayError::new(file, message)),
        Err(_) => Err(ReplayError::new(file, "is not YAML")),
    });
    let documents: Result<Vec<Value>, ReplayError> = documents.collect();
    Ok(documents?.into_iter().filter(|document| !document.is_null()).collect())
}
