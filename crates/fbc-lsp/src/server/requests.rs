//! Requests: each is answered off the main loop, from the state that was there when it came.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fbc_lint::rule::Source;
use fbc_rules::RULES;
use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::request::{self, Request as _};
use lsp_types::{CodeAction, Position, TextDocumentIdentifier, TextEdit, Url, WorkspaceEdit};
use serde_json::{Value, json};

use super::{Server, params};
use crate::catalog::{CatalogState, FileState};
use crate::features::mentions::RenameError;
use crate::features::templates::{self, Templates};
use crate::features::{self, Cursor, actions, completion, graph, hover, mentions, outline};
use crate::host::{FileKind, ProblemFix};
use crate::jobs::{Stop, guarded};
use crate::position::{Encoding, position_of};

/// The method that asks for the page of a rule.
pub(super) const RULE: &str = "fbc/rule";

type Answer = Result<Value, RenameError>;

/// The answer to a request that the client does not want answered any more.
pub(super) fn cancelled(id: RequestId) -> Response {
    Response::new_err(id, ErrorCode::RequestCanceled as i32, "the client cancelled the request".to_owned())
}

/// A file at the time of a request. One that is not of a catalog is alone in its state.
struct Asked {
    state: Arc<CatalogState>,
    path: PathBuf,
    kind: FileKind,
    encoding: Encoding,
}

impl Asked {
    fn cursor(&self, position: Position) -> Option<Cursor<'_>> {
        Cursor::new(&self.state, &self.path, self.kind, position, self.encoding)
    }
}

