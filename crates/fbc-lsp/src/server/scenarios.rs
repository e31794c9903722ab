//! Scenarios: played when they are saved or when somebody asks, with the verdict in a lens and at the expectations.

use std::sync::Arc;

use lsp_server::{RequestId, Response};
use lsp_types::{CodeLens, Command, Diagnostic, DiagnosticSeverity, Range, Url};
use serde_json::{Value, json};

use super::capabilities::SIMULATE;
use super::requests::cancelled;
use super::{Event, Server, Slow, params};
use crate::host::{FileKind, HostError, Simulated, Unmet};
use crate::jobs::guarded;
use crate::position::{Encoding, position_of};
use crate::workspace::{OpenFile, Simulation};

impl Server {
    /// Scenarios can be played from their first line.
    pub(super) fn lenses(&self, id: RequestId, value: Value) {
        let Some(params) = params::<lsp_types::CodeLensParams>(value) else {
            return self.refuse(id, "code lenses need a document");
        };
        let url = params.text_document.uri;
        let file = self.workspace.open.get(&url).filter(|file| file.kind == Some(FileKind::Scenario));
        let lens = |title: String| CodeLens {
            range: Range::default(),
            command: Some(Command { title, command: SIMULATE.to_owned(), arguments: Some(vec![json!(url)]) }),
            data: None,
        };
        let lenses = file.map(|file| {
            let verdict = file.simulated.as_ref().map(|simulation| verdict(simulation, file.version));
            std::iter::once("Simulate".to_owned()).chain(verdict).map(lens).collect::<Vec<_>>()
        });
        self.send(Response::new_ok(id, json!(lenses)));
    }

    pub(super) fn execute(&mut self, id: RequestId, value: Value) {
        let Some(params) =
            params::<lsp_types::ExecuteCommandParams>(value).filter(|params| params.command == SIMULATE)
        else {
            return self.refuse(id, format!("the one command is {SIMULATE}, with the address of a scenario"));
        };
        let url = params.arguments.first().and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
        let Some(url) = url.filter(|url| self.workspace.open.contains_key(url)) else {
            return self.refuse(id, "the scenario is not open");
        };
        self.play(&url, Some(id));
    }

    /// Plays a scenario as it is saved. One that nobody asked for is left out if the file is saved again before its turn.
    pub(super) fn play(&mut self, url: &Url, id: Option<RequestId>) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let (host, events, sender) = (Arc::clone(&self.host), self.events.clone(), self.sender.clone());
        let (url, version, path) = (url.clone(), file.version, file.path.clone());
        let saved = self.newest.begin(Slow::Play(url.clone()));
        let asked = id.as_ref().map(|id| self.requests.begin(id));
        let requests = self.requests.clone();
        self.scenarios.push(move || {
            match (&id, asked) {
                (Some(id), Some(asked)) => {
                    requests.end(id);
                    if asked.is_set() {
                        let _ = sender.send(cancelled(id.clone()).into());
                        return;
                    }
                }
                _ if saved.is_set() => return,
                _ => {}
            }
            let outcome = guarded(|| host.simulate(&path)).unwrap_or(Err(HostError::Panicked));
            // The loop ends with the client, and then nobody listens.
            let _ = events.send(Event::Simulated { url, version, id, outcome });
        });
    }

    pub(super) fn simulated(
        &mut self,
        url: Url,
        version: i32,
        id: Option<RequestId>,
        outcome: Result<Simulated, HostError>,
    ) {
        let answer = match &outcome {
            Ok(run) => json!({ "success": run.is_success, "summary": run.summary, "text": run.text }),
            Err(error) => json!({ "success": false, "summary": error.to_string(), "text": "" }),
        };
        if let Some(id) = id {
            self.send(Response::new_ok(id, answer));
        }
        if let Some(file) = self.workspace.open.get_mut(&url) {
            file.simulated = Some(Simulation { version, outcome });
            self.check_file(&url);
        }
        if self.can_refresh_lenses {
            self.refresh("workspace/codeLens/refresh");
        }
    }
}

/// The verdict in a few words.
fn verdict(simulation: &Simulation, version: i32) -> String {
    let (mark, summary) = match &simulation.outcome {
        Ok(run) => (if run.is_success { "✓" } else { "✗" }, run.summary.clone()),
        Err(error) => ("✗", error.to_string().lines().next().unwrap_or_default().to_owned()),
    };
    let age = if simulation.version == version { "" } else { ", before the last change" };
    format!("{mark} {summary}{age}")
}

/// Unmet expectations at their places, and on the first line why the scenario cannot be played or stopped. Once the text
/// has changed, they may stand elsewhere, and nothing is shown.
pub(super) fn unmet(file: &OpenFile, text: &str, encoding: Encoding) -> Vec<Diagnostic> {
    let Some(simulation) = file.simulated.as_ref().filter(|one| one.version == file.version) else {
        return Vec::new();
    };
    let diagnostic = |range, message| Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("fbc simulate".to_owned()),
        message,
        ..Diagnostic::default()
    };
    match &simulation.outcome {
        Ok(run) if run.is_success => Vec::new(),
        Ok(run) if run.unmet.is_empty() => vec![diagnostic(Range::default(), run.summary.clone())],
        Ok(run) => run
            .unmet
            .iter()
            .map(|unmet| diagnostic(range_of(unmet, text, encoding), unmet.message.clone()))
            .collect(),
        Err(error) => vec![diagnostic(Range::default(), error.to_string())],
    }
}

/// From the place of an expectation to the end of its line.
fn range_of(unmet: &Unmet, text: &str, encoding: Encoding) -> Range {
    let start: usize = text.split_inclusive('\n').take(unmet.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(start..).unwrap_or_default().lines().next().unwrap_or_default();
    let inner = line.char_indices().nth(unmet.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let position = |byte| position_of(text, byte, encoding);
    Range::new(position(start + inner), position(start + line.len()))
}
