//! Recorded sessions of served clusters, played again.

use std::io::Write as _;
use std::path::Path;

use fbc_app::count::counted;
use fbc_app::escape::Lines;
use fbc_scenario::duration_text;
use fbc_simulation::input::scenario;
use fbc_simulation::server::{Replayed, Step, replay};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_standard_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;

/// Plays a session again. Requests that are answered with another code than then are findings.
pub(super) fn run(path: &Path, images: &ImageArguments, settings: &Settings) -> Result<u8, Failure> {
    let session = |catalogs: &[String]| images.session(scenario::named(catalogs), settings);
    let Replayed { steps, different, objects, hash, is_redacted } =
        replay(path, settings.limits.cluster(), &session, settings)?;
    let mut text = Vec::new();
    let mut out = Lines::new(&mut text, false);
    for played in &steps {
        let at = duration_text(played.at);
        match &played.step {
            Step::Request { method, path, code, before } => {
                let was = if code == before { String::new() } else { format!(" (then it was {before})") };
                writeln!(out, "{at:>8}  {code}{was} {method} {path}")?;
            }
            Step::Time(span) => writeln!(out, "{at:>8}  {} go by", duration_text(*span))?,
            Step::Waiting => writeln!(out, "{at:>8}  a client waits")?,
        }
    }
    writeln!(
        out,
        "{} replayed, {different} answered otherwise; {}, hash {hash}",
        counted(steps.len(), "request"),
        counted(objects, "object")
    )?;
    write_standard_output(|out| Ok(out.write_all(&text)?))?;
    if different == 0 {
        return Ok(CLEAN);
    }
    if is_redacted {
        Failure::new("the session has placeholders for what Secrets held, on which an answer may depend")
            .help("`fbc cluster up --trace-secrets` and `fbc cluster run --trace-secrets` write a session with them")
            .note();
    }
    Ok(FINDINGS)
}
