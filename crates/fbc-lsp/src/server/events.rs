//! What the workers are done with, and what the client is told of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::Request;
use lsp_types::notification;
use lsp_types::{MessageType, PublishDiagnosticsParams, ShowMessageParams, Url};
use serde_json::Value;

use super::{Event, Server, scenarios};
use crate::catalog::{FileState, MAX_BYTES};
use crate::diagnostics::of_problem;

impl Server {
    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Loaded { root, mut state, left_out, judged, whole, seen } => {
                let open = self.workspace.open_files(&root);
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                for (path, buffer) in open {
                    state.files.insert(path, FileState { buffer, is_open: true });
                }
                entry.state = Arc::new(state);
                entry.judged = judged;
                entry.whole = Some(Arc::new(whole));
                entry.is_loaded = true;
                if let [first, others @ ..] = left_out.as_slice() {
                    let more =
                        if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
                    let (root, first, most) = (root.display(), first.display(), MAX_BYTES >> 20);
                    let message = format!(
                        "{root} has more than {most} MiB: {first}{more} not looked at; findings may be missing or wrong"
                    );
                    self.tell(MessageType::WARNING, message);
                }
                if seen != self.changes {
                    // Something was typed while the files were read.
                    let urls: Vec<Url> = self.workspace.open.keys().cloned().collect();
                    urls.iter().for_each(|url| self.mark_file(url));
                }
                self.publish_catalog(&root);
            }
            Event::Judged { root, package, judged, is_edited } => {
                self.is_judging = false;
                self.settle();
                if self.edited.contains(&(root.clone(), package.clone())) {
                    // It is judged again, as it is now.
                    return;
                }
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                let judged = Arc::new(judged);
                let old = entry.judged.insert(package, Arc::clone(&judged));
                // Files that hold the package, and those that did.
                let files = old.iter().chain([&judged]).flat_map(|judged| &judged.files);
                let paths = files.map(|file| file.info.path.clone());
                self.unpublished.entry(root.clone()).or_default().extend(paths);
                // Many packages may share a file: what nobody waits for is told once, when all of it is judged.
                if is_edited || !self.dirty.iter().any(|(other, _)| *other == root) {
                    let paths = self.unpublished.remove(&root).unwrap_or_default();
                    self.publish_files(&root, paths);
                }
            }
            Event::Whole { root, judged } => {
                let Some(entry) = self.workspace.catalogs.get_mut(&root) else { return };
                entry.whole = Some(Arc::new(judged));
                self.publish_catalog(&root);
            }
            Event::Problems { url, version, problems } => {
                self.is_judging = false;
                self.settle();
                let (encoding, pages) = (self.workspace.encoding, self.workspace.rule_pages.clone());
                let Some(file) = self.workspace.open.get_mut(&url).filter(|file| file.version == version)
                else {
                    return;
                };
                let text = file.buffer.text();
                let mut diagnostics: Vec<lsp_types::Diagnostic> = problems
                    .iter()
                    .map(|problem| of_problem(problem, &text, encoding, pages.as_deref()))
                    .collect();
                diagnostics.extend(scenarios::unmet(file, &text, encoding));
                file.problems = problems;
                self.publish(&url, Some(version), diagnostics);
            }
            Event::Simulated { url, version, id, outcome } => self.simulated(url, version, id, outcome),
            Event::Failed { message } => self.tell(MessageType::ERROR, message),
        }
    }

    /// Asks the client to ask again.
    pub(super) fn refresh(&mut self, method: &str) {
        self.asked += 1;
        self.send(Request::new(self.asked.into(), method.to_owned(), Value::Null));
    }

    pub(super) fn tell(&self, typ: MessageType, message: String) {
        self.notify::<notification::ShowMessage>(ShowMessageParams { typ, message });
    }

    pub(super) fn publish(&self, url: &Url, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams {
            uri: url.clone(),
            diagnostics,
            version,
        });
    }

    /// Tells the client what is found in a catalog: in files with findings, and in those that had some.
    pub(super) fn publish_catalog(&mut self, root: &Path) {
        let Some(entry) = self.workspace.catalogs.get(root) else { return };
        let mut paths: BTreeSet<PathBuf> = entry.findings().map(|(_, placed)| placed.path.clone()).collect();
        paths.extend(entry.state.files.iter().filter(|(_, file)| file.is_open).map(|(path, _)| path.clone()));
        let known = self.workspace.published.iter().filter_map(|path| path.strip_prefix(root).ok());
        paths.extend(known.map(Path::to_path_buf));
        self.publish_files(root, paths);
    }

    pub(super) fn publish_files(&mut self, root: &Path, paths: BTreeSet<PathBuf>) {
        for relative in paths {
            let path = root.join(&relative);
            let Ok(url) = Url::from_file_path(&path) else { continue };
            let diagnostics = self.workspace.diagnostics(root, &relative);
            let is_known = match diagnostics.is_empty() {
                true => self.workspace.published.remove(&path),
                false => !self.workspace.published.insert(path),
            };
            let file = self.workspace.open.get(&url);
            if !diagnostics.is_empty() || is_known || file.is_some() {
                self.publish(&url, file.map(|file| file.version), diagnostics);
            }
        }
        if self.can_refresh_hints {
            self.refresh("workspace/inlayHint/refresh");
        }
    }
}
