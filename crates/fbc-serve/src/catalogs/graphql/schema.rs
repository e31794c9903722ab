//! The schema of a catalog: its types, and how their values are found.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/graphql.go`. There, lists of texts are errors in
//! every answer; here they are lists.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql::Value;
use async_graphql::dynamic::{
    Field as SchemaField, FieldFuture, FieldValue, InputValue, Object, Schema, TypeRef,
};

use super::discovery::{Discovery, Field, Leaf, Scalar, Shape};
use super::question::{Fault, Place, Question};
use super::{names, value};

/// The most objects of a schema in an answer, and how many come unless a question says.
const MOST_OBJECTS: usize = 100;

const QUERY: &str = "Query";
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
    #[error("failed to create GraphQL schema: {0}")]
    Library(String),
}

/// Builds the schema.
pub(super) fn build(discovery: Discovery) -> Result<Schema, SchemaFault> {
    check(&discovery).map_err(SchemaFault)?;
    let mut query = Object::new(QUERY).field(summary(&discovery));
    let mut objects = summary_types();
    for (schema, shape) in discovery.schemas {
        let name = names::type_of(&schema);
        query = query.field(blobs(schema, &name));
        objects.extend(types(&name, shape));
    }
    let builder = Schema::build(QUERY, None, None).register(query);
    let builder = objects.into_iter().fold(builder, |builder, object| builder.register(object));
    builder.finish().map_err(|error| SchemaFault(NameFault::Library(error.to_string())))
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

/// The types of a schema's blobs.
fn types(name: &str, shape: Shape) -> Vec<Object> {
    let mut objects = Vec::new();
    let mut object = Object::new(name);
    for (field_name, field) in shape.fields {
        object = if field.nested().is_some() {
            let nested_name = nested_type(name, &field_name);
            let mut nested = Object::new(&nested_name);
            for (leaf_name, leaf) in field.nested.unwrap_or_default() {
                nested = nested.field(leaf_field(leaf_name, leaf));
            }
            objects.push(nested);
            object.field(list_field(field_name, &nested_name, field.leaf))
        } else {
            object.field(leaf_field(field_name, field.leaf))
        };
    }
    objects.push(object);
    objects
}

impl Scalar {
    fn name(self) -> &'static str {
        match self {
            Self::String => TypeRef::STRING,
            Self::Boolean => TypeRef::BOOLEAN,
            Self::Int => TypeRef::INT,
            Self::Float => TypeRef::FLOAT,
        }
    }
}

/// A field whose value has no fields.
fn leaf_field(name: String, leaf: Leaf) -> SchemaField {
    let scalar = leaf.scalar.name();
    let kind = if leaf.is_list { TypeRef::named_list(scalar) } else { TypeRef::named(scalar) };
    SchemaField::new(name.clone(), kind, move |context| {
        let found = Question::of(&context).and_then(|question| {
            let place =
                context.parent_value.downcast_ref::<Place>().ok_or_else(|| Fault::NoObject.error())?;
            let Some(node) = place.member(&name, &leaf.keys) else { return Ok(None) };
            let value = value::of(node, leaf.scalar, leaf.is_list);
            if value == Value::Null {
                return Ok(None);
            }
            question.spend(value::size(&value))?;
            Ok(Some(FieldValue::value(value)))
        });
        FieldFuture::new(std::future::ready(found))
    })
}

/// A field whose value is a list of objects.
fn list_field(name: String, of: &str, leaf: Leaf) -> SchemaField {
    SchemaField::new(name.clone(), TypeRef::named_list(of), move |context| {
        let found = context.parent_value.try_downcast_ref::<Place>().map(|place| {
            let items = place.items(&name, &leaf.keys)?;
            Some(FieldValue::list(items.into_iter().map(|item| match item {
                Some(item) => FieldValue::owned_any(item),
                None => FieldValue::NULL,
            })))
        });
        FieldFuture::new(std::future::ready(found))
    })
}

/// The field of all blobs of a schema.
fn blobs(schema: String, name: &str) -> SchemaField {
    let count = |text: &str, default: usize, description: &str| {
        InputValue::new(text, TypeRef::named(TypeRef::INT)).default_value(default).description(description)
    };
    SchemaField::new(names::plural(&schema), TypeRef::named_list(name), move |context| {
        let number = |name: &str| context.args.get(name).and_then(|value| value.i64().ok()).unwrap_or(0);
        let limit = usize::try_from(number("limit")).unwrap_or(0);
        let limit = if (1..=MOST_OBJECTS).contains(&limit) { limit } else { MOST_OBJECTS };
        let offset = usize::try_from(number("offset")).unwrap_or(0);
        let found = Question::of(&context).and_then(|question| question.blobs(&schema, offset, limit));
        let found = found.map(|blobs| Some(FieldValue::list(blobs.into_iter().map(FieldValue::owned_any))));
        FieldFuture::new(std::future::ready(found))
    })
    .argument(count("limit", MOST_OBJECTS, "Maximum number of items to return"))
    .argument(count("offset", 0, "Number of items to skip"))
}

/// What is known of a schema without looking at its blobs.
#[derive(Debug, Clone)]
struct SchemaCount {
    name: String,
    objects: usize,
    fields: usize,
}

/// The field with what the catalog holds.
fn summary(discovery: &Discovery) -> SchemaField {
    let counts = discovery.schemas.iter().map(|(name, shape)| SchemaCount {
        name: name.clone(),
        objects: shape.objects,
        fields: shape.fields.len(),
    });
    let counts: Vec<SchemaCount> = counts.collect();
    SchemaField::new("summary", TypeRef::named(SUMMARY), move |_| {
        FieldFuture::new(std::future::ready(Ok(Some(FieldValue::owned_any(counts.clone())))))
    })
}

fn summary_types() -> Vec<Object> {
    fn field(
        name: &str,
        kind: &str,
        read: impl Fn(&SchemaCount) -> Value + Send + Sync + 'static,
    ) -> SchemaField {
        SchemaField::new(name, TypeRef::named(kind), move |context| {
            let found = context.parent_value.try_downcast_ref::<SchemaCount>();
            FieldFuture::new(std::future::ready(found.map(|count| Some(FieldValue::value(read(count))))))
        })
    }
    let total = SchemaField::new("totalSchemas", TypeRef::named(TypeRef::INT), |context| {
        let found = context.parent_value.try_downcast_ref::<Vec<SchemaCount>>();
        FieldFuture::new(std::future::ready(found.map(|counts| Some(FieldValue::value(counts.len())))))
    });
    let schemas = SchemaField::new("schemas", TypeRef::named_list(SCHEMA_SUMMARY), |context| {
        let found = context.parent_value.try_downcast_ref::<Vec<SchemaCount>>();
        let list =
            |counts: &Vec<SchemaCount>| FieldValue::list(counts.iter().cloned().map(FieldValue::owned_any));
        FieldFuture::new(std::future::ready(found.map(|counts| Some(list(counts)))))
    });
    vec![
        Object::new(SUMMARY).field(total).field(schemas),
        Object::new(SCHEMA_SUMMARY)
            .field(field("name", TypeRef::STRING, |count| count.name.as_str().into()))
            .field(field("totalObjects", TypeRef::INT, |count| count.objects.into()))
            .field(field("totalFields", TypeRef::INT, |count| count.fields.into())),
    ]
}
