//! Whether `encoding/json` takes a value for a Kubernetes type, and what it says if not.
//!
//! The reference decodes definitions, deployments, cluster service versions and metadata that way; only what it refuses matters here. Types
//! that decode themselves (quantities, times, schemas) fail at once, all else only after the whole value was read,
//! with the first misfit. Sources: `golang/go:src/encoding/json/decode.go`, `kubernetes-sigs/json`, and the
//! `UnmarshalJSON` of each type.

use fbc_go::base64;
use fbc_go::text::push_json_number;
use fbc_kubernetes::quantity::canonical_quantity;
use fbc_kubernetes::types::Special::{
    OperatorRelease, OperatorVersion, SchemaOrFlag, SchemaOrList, SchemaOrTexts,
};
use fbc_kubernetes::types::named::JSON_SCHEMA_PROPS;
use fbc_kubernetes::types::{Field, Named, Struct, Type, types};
use fbc_version::{Identifier, Version};
use fbc_yaml::{Kind, Node};

use crate::go_type::{equal_fold, push_key};

/// How keys find their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// As they are spelt.
    Exact,
    /// In upper or lower case.
    Folded,
}

/// A value that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonMisfit {
    /// Go's text.
    pub message: String,
    /// The value, as a JSON pointer.
    pub pointer: String,
    /// Whether Go knows where the value stands in the text.
    pub has_offset: bool,
}

/// Checks a value. `extensions` is the version of the API of definitions that the types are of.
///
/// # Errors
/// What Go would say.
pub fn check(node: Node<'_>, of: Named, keys: Keys, extensions: &'static str) -> Result<(), JsonMisfit> {
    let outcome = Decoder::new(keys, extensions).decode(node, &Type::Struct(of.id()));
    outcome.map_err(|fault| JsonMisfit {
        message: fault.message(),
        pointer: fault.pointer.clone(),
        has_offset: matches!(fault.what, What::Type { .. }),
    })
}

#[derive(Clone, Debug)]
struct Fault {
    what: What,
    pointer: String,
}

#[derive(Clone, Debug)]
enum What {
    /// Go's `UnmarshalTypeError`.
    Type { found: String, wanted: String, structure: String, field: String },
    /// Any other error.
    Text(String),
}

impl Fault {
    fn message(&self) -> String {
        match &self.what {
            What::Text(text) => text.clone(),
            What::Type { found, wanted, structure, field } if structure.is_empty() && field.is_empty() => {
                format!("json: cannot unmarshal {found} into Go value of type {wanted}")
            }
            What::Type { found, wanted, structure, field } => {
                format!(
                    "json: cannot unmarshal {found} into Go struct field {structure}.{field} of type {wanted}"
                )
            }
        }
    }
}

/// One call of `json.Unmarshal`.
struct Decoder {
    keys: Keys,
    extensions: &'static str,
    /// The innermost struct.
    owner: Option<&'static Struct>,
    /// The names of the fields that lead here.
    fields: Vec<&'static str>,
    pointer: Vec<String>,
    /// The first misfit that does not end decoding.
    saved: Option<Fault>,
}

impl Decoder {
    fn new(keys: Keys, extensions: &'static str) -> Self {
        Self { keys, extensions, owner: None, fields: Vec::new(), pointer: Vec::new(), saved: None }
    }

    fn decode(mut self, node: Node<'_>, shape: &Type) -> Result<(), Fault> {
        self.value(node, shape)?;
        self.saved.map_or(Ok(()), Err)
    }

