//! What can be done about findings: their fixes, and waivers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use fbc_lint::fix::{Fix, Safety, Source, resolve};
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
    let mut actions = Vec::new();
    for fix in &placed.fixes {
        let Some(edits) = edits_of(state, judged, fix, encoding) else { continue };
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

/// The kind of the action that makes all safe fixes of a file: editors can ask for it when a file is saved.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.fbc");

/// The first safe fix of each finding, without those that touch the same text as one before; nothing if there is none.
#[must_use]
pub fn fix_all<'f>(
    state: &CatalogState,
    found: impl Iterator<Item = (&'f Judged, &'f Placed)>,
    encoding: Encoding,
) -> Option<CodeAction> {
    let mut changes: HashMap<Url, Vec<TextEdit>> = HashMap::new();
    for (judged, placed) in found {
        let Some(fix) = placed.fixes.iter().find(|fix| fix.safety == Safety::Safe) else { continue };
        let Some(edits) = edits_of(state, judged, fix, encoding) else { continue };
        let is_free = edits.iter().all(|(url, edits)| {
            let taken = changes.get(url).map(Vec::as_slice).unwrap_or_default();
            edits.iter().all(|new| !taken.iter().any(|old| touch(&old.range, &new.range)))
        });
        if is_free {
            edits.into_iter().for_each(|(url, edits)| changes.entry(url).or_default().extend(edits));
        }
    }
    (!changes.is_empty()).then(|| CodeAction {
        title: "fbc: make all safe fixes in this file".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    })
}

/// Whether two ranges have text in common, or begin at the same place: the order of two insertions would be chance.
fn touch(one: &lsp_types::Range, other: &lsp_types::Range) -> bool {
    one.start < other.end && other.start < one.end || one.start == other.start
}

/// The edits of a fix by file; nothing if it cannot be made in the text as it is now.
fn edits_of(
    state: &CatalogState,
    judged: &Judged,
    fix: &Fix,
    encoding: Encoding,
) -> Option<Vec<(Url, Vec<TextEdit>)>> {
    let source = Documents(judged.files.iter().map(|file| &file.info).collect());
    let texts = |path: &Path| {
        let file = judged.files.iter().find(|file| file.info.path == path)?;
        Some(Arc::new(file.text()))
    };
    let resolved = resolve(fix, &source, &texts).ok()?;
    resolved.files.iter().map(|file| text_edits(state, &judged.files, file, encoding)).collect()
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
