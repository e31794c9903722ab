//! What client and server agree on when they meet.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DocumentLinkOptions, ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    InitializeParams, OneOf, RenameOptions, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::{Value, json};

use crate::features::actions;
use crate::position::Encoding;
use crate::workspace::Workspace;

/// The command that plays a scenario.
pub(super) const SIMULATE: &str = "fbc.simulate";

/// Notes what the client says, and answers with what the server can do.
pub(super) fn agree(client: &InitializeParams, workspace: &mut Workspace) -> Value {
    let general = client.capabilities.general.as_ref();
    workspace.encoding = Encoding::among(general.and_then(|general| general.position_encodings.as_deref()));
    let folders = client.workspace_folders.iter().flatten().map(|folder| folder.uri.clone());
    #[allow(deprecated, reason = "older clients say nothing else")]
    let root = client.root_uri.clone();
    let mut urls: Vec<_> = folders.collect();
    if urls.is_empty() {
        urls.extend(root);
    }
    workspace.folders = urls.into_iter().filter_map(|url| url.to_file_path().ok()).collect();
    let document = client.capabilities.text_document.as_ref();
    let diagnostics = document.and_then(|document| document.publish_diagnostics.as_ref());
    workspace.shows_related =
        diagnostics.is_some_and(|diagnostics| diagnostics.related_information == Some(true));
    let options = client.initialization_options.as_ref();
    let pages = options.and_then(|options| options.get("rulePages")).and_then(Value::as_str);
    workspace.rule_pages = pages.map(str::to_owned);
    json!({
        "capabilities": capabilities(workspace.encoding),
        "serverInfo": { "name": "fbc", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![" ".to_owned(), "\"".to_owned()]),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: Default::default(),
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, actions::FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![SIMULATE.to_owned()],
            work_done_progress_options: Default::default(),
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        experimental: Some(json!({ "graph": crate::features::graph::METHOD, "rule": super::requests::RULE })),
        ..ServerCapabilities::default()
    }
}

/// The files whose changes on disk matter.
pub(super) fn watchers() -> Value {
    let globs = ["**/*.yaml", "**/*.yml", "**/*.json", "**/fbc.toml", "**/.indexignore"];
    let watchers: Vec<Value> = globs.iter().map(|glob| json!({ "globPattern": glob })).collect();
    json!({ "registrations": [{
        "id": "files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": watchers },
    }] })
}
