//! Where names stand: definition, references and rename of bundles, channels and packages.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use fbc_lint::context::Context;
use fbc_lint::fix::{Fix, FixError, Source, rename, resolve};
use fbc_model::blob::schema;
use fbc_model::tree::MemoryTree;
use fbc_model::{Catalog, Origin};
use lsp_types::{Location, TextEdit, Url, WorkspaceEdit};

use super::templates::{self, Templates};
use super::{Cursor, location, text_edits};
use crate::host::FileKind;

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A package.
    Package,
    /// A channel.
    Channel,
    /// A bundle.
    Bundle,
}

/// A place where a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<'c> {
    /// What it names.
    pub named: Named,
    /// The name.
    pub name: &'c str,
    /// The document.
    pub origin: Origin,
    /// The place in it, as a JSON pointer.
    pub pointer: String,
    /// Whether it is the blob that the others mean.
    pub is_definition: bool,
}

/// All names in a package.
#[must_use]
pub fn of(catalog: &Catalog) -> Vec<Mention<'_>> {
    let mut all = Vec::new();
    let mut push = |named, name, origin, pointer: String, is_definition| {
        let name: &str = name;
        if !name.is_empty() {
            all.push(Mention { named, name, origin, pointer, is_definition });
        }
    };
    for package in &catalog.packages {
        push(Named::Package, package.name.as_str(), package.origin, "/name".to_owned(), true);
        push(Named::Channel, &package.default_channel, package.origin, "/defaultChannel".to_owned(), false);
    }
    for channel in &catalog.channels {
        push(Named::Package, &channel.package, channel.origin, "/package".to_owned(), false);
        push(Named::Channel, &channel.name, channel.origin, "/name".to_owned(), true);
        for (number, entry) in channel.entries().iter().enumerate() {
            let start = format!("/entries/{number}");
            push(Named::Bundle, &entry.name, channel.origin, format!("{start}/name"), false);
            push(Named::Bundle, &entry.replaces, channel.origin, format!("{start}/replaces"), false);
            for (index, skip) in entry.skips.iter().enumerate() {
                push(Named::Bundle, skip, channel.origin, format!("{start}/skips/{index}"), false);
            }
        }
    }
    for bundle in &catalog.bundles {
        push(Named::Package, &bundle.package, bundle.origin, "/package".to_owned(), false);
        push(Named::Bundle, &bundle.name, bundle.origin, "/name".to_owned(), true);
    }
    for blob in &catalog.deprecations {
        push(Named::Package, &blob.package, blob.origin, "/package".to_owned(), false);
        for (number, entry) in blob.entries().iter().enumerate() {
            let named = match entry.schema.as_str() {
                schema::CHANNEL => Named::Channel,
                schema::BUNDLE => Named::Bundle,
                _ => continue,
            };
            push(named, &entry.name, blob.origin, format!("/entries/{number}/reference/name"), false);
        }
    }
    all
}

