//! What can be done about findings: their fixes, and waivers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use fbc_lint::fix::{Safety, Source, resolve};
use fbc_model::{CatalogFile, Origin};
use fbc_yaml::stream::Syntax;
use lsp_types::{
    CodeAction, CodeActionKind, CreateFile, CreateFileOptions, Diagnostic, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, ResourceOp, TextDocumentEdit,
    TextEdit, Url, WorkspaceEdit,
};

use super::text_edits;
use crate::catalog::{CatalogState, Judged, Placed};
use crate::position::{Encoding, position_of};

/// The documents of what was judged.
struct Documents<'j>(Vec<&'j CatalogFile>);

impl Source for Documents<'_> {
    fn path(&self, file: u32) -> Option<&Path> {
        self.0.get(file as usize).map(|file| file.path.as_path())
    }

    fn document(&self, origin: Origin) -> Option<(std::ops::Range<usize>, Syntax)> {
        let document = self.0.get(origin.file as usize)?.documents.get(origin.document as usize)?;
        Some((document.range.clone(), document.syntax))
    }
}

/// The fixes of a finding.
#[must_use]
pub fn fixes(
    state: &CatalogState,
    judged: &Judged,
    placed: &Placed,
    diagnostic: &Diagnostic,
    encoding: Encoding,
) -> Vec<CodeAction> {
    let source = Documents(judged.files.iter().map(|file| &file.info).collect());
    let texts = |path: &Path| {
        let file = judged.files.iter().find(|file| file.info.path == path)?;
        Some(Arc::new(file.text()))
    };
    let mut actions = Vec::new();
    for fix in &placed.fixes {
        let Ok(resolved) = resolve(fix, &source, &texts) else { continue };
        let edits: Option<Vec<(Url, Vec<TextEdit>)>> =
            resolved.files.iter().map(|file| text_edits(state, &judged.files, file, encoding)).collect();
        let Some(edits) = edits else { continue };
        let mut changes: HashMap<Url, Vec<TextEdit>> = HashMap::new();
        edits.into_iter().for_each(|(url, edits)| changes.entry(url).or_default().extend(edits));
        let note = if fix.safety == Safety::Unsafe { " (check the result)" } else { "" };
        actions.push(CodeAction {
            title: format!("{}: {}{note}", placed.rule.code, fix.title),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic.clone()]),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            is_preferred: Some(fix.safety == Safety::Safe && actions.is_empty()),
            ..CodeAction::default()
        });
    }
    actions
}

/// A waiver for a finding, at the end of the configuration file; `text` is what that file says, if it exists. The reason
/// is left for its author: an empty one is refused.
#[must_use]
pub fn waiver(
    placed: &Placed,
    configuration: &Path,
    text: Option<&str>,
    diagnostic: &Diagnostic,
    encoding: Encoding,
) -> Option<CodeAction> {
    let url = Url::from_file_path(configuration).ok()?;
    let mut waiver = format!("[[waivers]]\ncode = {:?}\n", placed.rule.code);
    let subject = &placed.subject;
    for (key, name) in
        [("package", &subject.package), ("channel", &subject.channel), ("bundle", &subject.bundle)]
    {
        if !name.is_empty() {
            waiver.push_str(&format!("{key} = {}\n", toml_text(name)));
        }
    }
    waiver.push_str("reason = \"\"\n");
    let mut operations = Vec::new();
    let (position, gap) = match text {
        Some(text) => {
            let gap = if text.is_empty() || text.ends_with("\n\n") {
                ""
            } else if text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            (position_of(text, text.len(), encoding), gap)
        }
        None => {
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
                uri: url.clone(),
                options: Some(CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(true) }),
                annotation_id: None,
            })));
            (Position::new(0, 0), "")
        }
    };
    let edit = TextEdit::new(lsp_types::Range::new(position, position), format!("{gap}{waiver}"));
    operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri: url.clone(), version: None },
        edits: vec![OneOf::Left(edit.clone())],
    }));
    let edit = match text {
        Some(_) => {
            WorkspaceEdit { changes: Some(HashMap::from([(url, vec![edit])])), ..WorkspaceEdit::default() }
        }
        None => WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        },
    };
    Some(CodeAction {
        title: format!("{}: add a waiver with reason", placed.rule.code),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit),
        ..CodeAction::default()
    })
}

/// A text in TOML.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
