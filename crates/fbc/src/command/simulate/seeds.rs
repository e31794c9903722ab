//! The search for a seed with which a scenario fails.

use std::io::Write;
use std::path::Path;

use fbc_scenario::{Options, Prepared, Run, play};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Format, write_json};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::progress::Counter;
use crate::settings::Settings;
use crate::shard::ShardArgument;
use crate::simulation_text;
use crate::terminal;
use fbc_app::escape::Lines;
use fbc_app::shell::quoted;

/// What is searched, and where the answer goes.
pub(super) struct Wanted<'a> {
    /// How many seeds there are.
    pub(super) count: u64,
    /// Which of them are played.
    pub(super) shard: ShardArgument,
    /// The flags of the command line that change runs, for a command that repeats one of them.
    pub(super) flags: Vec<String>,
    pub(super) format: Format,
    pub(super) output_file: Option<&'a Path>,
}

/// What came of the seeds of a scenario.
struct Search {
    file: String,
    /// The first and the last seed; none if the shard has none.
    seeds: Option<(u64, u64)>,
    /// The first run that failed, with the command that repeats it.
    failed: Option<(Run, String)>,
}

/// Plays every scenario with the seeds, and shows the first run that fails with the command that repeats it.
pub(super) fn search(
    scenarios: &[Prepared],
    options: Options,
    wanted: &Wanted<'_>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let searches: Vec<Search> =
        scenarios.iter().map(|prepared| search_one(prepared, options, wanted, settings)).collect();
    write_output(settings, wanted.output_file, |out| match wanted.format {
        Format::Json => {
            let searches: Vec<Value> = searches.iter().map(Search::to_json).collect();
            write_json(json!({ "searches": searches }), wanted.shard, out)
        }
        Format::Text => {
            let has_color = wanted.output_file.is_none() && terminal::stdout_has_color();
            let mut out = Lines::new(out, has_color);
            searches.iter().try_for_each(|search| search.write_text(has_color, &mut out))
        }
    })?;
    let exhausted = searches.iter().find_map(|search| {
        let (run, _) = search.failed.as_ref()?;
        Some(
            fbc_simulation::budget::failure(run.exhausted?)
                .within(&format!("{}, seed {}", search.file, run.seed)),
        )
    });
    let is_clean = searches.iter().all(|search| search.failed.is_none());
    exhausted.map_or(Ok(if is_clean { CLEAN } else { FINDINGS }), |error| Err(error.into()))
}

fn search_one(prepared: &Prepared, options: Options, wanted: &Wanted<'_>, settings: &Settings) -> Search {
    let file = prepared.scenario.file.clone();
    let start = options.seed.unwrap_or(prepared.scenario.seed);
    let share = wanted.shard.share(wanted.count);
    if share.is_empty() {
        return Search { file, seeds: None, failed: None };
    }
    let (first, last) = (start.saturating_add(share.start), start.saturating_add(share.end - 1));
    let length = usize::try_from(share.end - share.start).unwrap_or(usize::MAX);
    let progress = Counter::new("playing seeds", length, settings.quiet);
    let play_with = |seed: u64| {
        let run = play(prepared, Options { seed: Some(seed), ..options });
        progress.step();
        run
    };
    // The first failing seed, not any: the answer must not depend on the number of threads.
    let failed = (first..=last).into_par_iter().find_first(|seed| !play_with(*seed).is_success());
    progress.clear();
    let failed = failed.map(|seed| {
        let text = seed.to_string();
        let words = ["fbc", "simulate", &file, "--seed", &text].into_iter();
        let words: Vec<String> = words.chain(wanted.flags.iter().map(String::as_str)).map(quoted).collect();
        (play_with(seed), words.join(" "))
    });
    Search { file, seeds: Some((first, last)), failed }
}

impl Search {
    fn to_json(&self) -> Value {
        let (first, last) = self.seeds.unzip();
        let (run, repeat) = self.failed.as_ref().map(|(run, repeat)| (run, repeat)).unzip();
        json!({
            "file": self.file, "first": first, "last": last, "failed": run.map(|run| run.seed), "repeat": repeat,
            "run": run.map(Run::to_json),
        })
    }

    fn write_text(&self, has_color: bool, out: &mut impl Write) -> Result<(), Failure> {
        let file = &self.file;
        match (&self.failed, self.seeds) {
            (Some((run, repeat)), _) => {
                let look = simulation_text::Look { has_color, detail: simulation_text::Detail::Failures };
                out.write_all(simulation_text::runs(std::slice::from_ref(run), look).as_bytes())?;
                writeln!(out, "{file}: seed {} fails; to repeat it:", run.seed)?;
                writeln!(out, "  {repeat}")?;
            }
            (None, Some((first, last))) => writeln!(out, "{file}: no seed from {first} to {last} fails")?,
            (None, None) => {
                writeln!(out, "{file}: there are fewer seeds than shards, and none for this one")?
            }
        }
        Ok(())
    }
}
