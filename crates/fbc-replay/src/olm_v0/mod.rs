//! Plays recordings of OLM v0: the same steps on the same base, and a comparison of what the operators made of them.
//!
//! | module | what it holds |
//! |---|---|
//! | `scenario` | the files of a scenario |
//! | `world` | the cluster, and the steps |
//! | `stand_in` | what played Deployments, Jobs, pods and servers |
//! | `watcher` | every write of a step |
//! | `placeholders` | what is random, in the words of the recordings |
//! | `settled`, `transitions`, `objects`, `events` | what is compared: states, writes, other objects, Kubernetes events |
//! | `noise` | what two recordings of one scenario do not agree on |

mod events;
mod noise;
mod objects;
mod placeholders;
mod scenario;
mod settled;
mod stand_in;
mod transitions;
mod watcher;
mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use serde_json::Value;

use self::scenario::Scenario;
use self::settled::Recorded;
use self::world::World;
use crate::{Difference, Verdict};

/// The name of the file that makes a directory a scenario.
pub(crate) const SCENARIO: &str = "scenario.yaml";

/// The name of the scenario in a directory, with its topic.
pub(crate) fn name(recordings: &Arc<dyn Tree>, folder: &Path) -> Result<String, Difference> {
    let scenario = Scenario::read(recordings, folder)?;
    Ok(format!("{}/{}", scenario.topic, scenario.name))
}

/// Plays the scenario in a directory.
pub(crate) fn verdict(recordings: &Arc<dyn Tree>, folder: &Path) -> Verdict {
    let scenario = Scenario::read(recordings, folder)?;
    let mut world = World::new(recordings, folder.join("content"), &scenario.topic)?;
    let mut recorded = Recorded::default();
    let mut differences = Vec::new();
    for (number, step) in &scenario.steps {
        let recording = scenario::recording(recordings, &folder.join(format!("recorded/{number}.json")))?;
        let seen = world.step(step)?;
        let states = recorded.complete(number, recording.list(&["settled"]));
        let mut tell = |part: &str, lines: Vec<String>| {
            differences.extend(lines.into_iter().map(|line| format!("{number} {part}: {line}")));
        };
        let is_capped = recording.get("capped").is_some();
        tell("settled", settled::differences(&seen.settled, &states, is_capped));
        tell("objects", objects::differences(&seen.objects, recording.list(&["objects"])));
        tell(
            "transitions",
            transitions::differences(&seen.transitions, recording.list(&["transitions"]), &states),
        );
        tell("events", events::differences(&seen.events, recording.list(&["events"])));
        // What starts package-server is not part of the recording.
        if step.verb != "packageserver" {
            tell("errors", printed(&seen.errors, recording.text(&["errors"])));
        }
        if let Some(stdout) = recording.given(&["stdout"]).and_then(Value::as_str) {
            tell("stdout", printed(&seen.stdout, stdout));
        }
        if let Some(output) = recording.given(&["output"]) {
            tell("output", output_differs(&seen.stdout, output));
        }
    }
    crate::difference::several(differences)
}

/// The directories below a path that hold a scenario.
pub(crate) fn scenarios(tree: &dyn Tree, path: &Path) -> Vec<PathBuf> {
    let entries = tree.list(path).unwrap_or_default();
    if entries.iter().any(|entry| entry.name == Path::new(SCENARIO)) {
        return vec![path.to_path_buf()];
    }
    let folders = entries.iter().filter(|entry| entry.is_directory);
    folders.flat_map(|entry| scenarios(tree, &path.join(&entry.name))).collect()
}

fn printed(seen: &str, recorded: &str) -> Vec<String> {
    let (seen, recorded) = noise::printed(seen, recorded);
    if seen == recorded { Vec::new() } else { vec![format!("seen {seen:?}, recorded {recorded:?}")] }
}

fn output_differs(seen: &str, recorded: &Value) -> Vec<String> {
    let mut seen: Value = serde_json::from_str(seen).unwrap_or_default();
    placeholders::of_object(&mut seen);
    settled::fields("output", &seen, recorded)
}
