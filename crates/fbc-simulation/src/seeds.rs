//! The search for a seed with which a scenario fails.

use std::ops::Range;

use fbc_app::settings::Settings;
use fbc_app::shell::quoted;
use fbc_scenario::{Options, Prepared, Run, play};
use rayon::prelude::*;
use serde_json::{Value, json};

/// What came of the seeds of a scenario.
pub struct Search {
    /// The file of the scenario.
    pub file: String,
    /// The first and the last seed; none if the shard has none.
    pub seeds: Option<(u64, u64)>,
    /// The first run that failed, with the command that repeats it.
    pub failed: Option<(Run, String)>,
}

/// Plays a scenario with a share of its seeds, up to the first that fails. `flags` are those of the command line that change runs,
/// for the command that repeats one of them.
#[must_use]
pub fn search(
    prepared: &Prepared,
    options: Options,
    share: Range<u64>,
    flags: &[String],
    settings: &Settings,
) -> Search {
    let file = prepared.scenario.file.clone();
    let start = options.seed.unwrap_or(prepared.scenario.seed);
    if share.is_empty() {
        return Search { file, seeds: None, failed: None };
    }
    let (first, last) = (start.saturating_add(share.start), start.saturating_add(share.end - 1));
    let length = usize::try_from(share.end - share.start).unwrap_or(usize::MAX);
    let progress = settings.host.begin("playing seeds", length);
    let play_with = |seed: u64| play(prepared, Options { seed: Some(seed), ..options });
    // The first failing seed, not any: the answer must not depend on the number of threads.
    let fails = |seed: &u64| {
        let run = play_with(*seed);
        progress.advance();
        !run.is_success()
    };
    let failed = (first..=last).into_par_iter().find_first(fails);
    drop(progress);
    let failed = failed.map(|seed| {
        let text = seed.to_string();
        let words = ["fbc", "simulate", &file, "--seed", &text].into_iter();
        let words: Vec<String> = words.chain(flags.iter().map(String::as_str)).map(quoted).collect();
        (play_with(seed), words.join(" "))
    });
    Search { file, seeds: Some((first, last)), failed }
}

impl Search {
    /// The answer as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let (first, last) = self.seeds.unzip();
        let (run, repeat) = self.failed.as_ref().map(|(run, repeat)| (run, repeat)).unzip();
        json!({
            "file": self.file, "first": first, "last": last, "failed": run.map(|run| run.seed), "repeat": repeat,
            "run": run.map(Run::to_json),
        })
    }
}
