//! The schema of a catalog: its types, and how their values are found.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/graphql.go`. There, lists of texts are errors in
//! every answer; here they are lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::discovery::{Discovery, Field, Leaf, Shape};
use super::execution::{Call, Found, Object};
use super::question::{Fault, Question};
use super::types::{ArgumentDefinition, FieldDefinition, QUERY, Resolver, Schema, Type, TypeReference};
use super::{names, value};

/// The most objects of a schema in an answer, and how many come unless a question says.
const MOST_OBJECTS: usize = 100;

const SUMMARY: &str = "CatalogSummary";
const SCHEMA_SUMMARY: &str = "SchemaSummary";

/// Why the blobs of a catalog have no schema in GraphQL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to pre-build GraphQL schema: error building GraphQL schema: {0}")]
pub struct SchemaFault(NameFault);

/// What GraphQL has against the names of schemas and fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum NameFault {
    #[error("type name collision: schemas {other:?} and {schema:?} both sanitize to GraphQL type {name:?}")]
    TypeCollision { other: String, schema: String, name: String },
    #[error("query field collision: schemas {other:?} and {schema:?} both map to field {plural:?}")]
    FieldCollision { other: String, schema: String, plural: String },
    #[error(
        "failed to create GraphQL schema: Names must match /^[_a-zA-Z][_a-zA-Z0-9]*$/ but {0:?} does not."
    )]
    Name(String),
    #[error(
        "failed to create GraphQL schema: Schema must contain unique named types but contains multiple types named \
         {0:?}."
    )]
    Twice(String),
}

/// Builds the schema.
pub(super) fn build(discovery: Discovery) -> Result<Schema, SchemaFault> {
    check(&discovery).map_err(SchemaFault)?;
    let counts = discovery.schemas.iter().map(|(name, shape)| SchemaCount {
        name: name.clone(),
        objects: shape.objects,
        fields: shape.fields.len(),
    });
    let summary = CatalogField::Summary(counts.collect());
    let mut fields = vec![field("summary".to_owned(), TypeReference::named(SUMMARY), summary)];
    let mut objects = Vec::from(summary_types());
    for (schema, shape) in discovery.schemas {
        let name = names::type_of(&schema);
        fields.push(blobs(schema, &name));
        objects.extend(types(&name, shape));
    }
    objects.push(Type::object(QUERY, fields));
    Ok(Schema::new(objects))
}

/// Refuses schemas whose names become the same, or none.
fn check(discovery: &Discovery) -> Result<(), NameFault> {
    let mut types = BTreeMap::new();
    let mut plurals = BTreeMap::new();
    for schema in discovery.schemas.keys() {
        let (name, plural) = (names::type_of(schema), names::plural(schema));
        if let Some(other) = types.insert(name.clone(), schema) {
            let (other, schema) = (String::clone(other), schema.clone());
            return Err(NameFault::TypeCollision { other, schema, name });
        }
        if let Some(other) = plurals.insert(plural.clone(), schema) {
            let (other, schema) = (String::clone(other), schema.clone());
            return Err(NameFault::FieldCollision { other, schema, plural });
        }
    }
    let mut taken: BTreeSet<String> =
        [QUERY, SUMMARY, SCHEMA_SUMMARY, "String", "Boolean", "Int", "Float", "ID"].map(str::to_owned).into();
    for (schema, shape) in &discovery.schemas {
        let name = names::type_of(schema);
        let nested = shape.fields.iter().filter(|(_, field)| field.nested().is_some());
        let nested = nested.map(|(field, _)| nested_type(&name, field));
        for name in std::iter::once(name.clone()).chain(nested) {
            if !names::is_allowed(&name) {
                return Err(NameFault::Name(name));
            }
            if !taken.insert(name.clone()) {
                return Err(NameFault::Twice(name));
            }
        }
    }
    Ok(())
}

impl Field {
    /// The fields of the objects of a list, if there are some.
    fn nested(&self) -> Option<&BTreeMap<String, Leaf>> {
        self.nested.as_ref().filter(|nested| !nested.is_empty())
    }
}

fn nested_type(of: &str, field: &str) -> String {
    format!("{of}{}", names::type_of(field))
}

/// Where the value of a field comes from.
#[derive(Debug)]
pub(super) enum CatalogField {
    /// What the catalog holds.
    Summary(Vec<SchemaCount>),
    TotalSchemas,
    Schemas,
    SchemaName,
    TotalObjects,
    TotalFields,
    /// All blobs of a schema.
    Blobs(String),
    /// A member of an object whose value has no fields.
    Leaf(Leaf),
    /// A member of an object whose value is a list of objects.
    Objects(Leaf),
}

/// What is known of a schema without looking at its blobs.
#[derive(Debug)]
pub(super) struct SchemaCount {
    name: String,
    objects: usize,
    fields: usize,
}

