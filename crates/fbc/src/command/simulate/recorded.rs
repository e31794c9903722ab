//! `fbc simulate --replay FILE`: recorded cases of real programs, and what differs here.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};
use fbc_scenario::recordings::{Played, SUITES, Suite};
use serde_json::{Value, json};

use super::Format;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_output;
use crate::settings::Settings;
use fbc_app::escape::Lines;

/// Plays the cases of a file whose names hold a text. Differences are findings.
pub(super) fn run(
    file: &Path,
    part_of_name: &str,
    format: Format,
    output: Option<&Path>,
    settings: &Settings,
) -> Result<u8, Failure> {
    let full = file.canonicalize().map_err(|error| Failure::io("read", file, &error))?;
    let (suite, root) = Suite::of_file(&full).ok_or_else(|| unknown(file))?;
    let below = full.strip_prefix(root).unwrap_or(&full);
    let tree: Arc<dyn Tree> = Arc::new(DiskTree { root: root.to_owned() });
    let played =
        suite.play_file(&tree, below, part_of_name).map_err(|error| Failure::new(error.to_string()))?;
    if played.is_empty() {
        return Err(Failure::new(format!("{}: no case has {part_of_name:?} in its name", file.display())));
    }
    write_output(settings, output, |out| {
        if format == Format::Json {
            let cases: Vec<Value> = played.iter().map(case_json).collect();
            return Ok(fbc_app::output::json_document::write(
                out,
                &json!({"suite": suite.name, "cases": cases}),
            )?);
        }
        let out = &mut Lines::new(out, false);
        for case in &played {
            match &case.verdict {
                Ok(()) => writeln!(out, "agrees   {}", case.name)?,
                Err(text) => out.write_all(format!("differs  {}\n    {text}\n", case.name).as_bytes())?,
            }
        }
        let equal = played.iter().filter(|case| case.verdict.is_ok()).count();
        Ok(writeln!(out, "{}: {equal} of {}", suite.name, played.len())?)
    })?;
    Ok(if played.iter().all(|case| case.verdict.is_ok()) { CLEAN } else { FINDINGS })
}

fn case_json(case: &Played) -> Value {
    json!({
        "name": case.name,
        "agrees": case.verdict.is_ok(),
        "differences": case.verdict.as_ref().err().map(ToString::to_string),
    })
}

fn unknown(file: &Path) -> Failure {
    let mut paths: Vec<&str> = SUITES.iter().map(|suite| suite.path).collect();
    paths.dedup();
    Failure::new(format!("{}: is not in a suite of recordings that can be played", file.display()))
        .help(format!("the path says which suite a file belongs to: {}", paths.join(", ")))
}
