//! What is judged when, and by which worker.

use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::Url;

use super::{Event, Server};
use crate::catalog::{CatalogState, Judged};
use crate::host::FileKind;
use crate::jobs::guarded;

impl Server {
    /// Reads a catalog and judges all of it, on the slow worker.
    pub(super) fn load(&mut self, root: PathBuf) {
        let (host, events, seen) = (Arc::clone(&self.host), self.events.clone(), self.changes);
        let open = self.workspace.open_files(&root);
        self.slow.push(move || {
            let tree = host.tree(&root);
            let state = CatalogState::load(&root, tree.as_ref(), &open);
            let policy = match host.policy(&root) {
                Ok(policy) => policy,
                Err(message) => {
                    let _ = events.send(Event::Failed { message });
                    return;
                }
            };
            let leave = |report: &mut fbc_lint::Report| host.leave_counting(&root, report);
            let judged = state
                .packages()
                .into_iter()
                .map(|package| {
                    let judged = state.judge(&package, &policy, &leave);
                    (package, Arc::new(judged))
                })
                .collect();
            let whole = state.judge_whole(&policy, &leave);
            // The loop ends with the client, and then nobody listens.
            let _ = events.send(Event::Loaded { root: root.clone(), state, judged, whole, seen });
        });
    }

    pub(super) fn judge_whole(&self, root: PathBuf) {
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, host, events) = (Arc::clone(&entry.state), Arc::clone(&self.host), self.events.clone());
        self.slow.push(move || {
            let Ok(policy) = host.policy(&root) else { return };
            let judged = state.judge_whole(&policy, &|report| host.leave_counting(&root, report));
            let _ = events.send(Event::Whole { root, judged });
        });
    }

    /// Gives the judge the next package, if it has nothing to do. What changed meanwhile is judged once.
    pub(super) fn judge_next(&mut self) {
        if self.is_judging {
            return;
        }
        let Some((root, package)) = self.dirty.pop_first() else { return };
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, host, events) = (Arc::clone(&entry.state), Arc::clone(&self.host), self.events.clone());
        self.is_judging = true;
        self.judge.push(move || {
            let judge = || match host.policy(&root) {
                Ok(policy) => state.judge(&package, &policy, &|report| host.leave_counting(&root, report)),
                Err(_) => Judged::default(),
            };
            let judged = guarded(judge).unwrap_or_default();
            drop(state);
            let _ = events.send(Event::Judged { root, package, judged });
        });
    }

    /// Marks the packages of an open file for judging.
    pub(super) fn mark_file(&mut self, url: &Url) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let Some(root) = file.root.clone() else { return };
        let packages = file.buffer.pieces.iter().map(|piece| piece.about.package.clone());
        self.dirty.extend(packages.map(|package| (root.clone(), package)).collect::<Vec<_>>());
    }

    pub(super) fn mark_everything(&mut self) {
        for (root, entry) in &self.workspace.catalogs {
            self.dirty.extend(entry.state.packages().into_iter().map(|package| (root.clone(), package)));
        }
    }

    /// Looks at a file that is not a catalog.
    pub(super) fn check_file(&self, url: &Url) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let Some(kind) = file.kind.filter(|kind| *kind != FileKind::Catalog) else { return };
        let (host, events, buffers) = (Arc::clone(&self.host), self.events.clone(), self.workspace.buffers());
        let (url, version, path, buffer) =
            (url.clone(), file.version, file.path.clone(), Arc::clone(&file.buffer));
        self.judge.push(move || {
            let problems = host.problems(kind, &path, &buffer.text(), &buffers);
            let _ = events.send(Event::Problems { url, version, problems });
        });
    }
}
