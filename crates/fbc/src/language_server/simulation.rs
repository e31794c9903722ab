//! A scenario played for an editor: its verdict, its timeline, and the expectations that are not met.

use std::collections::BTreeMap;
use std::path::Path;

use fbc_lsp::{Simulated, Unmet};
use fbc_scenario::{ExpectationResult, Options, Prepared, Run, Verdict, play};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::simulation_text;

/// Plays the scenario of a file.
pub(super) fn play_file(path: &Path, settings: &Settings) -> Result<Simulated, Failure> {
    let readable = fbc_simulation::input::scenario::prepare(
        &[path.to_path_buf()],
        &BTreeMap::new(),
        &settings.session(),
        settings,
        &[],
    )?;
    let scenarios: Vec<Prepared> = readable.into_iter().map(|one| one.prepared).collect();
    let options = Options { seed: None, until: None, keep_trace: false, budget: settings.limits.cluster() };
    let runs = scenarios.par_iter().map(|scenario| play(scenario, options)).collect::<Vec<Run>>();
    let expected: usize = runs.iter().map(|run| run.expectations.len()).sum();
    let is_met = |result: &&ExpectationResult| matches!(result.verdict, Verdict::Met(_));
    let met = runs.iter().flat_map(|run| &run.expectations).filter(is_met).count();
    if let Some(exhausted) = runs.iter().find_map(|run| run.exhausted) {
        return Err(fbc_simulation::budget::failure(exhausted).into());
    }
    let unmet = runs.iter().flat_map(|run| &run.expectations).filter_map(|result| match &result.verdict {
        Verdict::Met(_) => None,
        Verdict::Failed(_, seen) => Some(Unmet {
            line: result.place.line,
            column: result.place.column,
            message: format!("unmet expectation: {}\n{seen}", result.wanted),
        }),
    });
    let unmet = unmet.collect();
    let stopped = runs.iter().find_map(|run| run.stopped.clone());
    Ok(Simulated {
        is_success: runs.iter().all(Run::is_success),
        summary: stopped.unwrap_or_else(|| format!("{met} of {expected} expectations are met")),
        text: simulation_text::runs(
            &runs,
            simulation_text::Look { has_color: false, detail: simulation_text::Detail::Conditions },
        ),
        unmet,
    })
}
