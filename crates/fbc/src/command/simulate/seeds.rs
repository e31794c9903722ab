//! The search for a seed with which a scenario fails.

use std::io::Write as _;

use fbc_cluster::scenario::{Options, Prepared, duration_text, play};
use rayon::prelude::*;

use super::text;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::terminal;

/// Plays every scenario with so many seeds, and shows the first run that fails with the command that repeats it.
pub(super) fn search(scenarios: &[Prepared], options: Options, count: u64) -> Result<u8, Failure> {
    let mut out = terminal::stdout();
    let mut exit = CLEAN;
    for prepared in scenarios {
        let first = options.seed.unwrap_or(prepared.scenario.seed);
        let last = first.saturating_add(count - 1);
        let play_with = |seed: u64| play(prepared, Options { seed: Some(seed), ..options });
        // The first failing seed, not any: the answer must not depend on the number of threads.
        let failed = (first..=last).into_par_iter().find_first(|seed| !play_with(*seed).is_success());
        let file = &prepared.scenario.file;
        let Some(seed) = failed else {
            writeln!(out, "{file}: no seed from {first} to {last} fails")?;
            continue;
        };
        exit = FINDINGS;
        let run = play_with(seed);
        let look = text::Look { has_color: terminal::stdout_has_color(), detail: text::Detail::Failures };
        out.write_all(text::runs(&[run], look).as_bytes())?;
        let until =
            options.until.map(|until| format!(" --until {}", duration_text(until))).unwrap_or_default();
        writeln!(
            out,
            "{file}: seed {seed} fails; to repeat it:\n  fbc simulate {file} --seed {seed}{until}"
        )?;
    }
    out.flush()?;
    Ok(exit)
}
