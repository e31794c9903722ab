//! What changes between the objects of two bundles, as a unified diff for each object.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use fbc_bundle::manifests::Object;
use fbc_yaml::layout::LayoutRoom;
use similar::{Algorithm, TextDiff};

use super::manifests::yaml_within;
use crate::failure::{Failure, STRONG};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// The fewest characters of a hash in a generated name.
const SHORTEST_HASH: usize = 40;

/// What identifies an object in both bundles. The version of its API does not: in a newer version it is
/// the same object.
type Identity = (String, String, String, String);

/// An object that differs.
pub(super) struct Difference {
    old: Option<Side>,
    new: Option<Side>,
}

/// An object in one of the bundles.
struct Side {
    /// Kind and name.
    name: String,
    yaml: String,
}

impl Side {
    fn from_object(object: &Object, room: &mut LayoutRoom) -> Result<Self, Failure> {
        let name = match object.namespace.as_str() {
            "" => format!("{} {}", object.kind, object.name),
            namespace => format!("{} {namespace}/{}", object.kind, object.name),
        };
        Ok(Self { name, yaml: yaml_within(object, room)? })
    }
}

fn identity(object: &Object) -> Identity {
    (object.group().to_owned(), object.kind.clone(), object.namespace.clone(), object.name.clone())
}

/// The identity without a generated name, which depends on the version and on a hash of the rules. A role
/// whose rules change gets another name; for a reader the first such role is the first such role.
fn stem(object: &Object) -> Identity {
    let mut identity = identity(object);
    let is_generated = object.name.rsplit_once('-').is_some_and(|(_, hash)| {
        hash.len() >= SHORTEST_HASH
            && hash.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    if is_generated && object.group() == "rbac.authorization.k8s.io" {
        identity.3.clear();
    }
    identity
}

/// The objects that differ: those of the old bundle in its order, then the new ones in theirs.
pub(super) fn differences(old: &[Object], new: &[Object]) -> Result<Vec<Difference>, Failure> {
    let mut partners = Partners::from_objects(new);
    let exact: Vec<Option<usize>> = old.iter().map(|object| partners.take_exact(object)).collect();
    let (mut differences, mut room) = (Vec::new(), LayoutRoom::default());
    for (object, exact) in old.iter().zip(exact) {
        let partner = exact.or_else(|| partners.take_alike(object)).and_then(|index| new.get(index));
        if partner.is_none_or(|partner| partner.value != object.value) {
            let new = partner.map(|partner| Side::from_object(partner, &mut room)).transpose()?;
            differences.push(Difference { old: Some(Side::from_object(object, &mut room)?), new });
        }
    }
    for object in partners.left().filter_map(|index| new.get(index)) {
        differences.push(Difference { old: None, new: Some(Side::from_object(object, &mut room)?) });
    }
    Ok(differences)
}

/// Objects that still wait for their like; of several equal ones the first comes first.
struct Partners {
    exact: BTreeMap<Identity, Vec<usize>>,
    alike: BTreeMap<Identity, Vec<usize>>,
    is_free: Vec<bool>,
}

impl Partners {
    fn from_objects(objects: &[Object]) -> Self {
        let by = |key: fn(&Object) -> Identity| {
            let mut places: BTreeMap<Identity, Vec<usize>> = BTreeMap::new();
            for (index, object) in objects.iter().enumerate().rev() {
                places.entry(key(object)).or_default().push(index);
            }
            places
        };
        Self { exact: by(identity), alike: by(stem), is_free: vec![true; objects.len()] }
    }

    fn take_exact(&mut self, object: &Object) -> Option<usize> {
        Self::take(self.exact.get_mut(&identity(object))?, &mut self.is_free)
    }

    fn take_alike(&mut self, object: &Object) -> Option<usize> {
        Self::take(self.alike.get_mut(&stem(object))?, &mut self.is_free)
    }

    fn take(places: &mut Vec<usize>, is_free: &mut [bool]) -> Option<usize> {
        while let Some(place) = places.pop() {
            if let Some(free) = is_free.get_mut(place).filter(|free| **free) {
                *free = false;
                return Some(place);
            }
        }
        None
    }

    fn left(&self) -> impl Iterator<Item = usize> {
        self.is_free.iter().enumerate().filter(|(_, free)| **free).map(|(index, _)| index)
    }
}

/// Writes the differences.
pub(super) fn write(
    differences: &[Difference],
    old: &Path,
    new: &Path,
    has_color: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for difference in differences {
        let name = |folder: &Path, side: &Option<Side>| match side {
            Some(side) => format!("{}: {}", folder.display(), side.name),
            None => "/dev/null".to_owned(),
        };
        let text = |side: &'_ Option<Side>| side.as_ref().map(|side| side.yaml.clone()).unwrap_or_default();
        let (before, after) = (text(&difference.old), text(&difference.new));
        let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(&before, &after);
        let mut unified = diff.unified_diff();
        let unified = unified.context_radius(CONTEXT);
        let heads =
            [format!("--- {}", name(old, &difference.old)), format!("+++ {}", name(new, &difference.new))];
        for head in heads {
            write_line(out, &head, STRONG, has_color)?;
        }
        for line in unified.to_string().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                Some(b'@') => PLACE,
                _ => Style::new(),
            };
            write_line(out, line, style, has_color)?;
        }
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, line: &str, style: Style, has_color: bool) -> Result<(), Failure> {
    let style = if has_color { style } else { Style::new() };
    Ok(writeln!(out, "{style}{line}{style:#}")?)
}
