//! The Go type of a schema as a table: field names as they are printed, keys as they are written.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/types_jsonschema.go`.

/// A Go type, as far as schemas need it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    /// `bool`
    Bool,
    /// `float64` or `int64`
    Number,
    /// `string`
    Text,
    /// Raw JSON: the struct `v1.JSON` with its one field.
    Json,
    /// That field: `[]byte`.
    Bytes,
    /// A struct.
    Struct(&'static StructType),
    /// A slice.
    List(&'static ListType),
    /// A map with keys that are strings.
    Map(&'static MapType),
    /// A pointer.
    Pointer(&'static Type),
}

/// A struct: its name in Go, and its fields in order.
#[derive(Debug)]
pub(super) struct StructType {
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
    pub(super) form: Form,
}

/// How a struct is written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An object with the fields.
    Object,
    /// `true`, `false` or the object of the second field.
    BoolOr,
    /// The object of the first field, or a list that is the second.
    OrList,
}

/// A field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    pub(super) kind: Type,
}

/// A slice: its name if it has one, and its elements.
#[derive(Debug)]
pub(super) struct ListType {
    pub(super) name: &'static str,
    pub(super) element: Type,
}

/// A map: how its type is printed, and its values.
#[derive(Debug)]
pub(super) struct MapType {
    pub(super) name: &'static str,
    pub(super) value: Type,
}

const fn field(name: &'static str, key: &'static str, kind: Type) -> Field {
    Field { name, key, kind }
}

const OPTIONAL_TEXT: Type = Type::Pointer(&Type::Text);
const OPTIONAL_NUMBER: Type = Type::Pointer(&Type::Number);
const OPTIONAL_BOOL: Type = Type::Pointer(&Type::Bool);
const OPTIONAL_JSON: Type = Type::Pointer(&Type::Json);
const TEXTS: Type = Type::List(&ListType { name: "[]string", element: Type::Text });

// Statics, because the types refer to each other.
pub(super) static A_SCHEMA: Type = Type::Struct(&SCHEMA);
static A_SCHEMA_OR_BOOL: Type = Type::Struct(&SCHEMA_OR_BOOL);
static A_SCHEMA_OR_LIST: Type = Type::Struct(&SCHEMA_OR_LIST);
static A_DOCUMENTATION: Type = Type::Struct(&EXTERNAL_DOCUMENTATION);
static SCHEMAS: ListType = ListType { name: "[]v1.JSONSchemaProps", element: Type::Struct(&SCHEMA) };
static RULES: ListType = ListType { name: "v1.ValidationRules", element: Type::Struct(&VALIDATION_RULE) };
static NAMED_SCHEMAS: MapType =
    MapType { name: "map[string]v1.JSONSchemaProps", value: Type::Struct(&SCHEMA) };
static DEPENDENCIES: MapType =
    MapType { name: "v1.JSONSchemaDependencies", value: Type::Struct(&SCHEMA_OR_TEXTS) };
static DEFINITIONS: MapType = MapType { name: "v1.JSONSchemaDefinitions", value: Type::Struct(&SCHEMA) };

/// `JSONSchemaProps`
pub(super) static SCHEMA: StructType = StructType {
    name: "v1.JSONSchemaProps",
    form: Form::Object,
    fields: &[
        field("ID", "id", Type::Text),
        field("Schema", "$schema", Type::Text),
        field("Ref", "$ref", OPTIONAL_TEXT),
        field("Description", "description", Type::Text),
        field("Type", "type", Type::Text),
        field("Format", "format", Type::Text),
        field("Title", "title", Type::Text),
        field("Default", "default", OPTIONAL_JSON),
        field("Maximum", "maximum", OPTIONAL_NUMBER),
        field("ExclusiveMaximum", "exclusiveMaximum", Type::Bool),
        field("Minimum", "minimum", OPTIONAL_NUMBER),
        field("ExclusiveMinimum", "exclusiveMinimum", Type::Bool),
        field("MaxLength", "maxLength", OPTIONAL_NUMBER),
        field("MinLength", "minLength", OPTIONAL_NUMBER),
        field("Pattern", "pattern", Type::Text),
        field("MaxItems", "maxItems", OPTIONAL_NUMBER),
        field("MinItems", "minItems", OPTIONAL_NUMBER),
        field("UniqueItems", "uniqueItems", Type::Bool),
        field("MultipleOf", "multipleOf", OPTIONAL_NUMBER),
        field("Enum", "enum", Type::List(&ListType { name: "[]v1.JSON", element: Type::Json })),
        field("MaxProperties", "maxProperties", OPTIONAL_NUMBER),
        field("MinProperties", "minProperties", OPTIONAL_NUMBER),
        field("Required", "required", TEXTS),
        field("Items", "items", Type::Pointer(&A_SCHEMA_OR_LIST)),
        field("AllOf", "allOf", Type::List(&SCHEMAS)),
        field("OneOf", "oneOf", Type::List(&SCHEMAS)),
        field("AnyOf", "anyOf", Type::List(&SCHEMAS)),
        field("Not", "not", Type::Pointer(&A_SCHEMA)),
        field("Properties", "properties", Type::Map(&NAMED_SCHEMAS)),
        field("AdditionalProperties", "additionalProperties", Type::Pointer(&A_SCHEMA_OR_BOOL)),
        field("PatternProperties", "patternProperties", Type::Map(&NAMED_SCHEMAS)),
        field("Dependencies", "dependencies", Type::Map(&DEPENDENCIES)),
        field("AdditionalItems", "additionalItems", Type::Pointer(&A_SCHEMA_OR_BOOL)),
        field("Definitions", "definitions", Type::Map(&DEFINITIONS)),
        field("ExternalDocs", "externalDocs", Type::Pointer(&A_DOCUMENTATION)),
        field("Example", "example", OPTIONAL_JSON),
        field("Nullable", "nullable", Type::Bool),
        field("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", OPTIONAL_BOOL),
        field("XEmbeddedResource", "x-kubernetes-embedded-resource", Type::Bool),
        field("XIntOrString", "x-kubernetes-int-or-string", Type::Bool),
        field("XListMapKeys", "x-kubernetes-list-map-keys", TEXTS),
        field("XListType", "x-kubernetes-list-type", OPTIONAL_TEXT),
        field("XMapType", "x-kubernetes-map-type", OPTIONAL_TEXT),
        field("XValidations", "x-kubernetes-validations", Type::List(&RULES)),
    ],
};

static SCHEMA_OR_BOOL: StructType = StructType {
    name: "v1.JSONSchemaPropsOrBool",
    form: Form::BoolOr,
    fields: &[field("Allows", "", Type::Bool), field("Schema", "", Type::Pointer(&A_SCHEMA))],
};

static SCHEMA_OR_LIST: StructType = StructType {
    name: "v1.JSONSchemaPropsOrArray",
    form: Form::OrList,
    fields: &[field("Schema", "", Type::Pointer(&A_SCHEMA)), field("JSONSchemas", "", Type::List(&SCHEMAS))],
};

static SCHEMA_OR_TEXTS: StructType = StructType {
    name: "v1.JSONSchemaPropsOrStringArray",
    form: Form::OrList,
    fields: &[field("Schema", "", Type::Pointer(&A_SCHEMA)), field("Property", "", TEXTS)],
};

static EXTERNAL_DOCUMENTATION: StructType = StructType {
    name: "v1.ExternalDocumentation",
    form: Form::Object,
    fields: &[field("Description", "description", Type::Text), field("URL", "url", Type::Text)],
};

static VALIDATION_RULE: StructType = StructType {
    name: "v1.ValidationRule",
    form: Form::Object,
    fields: &[
        field("Rule", "rule", Type::Text),
        field("Message", "message", Type::Text),
        field("MessageExpression", "messageExpression", Type::Text),
        field("Reason", "reason", OPTIONAL_TEXT),
        field("FieldPath", "fieldPath", Type::Text),
        field("OptionalOldSelf", "optionalOldSelf", OPTIONAL_BOOL),
    ],
};
