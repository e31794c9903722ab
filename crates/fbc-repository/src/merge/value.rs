//! Merges of one blob: which changes its text needs, member by member and, in lists, item by item.

use std::collections::BTreeSet;

use fbc_model::go_type;
use fbc_yaml::edit::{Action, Change, document};
use fbc_yaml::{Document, Kind, Node, json_writer};

use super::Conflict;

/// The changes that bring what differs between `base` and `theirs` into `ours`.
///
/// # Errors
/// What both changed differently.
pub(super) fn changes(
    base: Option<Node<'_>>,
    ours: Node<'_>,
    theirs: Node<'_>,
) -> Result<Vec<Change>, Vec<Conflict>> {
    let mut differ = Differ::default();
    differ.values(&Place::default(), base, ours, theirs);
    if differ.conflicts.is_empty() { Ok(differ.changes) } else { Err(differ.conflicts) }
}

/// What an object is called among others: a blob by schema, package and name, an entry by its name.
pub(super) fn key_of(node: Node<'_>) -> Option<String> {
    let text = |key: &str| go_type::field(node, key).and_then(Node::as_str).filter(|text| !text.is_empty());
    let Some(schema) = text("schema") else {
        let of_reference = || {
            let reference = go_type::field(node, "reference")?;
            Some(format!("deprecation {}", json_writer::compact(reference)))
        };
        let of_image = || text("image").map(|image| format!("image {image:?}"));
        // Related images may share a name; a property is its value.
        return match (text("name"), go_type::field(node, "image"), text("type")) {
            (Some(name), None, _) => Some(format!("entry {name:?}")),
            (_, None, Some(_)) => Some(json_writer::compact(node)),
            _ => of_reference().or_else(of_image),
        };
    };
    if schema.starts_with("olm.template") || schema == "olm.semver" {
        return Some(format!("template {schema:?}"));
    }
    let kind = schema.strip_prefix("olm.").unwrap_or(schema);
    let name = text("name").or_else(|| text("image"));
    let of_package = text("package").filter(|_| schema != "olm.package");
    Some(match (name, of_package) {
        (Some(name), Some(package)) => format!("{kind} {name:?} of package {package:?}"),
        (None, Some(package)) => format!("{kind} of package {package:?}"),
        (Some(name), None) => format!("{kind} {name:?}"),
        (None, None) => return None,
    })
}

/// The keys of what has no name: it is its value, so that a changed one has another key.
pub(super) fn nameless<'k>(items: impl Iterator<Item = (&'k str, Node<'k>)>) -> BTreeSet<&'k str> {
    let has = |node: Node<'_>, key: &str| !go_type::text(node, key).is_empty();
    // Related images may share a name.
    let is_named = |node: Node<'_>| {
        let is_blob_or_entry = has(node, "schema") || go_type::field(node, "image").is_none();
        go_type::field(node, "reference").is_some() || has(node, "name") && is_blob_or_entry
    };
    items.filter(|(_, node)| !is_named(*node)).map(|(key, _)| key).collect()
}

/// Of the keys of what has no name, in the common ancestor and both branches: those that both branches replace, each by
/// something else.
pub(super) fn replaced_by_both<'k>([old, mine, new]: [&BTreeSet<&'k str>; 3]) -> Vec<&'k str> {
    let adds = |side: &BTreeSet<&str>, other: &BTreeSet<&str>| {
        side.iter().any(|key| !old.contains(key) && !other.contains(key))
    };
    if !adds(mine, new) || !adds(new, mine) {
        return Vec::new();
    }
    old.iter().filter(|key| !mine.contains(*key) && !new.contains(*key)).copied().collect()
}

/// A value among others.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Its JSON pointer in our text.
    pointer: String,
    /// Its name for people.
    words: String,
}

impl Place {
    fn member(&self, key: &str) -> Self {
        let escaped = key.replace('~', "~0").replace('/', "~1");
        let words = match self.words.as_str() {
            "" => format!("`{key}`"),
            words => format!("{words}, `{key}`"),
        };
        Self { pointer: format!("{}/{escaped}", self.pointer), words }
    }

    fn item(&self, index: usize, key: &str) -> Self {
        // An entry says enough: nobody asks in which list of the blob it is.
        Self { pointer: format!("{}/{index}", self.pointer), words: key.to_owned() }
    }
}

#[derive(Default)]
struct Differ {
    changes: Vec<Change>,
    conflicts: Vec<Conflict>,
}

fn same(a: Option<Node<'_>>, b: Option<Node<'_>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => json_writer::compact(a) == json_writer::compact(b),
        (None, None) => true,
        _ => false,
    }
}

fn copy(node: Node<'_>) -> Document {
    document(|builder| builder.copy(node))
}

fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.kind(), Kind::Object | Kind::Array)
}

impl Differ {
    fn conflict(&mut self, place: &Place, reason: &str) {
        self.conflicts.push(Conflict { place: place.words.clone(), reason: reason.to_owned() });
    }

    /// Compares two values of one kind.
    fn values(&mut self, place: &Place, base: Option<Node<'_>>, ours: Node<'_>, theirs: Node<'_>) {
        let base_kind = base.map_or(ours.kind(), Node::kind);
        match (base_kind, ours.kind(), theirs.kind()) {
            (Kind::Object, Kind::Object, Kind::Object) => self.objects(place, base, ours, theirs),
            (Kind::Array, Kind::Array, Kind::Array) => self.lists(place, base, ours, theirs),
            _ => self.conflict(place, "both branches change it"),
        }
    }

