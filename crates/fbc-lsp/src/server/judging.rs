//! What is judged when, and by which worker.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::Sender;
use lsp_types::Url;

use super::{Event, Server, Slow};
use crate::catalog::CatalogState;
use crate::configuration::{CachedConfiguration, CatalogConfiguration};
use crate::host::{FileKind, Host};
use crate::jobs::guarded;

impl Server {
    /// Reads a catalog and judges all of it, on the slow worker.
    pub(super) fn load(&mut self, root: PathBuf) {
        let (host, events, seen) = (Arc::clone(&self.host), self.events.clone(), self.changes);
        let open = self.workspace.open_files(&root);
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let cached = Arc::clone(&entry.configuration);
        let stop = self.newest.begin(Slow::Load(root.clone()));
        // The whole of it is judged as well.
        self.newest.stop(|work| *work == Slow::Whole(root.clone()));
        self.slow.push(move || {
            if stop.is_set() {
                return;
            }
            let tree = host.tree(&root);
            let (state, left_out) = CatalogState::load(&root, tree.as_ref(), &open);
            let configuration = current(&cached, host.as_ref(), &root, &events);
            let judged = state
                .packages()
                .into_iter()
                .take_while(|_| !stop.is_set())
                .map(|package| {
                    let judged = state.judge(&package, &configuration);
                    (package, Arc::new(judged))
                })
                .collect();
            if stop.is_set() {
                return;
            }
            let whole = state.judge_whole(&configuration);
            // The loop ends with the client, and then nobody listens.
            let _ = events.send(Event::Loaded { root, state, left_out, judged, whole, seen });
            host.catalog_loaded();
        });
    }

    pub(super) fn judge_whole(&mut self, root: PathBuf) {
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, cached) = (Arc::clone(&entry.state), Arc::clone(&entry.configuration));
        let (host, events) = (Arc::clone(&self.host), self.events.clone());
        let stop = self.newest.begin(Slow::Whole(root.clone()));
        self.slow.push(move || {
            if stop.is_set() {
                return;
            }
            let judged = state.judge_whole(&current(&cached, host.as_ref(), &root, &events));
            let _ = events.send(Event::Whole { root, judged });
        });
    }

    /// Gives the judge the next package or file, if it has nothing to do. What changed meanwhile is read and judged once.
    pub(super) fn judge_next(&mut self) {
        if self.is_judging {
            return;
        }
        self.settle();
        if self.edited.is_empty() && self.check_next() {
            return;
        }
        let is_edited = !self.edited.is_empty();
        let Some(next) = self.edited.pop_first().or_else(|| self.dirty.pop_first()) else { return };
        self.dirty.remove(&next);
        let (root, package) = next;
        let Some(entry) = self.workspace.catalogs.get(&root) else { return };
        let (state, cached) = (Arc::clone(&entry.state), Arc::clone(&entry.configuration));
        let (host, events) = (Arc::clone(&self.host), self.events.clone());
        self.is_judging = true;
        self.judge.push(move || {
            let judge = || state.judge(&package, &current(&cached, host.as_ref(), &root, &events));
            let judged = guarded(judge).unwrap_or_default();
            drop(state);
            let _ = events.send(Event::Judged { root, package, judged, is_edited });
        });
    }

    /// Marks the packages of an open file for judging.
    pub(super) fn mark_file(&mut self, url: &Url) {
        let Some(file) = self.workspace.open.get(url) else { return };
        let Some(root) = file.root.clone() else { return };
        let packages = file.buffer.pieces.iter().map(|piece| piece.about.package.clone());
        self.dirty.extend(packages.map(|package| (root.clone(), package)).collect::<Vec<_>>());
    }

    /// Reads the configuration again, and judges everything by it.
    pub(super) fn configuration_changed(&mut self) {
        for (root, entry) in &mut self.workspace.catalogs {
            entry.configuration = Arc::new(entry.configuration.renewed());
            self.dirty.extend(entry.state.packages().into_iter().map(|package| (root.clone(), package)));
        }
        let roots: Vec<PathBuf> = self.workspace.catalogs.keys().cloned().collect();
        roots.into_iter().for_each(|root| self.judge_whole(root));
    }

    /// Marks a file that is not a catalog for being looked at.
    pub(super) fn check_file(&mut self, url: &Url) {
        let kind = self.workspace.open.get(url).and_then(|file| file.kind);
        if kind.is_some_and(|kind| kind != FileKind::Catalog) {
            self.unchecked.insert(url.clone());
        }
    }

    /// Gives the judge the next file that is not a catalog; whether there was one.
    fn check_next(&mut self) -> bool {
        let Some(url) = self.unchecked.pop_first() else { return false };
        let Some(file) = self.workspace.open.get(&url) else { return false };
        let Some(kind) = file.kind else { return false };
        let (host, events, buffers) = (Arc::clone(&self.host), self.events.clone(), self.workspace.buffers());
        let (url, version, path, buffer) = (url, file.version, file.path.clone(), Arc::clone(&file.buffer));
        self.is_judging = true;
        self.judge.push(move || {
            let problems = guarded(|| host.problems(kind, &path, &buffer.text(), &buffers));
            let problems = problems.unwrap_or_default();
            let _ = events.send(Event::Problems { url, version, problems });
        });
        true
    }
}

/// What the configuration says of a catalog; the client is told what is wrong with it.
fn current(
    cached: &CachedConfiguration,
    host: &dyn Host,
    root: &Path,
    events: &Sender<Event>,
) -> Arc<CatalogConfiguration> {
    let report = |message| {
        // The loop ends with the client, and then nobody listens.
        let _ = events.send(Event::Failed { message });
    };
    cached.get(|| host.configuration(root), report)
}
