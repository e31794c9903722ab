//! Values of the Go types of schemas, read from documents.

use std::collections::BTreeMap;

use fbc_yaml::{Kind, Node, json_writer};

use super::schema_type::{Form, StructType, Type};

/// A value; its [`Type`] is known from where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Number(f64),
    Text(String),
    /// The bytes of `v1.JSON`.
    Json(String),
    Struct(Vec<Value>),
    /// A slice, which may be nil.
    List(Option<Vec<Value>>),
    /// A map, which may be nil.
    Map(Option<BTreeMap<String, Value>>),
    Pointer(Option<Box<Value>>),
}

/// A value of another kind than the type wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrongKind {
    /// The JSON pointer of the value, relative to where reading began.
    pub(super) pointer: String,
    pub(super) found: &'static str,
    pub(super) wanted: &'static str,
}

impl Value {
    /// The zero value of a type.
    pub(super) fn zero(kind: Type) -> Self {
        match kind {
            Type::Bool => Self::Bool(false),
            Type::Number => Self::Number(0.0),
            Type::Text => Self::Text(String::new()),
            Type::Json | Type::Bytes => Self::Json(String::new()),
            Type::Struct(of) => Self::zero_struct(of),
            Type::List(_) => Self::List(None),
            Type::Map(_) => Self::Map(None),
            Type::Pointer(_) => Self::Pointer(None),
        }
    }

    /// The zero value of a struct.
    pub(super) fn zero_struct(of: &StructType) -> Self {
        Self::Struct(of.fields.iter().map(|field| Self::zero(field.kind)).collect())
    }

    /// Reads a value. `null` is the zero value, unknown keys are left out, as in Go.
    pub(super) fn read(node: Node<'_>, kind: Type) -> Result<Self, WrongKind> {
        let wrong = |wanted| Err(WrongKind { pointer: String::new(), found: node.kind().go_name(), wanted });
        if node.is_null() && !matches!(kind, Type::Json) {
            return Ok(Self::zero(kind));
        }
        match kind {
            Type::Bool => node.as_bool().map_or_else(|| wrong("bool"), |value| Ok(Self::Bool(value))),
            Type::Number => node.as_f64().map_or_else(|| wrong("number"), |value| Ok(Self::Number(value))),
            Type::Text => {
                node.as_str().map_or_else(|| wrong("string"), |value| Ok(Self::Text(value.to_owned())))
            }
            // `null` leaves the bytes of `v1.JSON` as they are: none.
            Type::Json | Type::Bytes if node.is_null() => Ok(Self::Json(String::new())),
            Type::Json | Type::Bytes => Ok(Self::Json(raw_json(node))),
            Type::Struct(of) => Self::read_struct(node, of, |_| true),
            Type::List(list) => {
                if node.kind() != Kind::Array {
                    return wrong("list");
                }
                let items = node.items().enumerate();
                let items = items.map(|(index, item)| {
                    Self::read(item, list.element).map_err(|wrong| wrong.within(&index.to_string()))
                });
                Ok(Self::List(Some(items.collect::<Result<_, _>>()?)))
            }
            Type::Map(map) => {
                if node.kind() != Kind::Object {
                    return wrong("object");
                }
                let members = node.members().map(|(key, value)| {
                    let value = Self::read(value, map.value).map_err(|wrong| wrong.within(key))?;
                    Ok((key.to_owned(), value))
                });
                Ok(Self::Map(Some(members.collect::<Result<_, _>>()?)))
            }
            Type::Pointer(to) => Ok(Self::Pointer(Some(Box::new(Self::read(node, *to)?)))),
        }
    }

    /// Reads the fields of a struct that are wanted by their keys; the others stay zero.
    pub(super) fn read_struct(
        node: Node<'_>,
        of: &StructType,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, WrongKind> {
        let wrong = |wanted| Err(WrongKind { pointer: String::new(), found: node.kind().go_name(), wanted });
        let kind_of = |index: usize| of.fields.get(index).map_or(Type::Bool, |field| field.kind);
        match (of.form, node.kind()) {
            (Form::Object, Kind::Object) => {
                let fields = of.fields.iter().map(|field| match node.get(field.key) {
                    Some(value) if is_wanted(field.key) => {
                        Self::read(value, field.kind).map_err(|wrong| wrong.within(field.key))
                    }
                    _ => Ok(Self::zero(field.kind)),
                });
                Ok(Self::Struct(fields.collect::<Result<_, _>>()?))
            }
            (Form::BoolOr, Kind::Object) => {
                Ok(Self::Struct(vec![Self::Bool(true), Self::read(node, kind_of(1))?]))
            }
            (Form::BoolOr, Kind::Bool) => {
                Ok(Self::Struct(vec![Self::read(node, Type::Bool)?, Self::Pointer(None)]))
            }
            (Form::OrList, Kind::Object) => {
                Ok(Self::Struct(vec![Self::read(node, kind_of(0))?, Self::zero(kind_of(1))]))
            }
            (Form::OrList, Kind::Array) => {
                Ok(Self::Struct(vec![Self::zero(kind_of(0)), Self::read(node, kind_of(1))?]))
            }
            (Form::Object, _) => wrong("object"),
            (Form::BoolOr, _) => wrong("bool or object"),
            (Form::OrList, _) => wrong("list or object"),
        }
    }

    /// Whether the value is Go's zero value.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Bool(value) => !value,
            Self::Number(value) => *value == 0.0,
            Self::Text(text) | Self::Json(text) => text.is_empty(),
            Self::Struct(fields) => fields.iter().all(Self::is_zero),
            Self::List(items) => items.is_none(),
            Self::Map(members) => members.is_none(),
            Self::Pointer(to) => to.is_none(),
        }
    }

    /// Equality for which an empty slice or map is as good as none
    /// (`kubernetes/apimachinery:third_party/forked/golang/reflect/deep_equal.go`).
    pub(super) fn means(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Struct(old), Self::Struct(new)) => all_mean(old, new),
            (Self::List(old), Self::List(new)) => {
                all_mean(old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default())
            }
            (Self::Map(old), Self::Map(new)) => {
                let none = BTreeMap::new();
                let (old, new) = (old.as_ref().unwrap_or(&none), new.as_ref().unwrap_or(&none));
                old.len() == new.len()
                    && old.iter().zip(new).all(|((key, old), (other, new))| key == other && old.means(new))
            }
            (Self::Pointer(Some(old)), Self::Pointer(Some(new))) => old.means(new),
            (old, new) => old == new,
        }
    }
}

fn all_mean(old: &[Value], new: &[Value]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.means(new))
}

impl WrongKind {
    /// The same, seen from one level further out.
    pub(super) fn within(mut self, key: &str) -> Self {
        self.pointer = format!("/{}{}", key.replace('~', "~0").replace('/', "~1"), self.pointer);
        self
    }
}

/// JSON as Go's `encoding/json` writes it: compact, sorted, `<`, `>` and `&` escaped.
pub(super) fn raw_json(node: Node<'_>) -> String {
    let text = json_writer::compact(node);
    if text.contains(['<', '>', '&']) {
        text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    } else {
        text
    }
}
