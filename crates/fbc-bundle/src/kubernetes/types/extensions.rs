//! Custom resource definitions.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1`.

use super::meta::OBJECT_META;
use crate::kubernetes::Shape::{
    Any, Bytes, Flag, Float, List, Map, Optional, SchemaOrFlag, SchemaOrList, SchemaOrTexts, Struct as Of,
    Text, Time, Whole,
};
use crate::kubernetes::{Struct, TEXT, always, omit};

/// Go's `CustomResourceDefinition`.
pub static CUSTOM_RESOURCE_DEFINITION: Struct = Struct {
    name: "apiextensions.CustomResourceDefinition",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        always("spec", Of(&CUSTOM_RESOURCE_DEFINITION_SPEC)),
        omit("status", Of(&CUSTOM_RESOURCE_DEFINITION_STATUS)),
    ],
};

/// Go's `CustomResourceDefinitionSpec`.
pub(crate) static CUSTOM_RESOURCE_DEFINITION_SPEC: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionSpec",
    fields: &[
        always("group", TEXT),
        always("names", Of(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
        always("scope", Text("v1.ResourceScope")),
        always("versions", List(&Of(&CUSTOM_RESOURCE_DEFINITION_VERSION))),
        omit("conversion", Optional(&Of(&CUSTOM_RESOURCE_CONVERSION))),
        omit("preserveUnknownFields", Flag),
    ],
};

/// Go's `CustomResourceDefinitionNames`.
pub(crate) static CUSTOM_RESOURCE_DEFINITION_NAMES: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionNames",
    fields: &[
        always("plural", TEXT),
        omit("singular", TEXT),
        omit("shortNames", List(&TEXT)),
        always("kind", TEXT),
        omit("listKind", TEXT),
        omit("categories", List(&TEXT)),
    ],
};

/// Go's `CustomResourceDefinitionVersion`.
pub(crate) static CUSTOM_RESOURCE_DEFINITION_VERSION: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionVersion",
    fields: &[
        always("name", TEXT),
        always("served", Flag),
        always("storage", Flag),
        omit("deprecated", Flag),
        omit("deprecationWarning", Optional(&TEXT)),
        omit("schema", Optional(&Of(&CUSTOM_RESOURCE_VALIDATION))),
        omit("subresources", Optional(&Of(&CUSTOM_RESOURCE_SUBRESOURCES))),
        omit("additionalPrinterColumns", List(&Of(&CUSTOM_RESOURCE_COLUMN_DEFINITION))),
        omit("selectableFields", List(&Of(&SELECTABLE_FIELD))),
    ],
};

/// Go's `CustomResourceValidation`.
pub(crate) static CUSTOM_RESOURCE_VALIDATION: Struct = Struct {
    name: "apiextensions.CustomResourceValidation",
    fields: &[omit("openAPIV3Schema", Optional(&Of(&JSON_SCHEMA_PROPS)))],
};

/// Go's `JSONSchemaProps`.
pub(crate) static JSON_SCHEMA_PROPS: Struct = Struct {
    name: "apiextensions.JSONSchemaProps",
    fields: &[
        omit("id", TEXT),
        omit("$schema", Text("v1.JSONSchemaURL")),
        omit("$ref", Optional(&TEXT)),
        omit("description", TEXT),
        omit("type", TEXT),
        omit("format", TEXT),
        omit("title", TEXT),
        omit("default", Optional(&Any)),
        omit("maximum", Optional(&Float)),
        omit("exclusiveMaximum", Flag),
        omit("minimum", Optional(&Float)),
        omit("exclusiveMinimum", Flag),
        omit("maxLength", Optional(&Whole("int64"))),
        omit("minLength", Optional(&Whole("int64"))),
        omit("pattern", TEXT),
        omit("maxItems", Optional(&Whole("int64"))),
        omit("minItems", Optional(&Whole("int64"))),
        omit("uniqueItems", Flag),
        omit("multipleOf", Optional(&Float)),
        omit("enum", List(&Any)),
        omit("maxProperties", Optional(&Whole("int64"))),
        omit("minProperties", Optional(&Whole("int64"))),
        omit("required", List(&TEXT)),
        omit("items", Optional(&SchemaOrList)),
        omit("allOf", List(&Of(&JSON_SCHEMA_PROPS))),
        omit("oneOf", List(&Of(&JSON_SCHEMA_PROPS))),
        omit("anyOf", List(&Of(&JSON_SCHEMA_PROPS))),
        omit("not", Optional(&Of(&JSON_SCHEMA_PROPS))),
        omit("properties", Map(&Of(&JSON_SCHEMA_PROPS))),
        omit("additionalProperties", Optional(&SchemaOrFlag)),
        omit("patternProperties", Map(&Of(&JSON_SCHEMA_PROPS))),
        omit("dependencies", Map(&SchemaOrTexts)),
        omit("additionalItems", Optional(&SchemaOrFlag)),
        omit("definitions", Map(&Of(&JSON_SCHEMA_PROPS))),
        omit("externalDocs", Optional(&Of(&EXTERNAL_DOCUMENTATION))),
        omit("example", Optional(&Any)),
        omit("nullable", Flag),
        omit("x-kubernetes-preserve-unknown-fields", Optional(&Flag)),
        omit("x-kubernetes-embedded-resource", Flag),
        omit("x-kubernetes-int-or-string", Flag),
        omit("x-kubernetes-list-map-keys", List(&TEXT)),
        omit("x-kubernetes-list-type", Optional(&TEXT)),
        omit("x-kubernetes-map-type", Optional(&TEXT)),
        omit("x-kubernetes-validations", List(&Of(&VALIDATION_RULE))),
    ],
};

