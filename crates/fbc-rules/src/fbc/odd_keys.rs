//! Keys of blobs that their types do not have, or spell in another case.
//!
//! Loading notes which documents have such keys at all; only those are read again here.

use std::collections::BTreeMap;

use fbc_lint::context::Context;
use fbc_lint::finding::Subject;
use fbc_lint::fix::Fix;
use fbc_model::blob::schema;
use fbc_model::go_type::{self, GoStruct, GoType};
use fbc_model::{Origin, go_types, meta};
use fbc_yaml::{Kind, Node, stream};

/// A blob with its odd keys.
pub(crate) struct OddBlob {
    /// Where it lies.
    pub(crate) origin: Origin,
    /// What it is about.
    pub(crate) subject: Subject,
    /// The keys, each once for all objects of its kind.
    pub(crate) keys: Vec<OddKey>,
}

/// A key that is not one of its object, or not in that case.
pub(crate) struct OddKey {
    /// The key as written.
    pub(crate) key: String,
    /// Where it stands first, as a JSON pointer.
    pub(crate) pointer: String,
    /// Where it stands elsewhere.
    pub(crate) others: Vec<String>,
    /// What the object is, in words.
    pub(crate) object: &'static str,
    /// The fields of the object.
    pub(crate) fields: Vec<&'static str>,
    /// How the format spells it; nothing if it does not have it.
    pub(crate) spelling: Option<&'static str>,
    /// In how many objects it is.
    pub(crate) count: usize,
}

impl OddKey {
    /// Adds what gives it another name, or takes it out, in all places.
    pub(crate) fn fix(&self, fix: Fix, origin: Origin, name: Option<&str>) -> Fix {
        std::iter::once(&self.pointer).chain(&self.others).fold(fix, |fix, pointer| match name {
            Some(name) => fix.rename(origin, pointer.clone(), name),
            None => fix.remove(origin, pointer.clone()),
        })
    }
}

/// The blobs with odd keys, in load order.
pub(crate) fn blobs(context: &Context<'_>) -> Vec<OddBlob> {
    let mut blobs = Vec::new();
    for (number, file) in context.catalog.files.iter().enumerate() {
        if !file.documents.iter().any(|document| document.has_odd_keys) {
            continue;
        }
        let Ok(bytes) = context.tree.read(&file.path) else { continue };
        for (place, info) in file.documents.iter().enumerate().filter(|(_, info)| info.has_odd_keys) {
            let text = bytes.get(info.range.clone()).unwrap_or_default();
            let Ok(document) = stream::read_one(text) else { continue };
            let Some((of, subject)) = kind_of(document.root()) else { continue };
            let mut keys = BTreeMap::new();
            collect(document.root(), of, &mut String::new(), &mut keys);
            blobs.push(OddBlob {
                origin: Origin { file: number as u32, document: place as u32 },
                subject,
                keys: keys.into_values().collect(),
            });
        }
    }
    blobs
}

fn kind_of(root: Node<'_>) -> Option<(&'static GoStruct, Subject)> {
    let meta = meta::read(root).ok()?;
    Some(match meta.schema.as_str() {
        schema::PACKAGE => (&go_types::PACKAGE, Subject::package(&meta.name)),
        schema::CHANNEL => (&go_types::CHANNEL, Subject::channel(&meta.package, &meta.name)),
        schema::BUNDLE => (&go_types::BUNDLE, Subject::bundle(&meta.package, &meta.name)),
        schema::DEPRECATIONS => (&go_types::DEPRECATION, Subject::package(&meta.package)),
        _ => return None,
    })
}

/// The depth is bounded by that of the types.
fn collect(
    node: Node<'_>,
    of: &'static GoStruct,
    pointer: &mut String,
    keys: &mut BTreeMap<(&'static str, String), OddKey>,
) {
    let length = pointer.len();
    for (key, value) in node.members() {
        go_type::push_key(pointer, key);
        let field = of.field(key);
        if field.is_none_or(|field| field.name != key) {
            let entry = keys.entry((of.name, key.to_owned())).or_insert_with(|| OddKey {
                key: key.to_owned(),
                pointer: pointer.clone(),
                others: Vec::new(),
                object: object(of),
                fields: of.fields.iter().map(|field| field.name).collect(),
                spelling: field.map(|field| field.name),
                count: 0,
            });
            entry.count += 1;
            if entry.count > 1 {
                entry.others.push(pointer.clone());
            }
        }
        match field.map(|field| &field.kind) {
            Some(GoType::Struct(of)) => collect(value, of, pointer, keys),
            Some(GoType::List(_, GoType::Struct(of))) if value.kind() == Kind::Array => {
                let length = pointer.len();
                for (index, item) in value.items().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    collect(item, of, pointer, keys);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
        pointer.truncate(length);
    }
}

fn object(of: &GoStruct) -> &'static str {
    match of.name {
        "declcfg.Package" => "a package",
        "declcfg.Icon" => "an icon",
        "declcfg.Channel" => "a channel",
        "declcfg.ChannelEntry" => "an entry",
        "declcfg.Bundle" => "a bundle",
        "declcfg.RelatedImage" => "a related image",
        "declcfg.Deprecation" => "deprecations",
        "declcfg.DeprecationEntry" => "a deprecation",
        "declcfg.PackageScopedReference" => "a reference",
        "property.Property" => "a property",
        _ => "this object",
    }
}
