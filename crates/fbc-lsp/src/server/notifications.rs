//! What the client tells: files that are opened, changed, saved and closed, and what changes around them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_server::Notification;
use lsp_types::notification::{self, Notification as _};
use lsp_types::{MessageType, Url};

use super::{Server, params};
use crate::catalog::MAX_BYTES;
use crate::host::FileKind;

impl Server {
    pub(super) fn notification(&mut self, notification: Notification) {
        let method = notification.method.as_str();
        let is_typed = method == notification::DidChangeTextDocument::METHOD;
        if !is_typed && method != notification::Cancel::METHOD {
            self.settle();
        }
        match notification.method.as_str() {
            notification::DidOpenTextDocument::METHOD => self.opened(notification),
            notification::DidChangeTextDocument::METHOD => self.changed(notification),
            notification::DidSaveTextDocument::METHOD => self.saved(notification),
            notification::DidCloseTextDocument::METHOD => self.closed(notification),
            notification::DidChangeWatchedFiles::METHOD => self.watched(notification),
            notification::DidChangeWorkspaceFolders::METHOD => self.folders_changed(notification),
            notification::Cancel::METHOD => {
                if let Some(params) = params::<lsp_types::CancelParams>(notification.params) {
                    self.requests.cancel(&match params.id {
                        lsp_types::NumberOrString::Number(number) => number.into(),
                        lsp_types::NumberOrString::String(text) => text.into(),
                    });
                }
            }
            // What the client tells us and we have no use for.
            _ => {}
        }
    }

    pub(super) fn opened(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidOpenTextDocumentParams>(notification.params) else {
            return;
        };
        let item = params.text_document;
        if item.text.len() > MAX_BYTES {
            let message =
                format!("{} has more than {} MiB and is not looked at", item.uri.path(), MAX_BYTES >> 20);
            return self.tell(MessageType::WARNING, message);
        }
        self.changes += 1;
        let host = Arc::clone(&self.host);
        let tree = |folder: &Path| host.tree(folder);
        let load = self.workspace.open(item.uri.clone(), item.version, &item.text, &tree);
        match load {
            Some(root) => self.load(root),
            None => self.mark_file(&item.uri),
        }
        self.check_file(&item.uri);
    }

    pub(super) fn changed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeTextDocumentParams>(notification.params) else {
            return;
        };
        let document = params.text_document;
        self.workspace.change(&document.uri, document.version, params.content_changes);
    }

    pub(super) fn saved(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidSaveTextDocumentParams>(notification.params) else {
            return;
        };
        let Some(file) = self.workspace.open.get(&params.text_document.uri) else { return };
        match (&file.root, file.kind) {
            (Some(root), _) => self.judge_whole(root.clone()),
            (None, Some(FileKind::Configuration)) => self.configuration_changed(),
            (None, Some(FileKind::Scenario)) => self.play(&params.text_document.uri, None),
            (None, _) => {}
        }
    }

    pub(super) fn closed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidCloseTextDocumentParams>(notification.params) else {
            return;
        };
        let url = params.text_document.uri;
        let Some(file) = self.workspace.open.remove(&url) else { return };
        match file.root {
            // What is on disk counts again, if it is there at all.
            Some(root) if self.workspace.open.values().any(|other| other.root.as_ref() == Some(&root)) => {
                self.load(root)
            }
            Some(root) => self.forget(&root),
            None => {
                self.unchecked.remove(&url);
                self.publish(&url, None, Vec::new());
            }
        }
    }

    /// Drops a catalog of which no file is open.
    pub(super) fn forget(&mut self, root: &Path) {
        self.workspace.catalogs.remove(root);
        self.edited.retain(|(other, _)| other != root);
        self.dirty.retain(|(other, _)| other != root);
        self.unpublished.remove(root);
        self.newest.stop(|work| work.is_of(root));
        let gone: Vec<PathBuf> =
            self.workspace.published.iter().filter(|path| path.starts_with(root)).cloned().collect();
        for path in gone {
            self.workspace.published.remove(&path);
            if let Ok(url) = Url::from_file_path(&path) {
                self.publish(&url, None, Vec::new());
            }
        }
    }

    pub(super) fn watched(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeWatchedFilesParams>(notification.params) else {
            return;
        };
        let mut roots = BTreeSet::new();
        for change in params.changes {
            let Ok(path) = change.uri.to_file_path() else { continue };
            if path.file_name().is_some_and(|name| name == "fbc.toml") {
                self.configuration_changed();
            }
            // Editors tell of their own files.
            if !self.workspace.open.contains_key(&change.uri) {
                roots.extend(self.workspace.catalogs.keys().filter(|root| path.starts_with(root)).cloned());
            }
        }
        roots.into_iter().for_each(|root| self.load(root));
    }

    pub(super) fn folders_changed(&mut self, notification: Notification) {
        let Some(params) = params::<lsp_types::DidChangeWorkspaceFoldersParams>(notification.params) else {
            return;
        };
        let path = |folder: lsp_types::WorkspaceFolder| folder.uri.to_file_path().ok();
        let gone: BTreeSet<PathBuf> = params.event.removed.into_iter().filter_map(path).collect();
        self.workspace.folders.retain(|folder| !gone.contains(folder));
        self.workspace.folders.extend(params.event.added.into_iter().filter_map(path));
    }
}
