//! Values of templates: those of Go's types that templates here can come by.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::text::push_general_number;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value: what is not there, or the result of something that has none.
    Nothing,
    /// `null` in JSON: a nil that is there.
    Null,
    /// Bytes, which need not be UTF-8.
    Text(Arc<[u8]>),
    /// An `int`.
    Int(i64),
    /// A byte of a text.
    Byte(u8),
    /// A `float64`; all numbers of JSON are.
    Float(f64),
    /// A `bool`.
    Bool(bool),
    /// A `[]interface {}`.
    List(Arc<[Self]>),
    /// A `map[string]interface {}`.
    Map(Arc<BTreeMap<String, Self>>),
    /// A struct.
    Struct(Arc<Struct>),
    /// An element of a list or a map that is not looked into yet, as loops hand it out: of type `interface {}`.
    Element(Arc<Self>),
}

/// A struct of Go.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The name of its type, such as `action.imageReferenceTemplateData`.
    pub type_name: &'static str,
    /// Its fields, in their order.
    pub fields: Vec<(&'static str, Value)>,
}

/// What Go calls the type of elements.
pub(super) const INTERFACE: &str = "interface {}";

impl From<&serde_json::Value> for Value {
    /// As `json.Unmarshal` fills an `interface{}`.
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Float(number.as_f64().unwrap_or_default()),
            serde_json::Value::String(text) => Self::Text(text.as_bytes().into()),
            serde_json::Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.clone(), Self::from(value)));
                Self::Map(Arc::new(members.collect()))
            }
        }
    }
}

/// As `%+v` prints it.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&String::from_utf8_lossy(&self.plain()))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.as_bytes().into())
    }
}

/// How large a value is when it is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Bytes of its text, about and at least.
    pub(super) bytes: usize,
    /// Values that are not made of others.
    pub(super) leaves: usize,
}

/// The longest number, and what stands around a value.
const LEAF_BYTES: usize = 24;

impl Value {
    /// A text.
    pub(super) fn text(bytes: Vec<u8>) -> Self {
        Self::Text(bytes.into())
    }

    /// How large the value is when it is printed.
    pub(super) fn extent(&self) -> Extent {
        let sum = |extents: &mut dyn Iterator<Item = (usize, Extent)>| {
            extents.fold(Extent { bytes: LEAF_BYTES, leaves: 0 }, |sum, (name, one)| Extent {
                bytes: sum.bytes + name + 2 + one.bytes,
                leaves: sum.leaves + one.leaves,
            })
        };
        match self {
            Self::Text(text) => Extent { bytes: text.len(), leaves: 1 },
            Self::List(items) => sum(&mut items.iter().map(|item| (0, item.extent()))),
            Self::Map(members) => sum(&mut members.iter().map(|(name, value)| (name.len(), value.extent()))),
            Self::Struct(of) => sum(&mut of.fields.iter().map(|(name, value)| (name.len(), value.extent()))),
            Self::Element(value) => value.extent(),
            Self::Nothing | Self::Null | Self::Int(_) | Self::Byte(_) | Self::Float(_) | Self::Bool(_) => {
                Extent { bytes: LEAF_BYTES, leaves: 1 }
            }
        }
    }

    /// What functions see of a value: what is in an element.
    pub(super) fn inner(self) -> Self {
        match self {
            Self::Element(value) => Arc::unwrap_or_clone(value).inner(),
            value => value,
        }
    }

    /// What a pipeline makes of a value: what is in an element, and nothing of a nil.
    pub(super) fn dug(self) -> Self {
        match self.inner() {
            Self::Null => Self::Nothing,
            value => value,
        }
    }

    /// True for what is not there, and for a nil.
    pub(super) fn is_nil(&self) -> bool {
        matches!(self, Self::Nothing | Self::Null)
    }

    /// The type as Go prints it.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nothing | Self::Null => "<nil>",
            Self::Text(_) => "string",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Bool(_) => "bool",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
            Self::Struct(of) => of.type_name,
            Self::Element(value) => value.type_name(),
        }
    }

    /// Whether conditions take it for true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nothing | Self::Null => false,
            Self::Text(text) => !text.is_empty(),
            Self::Int(number) => *number != 0,
            Self::Byte(byte) => *byte != 0,
            Self::Float(number) => *number != 0.0,
            Self::Bool(value) => *value,
            Self::List(items) => !items.is_empty(),
            Self::Map(members) => !members.is_empty(),
            Self::Struct(_) => true,
            Self::Element(value) => value.is_true(),
        }
    }

    /// The value as Go's `%v` prints it.
    pub(super) fn plain(&self) -> Vec<u8> {
        match self {
            Self::Nothing | Self::Null => b"<nil>".to_vec(),
            Self::Text(text) => text.to_vec(),
            Self::Int(number) => number.to_string().into_bytes(),
            Self::Byte(byte) => byte.to_string().into_bytes(),
            Self::Float(number) => {
                let mut text = String::new();
                push_general_number(&mut text, *number);
                text.into_bytes()
            }
            Self::Bool(value) => value.to_string().into_bytes(),
            Self::List(items) => {
                let items: Vec<Vec<u8>> = items.iter().map(Self::plain).collect();
                [b"[".as_slice(), &items.join(&b' '), b"]"].concat()
            }
            Self::Map(members) => {
                let member =
                    |(name, value): (&String, &Self)| [name.as_bytes(), b":", &value.plain()].concat();
                let members: Vec<Vec<u8>> = members.iter().map(member).collect();
                [b"map[".as_slice(), &members.join(&b' '), b"]"].concat()
            }
            Self::Struct(of) => {
                let fields: Vec<Vec<u8>> = of.fields.iter().map(|(_, value)| value.plain()).collect();
                [b"{".as_slice(), &fields.join(&b' '), b"}"].concat()
            }
            Self::Element(value) => value.plain(),
        }
    }
}