    fn value(&mut self, node: Node<'_>, shape: &Type) -> Result<(), Fault> {
        // Null leaves every value as it is, but for types that read themselves and take it for an empty text.
        if node.is_null() && !matches!(shape, Type::Special(OperatorVersion | OperatorRelease)) {
            return Ok(());
        }
        match (shape, node.kind()) {
            (Type::Optional(inner), _) => return self.value(node, inner),
            (Type::Special(of @ (OperatorVersion | OperatorRelease)), Kind::String | Kind::Null) => {
                let text = node.as_str().unwrap_or_default();
                let outcome = match of {
                    OperatorVersion => Version::parse_tolerant(text).map(drop),
                    _ => text.split('.').try_for_each(|part| Identifier::parse(part).map(drop)),
                };
                return outcome.map_err(|error| self.text(error.to_string()));
            }
            (Type::Special(OperatorVersion | OperatorRelease), kind) => {
                return Err(self.misfit(kind.go_name(), "string"));
            }
            (Type::Any | Type::Raw | Type::Fields, _)
            | (Type::Text(_) | Type::IntOrText, Kind::String)
            | (Type::Flag | Type::Special(SchemaOrFlag), Kind::Bool)
            | (Type::Float, Kind::Number) => {}
            (Type::Whole(name), Kind::Number) => {
                if !is_whole(node, name) {
                    self.save(&number(node), name);
                }
            }
            (Type::Struct(of), Kind::Object) => return self.members(node, types().get(*of)),
            (Type::List(item), Kind::Array) => return self.items(node, item),
            (Type::Map(item), Kind::Object) => {
                for (key, value) in node.members() {
                    self.pointer.push(key.to_owned());
                    self.value(value, item)?;
                    self.pointer.pop();
                }
            }
            (Type::Bytes, Kind::String) => {
                if let Err(error) = base64::decode(node.as_str().unwrap_or_default()) {
                    let fault = self.text(error.to_string());
                    self.saved.get_or_insert(fault);
                }
            }
            (Type::Bytes, Kind::Array) => return self.items(node, &Type::Whole("uint8")),
            (Type::Time, Kind::String) => {
                if let Err(error) = fbc_go::time::parse_rfc3339(node.as_str().unwrap_or_default()) {
                    return Err(self.text(error.to_string()));
                }
            }
            (Type::Time, kind) => return Err(self.misfit(kind.go_name(), "string")),
            (Type::IntOrText, kind) => {
                let found = if kind == Kind::Number { number(node) } else { kind.go_name().to_owned() };
                if kind != Kind::Number || !is_whole(node, "int32") {
                    return Err(self.misfit(&found, "int32"));
                }
            }
            (Type::Quantity, _) => {
                let text = match node.as_str() {
                    Some(text) => text.trim().to_owned(),
                    None => fbc_yaml::json_writer::compact(node),
                };
                if let Err(error) = canonical_quantity(&text) {
                    return Err(self.text(error.to_string()));
                }
            }
            (Type::Special(SchemaOrFlag | SchemaOrList | SchemaOrTexts), Kind::Object) => {
                return self.nested(node, &Type::Struct(JSON_SCHEMA_PROPS.id()));
            }
            (Type::Special(SchemaOrFlag), _) => {
                return Err(self.text("boolean or JSON schema expected".to_owned()));
            }
            (Type::Special(SchemaOrList), Kind::Array) => {
                return self.nested(node, &Type::List(Box::new(Type::Struct(JSON_SCHEMA_PROPS.id()))));
            }
            (Type::Special(SchemaOrTexts), Kind::Array) => {
                let texts = Type::List(Box::new(Type::Text("string")));
                return self.nested(node, &texts);
            }
            (Type::Special(SchemaOrList | SchemaOrTexts), _) => {}
            (shape, kind) => {
                let wanted = self.type_name(shape);
                self.save(kind.go_name(), &wanted);
            }
        }
        Ok(())
    }

    fn members(&mut self, node: Node<'_>, of: &'static Struct) -> Result<(), Fault> {
        let (owner, depth) = (self.owner, self.fields.len());
        for (key, value) in node.members() {
            let Some(field) = self.field(of, key) else { continue };
            self.owner = Some(of);
            self.fields.extend(embedding_struct(of, field));
            self.fields.push(field.name);
            self.pointer.push(key.to_owned());
            match field.type_name {
                Some(name) if !is_collection(value, &field.of) => {
                    let name = self.in_extensions(name);
                    self.save(value.kind().go_name(), &name);
                }
                _ => self.value(value, &field.of)?,
            }
            self.pointer.pop();
            self.fields.truncate(depth);
            self.owner = owner;
        }
        Ok(())
    }