    fn objects(&mut self, place: &Place, base: Option<Node<'_>>, ours: Node<'_>, theirs: Node<'_>) {
        let of_base = base.into_iter().flat_map(Node::members).map(|(key, _)| key);
        let keys: BTreeSet<&str> = of_base.chain(theirs.members().map(|(key, _)| key)).collect();
        for key in keys {
            let (old, mine, new) = (base.and_then(|base| base.get(key)), ours.get(key), theirs.get(key));
            if same(old, new) || same(mine, new) {
                continue;
            }
            let of_member = place.member(key);
            let set = |value| Change::new(&*place.pointer, Action::Set { key: key.to_owned(), value });
            let unset = || Change::new(&*place.pointer, Action::Unset { key: key.to_owned() });
            match (old, mine, new) {
                (_, None, Some(new)) if old.is_none() => self.changes.push(set(copy(new))),
                (Some(_), Some(_), None) if same(old, mine) => self.changes.push(unset()),
                (_, Some(mine), Some(new))
                    if mine.kind() == new.kind()
                        && !is_scalar(new)
                        && !(same(old, Some(mine)) && [mine, new].into_iter().any(has_equal_items)) =>
                {
                    self.values(&of_member, old, mine, new);
                }
                (Some(_), Some(mine), Some(new)) if same(old, Some(mine)) => {
                    if !is_scalar(mine) || !is_scalar(new) {
                        self.changes.push(unset());
                    }
                    self.changes.push(set(copy(new)));
                }
                _ => self.conflict(&of_member, "both branches change it"),
            }
        }
    }

    fn lists(&mut self, place: &Place, base: Option<Node<'_>>, ours: Node<'_>, theirs: Node<'_>) {
        let old: Vec<Node<'_>> = base.into_iter().flat_map(Node::items).collect();
        let (mine, new): (Vec<_>, Vec<_>) = (ours.items().collect(), theirs.items().collect());
        let (Some(old_keys), Some(mut keys), Some(new_keys)) = (keys(&old), keys(&mine), keys(&new)) else {
            return self.conflict(place, "both branches change a list whose items cannot be told apart");
        };
        let sides = [(&old_keys, &old), (&keys, &mine), (&new_keys, &new)]
            .map(|(keys, items)| nameless(keys.iter().map(String::as_str).zip(items.iter().copied())));
        for key in replaced_by_both(sides.each_ref()) {
            self.conflict(&place.item(0, key), "both branches replace it");
        }
        // Within items first, while their numbers hold.
        for (key, item) in new_keys.iter().zip(&new) {
            let Some((at, mine)) = find(&keys, &mine, key) else { continue };
            let old = find(&old_keys, &old, key).map(|(_, old)| old);
            if same(old, Some(*item)) || same(Some(mine), Some(*item)) {
                continue;
            }
            self.values(&place.item(at, key), old, mine, *item);
        }
        for (key, item) in old_keys.iter().zip(&old).filter(|(key, _)| !new_keys.contains(key)) {
            let Some((_, own)) = find(&keys, &mine, key) else { continue };
            if !same(Some(own), Some(*item)) {
                self.conflict(&place.item(0, key), "the current branch changes it, and the other removes it");
            }
        }
        let goes = |key: &String| old_keys.contains(key) && !new_keys.contains(key);
        for index in (0..keys.len()).rev() {
            if keys.get(index).is_some_and(goes) {
                self.changes.push(Change::new(&*place.pointer, Action::Remove { index }));
                keys.remove(index);
            }
        }
        let mut before: Option<&String> = None;
        for (key, item) in new_keys.iter().zip(&new) {
            if !keys.contains(key) {
                if old_keys.contains(key) {
                    let at = find(&old_keys, &old, key).map(|(_, old)| old);
                    if !same(at, Some(*item)) {
                        let place = place.item(0, key);
                        self.conflict(&place, "the current branch removes it, and the other changes it");
                    }
                    continue;
                }
                let behind = before.and_then(|key| keys.iter().position(|known| known == key));
                let mut index = behind.map_or(0, |at| at + 1);
                // What the current branch added in that place comes first.
                while keys.get(index).is_some_and(|key| !old_keys.contains(key) && !new_keys.contains(key)) {
                    index += 1;
                }
                self.changes.push(Change::new(&*place.pointer, Action::Insert { index, item: copy(*item) }));
                keys.insert(index, key.clone());
            }
            before = Some(key);
        }
    }
}

/// Whether a value is a list whose items cannot be told apart.
fn has_equal_items(value: Node<'_>) -> bool {
    value.kind() == Kind::Array && keys(&value.items().collect::<Vec<_>>()).is_none()
}

/// The keys of items; nothing where two have one key.
fn keys(items: &[Node<'_>]) -> Option<Vec<String>> {
    let keys: Vec<String> = items
        .iter()
        .map(|item| match item.kind() {
            Kind::Object => key_of(*item).unwrap_or_else(|| json_writer::compact(*item)),
            _ => json_writer::compact(*item),
        })
        .collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    (distinct.len() == keys.len()).then_some(keys)
}

/// The item of a key, with its number.
fn find<'d>(keys: &[String], items: &[Node<'d>], key: &str) -> Option<(usize, Node<'d>)> {
    let at = keys.iter().position(|known| known == key)?;
    Some((at, *items.get(at)?))
}
