//! Answers, and how they are written.

use std::io::{self, Write};

use fbc_resolve::{Explanation, Resolution, ResolveError, Resolver, Rules};
use serde_json::{Map, Value, json};

use super::manifests::Extension;
use crate::failure::{ERROR, HELP, STRONG, WARNING};
use crate::output;
use crate::resolution::advice::Advice;
use crate::resolution::{deprecations, tree};

/// The answer to one extension.
pub(super) struct Pending<'c> {
    extension: &'c Extension,
    rules: Rules,
    outcome: Result<Resolution<'c>, ResolveError>,
    explained: Option<(Explanation<'c>, Advice)>,
}

/// Which answers are explained.
#[derive(Clone, Copy)]
pub(super) enum Explain {
    Always,
    Errors,
    Never,
}

/// How sentences are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// With every bundle.
    pub(super) tree: bool,
    pub(super) color: bool,
}

impl<'c> Pending<'c> {
    /// Answers an extension, and explains the answer where that is wanted.
    pub(super) fn to(resolver: &'c Resolver, extension: &'c Extension, explain: Explain) -> Self {
        let (rules, request) = (resolver.rules(), &extension.request);
        let outcome = resolver.resolve(request);
        let is_explained = match explain {
            Explain::Always => true,
            Explain::Errors => outcome.is_err(),
            Explain::Never => false,
        };
        let explained = is_explained.then(|| {
            let explanation = resolver.explain(request);
            let advice = Advice::on(&explanation, request, rules);
            (explanation, advice)
        });
        Self { extension, rules, outcome, explained }
    }

    pub(super) fn is_resolved(&self) -> bool {
        self.outcome.is_ok()
    }

    fn json(&self) -> Value {
        let request = &self.extension.request;
        let mut object = Map::new();
        let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
        set("name", json!(self.extension.name));
        set("package", json!(request.package));
        if let Some(place) = &self.extension.place {
            set("place", json!(place));
        }
        if let Some(installed) = &request.installed {
            set("installed", json!({ "name": installed.name, "version": installed.version }));
        }
        match &self.outcome {
            Ok(resolution) => {
                set("catalog", json!(resolution.catalog.name));
                set("bundle", json!(resolution.bundle.blob.name));
                set("version", json!(resolution.reported_version(self.rules)));
                if let Some(release) = resolution.reported_release(self.rules) {
                    set("release", json!(release));
                }
                set("image", json!(resolution.bundle.blob.image));
                let deprecations: Vec<Value> = deprecations(resolution, request)
                    .map(|entry| {
                        json!({ "schema": entry.schema, "name": entry.name, "message": entry.message })
                    })
                    .collect();
                if !deprecations.is_empty() {
                    set("deprecations", json!(deprecations));
                }
            }
            Err(error) => {
                set("error", json!(error.to_string()));
            }
        }
        if let Some((explanation, advice)) = &self.explained {
            set("explanation", tree::json(explanation, advice));
        }
        Value::Object(object)
    }

    fn write_text(&self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let (name, request) = (&self.extension.name, &self.extension.request);
        let paint = |style_of: anstyle::Style, text: &str| {
            if style.color { format!("{style_of}{text}{style_of:#}") } else { text.to_owned() }
        };
        let label = if *name == request.package {
            paint(STRONG, name)
        } else {
            format!("{} ({})", paint(STRONG, name), request.package)
        };
        match &self.outcome {
            Ok(resolution) => {
                let bundle = &resolution.bundle.blob.name;
                let version = resolution.reported_version(self.rules);
                let release = resolution
                    .reported_release(self.rules)
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
        let Some((explanation, advice)) = &self.explained else { return Ok(()) };
        for why in &advice.why {
            writeln!(out, "  {}: {why}", paint(HELP, "why"))?;
        }
        for remedy in &advice.remedies {
            writeln!(out, "  {}: {remedy}", paint(HELP, "help"))?;
        }
        if style.tree { tree::write(explanation, request, out) } else { Ok(()) }
    }
}

pub(super) fn write_text(answers: &[Pending<'_>], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for answer in answers {
        answer.write_text(style, out)?;
    }
    if answers.len() > 1 {
        let resolved = answers.iter().filter(|answer| answer.is_resolved()).count();
        writeln!(out, "{resolved} of {} extensions resolve", answers.len())?;
    }
    Ok(())
}

pub(super) fn write_json(answers: &[Pending<'_>], out: &mut dyn Write) -> io::Result<()> {
    let answers: Vec<Value> = answers.iter().map(Answer::json).collect();
    output::json_document::write(out, &json!({ "extensions": answers }))
}

pub(super) fn write_jsonl(answers: &[Pending<'_>], out: &mut dyn Write) -> io::Result<()> {
    answers.iter().try_for_each(|answer| writeln!(out, "{}", answer.json()))
}
