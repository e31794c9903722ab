//! The functions of templates.
//!
//! Source of the behaviour: `golang/go:src/text/template/funcs.go`.

use crate::allowance::{Allowance, Exceeded};
use crate::base64;

use super::escape::{html, js, query};
use super::execution::NO_VALUE;
use super::format;
use super::value::Value;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    And,
    Base64Decode,
    Call,
    Exists,
    Html,
    Index,
    Slice,
    Js,
    Len,
    Not,
    Or,
    Print,
    Printf,
    Println,
    UrlQuery,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Functions of templates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functions {
    /// Those of Go.
    #[default]
    Go,
    /// Those of Go, `exists` and `base64decode`, as kubectl has them.
    Kubectl,
}

impl Functions {
    /// A function by its name.
    pub(super) fn find(self, name: &str) -> Option<Function> {
        let of_kubectl: &[(&str, Function)] = match self {
            Self::Go => &[],
            Self::Kubectl => &OF_KUBECTL,
        };
        let mut known = NAMES.iter().chain(of_kubectl);
        known.find(|(known, _)| *known == name).map(|(_, function)| *function)
    }
}

/// Source: `kubernetes/cli-runtime:pkg/printers/template.go`.
const OF_KUBECTL: [(&str, Function); 2] =
    [("base64decode", Function::Base64Decode), ("exists", Function::Exists)];

/// Every function of Go by its name.
const NAMES: [(&str, Function); 19] = [
    ("and", Function::And),
    ("call", Function::Call),
    ("html", Function::Html),
    ("index", Function::Index),
    ("slice", Function::Slice),
    ("js", Function::Js),
    ("len", Function::Len),
    ("not", Function::Not),
    ("or", Function::Or),
    ("print", Function::Print),
    ("printf", Function::Printf),
    ("println", Function::Println),
    ("urlquery", Function::UrlQuery),
    ("eq", Function::Equal),
    ("ne", Function::NotEqual),
    ("lt", Function::Less),
    ("le", Function::LessOrEqual),
    ("gt", Function::Greater),
    ("ge", Function::GreaterOrEqual),
];

