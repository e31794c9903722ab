//! Objects of bundles: as YAML, and which of them differ between two bundles.

use std::collections::BTreeMap;

use fbc_bundle::manifests::Object;
use fbc_source::Error;
use fbc_yaml::layout::LayoutRoom;
use fbc_yaml::yaml_writer::{self, WriteError};

/// The fewest characters of a hash in a generated name.
const SHORTEST_HASH: usize = 40;

/// What identifies an object in both bundles. The version of its API does not: in a newer version it is
/// the same object.
type Identity = (String, String, String, String);

/// An object that differs.
pub struct Difference {
    /// As it was.
    pub old: Option<Side>,
    /// As it is.
    pub new: Option<Side>,
}

/// An object in one of the bundles.
pub struct Side {
    /// Kind and name.
    pub name: String,
    /// The object.
    pub yaml: String,
}

impl Side {
    fn from_object(object: &Object, room: &mut LayoutRoom) -> Result<Self, Error> {
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
///
/// # Errors
/// If YAML cannot hold one.
pub fn differences(old: &[Object], new: &[Object]) -> Result<Vec<Difference>, Error> {
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

/// An object as YAML; all of an output share the room for indentation.
///
/// # Errors
/// If YAML cannot hold it.
pub fn yaml_within(object: &Object, room: &mut LayoutRoom) -> Result<String, Error> {
    let mut text = String::new();
    yaml_writer::write_within(&mut text, object.value.root(), room).map_err(|error| {
        let refusal =
            Error::refusal(format!("{} {} cannot be written as YAML: {error}", object.kind, object.name));
        match error {
            WriteError::Layout(_) => refusal,
            _ => refusal.help("YAML cannot hold this text; choose -o json"),
        }
    })?;
    Ok(text)
}
