//! Runs on a terminal: a timeline, what was expected, and what was seen instead.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use fbc_scenario::{Happening, Run, StepResult, TimelineEntry, Verdict, duration_text};

use crate::failure::STRONG;
use crate::settings::Settings;

/// How runs look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) has_color: bool,
    pub(crate) detail: Detail,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// What failed, and a line for each run.
    Failures,
    /// Steps, and what became of objects with conditions.
    Conditions,
    /// Everything that happened to any object.
    Everything,
}

impl Detail {
    pub(crate) fn from_settings(settings: &Settings) -> Self {
        match (settings.quiet, settings.verbose) {
            (true, _) => Self::Failures,
            (_, true) => Self::Everything,
            _ => Self::Conditions,
        }
    }
}

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::BrightRed.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// All runs, and a line that counts them if there are several.
pub(crate) fn runs(runs: &[Run], look: Look) -> String {
    let mut text = String::new();
    for run in runs {
        one(run, look, &mut text);
    }
    let failed = runs.iter().filter(|run| !run.is_success()).count();
    if runs.len() > 1 {
        let _ = writeln!(text, "{} scenarios, {failed} failed", runs.len());
    }
    if look.has_color { text } else { anstream::adapter::strip_str(&text).to_string() }
}

fn one(run: &Run, look: Look, text: &mut String) {
    let _ = writeln!(text, "{STRONG}{}{STRONG:#}: {} (seed {})", run.file, run.title, run.seed);
    if look.detail > Detail::Failures {
        timeline(run, look, text);
    }
    for step in &run.steps {
        if let Some(fault) = step.fault.as_ref().filter(|_| look.detail == Detail::Failures) {
            step_fault(run, step, fault, text);
        }
    }
    for result in &run.expectations {
        match &result.verdict {
            Verdict::Met(_) if look.detail == Detail::Failures => {}
            Verdict::Met(at) => {
                let _ = writeln!(
                    text,
                    "  {GOOD}met{GOOD:#}     {} {FAINT}({}){FAINT:#}",
                    result.wanted,
                    clock(*at)
                );
            }
            Verdict::Failed(at, seen) => {
                let place = format!("{}:{}", run.file, result.place.line);
                let _ = writeln!(text, "  {BAD}not met{BAD:#} {place}: {}", result.wanted);
                let _ = writeln!(text, "          seen at {}: {}", clock(*at), indented(seen));
            }
        }
    }
    if let Some(stopped) = &run.stopped {
        let _ = writeln!(text, "  {BAD}stopped{BAD:#} {}", indented(stopped));
    }
    let met = run.expectations.iter().filter(|result| matches!(result.verdict, Verdict::Met(_))).count();
    let (style, word) = if run.is_success() { (GOOD, "passed") } else { (BAD, "failed") };
    let done = run.steps.iter().filter(|step| step.number > 0 && step.fault.is_none()).count();
    let _ = writeln!(
        text,
        "  {style}{word}{style:#}: {met} of {} expectations met, {done} of {} steps, {} of virtual time",
        run.expectations.len(),
        run.planned_steps,
        duration_text(run.end),
    );
    if look.detail == Detail::Everything {
        let _ = writeln!(text, "  {FAINT}trace {}{FAINT:#}", run.hash);
    }
}

fn step_fault(run: &Run, step: &StepResult, fault: &str, text: &mut String) {
    let place = step.location(&run.file);
    let _ = writeln!(text, "  {BAD}step{BAD:#}    {place}: {}: {}", step.name, indented(fault));
}

/// Steps and what happened to objects, in the order of time.
fn timeline(run: &Run, look: Look, text: &mut String) {
    let told = told_objects(run, look.detail);
    let mut steps = run.steps.iter().peekable();
    for (number, entry) in run.timeline.iter().enumerate() {
        while let Some(step) = steps.next_if(|step| step.before <= number) {
            step_line(run, step, text);
        }
        let is_told = look.detail == Detail::Everything || told.contains(&(&entry.kind, &entry.object));
        if is_told {
            entry_line(entry, text);
        }
    }
    for step in steps {
        step_line(run, step, text);
    }
}

/// Objects that have something to tell: conditions, phases, events.
fn told_objects(run: &Run, detail: Detail) -> BTreeSet<(&String, &String)> {
    if detail == Detail::Everything {
        return BTreeSet::new();
    }
    let speaks = |entry: &&TimelineEntry| {
        let is_routine =
            ["Namespace", "CustomResourceDefinition", "Pod", "ReplicaSet"].contains(&entry.kind.as_str());
        let is_change =
            !matches!(entry.what, Happening::Created | Happening::DeletionRequested | Happening::Deleted);
        is_change && !is_routine
    };
    run.timeline.iter().filter(speaks).map(|entry| (&entry.kind, &entry.object)).collect()
}

fn step_line(run: &Run, step: &StepResult, text: &mut String) {
    let number = if step.number == 0 { String::new() } else { format!("step {}: ", step.number) };
    let _ = writeln!(text, "  {} {STRONG}{number}{}{STRONG:#}", clock(step.at), step.name);
    if let Some(printed) = &step.printed {
        for line in printed.lines() {
            let _ = writeln!(text, "             | {line}");
        }
    }
    if let Some(fault) = &step.fault {
        let place = step.location(&run.file);
        let _ = writeln!(text, "             {BAD}{place}: {}{BAD:#}", indented(fault));
    }
}

fn entry_line(entry: &TimelineEntry, text: &mut String) {
    let _ = write!(text, "  {FAINT}{}{FAINT:#} {}/{} ", clock(entry.at), entry.kind, entry.object);
    let _ = match &entry.what {
        Happening::Created => writeln!(text, "created"),
        Happening::DeletionRequested => writeln!(text, "is to be deleted"),
        Happening::Deleted => writeln!(text, "deleted"),
        Happening::Field { name, value } if value.is_empty() => writeln!(text, "{name}: none"),
        Happening::Field { name, value } => writeln!(text, "{name}: {value}"),
        Happening::Condition { condition_type, status, .. } if status.is_empty() => {
            writeln!(text, "{condition_type} removed")
        }
        Happening::Condition { condition_type, status, reason, message, .. } => {
            writeln!(text, "{condition_type}={status} ({reason}): {}", indented(message))
        }
        Happening::Event { event_type, reason, message } => {
            writeln!(text, "event {event_type} {reason}: {}", indented(message))
        }
    };
}

/// Text of several lines below a line of the timeline.
fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n             ")
}

/// A moment of the run, such as `1:02:03.4` after the start.
fn clock(milliseconds: u64) -> String {
    let (seconds, tenths) = (milliseconds / 1000, milliseconds % 1000 / 100);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{tenths}")
}
