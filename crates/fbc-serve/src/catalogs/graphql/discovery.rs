//! Which fields the blobs of a catalog have, and of what types.
//!
//! The first blob that has a field decides its type. Lists of objects have a type of their own, from the fields of the first
//! objects of all blobs; all other objects are JSON in a string.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/graphql.go`.

use std::collections::{BTreeMap, BTreeSet};

use fbc_yaml::{Kind, Node};

use super::names;

/// The schemas of a catalog.
#[derive(Debug, Default)]
pub(in crate::catalogs) struct Discovery {
    pub(super) schemas: BTreeMap<String, Shape>,
}

/// The blobs of a schema.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) objects: usize,
    pub(super) fields: BTreeMap<String, Field>,
}

/// A field of a blob, under its name in GraphQL.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) leaf: Leaf,
    /// The fields of the objects of a list, if it has some.
    pub(super) nested: Option<BTreeMap<String, Leaf>>,
}

/// A value without fields.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) scalar: Scalar,
    pub(super) is_list: bool,
    /// The keys that have this name.
    pub(super) keys: BTreeSet<String>,
}

/// The types of GraphQL that catalogs need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    String,
    Boolean,
    Int,
    Float,
}

/// How many items of a list decide its type.
const SAMPLE: usize = 10;

impl Scalar {
    pub(super) const ALL: [Self; 4] = [Self::String, Self::Boolean, Self::Int, Self::Float];

    /// The name of its type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Boolean => "Boolean",
            Self::Int => "Int",
            Self::Float => "Float",
        }
    }

    /// Texts stand for objects, lists and null as well.
    fn of(value: Option<Node<'_>>) -> Self {
        match value.map(|value| (value.kind(), value.as_f64())) {
            Some((Kind::Bool, _)) => Self::Boolean,
            Some((_, Some(number))) if number.fract() == 0.0 && number.abs() < 9.2e18 => Self::Int,
            Some((_, Some(_))) => Self::Float,
            _ => Self::String,
        }
    }
}

impl Discovery {
    /// Where to put what is found, if somebody wants it.
    pub(in crate::catalogs) fn if_wanted(is_wanted: bool) -> Option<Self> {
        is_wanted.then(Self::default)
    }

    /// Takes the fields of a blob.
    pub(in crate::catalogs) fn add(&mut self, schema: &str, blob: Node<'_>) {
        if schema.is_empty() {
            return;
        }
        if !self.schemas.contains_key(schema) {
            self.schemas.insert(schema.to_owned(), Shape::default());
        }
        let Some(shape) = self.schemas.get_mut(schema) else { return };
        shape.objects += 1;
        for (key, value) in blob.members() {
            shape.take(names::field(key), Field::of(key, value));
        }
    }

    /// Takes what was found in the blobs that follow.
    pub(in crate::catalogs) fn append(&mut self, later: Self) {
        for (schema, found) in later.schemas {
            let shape = self.schemas.entry(schema).or_default();
            shape.objects += found.objects;
            found.fields.into_iter().for_each(|(name, field)| shape.take(name, field));
        }
    }
}

impl Shape {
    fn take(&mut self, name: String, found: Field) {
        let Some(known) = self.fields.get_mut(&name) else {
            self.fields.insert(name, found);
            return;
        };
        known.leaf.keys.extend(found.leaf.keys);
        let Some(nested) = found.nested else { return };
        let known = known.nested.get_or_insert_default();
        nested.into_iter().for_each(|(name, leaf)| take(known, name, leaf));
    }
}

fn take(known: &mut BTreeMap<String, Leaf>, name: String, found: Leaf) {
    match known.get_mut(&name) {
        Some(known) => known.keys.extend(found.keys),
        None => drop(known.insert(name, found)),
    }
}

impl Field {
    fn of(key: &str, value: Node<'_>) -> Self {
        if value.kind() != Kind::Array {
            return Self { leaf: Leaf::new(key, Some(value), false), nested: None };
        }
        let sample: Vec<Node<'_>> = value.items().take(SAMPLE).filter(|item| !item.is_null()).collect();
        let mut nested: Option<BTreeMap<String, Leaf>> = None;
        for object in sample.iter().filter(|item| item.kind() == Kind::Object) {
            let nested = nested.get_or_insert_default();
            object
                .members()
                .for_each(|(key, value)| take(nested, names::field(key), Leaf::of_nested(key, value)));
        }
        let first = sample.first().copied();
        let is_mixed = sample.iter().any(|item| Some(item.kind()) != first.map(Node::kind));
        // What has several types is text.
        let decides = first.filter(|_| !is_mixed || nested.is_some());
        Self { leaf: Leaf::new(key, decides, true), nested }
    }
}

impl Leaf {
    fn new(key: &str, sample: Option<Node<'_>>, is_list: bool) -> Self {
        Self { scalar: Scalar::of(sample), is_list, keys: BTreeSet::from([key.to_owned()]) }
    }

    fn of_nested(key: &str, value: Node<'_>) -> Self {
        match value.kind() {
            Kind::Array => Self::new(key, value.items().next(), true),
            _ => Self::new(key, Some(value), false),
        }
    }
}
