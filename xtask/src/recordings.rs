//! `cargo xtask recordings`: plays recorded cases of the real programs on simulated clusters.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use fbc_model::tree::{DiskTree, Tree};
use fbc_replay::{SUITES, Suite};

use crate::error::{TaskError, TaskResult};
use crate::workspace;

/// Which cases, and where they lie.
#[derive(Args)]
pub(crate) struct Options {
    /// The directory of the recordings, with one directory for each recorded system [default: the one beside the checkout]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Only cases whose names contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    case: String,
    /// Suites such as `kube/04`, or beginnings of their names; all without
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
}

/// Prints `suite: N of M` for each suite, and every difference. Differences are findings: exit code 1.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let is_meant = |suite: &&Suite| {
        options.suites.is_empty() || options.suites.iter().any(|name| suite.name.starts_with(name.as_str()))
    };
    let suites: Vec<&Suite> = SUITES.iter().filter(is_meant).collect();
    if suites.is_empty() {
        let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        return Err(TaskError::new(format!(
            "no suite is named {}; known are {}",
            options.suites.join(", "),
            known.join(", ")
        )));
    }
    let data = match &options.data {
        Some(data) => data.clone(),
        None => workspace::conformance_folder(&workspace::root()?),
    };
    let tree: Arc<dyn Tree> = Arc::new(DiskTree { root: data });
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut differences = Vec::new();
    for suite in suites {
        let count = counts.entry(suite.name).or_default();
        for case in suite.play(&tree, &options.case).map_err(|error| TaskError::new(error.to_string()))? {
            count.1 += 1;
            match case.verdict {
                Ok(()) => count.0 += 1,
                Err(text) => differences.push(format!("{} {}: {text}", suite.name, case.name)),
            }
        }
    }
    for (name, (equal, all)) in &counts {
        println!("{name}: {equal} of {all}");
    }
    for difference in &differences {
        println!("{difference}");
    }
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