/// Go's `ExternalDocumentation`.
pub(crate) static EXTERNAL_DOCUMENTATION: Struct = Struct {
    name: "apiextensions.ExternalDocumentation",
    fields: &[omit("description", TEXT), omit("url", TEXT)],
};

/// Go's `ValidationRule`.
pub(crate) static VALIDATION_RULE: Struct = Struct {
    name: "apiextensions.ValidationRule",
    fields: &[
        always("rule", TEXT),
        omit("message", TEXT),
        omit("messageExpression", TEXT),
        omit("reason", Optional(&Text("v1.FieldValueErrorReason"))),
        omit("fieldPath", TEXT),
        omit("optionalOldSelf", Optional(&Flag)),
    ],
};

/// Go's `CustomResourceSubresources`.
pub(crate) static CUSTOM_RESOURCE_SUBRESOURCES: Struct = Struct {
    name: "apiextensions.CustomResourceSubresources",
    fields: &[
        omit("status", Optional(&Of(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS))),
        omit("scale", Optional(&Of(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE))),
    ],
};

/// Go's `CustomResourceSubresourceStatus`.
pub(crate) static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: Struct =
    Struct { name: "apiextensions.CustomResourceSubresourceStatus", fields: &[] };

/// Go's `CustomResourceSubresourceScale`.
pub(crate) static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: Struct = Struct {
    name: "apiextensions.CustomResourceSubresourceScale",
    fields: &[
        always("specReplicasPath", TEXT),
        always("statusReplicasPath", TEXT),
        omit("labelSelectorPath", Optional(&TEXT)),
    ],
};

/// Go's `CustomResourceColumnDefinition`.
pub(crate) static CUSTOM_RESOURCE_COLUMN_DEFINITION: Struct = Struct {
    name: "apiextensions.CustomResourceColumnDefinition",
    fields: &[
        always("name", TEXT),
        always("type", TEXT),
        omit("format", TEXT),
        omit("description", TEXT),
        omit("priority", Whole("int32")),
        always("jsonPath", TEXT),
    ],
};

/// Go's `SelectableField`.
pub(crate) static SELECTABLE_FIELD: Struct =
    Struct { name: "apiextensions.SelectableField", fields: &[always("jsonPath", TEXT)] };

/// Go's `CustomResourceConversion`.
pub(crate) static CUSTOM_RESOURCE_CONVERSION: Struct = Struct {
    name: "apiextensions.CustomResourceConversion",
    fields: &[
        always("strategy", Text("v1.ConversionStrategyType")),
        omit("webhook", Optional(&Of(&WEBHOOK_CONVERSION))),
    ],
};

/// Go's `WebhookConversion`.
pub(crate) static WEBHOOK_CONVERSION: Struct = Struct {
    name: "apiextensions.WebhookConversion",
    fields: &[
        omit("clientConfig", Optional(&Of(&CONVERSION_WEBHOOK_CLIENT_CONFIG))),
        always("conversionReviewVersions", List(&TEXT)),
    ],
};

/// Go's `WebhookClientConfig`.
pub(crate) static CONVERSION_WEBHOOK_CLIENT_CONFIG: Struct = Struct {
    name: "apiextensions.WebhookClientConfig",
    fields: &[
        omit("url", Optional(&TEXT)),
        omit("service", Optional(&Of(&CONVERSION_SERVICE_REFERENCE))),
        omit("caBundle", Bytes),
    ],
};