impl Server {
    pub(super) fn request(&mut self, request: Request) {
        self.settle();
        let Request { id, method, params: value } = request;
        let unknown = |id| {
            Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("there is no request {method}"))
        };
        match method.as_str() {
            request::HoverRequest::METHOD => self.at::<request::HoverRequest>(
                id,
                value,
                |params| params.text_document_position_params,
                |cursor, _| Ok(json!(hover::hover(cursor))),
            ),
            request::Completion::METHOD => self.at::<request::Completion>(
                id,
                value,
                |params| params.text_document_position,
                |cursor, _| Ok(json!(completion::completion(cursor))),
            ),
            request::GotoDefinition::METHOD => self.at::<request::GotoDefinition>(
                id,
                value,
                |params| params.text_document_position_params,
                |cursor, _| Ok(json!(mentions::definition(cursor))),
            ),
            request::References::METHOD => {
                let with_definition =
                    value.pointer("/context/includeDeclaration") != Some(&Value::Bool(false));
                let templates = self.templates();
                self.at::<request::References>(
                    id,
                    value,
                    |params| params.text_document_position,
                    move |cursor, _| Ok(json!(mentions::references(cursor, &templates(), with_definition))),
                );
            }
            request::PrepareRenameRequest::METHOD => {
                self.at::<request::PrepareRenameRequest>(
                    id,
                    value,
                    |params| params,
                    |cursor, _| Ok(json!(mentions::renamable(cursor))),
                );
            }
            request::Rename::METHOD => self.rename(id, value),
            request::DocumentSymbolRequest::METHOD => self.of_file(id, value, |asked, _| {
                let file = asked.state.files.get(&asked.path);
                json!(file.map(|file| outline::symbols(&file.buffer, asked.kind, asked.encoding)))
            }),
            request::FoldingRangeRequest::METHOD => self.of_file(id, value, |asked, _| {
                let file = asked.state.files.get(&asked.path);
                json!(file.map(|file| outline::folds(&file.buffer, asked.encoding)))
            }),
            request::DocumentLinkRequest::METHOD => self.of_file(id, value, |asked, _| {
                let file = asked.state.files.get(&asked.path);
                json!(file.map(|file| outline::links(&file.buffer, asked.kind, asked.encoding)))
            }),
            request::InlayHintRequest::METHOD => self.of_file(id, value, |asked, value| {
                let params = params::<lsp_types::InlayHintParams>(value);
                json!(params.filter(|_| asked.kind == FileKind::Catalog).map(|params| outline::hints(
                    &asked.state,
                    &asked.path,
                    params.range,
                    asked.encoding
                )))
            }),
            request::CodeActionRequest::METHOD => self.code_actions(id, value),
            request::CodeLensRequest::METHOD => self.lenses(id, value),
            request::ExecuteCommand::METHOD => self.execute(id, value),
            graph::METHOD => self.graph(id, value),
            RULE => self.rule(id, &value),
            _ => self.send(unknown(id)),
        }
    }

    pub(super) fn refuse(&self, id: RequestId, message: impl Into<String>) {
        self.send(Response::new_err(id, ErrorCode::InvalidParams as i32, message.into()));
    }

    fn asked(&self, document: &TextDocumentIdentifier) -> Option<Asked> {
        let file = self.workspace.open.get(&document.uri)?;
        let (kind, encoding) = (file.kind?, self.workspace.encoding);
        let Some(root) = file.root.as_ref() else {
            let path = PathBuf::from(file.path.file_name()?);
            let alone = FileState { buffer: Arc::clone(&file.buffer), is_open: true };
            let root = file.path.parent()?.to_path_buf();
            let state = CatalogState { root, files: BTreeMap::from([(path.clone(), alone)]) };
            return Some(Asked { state: Arc::new(state), path, kind, encoding });
        };
        let state = Arc::clone(&self.workspace.catalogs.get(root)?.state);
        let path = file.path.strip_prefix(root).unwrap_or(&file.path).to_path_buf();
        Some(Asked { state, path, kind, encoding })
    }

    /// What gets the templates of the workspace, those that editors hold and those on disk, off the main loop.
    fn templates(&self) -> impl FnOnce() -> Templates + Send + 'static {
        let (host, folders) = (Arc::clone(&self.host), self.workspace.folders.clone());
        let open = self.workspace.open.iter().filter(|(_, file)| file.kind == Some(FileKind::Template));
        let open: Templates = open.map(|(url, file)| (url.clone(), Arc::clone(&file.buffer))).collect();
        move || {
            let mut templates = templates::in_folders(host.as_ref(), &folders);
            templates.extend(open);
            templates
        }
    }

    /// Answers on the worker, unless the client has changed its mind; long answers look between their steps whether it has.
    fn answer(&self, id: RequestId, answer: impl FnOnce(&Stop) -> Answer + Send + 'static) {
        let (sender, requests) = (self.sender.clone(), self.requests.clone());
        let stop = requests.begin(&id);
        self.answers.push(move || {
            let answer = if stop.is_set() { None } else { Some(guarded(|| answer(&stop))) };
            requests.end(&id);
            let response = match answer {
                // It is not whole then.
                _ if stop.is_set() => cancelled(id),
                None => cancelled(id),
                Some(answer) => match answer {
                    Some(Ok(value)) => Response::new_ok(id, value),
                    Some(Err(error)) => {
                        Response::new_err(id, ErrorCode::RequestFailed as i32, error.to_string())
                    }
                    None => {
                        let message = "this is a fault of fbc: please report it, with the file".to_owned();
                        Response::new_err(id, ErrorCode::InternalError as i32, message)
                    }
                },
            };
            // A client that is gone is noticed by the loop.
            let _ = sender.send(response.into());
        });
    }

    /// Answers a question about a place; null for files that the server does not look at.
    fn at<R: request::Request>(
        &self,
        id: RequestId,
        value: Value,
        place: impl FnOnce(R::Params) -> lsp_types::TextDocumentPositionParams,
        answer: impl FnOnce(&Cursor<'_>, Position) -> Answer + Send + 'static,
    ) {
        let Some(params) = params::<R::Params>(value) else {
            return self.refuse(id, format!("{} needs a document and a position", R::METHOD));
        };
        let place = place(params);
        let asked = self.asked(&place.text_document);
        self.answer(id, move |stop| {
            let cursor = asked.as_ref().and_then(|asked| asked.cursor(place.position));
            match cursor.map(|cursor| Cursor { stop: stop.clone(), ..cursor }) {
                Some(cursor) => answer(&cursor, place.position),
                None => Ok(Value::Null),
            }
        });
    }

    /// Answers a question about a file; null for files that the server does not look at.
    fn of_file(
        &self,
        id: RequestId,
        value: Value,
        answer: impl FnOnce(&Asked, Value) -> Value + Send + 'static,
    ) {
        let document = value.get("textDocument").cloned().and_then(params::<TextDocumentIdentifier>);
        let Some(document) = document else { return self.refuse(id, "the request names no document") };
        let asked = self.asked(&document);
        self.answer(id, move |_| Ok(asked.map_or(Value::Null, |asked| answer(&asked, value))));
    }

    fn rename(&self, id: RequestId, value: Value) {
        let Some(params) = params::<lsp_types::RenameParams>(value) else {
            return self.refuse(id, "rename needs a document, a position and a name");
        };
        let place = params.text_document_position;
        let asked = self.asked(&place.text_document);
        let templates = self.templates();
        self.answer(id, move |_| match asked.as_ref().and_then(|asked| asked.cursor(place.position)) {
            Some(cursor) => {
                mentions::renamed(&cursor, &params.new_name, &templates()).map(|edit| json!(edit))
            }
            None => Err(RenameError::OtherFile),
        });
    }

    /// Fixes and waivers of the findings in a range.
    fn code_actions(&self, id: RequestId, value: Value) {
        let Some(params) = params::<lsp_types::CodeActionParams>(value) else {
            return self.refuse(id, "code actions need a document and a range");
        };
        let url = params.text_document.uri;
        let Some(file) = self.workspace.open.get(&url) else {
            return self.send(Response::new_ok(id, Value::Null));
        };
        let touches =
            |range: &lsp_types::Range| range.start <= params.range.end && params.range.start <= range.end;
        let encoding = self.workspace.encoding;
        let Some(root) = &file.root else {
            return self.send(Response::new_ok(id, json!(self.fixes_of_problems(&url, &params.range))));
        };
        let relative = file.path.strip_prefix(root).unwrap_or(&file.path);
        let wants_all = params.context.only.as_ref().is_some_and(|only| {
            only.iter()
                .any(|kind| !kind.as_str().is_empty() && actions::FIX_ALL.as_str().starts_with(kind.as_str()))
        });
        let shown = self
            .workspace
            .shown(root, relative)
            .into_iter()
            .filter(|(diagnostic, _)| wants_all || touches(&diagnostic.range));
        let found: Vec<_> = shown
            .filter_map(|(diagnostic, finding)| {
                let (judged, placed) = finding?;
                let number = judged.findings.iter().position(|other| std::ptr::eq(other, placed))?;
                Some((diagnostic, Arc::clone(judged), number))
            })
            .collect();
        let Some(asked) = self.asked(&TextDocumentIdentifier::new(url)) else {
            return self.send(Response::new_ok(id, Value::Null));
        };
        let (host, catalog) = (Arc::clone(&self.host), root.clone());
        let open: Vec<(PathBuf, String)> = self
            .workspace
            .open
            .values()
            .filter(|file| file.kind == Some(FileKind::Configuration))
            .map(|file| (file.path.clone(), file.buffer.text()))
            .collect();
        if wants_all {
            return self.answer(id, move |_| {
                let all = found
                    .iter()
                    .filter_map(|(_, judged, number)| Some((judged.as_ref(), judged.findings.get(*number)?)));
                Ok(json!(Vec::from_iter(actions::fix_all(&asked.state, all, encoding))))
            });
        }
        self.answer(id, move |_| {
            let configuration = host.configuration_file(&catalog);
            let text =
                open.into_iter().find(|(path, _)| *path == configuration).map(|(_, text)| text).or_else(
                    || {
                        let folder = configuration.parent()?;
                        let bytes =
                            host.tree(folder).read(std::path::Path::new(configuration.file_name()?)).ok()?;
                        String::from_utf8(bytes).ok()
                    },
                );
            let mut all: Vec<CodeAction> = Vec::new();
            let mut waivers = Vec::new();
            for (diagnostic, judged, number) in &found {
                let Some(placed) = judged.findings.get(*number) else { continue };
                all.extend(actions::fixes(&asked.state, judged, placed, diagnostic, encoding));
                waivers.extend(actions::waiver(
                    placed,
                    &configuration,
                    text.as_deref(),
                    diagnostic,
                    encoding,
                ));
            }
            all.append(&mut waivers);
            Ok(json!(all))
        });
    }

    /// The fixes of problems of a file that is not a catalog.
    fn fixes_of_problems(&self, url: &Url, range: &lsp_types::Range) -> Vec<CodeAction> {
        let Some(file) = self.workspace.open.get(url) else { return Vec::new() };
        let (encoding, text) = (self.workspace.encoding, file.buffer.text());
        let position = |byte| position_of(&text, byte, encoding);
        let mut found = Vec::new();
        for problem in &file.problems {
            let place = lsp_types::Range::new(position(problem.bytes.start), position(problem.bytes.end));
            if place.start > range.end || range.start > place.end {
                continue;
            }
            for ProblemFix { title, is_safe, replacements } in &problem.fixes {
                let edit = |(bytes, new): &(std::ops::Range<usize>, String)| {
                    TextEdit::new(
                        lsp_types::Range::new(position(bytes.start), position(bytes.end)),
                        new.clone(),
                    )
                };
                let edits = replacements.iter().map(edit).collect();
                found.push(CodeAction {
                    title: format!("{}: {title}", problem.code),
                    kind: Some(lsp_types::CodeActionKind::QUICKFIX),
                    is_preferred: Some(*is_safe),
                    edit: Some(WorkspaceEdit {
                        changes: Some([(url.clone(), edits)].into()),
                        ..WorkspaceEdit::default()
                    }),
                    ..CodeAction::default()
                });
            }
        }
        found
    }

    fn graph(&self, id: RequestId, value: Value) {
        let Some(params) = params::<graph::GraphParams>(value) else {
            return self.refuse(id, "the graph needs a document and a position");
        };
        let asked = self.asked(&params.text_document);
        self.answer(id, move |_| {
            let cursor = asked.as_ref().and_then(|asked| asked.cursor(params.position));
            Ok(cursor.map_or(Value::Null, |cursor| features::graph::graph(&cursor, params.format)))
        });
    }

    fn rule(&self, id: RequestId, value: &Value) {
        let code = value.get("code").and_then(Value::as_str).unwrap_or_default();
        let page = RULES.find(code).map(|rule| {
            format!(
                "# {} {}\n\n{}.\n\n{}\n\n{}\n\nSince fbc {}.\n",
                rule.code,
                rule.name,
                rule.summary,
                rule.explanation.trim(),
                rule.source_line(Source::markdown),
                rule.since
            )
        });
        self.send(Response::new_ok(id, json!(page)));
    }
}
