//! Answers, and how they are written.

use std::io::{self, Write};

use fbc_app::resolution::answer::Answer;
use fbc_app::resolution::{deprecations, tree};
use serde_json::{Value, json};

use crate::failure::{ERROR, HELP, STRONG, WARNING};

/// How sentences are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// With every bundle.
    pub(super) tree: bool,
    pub(super) color: bool,
}

fn write_one(answer: &Answer<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (name, request) = (&answer.extension.name, &answer.extension.request);
    let paint = |style_of: anstyle::Style, text: &str| {
        if style.color { format!("{style_of}{text}{style_of:#}") } else { text.to_owned() }
    };
    let label = if *name == request.package {
        paint(STRONG, name)
    } else {
        format!("{} ({})", paint(STRONG, name), request.package)
    };
    match &answer.outcome {
        Ok(resolution) => {
            let bundle = &resolution.bundle.blob.name;
            let version = resolution.reported_version(answer.rules);
            let release = resolution
                .reported_release(answer.rules)
                .map_or(String::new(), |release| format!(", release {release}"));
            let change = match &request.installed {
                None => "install".to_owned(),
                Some(installed) if installed.name == *bundle => "stay at".to_owned(),
                Some(installed) => format!("from {} to", installed.version),
            };
            let catalog = &resolution.catalog.name;
            writeln!(out, "{label}: {change} {version}{release} ({bundle}, catalog {catalog})")?;
            for entry in deprecations(resolution, request) {
                let what = entry.schema.strip_prefix("olm.").unwrap_or(&entry.schema);
                let subject = if entry.name.is_empty() { &request.package } else { &entry.name };
                let message = entry.message.trim().replace('\n', " ");
                let warning = paint(WARNING, "warning");
                writeln!(out, "  {warning}: {what} {subject} is deprecated: {message}")?;
            }
        }
        Err(error) => writeln!(out, "{label}: {}: {error}", paint(ERROR, "error"))?,
    }
    let Some((explanation, advice)) = &answer.explained else { return Ok(()) };
    for why in &advice.why {
        writeln!(out, "  {}: {why}", paint(HELP, "why"))?;
    }
    for remedy in &advice.remedies {
        writeln!(out, "  {}: {remedy}", paint(HELP, "help"))?;
    }
    if style.tree { tree::write(explanation, request, out) } else { Ok(()) }
}

pub(super) fn write_text(answers: &[Answer<'_>], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for answer in answers {
        write_one(answer, style, out)?;
    }
    if answers.len() > 1 {
        let resolved = answers.iter().filter(|answer| answer.is_resolved()).count();
        writeln!(out, "{resolved} of {} extensions resolve", answers.len())?;
    }
    Ok(())
}

pub(super) fn write_json(answers: &[Answer<'_>], out: &mut dyn Write) -> io::Result<()> {
    let answers: Vec<Value> = answers.iter().map(Answer::to_json).collect();
    fbc_app::output::json_document::write(out, &json!({ "extensions": answers }))
}

pub(super) fn write_jsonl(answers: &[Answer<'_>], out: &mut dyn Write) -> io::Result<()> {
    answers.iter().try_for_each(|answer| writeln!(out, "{}", answer.to_json()))
}
