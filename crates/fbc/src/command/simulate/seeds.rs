//! The search for a seed with which a scenario fails.

use std::io::Write as _;

use fbc_scenario::{Options, Prepared, play};
use rayon::prelude::*;

use super::verdict;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::limits;
use crate::progress::Counter;
use crate::settings::Settings;
use crate::shard::ShardArgument;
use crate::shell::quoted;
use crate::simulation_text;
use crate::terminal;

/// Plays every scenario with so many seeds, or a shard of them, and shows the first run that fails with the command that repeats it;
/// `flags` are those of the command line that change runs. The verdict holds even if nobody reads all of it.
pub(super) fn search(
    scenarios: &[Prepared],
    options: Options,
    (count, shard): (u64, ShardArgument),
    flags: &[String],
    settings: &Settings,
) -> Result<u8, Failure> {
    let mut exit = CLEAN;
    let told = search_each(scenarios, options, (count, shard), flags, &mut exit, settings);
    verdict(told, exit)
}

fn search_each(
    scenarios: &[Prepared],
    options: Options,
    (count, shard): (u64, ShardArgument),
    flags: &[String],
    exit: &mut u8,
    settings: &Settings,
) -> Result<(), Failure> {
    let mut out = terminal::text();
    for prepared in scenarios {
        let start = options.seed.unwrap_or(prepared.scenario.seed);
        let share = shard.share(count);
        let file = &prepared.scenario.file;
        if share.is_empty() {
            writeln!(out, "{file}: there are fewer seeds than shards, and none for this one")?;
            continue;
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
        let Some(seed) = failed else {
            writeln!(out, "{file}: no seed from {first} to {last} fails")?;
            continue;
        };
        let run = play_with(seed);
        if let Some(exhausted) = run.exhausted {
            return Err(limits::cluster::failure(exhausted).within(&format!("{file}, seed {seed}")));
        }
        *exit = FINDINGS;
        let look = simulation_text::Look {
            has_color: terminal::stdout_has_color(),
            detail: simulation_text::Detail::Failures,
        };
        out.write_all(simulation_text::runs(&[run], look).as_bytes())?;
        let seed_text = seed.to_string();
        let words = ["fbc", "simulate", file, "--seed", &seed_text].into_iter();
        let words: Vec<String> = words.chain(flags.iter().map(String::as_str)).map(quoted).collect();
        writeln!(out, "{file}: seed {seed} fails; to repeat it:")?;
        writeln!(out, "  {}", words.join(" "))?;
    }
    Ok(out.flush()?)
}
