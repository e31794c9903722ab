//! Structural schemas, compiled from the JSON of a definition.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fbc_go::regexp::Pattern;
use serde_json::Value;

use super::format::Format;
use super::rules::Rule;
use crate::object::ObjectFields;

/// One place of a structural schema. Names are those of OpenAPI and of its Kubernetes extensions.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// `type`, if one is given.
    pub value_type: Option<ValueType>,
    /// `nullable`
    pub nullable: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown: bool,
    /// `x-kubernetes-embedded-resource`
    pub embedded: bool,
    /// `x-kubernetes-list-type`; without it a list is atomic.
    pub list_type: Option<ListType>,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`; without it a map is granular.
    pub map_type: Option<MapType>,
    /// `properties`
    pub properties: BTreeMap<String, Schema>,
    /// `additionalProperties` with a schema.
    pub additional: Option<Box<Schema>>,
    /// `additionalProperties: true`
    pub additional_allowed: bool,
    /// `items`
    pub items: Option<Box<Schema>>,
    /// `default`
    pub default: Option<Value>,
    /// `description`
    pub description: String,
    pub(crate) checks: Checks,
    pub(crate) rules: Vec<Rule>,
    /// True for the schema of a whole object and for those of embedded ones.
    pub(crate) is_resource: bool,
    /// The properties that have a default.
    pub(crate) defaulted: Vec<String>,
    /// What lies here or below, so that walks can pass over the rest.
    pub(crate) below: Below,
}

/// `type`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// `array`
    Array,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `object`
    Object,
    /// `string`
    String,
}

impl ValueType {
    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }

    fn read(name: &str) -> Option<Self> {
        [Self::Array, Self::Boolean, Self::Integer, Self::Number, Self::Object, Self::String]
            .into_iter()
            .find(|value_type| value_type.name() == name)
    }
}

/// `x-kubernetes-list-type`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListType {
    /// One value as a whole.
    Atomic,
    /// Every element once.
    Set,
    /// Objects that are told apart by some of their fields.
    Map,
}

/// `x-kubernetes-map-type`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapType {
    /// One value as a whole.
    Atomic,
    /// Every field for itself.
    Granular,
}

/// What a value must fulfil besides its type.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checks {
    pub(crate) format: Option<Format>,
    pub(crate) values: Vec<Value>,
    pub(crate) required: Vec<String>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) all_of: Vec<Schema>,
    pub(crate) any_of: Vec<Schema>,
    pub(crate) one_of: Vec<Schema>,
    pub(crate) not: Option<Box<Schema>>,
}

/// What is found at a place of a schema or anywhere below it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Below {
    pub(crate) defaults: bool,
    pub(crate) keyed_lists: bool,
    pub(crate) embedded: bool,
    pub(crate) rules: bool,
}

impl Schema {
    /// Compiles the schema of a whole object.
    pub fn of_resource(json: &Value) -> Self {
        Self::compiled(json, true)
    }

    /// Rules of this schema and of what lies below it that do not compile: `RULE: reason`, in the order of the schema.
    pub fn rule_faults(&self) -> Vec<String> {
        let faults = self.rules.iter().filter_map(|rule| {
            let error = rule.program.as_ref().err()?;
            Some(format!("{}: {error}", rule.source))
        });
        let below = self.properties.values().chain(self.items.as_deref()).chain(self.additional.as_deref());
        faults.chain(below.flat_map(Self::rule_faults)).collect()
    }

    /// Adds the regular expressions of this schema and of all within it, those of its rules too.
    pub(crate) fn collect_patterns<'s>(&'s self, all: &mut Vec<&'s Pattern>) {
        let Checks { pattern, all_of, any_of, one_of, not, .. } = &self.checks;
        all.extend(pattern);
        self.rules.iter().for_each(|rule| rule.collect_patterns(all));
        let parts = self.properties.values().chain(self.additional.as_deref()).chain(self.items.as_deref());
        let nested = all_of.iter().chain(any_of).chain(one_of).chain(not.as_deref());
        parts.chain(nested).for_each(|schema| schema.collect_patterns(all));
    }

    /// Compiles the schema of a part of an object.
    pub(crate) fn of_part(json: &Value) -> Self {
        Self::compiled(json, false)
    }

    fn compiled(json: &Value, is_resource: bool) -> Self {
        let mut schema = Self::structure(json, is_resource);
        if schema.below.rules {
            let bare = schema.clone();
            compile_rules(&mut schema, &bare, json);
        }
        schema
    }

    /// Reads a schema without its rules; what is malformed counts as absent.
    fn structure(json: &Value, is_resource: bool) -> Self {
        let flag = |name: &str| json.get(name).and_then(Value::as_bool) == Some(true);
        let schemas =
            |name: &str| json.list(&[name]).iter().map(|json| Self::structure(json, false)).collect();
        let embedded = flag("x-kubernetes-embedded-resource");
        let property = |(name, json): (&String, &Value)| (name.clone(), Self::structure(json, false));
        let mut schema = Self {
            value_type: ValueType::read(json.text(&["type"])),
            nullable: flag("nullable"),
            int_or_string: flag("x-kubernetes-int-or-string"),
            preserve_unknown: flag("x-kubernetes-preserve-unknown-fields"),
            embedded,
            list_type: match json.text(&["x-kubernetes-list-type"]) {
                "atomic" => Some(ListType::Atomic),
                "set" => Some(ListType::Set),
                "map" => Some(ListType::Map),
                _ => None,
            },
            list_map_keys: texts(json, "x-kubernetes-list-map-keys"),
            map_type: match json.text(&["x-kubernetes-map-type"]) {
                "atomic" => Some(MapType::Atomic),
                "granular" => Some(MapType::Granular),
                _ => None,
            },
            properties: json
                .get("properties")
                .and_then(Value::as_object)
                .map(|properties| properties.iter().map(property).collect())
                .unwrap_or_default(),
            additional: json
                .get("additionalProperties")
                .filter(|additional| additional.is_object())
                .map(|additional| Box::new(Self::structure(additional, false))),
            additional_allowed: flag("additionalProperties"),
            items: json
                .get("items")
                .filter(|items| items.is_object())
                .map(|items| Box::new(Self::structure(items, false))),
            default: json.given(&["default"]).cloned(),
            description: json.text(&["description"]).to_owned(),
            checks: Checks::read(json, schemas),
            rules: Vec::new(),
            is_resource: is_resource || embedded,
            defaulted: Vec::new(),
            below: Below::default(),
        };
        let with_default = schema.properties.iter().filter(|(_, property)| property.default.is_some());
        schema.defaulted = with_default.map(|(name, _)| name.clone()).collect();
        schema.below = schema.look_below(json);
        schema
    }

    fn look_below(&self, json: &Value) -> Below {
        let own = Below {
            defaults: self.default.is_some(),
            keyed_lists: matches!(self.list_type, Some(ListType::Set | ListType::Map)),
            embedded: self.embedded,
            rules: !json.list(&["x-kubernetes-validations"]).is_empty(),
        };
        let nested =
            self.checks.all_of.iter().map(|schema| Below { rules: schema.below.rules, ..Below::default() });
        self.properties
            .values()
            .chain(self.additional.as_deref())
            .chain(self.items.as_deref())
            .map(|schema| schema.below)
            .chain(nested)
            .fold(own, |all, one| Below {
                defaults: all.defaults || one.defaults,
                keyed_lists: all.keyed_lists || one.keyed_lists,
                embedded: all.embedded || one.embedded,
                rules: all.rules || one.rules,
            })
    }

    /// The schema of a field as rules see it: whole objects have `apiVersion`, `kind` and the two names in `metadata`.
    pub(crate) fn visible(&self, field: &str) -> Option<&Schema> {
        match field {
            "apiVersion" | "kind" if self.is_resource => Some(self.properties.get(field).unwrap_or(&TEXT)),
            "metadata" if self.is_resource => Some(&METADATA),
            _ => self.properties.get(field),
        }
    }

    /// True if rules see the fields of an object here, and not the entries of a map.
    pub(crate) fn has_fields(&self) -> bool {
        self.is_resource || self.additional.is_none()
    }
}

/// Rules know the types around them, so they are compiled when the structure is complete.
fn compile_rules(schema: &mut Schema, bare: &Schema, json: &Value) {
    if !schema.below.rules {
        return;
    }
    schema.rules =
        json.list(&["x-kubernetes-validations"]).iter().map(|rule| Rule::compile(rule, bare)).collect();
    for (name, property) in &mut schema.properties {
        if let (Some(bare), Some(json)) = (bare.properties.get(name), json.at(&["properties", name])) {
            compile_rules(property, bare, json);
        }
    }
    for (field, part, bare) in [
        ("additionalProperties", &mut schema.additional, &bare.additional),
        ("items", &mut schema.items, &bare.items),
    ] {
        if let (Some(part), Some(bare), Some(json)) = (part, bare, json.get(field)) {
            compile_rules(part, bare, json);
        }
    }
}

static TEXT: LazyLock<Schema> =
    LazyLock::new(|| Schema { value_type: Some(ValueType::String), ..Schema::default() });

static METADATA: LazyLock<Schema> = LazyLock::new(|| Schema {
    value_type: Some(ValueType::Object),
    // Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/model/schemas.go` (`nameMaxLength`).
    properties: [("name", 253), ("generateName", 252)]
        .map(|(name, most)| {
            let checks = Checks { max_length: Some(most), ..Checks::default() };
            (name.to_owned(), Schema { checks, ..TEXT.clone() })
        })
        .into(),
    ..Schema::default()
});