/// What the name under the cursor names.
fn named_at(cursor: &Cursor<'_>) -> Option<(Named, String)> {
    let at = cursor.at().filter(|at| !at.is_key)?;
    let steps: Vec<&str> = at.pointer.split('/').skip(1).collect();
    let named = match (cursor.piece.about.schema.as_str(), steps.as_slice()) {
        (schema::PACKAGE, ["name"]) | (_, ["package"]) => Named::Package,
        (schema::PACKAGE, ["defaultChannel"]) | (schema::CHANNEL, ["name"]) => Named::Channel,
        (schema::CHANNEL, ["entries", _, "name" | "replaces"] | ["entries", _, "skips", _])
        | (schema::BUNDLE, ["name"]) => Named::Bundle,
        (schema::DEPRECATIONS, ["entries", number, "reference", "name"]) => {
            let locator = super::locator(cursor.piece);
            let found = locator.find(&format!("/entries/{number}/reference/schema"));
            match cursor.text(&found.value) {
                schema::CHANNEL => Named::Channel,
                schema::BUNDLE => Named::Bundle,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((named, cursor.text(&at.range).to_owned()))
}

fn places(cursor: &Cursor<'_>, named: Named, name: &str) -> Vec<(Location, bool)> {
    let loaded = cursor.loaded(&cursor.piece.about.package);
    let mentions = of(&loaded.catalog);
    let same = mentions.iter().filter(|one| one.named == named && one.name == name);
    same.filter_map(|one| {
        let place = loaded.place(one.origin, &one.pointer)?;
        Some((location(cursor.state, &place, cursor.encoding)?, one.is_definition))
    })
    .collect()
}

/// Where the name under the cursor is defined, in its catalog or in its template.
#[must_use]
pub fn definition(cursor: &Cursor<'_>) -> Vec<Location> {
    let is_template = cursor.kind == FileKind::Template;
    let own = super::url(cursor.state, cursor.path).filter(|_| is_template);
    let own: Templates = own.map(|url| (url, Arc::new(cursor.buffer.clone()))).into_iter().collect();
    let places = all_places(cursor, &own);
    places.into_iter().filter(|(_, is_definition)| *is_definition).map(|(place, _)| place).collect()
}

/// Where the name under the cursor stands, in its catalog and in templates of its package.
#[must_use]
pub fn references(cursor: &Cursor<'_>, templates: &Templates, with_definition: bool) -> Vec<Location> {
    let places = all_places(cursor, templates).into_iter();
    places.filter(|(_, is_definition)| with_definition || !is_definition).map(|(place, _)| place).collect()
}

fn all_places(cursor: &Cursor<'_>, all: &Templates) -> Vec<(Location, bool)> {
    if cursor.kind == FileKind::Template {
        let Some(one) = templates::mention_at(cursor.piece, cursor.byte) else { return Vec::new() };
        return templates::places(all, one.named, &one.package, &one.name, cursor.encoding);
    }
    let Some((named, name)) = named_at(cursor) else { return Vec::new() };
    let mut found = places(cursor, named, &name);
    found.extend(templates::places(all, named, &cursor.piece.about.package, &name, cursor.encoding));
    found
}

/// The range of the name under the cursor, if it can be changed.
#[must_use]
pub fn renamable(cursor: &Cursor<'_>) -> Option<lsp_types::Range> {
    let (named, bytes) = match cursor.kind {
        FileKind::Template => {
            let one = templates::mention_at(cursor.piece, cursor.byte)?;
            (one.named, one.bytes)
        }
        _ => (named_at(cursor)?.0, super::unquoted(&cursor.piece.text, &cursor.at()?.range)),
    };
    (named != Named::Package).then(|| cursor.range(bytes))
}

/// Why something cannot get another name.
#[derive(Debug, thiserror::Error)]
pub enum RenameError {
    /// It is in a file that nothing is known about.
    #[error("this file is neither a catalog nor a template")]
    OtherFile,
    /// There is no name at the place.
    #[error("there is no name of a bundle or channel here")]
    NoName,
    /// The new name is not one.
    #[error("a name has no spaces, and at least one character")]
    Form,
    /// The name is that of a package.
    #[error("packages cannot be renamed: clusters know them by their names")]
    Package,
    /// Something has the name.
    #[error("the package has {0} already")]
    Taken(String),
    /// The package is not declared.
    #[error("the package has no olm.package blob, so that it is not known what belongs to it")]
    NoPackage,
    /// The text cannot be changed safely.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// Something is being typed elsewhere.
    #[error("a document of the package cannot be read at the moment")]
    Unreadable,
}

/// Gives a bundle or channel another name, in its package and in templates of it.
///
/// # Errors
/// [`RenameError`]
pub fn renamed(cursor: &Cursor<'_>, to: &str, all: &Templates) -> Result<WorkspaceEdit, RenameError> {
    if to.trim().is_empty() || to.contains(char::is_whitespace) {
        return Err(RenameError::Form);
    }
    if cursor.kind == FileKind::Template {
        let one = templates::mention_at(cursor.piece, cursor.byte).ok_or(RenameError::NoName)?;
        if one.named == Named::Package {
            return Err(RenameError::Package);
        }
        let places = templates::places(all, one.named, &one.package, &one.name, cursor.encoding);
        return Ok(workspace_edit(templates::edits(places, to)));
    }
    let (named, name) = named_at(cursor).ok_or(RenameError::NoName)?;
    let loaded = cursor.loaded(&cursor.piece.about.package);
    if of(&loaded.catalog).iter().any(|one| one.named == named && one.name == to && one.is_definition) {
        return Err(RenameError::Taken(to.to_owned()));
    }
    let tree = MemoryTree::default();
    let context = Context::new(&loaded.catalog, &tree);
    let view = context.packages.get(cursor.piece.about.package.as_str()).ok_or(RenameError::NoPackage)?;
    let fix = Fix::safe("rename");
    let fix = match named {
        Named::Bundle => rename::bundle(fix, view, &name, to),
        Named::Channel => rename::channel(fix, view, &name, to),
        Named::Package => return Err(RenameError::Package),
    };
    let texts = |path: &Path| {
        let file = loaded.files.iter().find(|file| file.info.path == path)?;
        Some(Arc::new(file.text()))
    };
    let source: &dyn Source = &loaded.catalog;
    let resolved = resolve(&fix, source, &texts)?;
    let mut changes: Vec<(Url, TextEdit)> = Vec::new();
    for file in &resolved.files {
        let (url, edits) =
            text_edits(cursor.state, &loaded.files, file, cursor.encoding).ok_or(RenameError::Unreadable)?;
        changes.extend(edits.into_iter().map(|edit| (url.clone(), edit)));
    }
    let places = templates::places(all, named, &cursor.piece.about.package, &name, cursor.encoding);
    changes.extend(templates::edits(places, to));
    Ok(workspace_edit(changes))
}

fn workspace_edit(edits: Vec<(Url, TextEdit)>) -> WorkspaceEdit {
    let mut changes: HashMap<Url, Vec<TextEdit>> = HashMap::new();
    edits.into_iter().for_each(|(url, edit)| changes.entry(url).or_default().push(edit));
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}
