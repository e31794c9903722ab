//! Values of expressions. What comes from objects is borrowed, and keeps the shape of its place.

use std::cmp::Ordering;
use std::net::IpAddr;
use std::ops::Deref;
use std::rc::Rc;

use fbc_kubernetes::quantity::Quantity;
use serde_json::{Map, Value};

use super::budget::{Evaluation, Fault};
use super::dates::parse_date_time;
use super::named_format::NamedFormat;
use super::shape::{Scalar, Shape};
use super::url::Url;

/// A value.
#[derive(Debug, Clone)]
pub enum Val<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Uint(u64),
    /// A fraction.
    Double(f64),
    /// A text.
    Text(Shared<'a, str>),
    /// Bytes.
    Bytes(Shared<'a, [u8]>),
    /// A list.
    List(List<'a>),
    /// A map, or the fields of an object.
    Map(Entries<'a>),
    /// Nanoseconds.
    Duration(i64),
    /// Seconds since 1970, and nanoseconds.
    Timestamp(i64, u32),
    /// The name of a type.
    Type(&'static str),
    /// A value, or none.
    Optional(Option<Rc<Val<'a>>>),
    /// An address.
    Url(Rc<Url>),
    /// A quantity of Kubernetes.
    Quantity(Quantity),
    /// An address of a host.
    Ip(IpAddr),
    /// An address and a number of bits.
    Cidr(IpAddr, u8),
    /// A version.
    Semver(Rc<fbc_version::Version>),
    /// A named form of texts.
    Format(&'static NamedFormat),
    /// No value, and why: what a variable of a policy is whose expression failed. Whoever reads it fails as well.
    Failed(Rc<Fault>),
}

/// What an object or an expression holds, or what an evaluation made; clones are cheap whatever its length.
#[derive(Debug)]
pub enum Shared<'a, T: ?Sized> {
    /// What an object or an expression holds.
    Held(&'a T),
    /// What an evaluation made.
    Made(Rc<T>),
}

impl<T: ?Sized> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Held(held) => Self::Held(held),
            Self::Made(made) => Self::Made(Rc::clone(made)),
        }
    }
}

impl<T: ?Sized> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Held(held) => held,
            Self::Made(made) => made,
        }
    }
}

/// A list of an object, with the shape of the list, or one that an expression made.
#[derive(Debug, Clone)]
pub enum List<'a> {
    /// A list of an object, with what is known of its place.
    Json(&'a [Value], Option<&'a dyn Shape>),
    /// A list that an expression made.
    Built(Rc<Vec<Val<'a>>>),
}

/// An object or map of an object, with its shape, or a map that an expression made.
#[derive(Debug, Clone)]
pub enum Entries<'a> {
    /// An object or map of an object, with what is known of its place.
    Json(&'a Map<String, Value>, Option<&'a dyn Shape>),
    /// A map that an expression made.
    Built(Rc<Vec<(Val<'a>, Val<'a>)>>),
}

impl<'a> Val<'a> {
    /// A value of an object; its shape says what text and numbers mean.
    #[must_use]
    pub fn lift(value: &'a Value, shape: Option<&'a dyn Shape>) -> Self {
        let scalar = shape.map_or(Scalar::Plain, Shape::scalar);
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => match (scalar, number.as_i64()) {
                (Scalar::Double, _) => Self::Double(number.as_f64().unwrap_or_default()),
                (_, Some(whole)) => Self::Int(whole),
                (Scalar::Integer, None) =>
                {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "validation lets whole numbers through only"
                    )]
                    Self::Int(number.as_f64().unwrap_or_default() as i64)
                }
                (_, None) => Self::Double(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Self::lift_text(text, scalar),
            Value::Array(items) => Self::List(List::Json(items, shape)),
            Value::Object(fields) => Self::Map(Entries::Json(fields, shape)),
        }
    }

    fn lift_text(text: &'a str, scalar: Scalar) -> Self {
        let lifted = match scalar {
            Scalar::DateTime => parse_date_time(text).map(|(seconds, rest)| Self::Timestamp(seconds, rest)),
            Scalar::Date => parse_date_time(&format!("{text}T00:00:00Z"))
                .map(|(seconds, rest)| Self::Timestamp(seconds, rest)),
            Scalar::Duration => fbc_go::time::parse_duration(text).map(Self::Duration),
            Scalar::Bytes => fbc_go::base64::decode(text).ok().map(Self::bytes),
            _ => None,
        };
        lifted.unwrap_or(Self::Text(Shared::Held(text)))
    }

    /// A text that is made.
    pub fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(Shared::Made(text.into()))
    }

    pub(crate) fn bytes(bytes: impl Into<Rc<[u8]>>) -> Self {
        Self::Bytes(Shared::Made(bytes.into()))
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(List::Built(Rc::new(items)))
    }

    pub(crate) fn some(value: Self) -> Self {
        Self::Optional(Some(Rc::new(value)))
    }

    /// The name of the type of a value.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(..) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(..) => "net.CIDR",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Failed(_) => "error",
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Uint(_) | Self::Double(_))
    }

    /// Order, where the two can be compared.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(right),
            (Self::Uint(left), Self::Uint(right)) => left.cmp(right),
            (Self::Int(left), Self::Uint(right)) => i128::from(*left).cmp(&i128::from(*right)),
            (Self::Uint(left), Self::Int(right)) => i128::from(*left).cmp(&i128::from(*right)),
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Text(left), Self::Text(right)) => (**left).cmp(&**right),
            (Self::Bytes(left), Self::Bytes(right)) => (**left).cmp(&**right),
            (Self::Duration(left), Self::Duration(right)) => left.cmp(right),
            (Self::Timestamp(left, rest), Self::Timestamp(right, other)) => (left, rest).cmp(&(right, other)),
            (Self::Quantity(left), Self::Quantity(right)) => left.cmp(right),
            _ => return self.as_double()?.partial_cmp(&other.as_double()?),
        })
    }

    /// Any number as a float.
    pub(crate) fn as_double(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "the language converts in the same way")]
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Uint(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }
}