    fn field(&self, of: &'static Struct, key: &str) -> Option<&'static Field> {
        let exact = of.fields.iter().find(|field| field.name == key);
        exact.or_else(|| {
            let folded = || of.fields.iter().find(|field| equal_fold(field.name, key));
            (self.keys == Keys::Folded).then(folded).flatten()
        })
    }

    fn items(&mut self, node: Node<'_>, item: &Type) -> Result<(), Fault> {
        for (index, node) in node.items().enumerate() {
            self.pointer.push(index.to_string());
            self.value(node, item)?;
            self.pointer.pop();
        }
        Ok(())
    }

    /// A value that is decoded by a call of its own, whose error ends this one too.
    fn nested(&mut self, node: Node<'_>, shape: &Type) -> Result<(), Fault> {
        Self::new(Keys::Exact, self.extensions).decode(node, shape).map_err(|fault| {
            let pointer = self.pointer() + &fault.pointer;
            Fault { what: self.in_context(fault.what), pointer }
        })
    }

    fn save(&mut self, found: &str, wanted: &str) {
        let fault = self.misfit(found, wanted);
        self.saved.get_or_insert(fault);
    }

    fn misfit(&self, found: &str, wanted: &str) -> Fault {
        let what = What::Type {
            found: found.to_owned(),
            wanted: wanted.to_owned(),
            structure: String::new(),
            field: String::new(),
        };
        Fault { what: self.in_context(what), pointer: self.pointer() }
    }

    fn text(&self, text: String) -> Fault {
        Fault { what: What::Text(text), pointer: self.pointer() }
    }

    /// Adds the struct and the fields that lead to where the decoder is.
    fn in_context(&self, what: What) -> What {
        match (what, self.owner) {
            (What::Type { found, wanted, field, .. }, Some(owner)) => {
                let mut path = self.fields.join(".");
                if !field.is_empty() {
                    path.push('.');
                    path.push_str(&field);
                }
                let structure = owner.bare_name().to_owned();
                What::Type { found, wanted, structure, field: path }
            }
            (what, _) => what,
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.pointer.iter().for_each(|step| push_key(&mut pointer, step));
        pointer
    }

    /// The name of a type; in the API of definitions, with the version at hand.
    fn in_extensions(&self, name: &str) -> String {
        let is_extension = self.owner.is_some_and(|owner| owner.package.starts_with("apiextensions"));
        match name.strip_prefix("v1.") {
            Some(name) if is_extension => format!("{}.{name}", self.extensions),
            _ => name.to_owned(),
        }
    }

    /// The type as Go prints it.
    fn type_name(&self, shape: &Type) -> String {
        match shape {
            Type::Text(name) | Type::Whole(name) => self.in_extensions(name),
            Type::Struct(of) => {
                let of = types().get(*of);
                match of.package.starts_with("apiextensions") {
                    true => format!("{}.{}", self.extensions, of.name),
                    false => of.go_name(),
                }
            }
            Type::Flag => "bool".to_owned(),
            Type::Float => "float64".to_owned(),
            Type::Bytes => "[]uint8".to_owned(),
            Type::List(item) => format!("[]{}", self.type_name(item)),
            // The core API has no other maps of quantities.
            Type::Map(item) if **item == Type::Quantity => "v1.ResourceList".to_owned(),
            Type::Map(item) => format!("map[string]{}", self.type_name(item)),
            Type::Optional(inner) => format!("*{}", self.type_name(inner)),
            Type::Any => format!("{}.JSON", self.extensions),
            Type::Raw => "runtime.RawExtension".to_owned(),
            Type::Fields => "v1.FieldsV1".to_owned(),
            Type::Time => "v1.Time".to_owned(),
            Type::MicroTime => "v1.MicroTime".to_owned(),
            Type::Duration => "v1.Duration".to_owned(),
            Type::Quantity => "resource.Quantity".to_owned(),
            Type::IntOrText => "intstr.IntOrString".to_owned(),
            Type::Special(OperatorVersion) => "version.OperatorVersion".to_owned(),
            Type::Special(OperatorRelease) => "release.OperatorRelease".to_owned(),
            Type::Special(SchemaOrFlag) => format!("{}.JSONSchemaPropsOrBool", self.extensions),
            Type::Special(SchemaOrList) => format!("{}.JSONSchemaPropsOrArray", self.extensions),
            Type::Special(SchemaOrTexts) => format!("{}.JSONSchemaPropsOrStringArray", self.extensions),
        }
    }
}

/// The struct that Go embeds to give another a field; its name is part of the path in errors.
fn embedding_struct(of: &Struct, field: &Field) -> Option<&'static str> {
    match (of.package, of.name, field.name) {
        (_, _, "kind" | "apiVersion") if of.field("metadata").is_some() => Some("TypeMeta"),
        ("core", "Probe", "exec" | "httpGet" | "tcpSocket" | "grpc") => Some("ProbeHandler"),
        ("core", "Volume", name) if name != "name" => Some("VolumeSource"),
        ("core", "EphemeralContainer", name) if name != "targetContainerName" => {
            Some("EphemeralContainerCommon")
        }
        (
            "core",
            "ConfigMapEnvSource"
            | "SecretEnvSource"
            | "ConfigMapKeySelector"
            | "SecretKeySelector"
            | "ConfigMapProjection"
            | "SecretProjection"
            | "ConfigMapVolumeSource",
            "name",
        ) => Some("LocalObjectReference"),
        ("admissionregistration", "RuleWithOperations", name) if name != "operations" => Some("Rule"),
        _ => None,
    }
}

/// Whether a value can be the list or the map that a type is, or is null.
fn is_collection(node: Node<'_>, shape: &Type) -> bool {
    let kind = if matches!(shape, Type::List(_)) { Kind::Array } else { Kind::Object };
    node.is_null() || node.kind() == kind
}

fn is_whole(node: Node<'_>, name: &str) -> bool {
    let number = node.as_f64().unwrap_or_default();
    let (least, most) = match name {
        "uint8" => (0.0, 255.0),
        "int32" => (f64::from(i32::MIN), f64::from(i32::MAX)),
        // The largest double below 2^63.
        _ => (-9_223_372_036_854_775_808.0, 9_223_372_036_854_774_784.0),
    };
    number.fract() == 0.0 && (least..=most).contains(&number)
}

/// A number as Go's errors have it.
fn number(node: Node<'_>) -> String {
    if let Some(integer) = node.as_large_integer().and_then(|integer| i64::try_from(integer).ok()) {
        return format!("number {integer}");
    }
    let mut text = "number ".to_owned();
    push_json_number(&mut text, node.as_f64().unwrap_or_default());
    text
}

#[cfg(test)]
mod tests;
