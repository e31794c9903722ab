//! Statements that sample scenarios show, with the result of playing them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};
use fbc_scenario::{Contents, Options, Prepared, Reference, Scenario, ScenarioFault, play};

use super::Showing;
use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

/// Where sample scenarios lie, and those that were written for the product document.
const FOLDERS: [&str; 3] =
    ["testdata/scenarios", "testdata/scenarios/document", "testdata/scenarios/updates"];

/// Plays every sample scenario that shows a statement.
pub(super) fn showings(root: &Path) -> TaskResult<Vec<Showing>> {
    let folders = FOLDERS.map(|folder| root.join(folder));
    let mut found = Vec::new();
    for path in workspace::files_below(&root.join(FOLDERS[0]))? {
        let Some(folder) = folders.iter().find(|folder| path.parent() == Some(folder)) else { continue };
        if path.extension().is_none_or(|end| end != "yaml") {
            continue;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let text = fs::read(&path).context(|| format!("reading {shown}"))?;
        let scenario = Scenario::read(&shown, &text).map_err(faults)?;
        let statements = scenario.all_shown();
        if statements.is_empty() {
            continue;
        }
        let (catalogs, bundles) = scenario.references();
        let tree = |reference: &Reference| -> (String, Arc<dyn Tree>) {
            (reference.text.clone(), Arc::new(DiskTree { root: folder.join(&reference.text) }))
        };
        let contents = Contents {
            catalogs: catalogs.into_iter().map(tree).collect(),
            bundles: bundles.into_iter().map(tree).collect(),
            ..Contents::default()
        };
        let files = Arc::new(DiskTree { root: folder.clone() });
        let prepared = Prepared::new(scenario, contents, files).map_err(faults)?;
        let result = if play(&prepared, Options::default()).is_success() { "passed" } else { "failed" };
        found.extend(statements.into_iter().map(|statement| Showing {
            statement,
            by: shown.clone(),
            result,
        }));
    }
    Ok(found)
}

fn faults(faults: Vec<ScenarioFault>) -> TaskError {
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    TaskError::new(texts.join("\n"))
}
