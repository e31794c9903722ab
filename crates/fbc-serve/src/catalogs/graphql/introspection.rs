//! What a schema tells of itself.
//!
//! Source: the GraphQL specification of October 2021, section 4, and `graphql-go/graphql:introspection.go`, where what nobody describes has an
//! empty description, and directives have fields that the specification dropped.

use serde_json::Value as Json;

use super::execution::{Call, Found, Object};
use super::types::{
    ArgumentDefinition, DirectiveDefinition, FieldDefinition, QUERY, Resolver, Schema, Type, TypeKind,
    TypeReference,
};

/// A part of a schema.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'s> {
    Schema,
    Type(&'s Type),
    /// A list, or what is never null.
    Wrapper(&'s TypeReference),
    Field(&'s FieldDefinition),
    Argument(&'s ArgumentDefinition),
    EnumValue(&'static str),
    Directive(&'s DirectiveDefinition),
}

/// The name of a field, and its type.
type Row = (&'static str, &'static str);

const OBJECTS: [(&str, &str, &[Row]); 6] = [
    (
        "__Schema",
        "All types and directives that a server knows, and where operations begin.",
        &[
            ("types", "[__Type!]!"),
            ("queryType", "__Type!"),
            ("mutationType", "__Type"),
            ("subscriptionType", "__Type"),
            ("directives", "[__Directive!]!"),
        ],
    ),
    (
        "__Type",
        "A type; `kind` says which of the other fields have values.",
        &[
            ("kind", "__TypeKind!"),
            ("name", "String"),
            ("description", "String"),
            ("fields", "[__Field!]"),
            ("interfaces", "[__Type!]"),
            ("possibleTypes", "[__Type!]"),
            ("enumValues", "[__EnumValue!]"),
            ("inputFields", "[__InputValue!]"),
            ("ofType", "__Type"),
            ("specifiedByURL", "String"),
        ],
    ),
    (
        "__Field",
        "A field of an object: its arguments and the type of its value.",
        &[
            ("name", "String!"),
            ("description", "String"),
            ("args", "[__InputValue!]!"),
            ("type", "__Type!"),
            ("isDeprecated", "Boolean!"),
            ("deprecationReason", "String"),
        ],
    ),
    (
        "__InputValue",
        "An argument of a field or a directive; `defaultValue` is written as in a query.",
        &[("name", "String!"), ("description", "String"), ("type", "__Type!"), ("defaultValue", "String")],
    ),
    (
        "__EnumValue",
        "A value of an enum.",
        &[
            ("name", "String!"),
            ("description", "String"),
            ("isDeprecated", "Boolean!"),
            ("deprecationReason", "String"),
        ],
    ),
    (
        "__Directive",
        "A directive, and where a query may have it.",
        &[
            ("name", "String!"),
            ("description", "String"),
            ("locations", "[__DirectiveLocation!]!"),
            ("args", "[__InputValue!]!"),
            ("isRepeatable", "Boolean!"),
            ("onOperation", "Boolean!"),
            ("onFragment", "Boolean!"),
            ("onField", "Boolean!"),
        ],
    ),
];

const TYPE_KINDS: [&str; 8] =
    ["SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM", "INPUT_OBJECT", "LIST", "NON_NULL"];

const LOCATIONS: [&str; 18] = [
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "SCHEMA",
    "SCALAR",
    "OBJECT",
    "FIELD_DEFINITION",
    "ARGUMENT_DEFINITION",
    "INTERFACE",
    "UNION",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

fn field(name: &str, of: &str, arguments: Vec<ArgumentDefinition>) -> FieldDefinition {
    let of = TypeReference::of(of);
    FieldDefinition { name: name.to_owned(), of, arguments, resolver: Resolver::Introspection }
}

fn argument(
    name: &'static str,
    description: &'static str,
    of: &str,
    default: Option<Json>,
) -> ArgumentDefinition {
    ArgumentDefinition { name, description, of: TypeReference::of(of), default }
}

/// The types that describe a schema.
pub(super) fn types() -> Vec<Type> {
    let objects = OBJECTS.into_iter().map(|(name, description, rows)| {
        let fields = rows.iter().map(|(name, of)| {
            let include = || argument("includeDeprecated", "", "Boolean", Some(Json::Bool(false)));
            field(name, of, matches!(*name, "fields" | "enumValues").then(include).into_iter().collect())
        });
        Type { description: description.to_owned(), ..Type::object(name, fields) }
    });
    let of_enum = |name: &str, description: &str, values: &[&'static str]| Type {
        name: name.to_owned(),
        description: description.to_owned(),
        kind: TypeKind::Enum(values.to_vec()),
    };
    let kinds = of_enum("__TypeKind", "What a type is.", &TYPE_KINDS);
    let locations = of_enum("__DirectiveLocation", "Where a directive may be.", &LOCATIONS);
    objects.chain([kinds, locations]).collect()
}

/// The fields of queries that tell of the schema.
pub(super) fn query_fields() -> impl Iterator<Item = FieldDefinition> {
    let by_name = field("__type", "__Type", vec![argument("name", "", "String!", None)]);
    [field("__schema", "__Schema!", Vec::new()), by_name].into_iter()
}

/// The field with the name of an object's type.
pub(super) fn type_name() -> FieldDefinition {
    field("__typename", "String!", Vec::new())
}

pub(super) fn directives() -> Vec<DirectiveDefinition> {
    let selections: &'static [&'static str] = &["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"];
    vec![
        DirectiveDefinition {
            name: "include",
            description: "Includes a field or a fragment only if the argument is true.",
            locations: selections,
            arguments: vec![argument("if", "Included when true.", "Boolean!", None)],
        },
        DirectiveDefinition {
            name: "skip",
            description: "Leaves out a field or a fragment if the argument is true.",
            locations: selections,
            arguments: vec![argument("if", "Skipped when true.", "Boolean!", None)],
        },
        DirectiveDefinition {
            name: "deprecated",
            description: "Marks what is not supported any more.",
            locations: &["FIELD_DEFINITION", "ENUM_VALUE"],
            arguments: vec![argument(
                "reason",
                "Why, and what to use instead, in Markdown.",
                "String",
                Some("No longer supported".into()),
            )],
        },
    ]
}

/// The value of a field that tells of the schema.
pub(super) fn resolve<'s>(call: &Call<'_, 's>) -> Found<'s> {
    let schema = call.schema;
    let of_name = |name: &str| schema.types.get(name).map_or(Found::Null, |of| part(Part::Type(of)));
    match (call.object, call.field.name.as_str()) {
        (_, "__schema") => part(Part::Schema),
        (_, "__type") => call.arguments.get("name").and_then(Json::as_str).map_or(Found::Null, of_name),
        (Object::Schema(part), field) => of_part(schema, *part, field),
        _ => Found::Null,
    }
}

fn of_part<'s>(schema: &'s Schema, of: Part<'s>, field: &str) -> Found<'s> {
    let reference = |of: &'s TypeReference| match of {
        TypeReference::Named(name) => schema.types.get(name).map_or(Found::Null, |of| part(Part::Type(of))),
        wrapper => part(Part::Wrapper(wrapper)),
    };
    match (of, field) {
        (Part::Schema, "types") => parts(schema.types.values().map(Part::Type)),
        (Part::Schema, "queryType") => schema.types.get(QUERY).map_or(Found::Null, |of| part(Part::Type(of))),
        (Part::Schema, "directives") => parts(schema.directives.iter().map(Part::Directive)),
        (Part::Type(of), "kind") => text(match of.kind {
            TypeKind::Scalar(_) => "SCALAR",
            TypeKind::Object(_) => "OBJECT",
            TypeKind::Enum(_) => "ENUM",
        }),
        (Part::Type(of), "name") => text(&of.name),
        (Part::Type(of), "description") => text(&of.description),
        (Part::Type(Type { kind: TypeKind::Object(fields), .. }), "fields") => {
            parts(fields.values().map(Part::Field))
        }
        (Part::Type(Type { kind: TypeKind::Object(_), .. }), "interfaces") => parts([]),
        (Part::Type(Type { kind: TypeKind::Enum(values), .. }), "enumValues") => {
            parts(values.iter().copied().map(Part::EnumValue))
        }
        (Part::Wrapper(TypeReference::List(_)), "kind") => text("LIST"),
        (Part::Wrapper(_), "kind") => text("NON_NULL"),
        (Part::Wrapper(TypeReference::List(of) | TypeReference::NonNull(of)), "ofType") => reference(of),
        (Part::Field(of), "name") => text(&of.name),
        (Part::Field(of), "args") => parts(of.arguments.iter().map(Part::Argument)),
        (Part::Field(of), "type") => reference(&of.of),
        (Part::Argument(of), "name") => text(of.name),
        (Part::Argument(of), "description") => text(of.description),
        (Part::Argument(of), "type") => reference(&of.of),
        (Part::Argument(of), "defaultValue") => {
            of.default.as_ref().map_or(Found::Null, |value| text(&value.to_string()))
        }
        (Part::EnumValue(name), "name") => text(name),
        (Part::Field(_) | Part::EnumValue(_), "description") => text(""),
        (Part::Directive(of), "name") => text(of.name),
        (Part::Directive(of), "description") => text(of.description),
        (Part::Directive(of), "locations") => {
            Found::Leaf(of.locations.iter().map(|location| Json::from(*location)).collect())
        }
        (Part::Directive(of), "args") => parts(of.arguments.iter().map(Part::Argument)),
        (Part::Directive(of), "onFragment") => truth(of.locations.contains(&"FRAGMENT_SPREAD")),
        (Part::Directive(of), "onField") => truth(of.locations.contains(&"FIELD")),
        (_, "isDeprecated" | "isRepeatable" | "onOperation") => truth(false),
        _ => Found::Null,
    }
}

fn part(part: Part<'_>) -> Found<'_> {
    Found::Object(Object::Schema(part))
}

fn parts<'s>(all: impl IntoIterator<Item = Part<'s>>) -> Found<'s> {
    Found::List(all.into_iter().map(part).collect())
}

fn text<'s>(text: &str) -> Found<'s> {
    Found::Leaf(text.into())
}

fn truth<'s>(value: bool) -> Found<'s> {
    Found::Leaf(value.into())
}
