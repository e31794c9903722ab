//! `fbc simulate --shell`: `oc` commands typed on a simulated cluster, with time that moves when it is told to.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use fbc_cluster::engine::RunError;
use fbc_model::tree::{DiskTree, Tree};
use fbc_scenario::{
    Contents, DURATION_FORM, Options, Prepared, Scenario, Session, duration_text, parse_duration,
};

use crate::failure::{CLEAN, FINDINGS, Failure, words};
use crate::settings::Settings;

const HELP: &str = "\
oc …, kubectl …   a command; the program's name may be left out
wait DURATION     time goes by, such as: wait 5m
wait              time goes by until nothing changes any more
time              the moment, and how long the cluster has run
help              this text
exit              the end; so does the end of the input
";

/// Runs the shell; commands come from standard input.
pub(super) fn run(
    scenarios: &[PathBuf],
    catalogs: &BTreeMap<String, Arc<dyn Tree>>,
    allowed: &[PathBuf],
    options: Options,
    images: &fbc_source::Session,
    settings: &Settings,
) -> Result<u8, Failure> {
    if let [_, second, ..] = scenarios {
        return Err(Failure::new(format!(
            "--shell takes one scenario, and {} is a second",
            second.display()
        )));
    }
    let prepared = match scenarios {
        [] => nothing(catalogs)?,
        _ => fbc_simulation::input::scenario::prepare(scenarios, catalogs, images, settings, allowed)?
            .pop()
            .map(|readable| readable.prepared)
            .ok_or_else(|| Failure::new("there is no scenario to begin with"))?,
    };
    let mut session = Session::with_options(&prepared, options);
    session.play().map_err(stopped)?;
    // Files of commands are those of the person who types them.
    session.read_from(Arc::new(DiskTree { root: PathBuf::from(".") }));
    let faults = session.faults();
    let verdict = if faults.is_empty() { CLEAN } else { FINDINGS };
    for fault in faults {
        writeln!(crate::terminal::stderr(), "{fault}")?;
    }
    let mut exit = verdict;
    let is_typed = io::stdin().is_terminal();
    let mut out = anstream::stdout().lock();
    if is_typed {
        writeln!(out, "A simulated cluster; `help` says what can be typed.")?;
    }
    let mut line = String::new();
    loop {
        if is_typed {
            write!(out, "{}> ", duration_text(session.elapsed()))?;
            out.flush()?;
        }
        line.clear();
        let read = io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Failure::new(format!("cannot read standard input: {}", words(&error))))? == 0
        {
            break;
        }
        match one(&mut session, line.trim(), &mut out)? {
            Answer::End => break,
            Answer::Failed => exit = FINDINGS,
            Answer::Done => {}
        }
    }
    // Of what a person types, nothing counts: that was seen.
    Ok(if is_typed { verdict } else { exit })
}

/// Why time stopped: controllers that fight are what the person finds out, a budget that is used up is not.
fn stopped(error: RunError) -> Failure {
    match error {
        RunError::Exhausted(exhausted) => fbc_simulation::budget::failure(exhausted).into(),
        error => Failure::refusal(error.to_string()),
    }
}

enum Answer {
    Done,
    Failed,
    End,
}

fn one(session: &mut Session<'_>, line: &str, out: &mut impl io::Write) -> Result<Answer, Failure> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    // `kubectl wait` has flags; the shell's own has a duration or nothing.
    let is_own_wait = word == "wait" && !rest.contains("--for");
    match word {
        "" => {}
        _ if line.starts_with('#') => {}
        "exit" | "quit" => return Ok(Answer::End),
        "help" => out.write_all(HELP.as_bytes())?,
        "time" => {
            writeln!(out, "{} ({} after the start)", session.moment(), duration_text(session.elapsed()))?
        }
        _ if is_own_wait => {
            let span = match rest {
                "" => None,
                text => match parse_duration(text) {
                    Some(span) => Some(span),
                    None => {
                        writeln!(
                            crate::terminal::stderr(),
                            "error: {text:?} is not a duration: {DURATION_FORM}"
                        )?;
                        return Ok(Answer::Failed);
                    }
                },
            };
            session.wait(span).map_err(stopped)?;
        }
        _ => {
            let line = if matches!(word, "oc" | "kubectl") { line.to_owned() } else { format!("oc {line}") };
            let printed = session.run(&line).map_err(stopped)?;
            out.write_all(printed.stdout.as_bytes())?;
            out.flush()?;
            crate::terminal::stderr().write_all(printed.stderr.as_bytes())?;
            if printed.exit != 0 {
                return Ok(Answer::Failed);
            }
        }
    }
    out.flush()?;
    Ok(Answer::Done)
}

/// A cluster with OLM v1 and the catalogs of the command line.
fn nothing(catalogs: &BTreeMap<String, Arc<dyn Tree>>) -> Result<Prepared, Failure> {
    let mut scenario = Scenario::new("shell", "A cluster with OLM v1");
    for name in catalogs.keys() {
        scenario.add_catalog(name, name, None);
    }
    let contents = Contents { catalogs: catalogs.clone(), ..Contents::default() };
    Prepared::new(scenario, contents, Arc::new(DiskTree { root: PathBuf::from(".") }))
        .map_err(|faults| Failure::new(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
}