/// Go's `ServiceReference`.
pub(crate) static CONVERSION_SERVICE_REFERENCE: Struct = Struct {
    name: "apiextensions.ServiceReference",
    fields: &[
        always("namespace", TEXT),
        always("name", TEXT),
        omit("path", Optional(&TEXT)),
        omit("port", Optional(&Whole("int32"))),
    ],
};

/// Go's `CustomResourceDefinitionStatus`.
pub(crate) static CUSTOM_RESOURCE_DEFINITION_STATUS: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionStatus",
    fields: &[
        always("conditions", List(&Of(&CUSTOM_RESOURCE_DEFINITION_CONDITION))),
        always("acceptedNames", Of(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
        always("storedVersions", List(&TEXT)),
        omit("observedGeneration", Whole("int64")),
    ],
};

/// Go's `CustomResourceDefinitionCondition`.
pub(crate) static CUSTOM_RESOURCE_DEFINITION_CONDITION: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionCondition",
    fields: &[
        always("type", Text("v1.CustomResourceDefinitionConditionType")),
        always("status", Text("v1.ConditionStatus")),
        omit("lastTransitionTime", Time),
        omit("reason", TEXT),
        omit("message", TEXT),
        omit("observedGeneration", Whole("int64")),
    ],
};

/// Go's `CustomResourceDefinition` of `v1beta1`, which is only checked: what is not here is as in `v1`.
pub(crate) static BETA_CUSTOM_RESOURCE_DEFINITION: Struct = Struct {
    name: "apiextensions.CustomResourceDefinition",
    fields: &[
        omit("kind", TEXT),
        omit("apiVersion", TEXT),
        omit("metadata", Of(&OBJECT_META)),
        always("spec", Of(&BETA_CUSTOM_RESOURCE_DEFINITION_SPEC)),
        omit("status", Of(&CUSTOM_RESOURCE_DEFINITION_STATUS)),
    ],
};

/// Go's `CustomResourceDefinitionSpec` of `v1beta1`.
static BETA_CUSTOM_RESOURCE_DEFINITION_SPEC: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionSpec",
    fields: &[
        always("group", TEXT),
        omit("version", TEXT),
        always("names", Of(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
        always("scope", Text("v1.ResourceScope")),
        omit("validation", Optional(&Of(&CUSTOM_RESOURCE_VALIDATION))),
        omit("subresources", Optional(&Of(&CUSTOM_RESOURCE_SUBRESOURCES))),
        omit("versions", List(&Of(&BETA_CUSTOM_RESOURCE_DEFINITION_VERSION))),
        omit("additionalPrinterColumns", List(&Of(&BETA_CUSTOM_RESOURCE_COLUMN_DEFINITION))),
        omit("selectableFields", List(&Of(&SELECTABLE_FIELD))),
        omit("conversion", Optional(&Of(&BETA_CUSTOM_RESOURCE_CONVERSION))),
        omit("preserveUnknownFields", Optional(&Flag)),
    ],
};

/// Go's `CustomResourceDefinitionVersion` of `v1beta1`.
static BETA_CUSTOM_RESOURCE_DEFINITION_VERSION: Struct = Struct {
    name: "apiextensions.CustomResourceDefinitionVersion",
    fields: &[
        always("name", TEXT),
        always("served", Flag),
        always("storage", Flag),
        omit("deprecated", Flag),
        omit("deprecationWarning", Optional(&TEXT)),
        omit("schema", Optional(&Of(&CUSTOM_RESOURCE_VALIDATION))),
        omit("subresources", Optional(&Of(&CUSTOM_RESOURCE_SUBRESOURCES))),
        omit("additionalPrinterColumns", List(&Of(&BETA_CUSTOM_RESOURCE_COLUMN_DEFINITION))),
        omit("selectableFields", List(&Of(&SELECTABLE_FIELD))),
    ],
};

/// Go's `CustomResourceColumnDefinition` of `v1beta1`.
static BETA_CUSTOM_RESOURCE_COLUMN_DEFINITION: Struct = Struct {
    name: "apiextensions.CustomResourceColumnDefinition",
    fields: &[
        always("name", TEXT),
        always("type", TEXT),
        omit("format", TEXT),
        omit("description", TEXT),
        omit("priority", Whole("int32")),
        always("JSONPath", TEXT),
    ],
};

/// Go's `CustomResourceConversion` of `v1beta1`.
static BETA_CUSTOM_RESOURCE_CONVERSION: Struct = Struct {
    name: "apiextensions.CustomResourceConversion",
    fields: &[
        always("strategy", Text("v1.ConversionStrategyType")),
        omit("webhookClientConfig", Optional(&Of(&CONVERSION_WEBHOOK_CLIENT_CONFIG))),
        omit("conversionReviewVersions", List(&TEXT)),
    ],
};
