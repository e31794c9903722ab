//! The search for a seed with which a scenario fails.

use std::io::Write;
use std::path::Path;

use fbc_app::escape::Lines;
use fbc_scenario::{Options, Prepared};
use fbc_simulation::seeds::{self, Search};
use serde_json::{Value, json};

use super::{Format, write_json};
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::settings::Settings;
use crate::shard::ShardArgument;
use crate::simulation_text;
use crate::terminal;

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

/// Plays every scenario with the seeds, and shows the first run that fails with the command that repeats it.
pub(super) fn search(
    scenarios: &[Prepared],
    options: Options,
    wanted: &Wanted<'_>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let share = wanted.shard.share(wanted.count);
    let search_one = |prepared| seeds::search(prepared, options, share.clone(), &wanted.flags, settings);
    let searches: Vec<Search> = scenarios.iter().map(search_one).collect();
    write_output(settings, wanted.output_file, |out| match wanted.format {
        Format::Json => {
            let searches: Vec<Value> = searches.iter().map(Search::to_json).collect();
            write_json(json!({ "searches": searches }), wanted.shard, out)
        }
        Format::Text => {
            let has_color = wanted.output_file.is_none() && terminal::stdout_has_color();
            let mut out = Lines::new(out, has_color);
            searches.iter().try_for_each(|search| write_text(search, has_color, &mut out))
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

fn write_text(search: &Search, has_color: bool, out: &mut impl Write) -> Result<(), Failure> {
    let file = &search.file;
    match (&search.failed, search.seeds) {
        (Some((run, repeat)), _) => {
            let look = simulation_text::Look { has_color, detail: simulation_text::Detail::Failures };
            out.write_all(simulation_text::runs(std::slice::from_ref(run), look).as_bytes())?;
            writeln!(out, "{file}: seed {} fails; to repeat it:", run.seed)?;
            writeln!(out, "  {repeat}")?;
        }
        (None, Some((first, last))) => writeln!(out, "{file}: no seed from {first} to {last} fails")?,
        (None, None) => writeln!(out, "{file}: there are fewer seeds than shards, and none for this one")?,
    }
    Ok(())
}
