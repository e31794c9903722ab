//! Any value into a Kubernetes type, as the reference decodes it, and out again as it encodes it.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/runtime/converter.go` (`fromUnstructured`) and
//! `encoding/json` for the way out; `kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/marshal.go`
//! for schemas.

use fbc_go::base64;
use fbc_kubernetes::quantity::{QuantityError, canonical_quantity};
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::Special::{
    OperatorRelease, OperatorVersion, SchemaOrFlag, SchemaOrList, SchemaOrTexts,
};
use fbc_kubernetes::types::named::JSON_SCHEMA_PROPS;
use fbc_kubernetes::types::{Field, Omit, Struct, Type, types};
use fbc_model::go_type::push_key;
use fbc_yaml::{Built, Document, DocumentBuilder, Kind, Node};

/// A value that the type cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TypeMismatch {
    /// The text of the reference, which names no place.
    pub message: String,
    /// The place, as a JSON pointer from the value that was converted.
    pub pointer: String,
}

/// The order in which the members of structs come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// Sorted by name, as in loaded documents.
    Sorted,
    /// As the structs have them.
    Go,
}

/// Converts a value.
///
/// # Errors
/// The first misfit in the order of the type's fields.
pub fn convert(node: Node<'_>, of: Named, order: KeyOrder) -> Result<Document, TypeMismatch> {
    let builder = match order {
        KeyOrder::Sorted => DocumentBuilder::new(),
        KeyOrder::Go => DocumentBuilder::in_written_order(),
    };
    let mut writer = Writer { builder, path: Vec::new() };
    let of = of.get();
    let root = match node.kind() {
        Kind::Null => writer.write_struct(None, of)?,
        Kind::Object => writer.write_struct(Some(node), of)?,
        found => return Err(writer.misfit(format!("cannot restore struct from: {}", go_kind(node, found)))),
    };
    Ok(writer.builder.finish(root))
}

struct Writer<'n> {
    builder: DocumentBuilder,
    path: Vec<Step<'n>>,
}

enum Step<'n> {
    Key(&'n str),
    Index(usize),
}

impl<'n> Writer<'n> {
    /// Writes a value that is not null.
    fn write(&mut self, node: Node<'n>, shape: &Type) -> Result<Built, TypeMismatch> {
        match (shape, node.kind()) {
            (Type::Any | Type::Raw | Type::Fields, _) => Ok(self.builder.copy(node)),
            (Type::Optional(inner), _) => self.write(node, inner),
            (Type::Struct(of), Kind::Object) => self.write_struct(Some(node), types().get(*of)),
            (Type::Struct(_), found) => {
                Err(self.misfit(format!("cannot restore struct from: {}", go_kind(node, found))))
            }
            (Type::List(item), Kind::Array) => self.write_list(node, item),
            (Type::List(_), found) => {
                Err(self.misfit(format!("cannot restore slice from {}", go_kind(node, found))))
            }
            (Type::Map(value), Kind::Object) => self.write_map(node, value),
            (Type::Map(_), found) => {
                Err(self.misfit(format!("cannot restore map from {}", go_kind(node, found))))
            }
            (
                Type::Text(_)
                | Type::Special(OperatorVersion | OperatorRelease)
                | Type::Time
                | Type::MicroTime
                | Type::Duration,
                Kind::String,
            )
            | (Type::Flag, Kind::Bool)
            | (Type::Float, Kind::Number)
            | (Type::IntOrText, Kind::String) => Ok(self.builder.copy(node)),
            (Type::Whole(name), Kind::Number) => self.write_whole(node, name),
            (Type::IntOrText, Kind::Number) => self.write_whole(node, "int32"),
            (Type::Bytes, Kind::String) => match base64::decode(node.as_str().unwrap_or_default()) {
                Ok(_) => Ok(self.builder.copy(node)),
                Err(error) => Err(self.misfit(format!("error decoding from json: {error}"))),
            },
            (Type::Bytes, found) => {
                Err(self.misfit(format!("cannot restore slice from {}", go_kind(node, found))))
            }
            (Type::Quantity, Kind::String | Kind::Number) => self.write_quantity(node),
            (Type::Special(SchemaOrFlag), Kind::Bool) => Ok(self.builder.copy(node)),
            (Type::Special(SchemaOrFlag | SchemaOrList | SchemaOrTexts), Kind::Object) => {
                self.write_struct(Some(node), JSON_SCHEMA_PROPS.get())
            }
            (Type::Special(SchemaOrFlag), _) => {
                Err(self.misfit("boolean or JSON schema expected".to_owned()))
            }
            (Type::Special(SchemaOrList), Kind::Array) if !node.is_empty() => {
                self.write_list(node, &Type::Struct(JSON_SCHEMA_PROPS.id()))
            }
            (Type::Special(SchemaOrTexts), Kind::Array) if !node.is_empty() => {
                self.write_list(node, &Type::Text("string"))
            }
            (Type::Special(SchemaOrList | SchemaOrTexts), _) => Ok(self.builder.null()),
            (shape, found) => Err(self.misfit(scalar_misfit(node, shape, found))),
        }
    }

    /// Writes a list or map item, which may be null.
    fn write_item(&mut self, node: Node<'n>, shape: &Type) -> Result<Built, TypeMismatch> {
        if node.is_null() { self.write_zero(shape) } else { self.write(node, shape) }
    }