impl Checks {
    fn read(json: &Value, schemas: impl Fn(&str) -> Vec<Schema>) -> Self {
        let flag = |name: &str| json.get(name).and_then(Value::as_bool) == Some(true);
        let whole = |name: &str| json.get(name).and_then(Value::as_i64);
        let number = |name: &str| json.get(name).and_then(Value::as_f64);
        Self {
            format: Format::read(json.text(&["format"])),
            values: json.list(&["enum"]).to_vec(),
            required: texts(json, "required"),
            pattern: Some(json.text(&["pattern"])).filter(|pattern| !pattern.is_empty()).map(Pattern::new),
            min_length: whole("minLength"),
            max_length: whole("maxLength"),
            min_items: whole("minItems"),
            max_items: whole("maxItems"),
            unique_items: flag("uniqueItems"),
            min_properties: whole("minProperties"),
            max_properties: whole("maxProperties"),
            minimum: number("minimum"),
            exclusive_minimum: flag("exclusiveMinimum"),
            maximum: number("maximum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            all_of: schemas("allOf"),
            any_of: schemas("anyOf"),
            one_of: schemas("oneOf"),
            not: json
                .get("not")
                .filter(|not| not.is_object())
                .map(|not| Box::new(Schema::structure(not, false))),
        }
    }

    /// True if there is anything but a type to check at this place.
    pub(crate) fn has_combinators(&self) -> bool {
        !(self.all_of.is_empty() && self.any_of.is_empty() && self.one_of.is_empty() && self.not.is_none())
    }
}

fn texts(json: &Value, field: &str) -> Vec<String> {
    json.list(&[field]).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
