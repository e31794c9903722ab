//! The types that a schema has.
//!
//! Source: the GraphQL specification of October 2021, section 3. Catalogs need neither interfaces nor unions nor input objects.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use serde_json::Value as Json;

use super::discovery::Scalar;
use super::introspection;
use super::schema::CatalogField;

/// The type of a field, an argument or a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeReference {
    Named(String),
    List(Box<Self>),
    NonNull(Box<Self>),
}

impl TypeReference {
    pub(super) fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }

    pub(super) fn list(name: &str) -> Self {
        Self::List(Box::new(Self::named(name)))
    }

    /// The type that a schema of this program writes as in GraphQL, such as `[Int!]!`.
    pub(super) fn of(text: &str) -> Self {
        if let Some(of) = text.strip_suffix('!') {
            return Self::NonNull(Box::new(Self::of(of)));
        }
        match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            Some(of) => Self::List(Box::new(Self::of(of))),
            None => Self::named(text),
        }
    }

    /// The name inside of lists.
    pub(super) fn name(&self) -> &str {
        let mut of = self;
        loop {
            match of {
                Self::Named(name) => return name,
                Self::List(inner) | Self::NonNull(inner) => of = inner,
            }
        }
    }

    /// True if each value of this type is one of the other.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::NonNull(of), Self::NonNull(other)) | (Self::List(of), Self::List(other)) => {
                of.is_part_of(other)
            }
            (Self::NonNull(of), other) => of.is_part_of(other),
            _ => self == other,
        }
    }
}

impl Display for TypeReference {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => formatter.write_str(name),
            Self::List(of) => write!(formatter, "[{of}]"),
            Self::NonNull(of) => write!(formatter, "{of}!"),
        }
    }
}

/// A schema: its types by name, what a query begins with, and directives.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) types: BTreeMap<String, Type>,
    pub(super) directives: Vec<DirectiveDefinition>,
    /// The fields of a query that tell of the schema.
    pub(super) meta_fields: BTreeMap<String, FieldDefinition>,
    /// The field that each object has.
    pub(super) type_name: FieldDefinition,
}

/// The type that queries begin with.
pub(super) const QUERY: &str = "Query";

impl Schema {
    /// A schema with these objects, and what all schemas have.
    pub(super) fn new(objects: impl IntoIterator<Item = Type>) -> Self {
        let types = introspection::types().into_iter().chain(Scalar::ALL.map(Type::scalar)).chain(objects);
        Self {
            types: types.map(|of| (of.name.clone(), of)).collect(),
            directives: introspection::directives(),
            meta_fields: introspection::query_fields().map(|field| (field.name.clone(), field)).collect(),
            type_name: introspection::type_name(),
        }
    }

    pub(super) fn query(&self) -> Option<&Type> {
        self.types.get(QUERY)
    }

    /// The field of an object by its name.
    pub(super) fn field<'s>(&'s self, of: &'s Type, name: &str) -> Option<&'s FieldDefinition> {
        let TypeKind::Object(fields) = &of.kind else { return None };
        if name == self.type_name.name {
            return Some(&self.type_name);
        }
        let of_query = || self.meta_fields.get(name).filter(|_| of.name == QUERY);
        fields.get(name).or_else(of_query)
    }

    /// The scalar that an argument or a variable holds, if it holds one.
    pub(super) fn scalar(&self, of: &TypeReference) -> Option<Scalar> {
        match self.types.get(of.name())?.kind {
            TypeKind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) kind: TypeKind,
}

#[derive(Debug)]
pub(super) enum TypeKind {
    Scalar(Scalar),
    Object(BTreeMap<String, FieldDefinition>),
    Enum(Vec<&'static str>),
}

impl Type {
    fn scalar(scalar: Scalar) -> Self {
        let description = match scalar {
            Scalar::String => "Text in UTF-8.",
            Scalar::Boolean => "`true` or `false`.",
            Scalar::Int => "A whole number of 32 bits, with a sign.",
            Scalar::Float => "A number with a fraction, of double precision.",
        };
        let name = scalar.name().to_owned();
        Self { name, description: description.to_owned(), kind: TypeKind::Scalar(scalar) }
    }

    pub(super) fn object(name: &str, fields: impl IntoIterator<Item = FieldDefinition>) -> Self {
        let fields = fields.into_iter().map(|field| (field.name.clone(), field)).collect();
        Self { name: name.to_owned(), description: String::new(), kind: TypeKind::Object(fields) }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, TypeKind::Object(_))
    }

    /// The names of an object's fields.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        let fields = match &self.kind {
            TypeKind::Object(fields) => Some(fields),
            _ => None,
        };
        fields.into_iter().flat_map(|fields| fields.keys().map(String::as_str))
    }
}

#[derive(Debug)]
pub(super) struct FieldDefinition {
    pub(super) name: String,
    pub(super) of: TypeReference,
    pub(super) arguments: Vec<ArgumentDefinition>,
    pub(super) resolver: Resolver,
}

#[derive(Debug)]
pub(super) struct ArgumentDefinition {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) of: TypeReference,
    pub(super) default: Option<Json>,
}

#[derive(Debug)]
pub(super) struct DirectiveDefinition {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) locations: &'static [&'static str],
    pub(super) arguments: Vec<ArgumentDefinition>,
}

/// Where the value of a field comes from.
#[derive(Debug)]
pub(super) enum Resolver {
    Catalog(CatalogField),
    /// From the schema, after the name of the field.
    Introspection,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_part_of_others() {
        for (of, other, expected) in [
            ("Int", "Int", true),
            ("Int!", "Int", true),
            ("Int", "Int!", false),
            ("[Int!]!", "[Int]", true),
            ("[Int]", "Int", false),
            ("String", "Int", false),
        ] {
            let (left, right) = (TypeReference::of(of), TypeReference::of(other));
            assert_eq!(left.is_part_of(&right), expected, "{of} {other}");
            assert_eq!((left.to_string(), right.name().len() > 2), (of.to_owned(), true));
        }
    }
}