fn field(name: String, of: TypeReference, from: CatalogField) -> FieldDefinition {
    FieldDefinition { name, of, arguments: Vec::new(), resolver: Resolver::Catalog(from) }
}

/// The types of a schema's blobs.
fn types(name: &str, shape: Shape) -> Vec<Type> {
    let mut objects = Vec::new();
    let mut fields = Vec::new();
    for (field_name, found) in shape.fields {
        if found.nested().is_some() {
            let nested_name = nested_type(name, &field_name);
            let nested = found.nested.unwrap_or_default().into_iter();
            objects.push(Type::object(&nested_name, nested.map(|(name, leaf)| leaf_field(name, leaf))));
            fields.push(field(
                field_name,
                TypeReference::list(&nested_name),
                CatalogField::Objects(found.leaf),
            ));
        } else {
            fields.push(leaf_field(field_name, found.leaf));
        }
    }
    objects.push(Type::object(name, fields));
    objects
}

/// A field whose value has no fields.
fn leaf_field(name: String, leaf: Leaf) -> FieldDefinition {
    let scalar = leaf.scalar.name();
    let of = if leaf.is_list { TypeReference::list(scalar) } else { TypeReference::named(scalar) };
    field(name, of, CatalogField::Leaf(leaf))
}

/// The field of all blobs of a schema.
fn blobs(schema: String, name: &str) -> FieldDefinition {
    let count = |name, default: usize, description| ArgumentDefinition {
        name,
        description,
        of: TypeReference::named("Int"),
        default: Some(default.into()),
    };
    let arguments = vec![
        count("limit", MOST_OBJECTS, "Maximum number of items to return"),
        count("offset", 0, "Number of items to skip"),
    ];
    let field = field(names::plural(&schema), TypeReference::list(name), CatalogField::Blobs(schema));
    FieldDefinition { arguments, ..field }
}

fn summary_types() -> [Type; 2] {
    let of = |name: &str, of: &str, from| field(name.to_owned(), TypeReference::of(of), from);
    [
        Type::object(
            SUMMARY,
            [
                of("totalSchemas", "Int", CatalogField::TotalSchemas),
                of("schemas", &format!("[{SCHEMA_SUMMARY}]"), CatalogField::Schemas),
            ],
        ),
        Type::object(
            SCHEMA_SUMMARY,
            [
                of("name", "String", CatalogField::SchemaName),
                of("totalObjects", "Int", CatalogField::TotalObjects),
                of("totalFields", "Int", CatalogField::TotalFields),
            ],
        ),
    ]
}

/// The value of a field.
pub(super) fn resolve<'s>(
    from: &'s CatalogField,
    call: &Call<'_, 's>,
    question: &Question<'_>,
) -> Result<Found<'s>, Fault> {
    Ok(match (from, call.object) {
        (CatalogField::Summary(counts), _) => Found::Object(Object::Counts(counts)),
        (CatalogField::TotalSchemas, Object::Counts(counts)) => Found::Leaf(counts.len().into()),
        (CatalogField::Schemas, Object::Counts(counts)) => {
            Found::List(counts.iter().map(|count| Found::Object(Object::Count(count))).collect())
        }
        (CatalogField::SchemaName, Object::Count(count)) => Found::Leaf(count.name.as_str().into()),
        (CatalogField::TotalObjects, Object::Count(count)) => Found::Leaf(count.objects.into()),
        (CatalogField::TotalFields, Object::Count(count)) => Found::Leaf(count.fields.into()),
        (CatalogField::Blobs(schema), _) => {
            let number = |name: &str| {
                usize::try_from(call.arguments.get(name).and_then(Json::as_i64).unwrap_or(0)).unwrap_or(0)
            };
            let limit = number("limit");
            let limit = if (1..=MOST_OBJECTS).contains(&limit) { limit } else { MOST_OBJECTS };
            let found = question.blobs(schema, number("offset"), limit)?;
            Found::List(found.into_iter().map(|place| Found::Object(Object::Place(place))).collect())
        }
        (CatalogField::Leaf(leaf), Object::Place(place)) => {
            match place
                .member(&call.field.name, &leaf.keys)
                .map(|node| value::of(node, leaf.scalar, leaf.is_list))
            {
                None | Some(Json::Null) => Found::Null,
                Some(value) => Found::Leaf(value),
            }
        }
        (CatalogField::Objects(leaf), Object::Place(place)) => {
            match place.items(&call.field.name, &leaf.keys) {
                None => Found::Null,
                Some(items) => {
                    let object = |item| Found::Object(Object::Place(item));
                    Found::List(items.into_iter().map(|item| item.map_or(Found::Null, object)).collect())
                }
            }
        }
        _ => Found::Null,
    })
}