impl<'a> List<'a> {
    /// How many there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        match self {
            Self::Json(items, _) => items.len(),
            Self::Built(items) => items.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<Val<'a>> {
        match self {
            Self::Json(items, shape) => {
                items.get(index).map(|item| Val::lift(item, shape.and_then(Shape::element)))
            }
            Self::Built(items) => items.get(index).cloned(),
        }
    }

    /// The elements.
    pub fn iter(&self) -> impl Iterator<Item = Val<'a>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// What tells elements apart, if their order does not count.
    pub(super) fn unordered(&self) -> Option<&'a [String]> {
        match self {
            Self::Json(_, Some(shape)) => shape.list_keys(),
            _ => None,
        }
    }
}

impl<'a> Entries<'a> {
    /// How many there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        match self {
            Self::Json(fields, _) => fields.len(),
            Self::Built(entries) => entries.len(),
        }
    }

    /// The value of a field by the name that it has in the object.
    pub(crate) fn field(&self, name: &str) -> Option<Val<'a>> {
        match self {
            Self::Json(fields, shape) => {
                let part = shape.and_then(|shape| part_of(shape, name));
                // A field of an object that is null counts as absent, an entry of a map does not.
                let is_absent = |value: &&Value| value.is_null() && self.has_fields();
                fields.get(name).filter(|value| !is_absent(value)).map(|value| Val::lift(value, part))
            }
            Self::Built(entries) => entries
                .iter()
                .find(|(key, _)| matches!(key, Val::Text(key) if **key == *name))
                .map(|(_, value)| value.clone()),
        }
    }

    /// True if fields are those of an object, whose names are escaped in expressions.
    pub(crate) fn has_fields(&self) -> bool {
        matches!(self, Self::Json(_, Some(shape)) if shape.has_fields())
    }

    /// What it takes to find an entry: those of made maps are looked through.
    pub(crate) fn search_length(&self) -> usize {
        match self {
            Self::Json(..) => 1,
            Self::Built(entries) => 1 + entries.len() / 4,
        }
    }

    pub(crate) fn get(&self, key: &Val<'_>, evaluation: &Evaluation) -> Result<Option<Val<'a>>, Fault> {
        evaluation.work(self.search_length())?;
        match (self, key) {
            (_, Val::Text(name)) => return Ok(self.field(name)),
            (Self::Built(entries), key) => {
                for (known, value) in entries.iter() {
                    if known.equals(key, evaluation)? {
                        return Ok(Some(value.clone()));
                    }
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Keys and values.
    pub fn iter(&self) -> Box<dyn Iterator<Item = (Val<'a>, Val<'a>)> + '_> {
        match self {
            Self::Json(fields, shape) => {
                let fields: &'a Map<String, Value> = fields;
                let shape = *shape;
                Box::new(fields.iter().map(move |(name, value)| {
                    let part = shape.and_then(|shape| part_of(shape, name));
                    (Val::Text(Shared::Held(name.as_str())), Val::lift(value, part))
                }))
            }
            Self::Built(entries) => Box::new(entries.iter().cloned()),
        }
    }
}

fn part_of<'s>(shape: &'s dyn Shape, name: &str) -> Option<&'s dyn Shape> {
    shape.field(name).or_else(|| shape.map_value())
}