/// Why a function does not take its arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    #[error("call of nil")]
    CallOfNil,
    #[error("of type {0}")]
    NotAFunction(&'static str),
    #[error("base64 decode failed: {0}")]
    Base64(base64::Base64Error),
    #[error("len of type {0}")]
    Length(&'static str),
    #[error("reflect: call of reflect.Value.Type on zero Value")]
    LengthOfNothing,
    #[error("{0} of nil pointer")]
    NilPointer(&'static str),
    #[error("{0} of untyped nil")]
    UntypedNil(&'static str),
    #[error("can't {0} item of type {1}")]
    ItemType(&'static str, &'static str),
    #[error("cannot index slice/array with nil")]
    IndexNil,
    #[error("cannot index slice/array with type {0}")]
    IndexType(&'static str),
    #[error("index out of range: {0}")]
    OutOfRange(i64),
    #[error("reflect: {0} index out of range")]
    Reflect(&'static str),
    #[error("value is nil; should be of type string")]
    NilKey,
    #[error("value has type {0}; should be string")]
    KeyType(&'static str),
    #[error("too many slice indexes: {0}")]
    TooManyIndexes(usize),
    #[error("cannot 3-index slice a string")]
    ThreeIndexes,
    #[error("invalid slice index: {0} > {1}")]
    Range(usize, usize),
    #[error("missing argument for comparison")]
    NothingToCompare,
    #[error("incompatible types for comparison: {0} and {1}")]
    Incompatible(&'static str, &'static str),
    #[error("non-comparable type {0}: {1}")]
    NotComparable(String, &'static str),
    #[error("invalid type for comparison")]
    NotOrdered,
    #[error("{0} (limit {name})", name = .0.name())]
    Exceeded(#[from] Exceeded),
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    Exactly(usize),
    AtLeast(usize),
}

impl Function {
    pub(super) fn arity(self) -> Arity {
        match self {
            Self::Html | Self::Js | Self::UrlQuery | Self::Print | Self::Println => Arity::AtLeast(0),
            Self::And
            | Self::Or
            | Self::Call
            | Self::Exists
            | Self::Index
            | Self::Slice
            | Self::Printf
            | Self::Equal => Arity::AtLeast(1),
            Self::Base64Decode | Self::Len | Self::Not => Arity::Exactly(1),
            Self::NotEqual | Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => {
                Arity::Exactly(2)
            }
        }
    }

    /// Calls a function that looks at all of its arguments.
    pub(super) fn call(self, arguments: &[Value], allowance: &Allowance) -> Result<Value, CallError> {
        let first = arguments.first().unwrap_or(&Value::Nothing);
        let second = arguments.get(1).unwrap_or(&Value::Nothing);
        let rest = arguments.get(1..).unwrap_or_default();
        let printed = || match arguments {
            [Value::Text(text)] => text.to_vec(),
            _ => {
                let shown: Vec<Value> = arguments.iter().map(as_printed).collect();
                format::print(&shown)
            }
        };
        // Before it is made; escapes are up to six bytes long.
        let print = |longest: usize| {
            let bytes = arguments.iter().map(|value| value.extent().bytes.saturating_add(NO_VALUE.len()));
            allowance.bytes(bytes.fold(0, usize::saturating_add).saturating_mul(longest))
        };
        match self {
            Self::Html | Self::Js | Self::UrlQuery => print(6)?,
            Self::Print | Self::Println | Self::Base64Decode => print(1)?,
            _ => {}
        }
        match self {
            // Handled where arguments are evaluated; calling what is no function is all that is left.
            Self::And | Self::Or => Ok(first.clone()),
            Self::Call if first.is_nil() => Err(CallError::CallOfNil),
            Self::Call => Err(CallError::NotAFunction(first.type_name())),
            Self::Html => Ok(Value::text(html(&printed()))),
            Self::Js => Ok(Value::text(js(&printed()))),
            Self::UrlQuery => Ok(Value::text(query(&printed()))),
            Self::Exists => Ok(Value::Bool(exists(first, rest))),
            Self::Base64Decode => {
                let Value::Text(text) = first else { return Ok(Value::Nothing) };
                match base64::decode(&String::from_utf8_lossy(text)) {
                    Ok(bytes) => Ok(Value::text(bytes)),
                    Err(error) => Err(CallError::Base64(error)),
                }
            }
            Self::Index => index(first, rest),
            Self::Slice => slice(first, rest, allowance),
            Self::Len => match first {
                Value::Text(text) => Ok(Value::Int(text.len() as i64)),
                Value::List(items) => Ok(Value::Int(items.len() as i64)),
                Value::Map(members) => Ok(Value::Int(members.len() as i64)),
                Value::Null => Err(CallError::NilPointer("len")),
                Value::Nothing => Err(CallError::LengthOfNothing),
                other => Err(CallError::Length(other.type_name())),
            },
            Self::Not => Ok(Value::Bool(!first.is_true())),
            Self::Print => Ok(Value::text(format::print(arguments))),
            Self::Println => Ok(Value::text(format::print_line(arguments))),
            Self::Printf => {
                let Value::Text(layout) = first else { return Ok(Value::Nothing) };
                Ok(Value::text(format::printf(layout, rest, allowance)?))
            }
            Self::Equal => equal(first, rest).map(Value::Bool),
            Self::NotEqual => equal(first, std::slice::from_ref(second)).map(|equal| Value::Bool(!equal)),
            Self::Less => less(first, second).map(Value::Bool),
            Self::LessOrEqual => less_or_equal(first, second).map(Value::Bool),
            Self::Greater => less_or_equal(first, second).map(|is| Value::Bool(!is)),
            Self::GreaterOrEqual => less(first, second).map(|is| Value::Bool(!is)),
        }
    }
}

fn as_printed(value: &Value) -> Value {
    match value {
        value if value.is_nil() => Value::text(NO_VALUE.to_vec()),
        value => value.clone(),
    }
}

fn position(index: &Value, most: usize) -> Result<usize, CallError> {
    let number = match index {
        Value::Int(number) => *number,
        Value::Byte(byte) => i64::from(*byte),
        nil if nil.is_nil() => return Err(CallError::IndexNil),
        other => return Err(CallError::IndexType(other.type_name())),
    };
    let position = usize::try_from(number).ok().filter(|position| *position <= most);
    position.ok_or(CallError::OutOfRange(number))
}

fn index(item: &Value, indexes: &[Value]) -> Result<Value, CallError> {
    let mut item = match item {
        nil if nil.is_nil() => return Err(CallError::UntypedNil("index")),
        item => item.clone(),
    };
    for index in indexes {
        item = match &item {
            Value::Text(text) => {
                let position = position(index, text.len())?;
                Value::Byte(*text.get(position).ok_or(CallError::Reflect("string"))?)
            }
            Value::List(items) => {
                let position = position(index, items.len())?;
                items.get(position).ok_or(CallError::Reflect("slice"))?.clone()
            }
            Value::Map(members) => {
                let key = match index {
                    Value::Text(key) => String::from_utf8_lossy(key).into_owned(),
                    nil if nil.is_nil() => return Err(CallError::NilKey),
                    other => return Err(CallError::KeyType(other.type_name())),
                };
                members.get(&key).cloned().unwrap_or(Value::Null)
            }
            Value::Nothing | Value::Null => return Err(CallError::NilPointer("index")),
            other => return Err(CallError::ItemType("index", other.type_name())),
        };
    }
    Ok(item)
}

/// Whether [`index`] would find something.
fn exists(item: &Value, indexes: &[Value]) -> bool {
    // A nil by itself is there, as for reflection it is no pointer.
    let mut item = item.clone().dug();
    for index in indexes {
        let within = |count: usize| {
            let number = match index {
                Value::Int(number) => *number,
                Value::Byte(byte) => i64::from(*byte),
                _ => return None,
            };
            usize::try_from(number).ok().filter(|number| *number < count)
        };
        let found = match (&item, index) {
            (Value::Text(text), _) => {
                within(text.len()).and_then(|at| text.get(at)).map(|byte| Value::Byte(*byte))
            }
            (Value::List(items), _) => within(items.len()).and_then(|at| items.get(at)).cloned(),
            (Value::Map(members), Value::Text(key)) => {
                Some(members.get(&*String::from_utf8_lossy(key)).cloned().unwrap_or(Value::Null))
            }
            (Value::Map(members), Value::Nothing | Value::Null) => {
                Some(members.get("").cloned().unwrap_or(Value::Null))
            }
            _ => None,
        };
        let Some(found) = found else { return false };
        item = found;
    }
    !matches!(item, Value::Null)
}

fn slice(item: &Value, indexes: &[Value], allowance: &Allowance) -> Result<Value, CallError> {
    if item.is_nil() {
        return Err(CallError::UntypedNil("slice"));
    }
    if indexes.len() > 3 {
        return Err(CallError::TooManyIndexes(indexes.len()));
    }
    let length = match item {
        Value::Text(_) if indexes.len() == 3 => return Err(CallError::ThreeIndexes),
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        other => return Err(CallError::ItemType("slice", other.type_name())),
    };
    let mut range = [0, length, length];
    for (end, index) in range.iter_mut().zip(indexes) {
        *end = position(index, length)?;
    }
    let [start, end, most] = range;
    if start > end {
        return Err(CallError::Range(start, end));
    }
    if indexes.len() == 3 && end > most {
        return Err(CallError::Range(end, most));
    }
    allowance.bytes((end - start).saturating_mul(size_of_val(item)))?;
    Ok(match item {
        Value::List(items) => Value::List(items.get(start..end).unwrap_or_default().into()),
        Value::Text(text) => Value::text(text.get(start..end).unwrap_or_default().to_vec()),
        _ => Value::Nothing,
    })
}

fn incompatible(a: &Value, b: &Value) -> CallError {
    CallError::Incompatible(a.type_name(), b.type_name())
}

fn equal(first: &Value, others: &[Value]) -> Result<bool, CallError> {
    if others.is_empty() {
        return Err(CallError::NothingToCompare);
    }
    for other in others {
        let is_equal = match (first, other) {
            (Value::Int(number), Value::Byte(byte)) | (Value::Byte(byte), Value::Int(number)) => {
                *number == i64::from(*byte)
            }
            (a, b) if a.is_nil() || b.is_nil() => a.is_nil() && b.is_nil(),
            (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => {
                let shown = String::from_utf8_lossy(&format::shown(other)).into_owned();
                return Err(CallError::NotComparable(shown, other.type_name()));
            }
            (a, b) if std::mem::discriminant(a) == std::mem::discriminant(b) => a == b,
            (a, b) => return Err(incompatible(a, b)),
        };
        if is_equal {
            return Ok(true);
        }
    }
    Ok(false)
}

fn less(a: &Value, b: &Value) -> Result<bool, CallError> {
    let invalid = || Err(CallError::NotOrdered);
    if [a, b].into_iter().any(|value| {
        !matches!(value, Value::Int(_) | Value::Byte(_) | Value::Float(_) | Value::Text(_) | Value::Bool(_))
    }) {
        return invalid();
    }
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(a < b),
        (Value::Byte(a), Value::Byte(b)) => Ok(a < b),
        (Value::Int(a), Value::Byte(b)) => Ok(*a < i64::from(*b)),
        (Value::Byte(a), Value::Int(b)) => Ok(i64::from(*a) < *b),
        (Value::Float(a), Value::Float(b)) => Ok(a < b),
        (Value::Text(a), Value::Text(b)) => Ok(a < b),
        (Value::Bool(_), Value::Bool(_)) => invalid(),
        (a, b) => Err(incompatible(a, b)),
    }
}

fn less_or_equal(a: &Value, b: &Value) -> Result<bool, CallError> {
    Ok(less(a, b)? || equal(a, std::slice::from_ref(b))?)
}