    /// What Go writes for the zero value of a type.
    fn write_zero(&mut self, shape: &Type) -> Result<Built, TypeMismatch> {
        Ok(match shape {
            Type::Text(_) | Type::Special(OperatorRelease) => self.builder.string(""),
            Type::Special(OperatorVersion) => self.builder.string("0.0.0"),
            Type::Quantity => self.builder.string("0"),
            Type::Flag | Type::Special(SchemaOrFlag) => self.builder.boolean(false),
            Type::Whole(_) | Type::Float | Type::IntOrText => self.builder.number(0.0),
            Type::Struct(of) => return self.write_struct(None, types().get(*of)),
            _ => self.builder.null(),
        })
    }

    fn write_struct(&mut self, node: Option<Node<'n>>, of: &'static Struct) -> Result<Built, TypeMismatch> {
        let mark = self.builder.open();
        for field in &of.fields {
            let value = node.and_then(|node| node.get(field.name)).filter(|value| !value.is_null());
            self.write_field(field, value)?;
        }
        Ok(self.builder.close_object(mark))
    }

    fn write_field(&mut self, field: &'static Field, value: Option<Node<'n>>) -> Result<(), TypeMismatch> {
        let Some(value) = value else {
            if field.omit == Omit::Never || (field.omit == Omit::Empty && !is_empty_at_zero(&field.of)) {
                let zero = self.write_zero(&field.of)?;
                self.builder.push_member(field.name, zero);
            }
            return Ok(());
        };
        self.path.push(Step::Key(field.name));
        let built = self.write(value, &field.of)?;
        self.path.pop();
        if field.omit != Omit::Empty || !is_empty(value, &field.of) {
            self.builder.push_member(field.name, built);
        }
        Ok(())
    }

    fn write_list(&mut self, node: Node<'n>, item: &Type) -> Result<Built, TypeMismatch> {
        let mark = self.builder.open();
        for (index, node) in node.items().enumerate() {
            self.path.push(Step::Index(index));
            let built = self.write_item(node, item)?;
            self.path.pop();
            self.builder.push_item(built);
        }
        Ok(self.builder.close_array(mark))
    }

    fn write_map(&mut self, node: Node<'n>, value: &Type) -> Result<Built, TypeMismatch> {
        let mark = self.builder.open();
        for (key, node) in node.members() {
            self.path.push(Step::Key(key));
            let built = self.write_item(node, value)?;
            self.path.pop();
            self.builder.push_member(key, built);
        }
        Ok(self.builder.close_object(mark))
    }

    fn write_whole(&mut self, node: Node<'n>, name: &str) -> Result<Built, TypeMismatch> {
        let number = node.as_f64().unwrap_or_default();
        if number.fract() != 0.0 {
            return Err(self.misfit(format!("cannot convert float64 to {name}")));
        }
        // Go's conversion keeps the low bits of a number that is too large.
        let number = if name == "int32" { f64::from(number as i64 as i32) } else { number };
        Ok(self.builder.number(number))
    }

    fn write_quantity(&mut self, node: Node<'n>) -> Result<Built, TypeMismatch> {
        let text = match node.as_str() {
            Some(text) => text.trim().to_owned(),
            None => {
                let mut text = String::new();
                fbc_go::text::push_json_number(&mut text, node.as_f64().unwrap_or_default());
                text
            }
        };
        match canonical_quantity(&text) {
            Ok(canonical) => Ok(self.builder.string(&canonical)),
            Err(error) => Err(self.misfit(error.to_string())),
        }
    }

    fn misfit(&self, message: String) -> TypeMismatch {
        let mut pointer = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) => push_key(&mut pointer, key),
                Step::Index(index) => pointer.push_str(&format!("/{index}")),
            }
        }
        TypeMismatch { message, pointer }
    }
}

/// Whether Go's `omitempty` drops the zero value: structs, also those that encode themselves, stay.
fn is_empty_at_zero(shape: &Type) -> bool {
    !matches!(
        shape,
        Type::Struct(_)
            | Type::Time
            | Type::MicroTime
            | Type::Duration
            | Type::Quantity
            | Type::IntOrText
            | Type::Special(OperatorVersion)
            | Type::Special(OperatorRelease)
    )
}

/// Whether Go's `omitempty` drops a value that was given.
fn is_empty(node: Node<'_>, shape: &Type) -> bool {
    match shape {
        Type::Text(_) | Type::Bytes => node.as_str() == Some(""),
        Type::Flag => node.as_bool() == Some(false),
        Type::Whole(_) | Type::Float => node.as_f64() == Some(0.0),
        Type::List(_) | Type::Map(_) => node.is_empty(),
        _ => false,
    }
}

/// What the converter says of a scalar that it cannot convert.
fn scalar_misfit(node: Node<'_>, shape: &Type, found: Kind) -> String {
    let is_whole = node.as_f64().is_some_and(|number| number.fract() == 0.0);
    match shape {
        // Go converts whole numbers to text as characters, which the converter does not let pass.
        Type::Text(name) if is_whole => format!("cannot convert int64 to {name}"),
        Type::Text(_) => "unrecognized type: string".to_owned(),
        Type::Flag => "unrecognized type: bool".to_owned(),
        Type::Whole(name) => format!("unrecognized type: {name}"),
        Type::Float => "unrecognized type: float64".to_owned(),
        Type::IntOrText => format!("json: cannot unmarshal {} into Go value of type int32", found.go_name()),
        Type::Quantity => QuantityError::Format.to_string(),
        _ => format!("json: cannot unmarshal {} into Go value of type string", found.go_name()),
    }
}

/// The kind of Go value that a JSON value is decoded to.
fn go_kind(node: Node<'_>, kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "invalid",
        Kind::Bool => "bool",
        Kind::Number if node.as_f64().is_some_and(|number| number.fract() == 0.0) => "int64",
        Kind::Number => "float64",
        Kind::String => "string",
        Kind::Array => "slice",
        Kind::Object => "map",
    }
}
