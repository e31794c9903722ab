//! The files of a scenario.

use std::path::Path;
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use serde_json::Value;

use super::placeholders::without_address;
use crate::Difference;

/// A scenario.
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) topic: String,
    /// The number of each step, and the step.
    pub(super) steps: Vec<(String, Step)>,
}

/// What is done, with what.
pub(super) struct Step {
    /// The verb in the name of the file.
    pub(super) verb: String,
    /// The remark of the scenario.
    pub(super) what: String,
    /// The file as text, for what kubectl reads.
    pub(super) text: String,
    /// The first document of the file.
    pub(super) value: Value,
}

impl Scenario {
    pub(super) fn read(recordings: &Arc<dyn Tree>, folder: &Path) -> Result<Self, Difference> {
        let scenario = yaml(&read(recordings, &folder.join(super::SCENARIO))?)?;
        let mut steps = Vec::new();
        for step in scenario.list(&["steps"]) {
            let file = step.text(&["file"]);
            let text = read(recordings, &folder.join("steps").join(file))?;
            let (number, verb) = file.trim_end_matches(".yaml").split_once('-').unwrap_or_default();
            let value = yaml(text.split("\n---\n").next().unwrap_or_default())?;
            let what = step.text(&["what"]).to_owned();
            steps.push((number.to_owned(), Step { verb: verb.to_owned(), what, text, value }));
        }
        Ok(Self {
            name: scenario.text(&["name"]).to_owned(),
            topic: scenario.text(&["topic"]).to_owned(),
            steps,
        })
    }
}

/// What was recorded of a step.
pub(super) fn recording(recordings: &Arc<dyn Tree>, file: &Path) -> Result<Value, Difference> {
    let mut recording: Value = serde_json::from_str(&read(recordings, file)?).map_err(unplayable(file))?;
    mask(&mut recording);
    Ok(recording)
}

/// Replaces addresses in the network of the recordings.
fn mask(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_address(text),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => members.values_mut().for_each(mask),
        _ => {}
    }
}

fn read(recordings: &Arc<dyn Tree>, file: &Path) -> Result<String, Difference> {
    let bytes = recordings.read(file).map_err(unplayable(file))?;
    String::from_utf8(bytes).map_err(unplayable(file))
}

fn yaml(text: &str) -> Result<Value, Difference> {
    let document = fbc_yaml::stream::read_one(text.as_bytes())
        .map_err(|error| Difference::Unplayable(error.to_string()))?;
    serde_json::from_str(&fbc_yaml::json_writer::compact(document.root()))
        .map_err(|error| Difference::Unplayable(error.to_string()))
}

/// Says which file cannot be played, and why not.
fn unplayable<E: std::fmt::Display>(file: &Path) -> impl Fn(E) -> Difference {
    move |error| Difference::Unplayable(format!("{}: {error}", file.display()))
}
