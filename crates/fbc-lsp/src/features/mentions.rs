//! Where names stand: definition, references and rename of bundles, channels and packages.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use fbc_lint::context::Context;
use fbc_lint::fix::{Fix, Source, rename, resolve};
use fbc_model::blob::schema;
use fbc_model::tree::MemoryTree;
use fbc_model::{Catalog, Origin};
use lsp_types::{Location, TextEdit, Url, WorkspaceEdit};

use super::{Cursor, Loaded, location, text_edits};

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

fn places(cursor: &Cursor<'_>, wanted: &dyn Fn(&Mention<'_>) -> bool) -> Vec<Location> {
    let Some((named, name)) = named_at(cursor) else { return Vec::new() };
    let loaded = Loaded::of(cursor.state, &cursor.piece.about.package);
    let mentions = of(&loaded.catalog);
    let same = mentions.iter().filter(|one| one.named == named && one.name == name && wanted(one));
    same.filter_map(|one| location(cursor.state, &loaded.place(one.origin, &one.pointer)?, cursor.encoding))
        .collect()
}

/// Where the name under the cursor is defined.
#[must_use]
pub fn definition(cursor: &Cursor<'_>) -> Vec<Location> {
    places(cursor, &|mention| mention.is_definition)
}

/// Where the name under the cursor stands.
#[must_use]
pub fn references(cursor: &Cursor<'_>, with_definition: bool) -> Vec<Location> {
    places(cursor, &|mention| with_definition || !mention.is_definition)
}

/// The range of the name under the cursor, if it can be changed.
#[must_use]
pub fn renamable(cursor: &Cursor<'_>) -> Option<lsp_types::Range> {
    let (named, _) = named_at(cursor)?;
    let at = cursor.at()?;
    (named != Named::Package).then(|| cursor.range(super::unquoted(&cursor.piece.text, &at.range)))
}

/// Gives a bundle or channel another name, in its package and in templates that editors have open.
///
/// # Errors
/// Why it cannot be renamed.
pub fn renamed(
    cursor: &Cursor<'_>,
    to: &str,
    templates: &[(Url, Arc<str>)],
) -> Result<WorkspaceEdit, String> {
    let (named, name) = named_at(cursor).ok_or("there is no name of a bundle or channel here")?;
    if to.trim().is_empty() || to.contains(char::is_whitespace) {
        return Err("a name has no spaces, and at least one character".to_owned());
    }
    let loaded = Loaded::of(cursor.state, &cursor.piece.about.package);
    if of(&loaded.catalog).iter().any(|one| one.named == named && one.name == to && one.is_definition) {
        return Err(format!("the package has {to} already"));
    }
    let tree = MemoryTree::default();
    let context = Context::new(&loaded.catalog, &tree);
    let view = context
        .packages
        .get(cursor.piece.about.package.as_str())
        .ok_or("the package has no olm.package blob, so that it is not known what belongs to it")?;
    let fix = Fix::safe("rename");
    let fix = match named {
        Named::Bundle => rename::bundle(fix, view, &name, to),
        Named::Channel => rename::channel(fix, view, &name, to),
        Named::Package => {
            return Err("packages cannot be renamed: clusters know them by their names".to_owned());
        }
    };
    let texts = |path: &Path| {
        let file = loaded.files.iter().find(|file| file.info.path == path)?;
        Some(Arc::new(file.text()))
    };
    let source: &dyn Source = &loaded.catalog;
    let resolved = resolve(&fix, source, &texts).map_err(|error| error.to_string())?;
    let mut changes: HashMap<Url, Vec<TextEdit>> = HashMap::new();
    for file in &resolved.files {
        let (url, edits) = text_edits(cursor.state, &loaded.files, file, cursor.encoding)
            .ok_or("a document of the package cannot be read at the moment")?;
        changes.entry(url).or_default().extend(edits);
    }
    for (url, text) in templates {
        let edits = in_template(text, &name, to, cursor.encoding);
        if !edits.is_empty() {
            changes.entry(url.clone()).or_default().extend(edits);
        }
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Scalars of a template that are the name.
fn in_template(text: &str, name: &str, to: &str, encoding: crate::position::Encoding) -> Vec<TextEdit> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '@' | '+');
    let is_name = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    };
    let found = text.match_indices(name).map(|(at, _)| at).filter(is_name);
    found
        .map(|at| {
            let position = |byte| crate::position::position_of(text, byte, encoding);
            TextEdit::new(lsp_types::Range::new(position(at), position(at + name.len())), to.to_owned())
        })
        .collect()
}
