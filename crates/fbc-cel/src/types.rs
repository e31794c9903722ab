//! Types of expressions, and those that schemas give to values.

use std::fmt;
use std::rc::Rc;

use super::shape::Shape;

/// A type. Types of objects are their shapes.
#[derive(Debug, Clone)]
pub enum Type<'s> {
    /// Anything; checked when it is evaluated.
    Dyn,
    /// `null_type`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    Text,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// Elements of one type.
    List(Rc<Type<'s>>),
    /// Keys of one type, and values of one.
    Map(Rc<Type<'s>>, Rc<Type<'s>>),
    /// An object whose fields are known.
    Object(&'s dyn Shape),
    /// A value of a type, or none.
    Optional(Rc<Type<'s>>),
    /// The type of a type.
    Meta,
    /// A type of Kubernetes' libraries, such as `kubernetes.Quantity`.
    Named(&'static str),
    /// A type that a signature leaves open.
    Open(u8),
}

impl Type<'_> {
    /// True if a null may stand where this type is wanted.
    fn may_be_null(&self) -> bool {
        matches!(
            self,
            Self::Null
                | Self::Object(_)
                | Self::Named(_)
                | Self::Duration
                | Self::Timestamp
                | Self::Optional(_)
        )
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn)
    }
}

/// What open types of a signature turned out to be.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bindings<'s> {
    found: [Option<Type<'s>>; 3],
}

impl<'s> Bindings<'s> {
    /// True if a value of type `given` fits where `wanted` is; open types are bound on the way.
    pub(crate) fn accepts(&mut self, wanted: &Type<'s>, given: &Type<'s>) -> bool {
        match (wanted, given) {
            (Type::Open(name), given) => {
                let place = usize::from(*name);
                match self.found.get(place).cloned().flatten() {
                    None => {
                        if let Some(place) = self.found.get_mut(place) {
                            *place = Some(given.clone());
                        }
                        true
                    }
                    Some(bound) if bound.is_dyn() => true,
                    Some(bound) => {
                        let fits = self.accepts(&bound, given) || self.accepts(given, &bound);
                        if fits
                            && (given.is_dyn() || matches!(bound, Type::Null))
                            && let Some(place) = self.found.get_mut(place)
                        {
                            *place = Some(given.clone());
                        }
                        fits
                    }
                }
            }
            (_, Type::Open(_)) | (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::List(wanted), Type::List(given)) | (Type::Optional(wanted), Type::Optional(given)) => {
                self.accepts(wanted, given)
            }
            (Type::Map(key, value), Type::Map(given_key, given_value)) => {
                self.accepts(key, given_key) && self.accepts(value, given_value)
            }
            (Type::Object(wanted), Type::Object(given)) => std::ptr::addr_eq(*wanted, *given),
            (Type::Named(wanted), Type::Named(given)) => wanted == given,
            (wanted, Type::Null) => wanted.may_be_null(),
            _ => std::mem::discriminant(wanted) == std::mem::discriminant(given),
        }
    }

    /// A type with its open parts filled in; what stayed open is anything.
    pub(crate) fn resolve(&self, wanted: &Type<'s>) -> Type<'s> {
        match wanted {
            Type::Open(name) => self.found.get(usize::from(*name)).cloned().flatten().unwrap_or(Type::Dyn),
            Type::List(item) => Type::List(Rc::new(self.resolve(item))),
            Type::Optional(item) => Type::Optional(Rc::new(self.resolve(item))),
            Type::Map(key, value) => Type::Map(Rc::new(self.resolve(key)), Rc::new(self.resolve(value))),
            other => other.clone(),
        }
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn | Self::Open(_) => formatter.write_str("dyn"),
            Self::Null => formatter.write_str("null"),
            Self::Bool => formatter.write_str("bool"),
            Self::Int => formatter.write_str("int"),
            Self::Uint => formatter.write_str("uint"),
            Self::Double => formatter.write_str("double"),
            Self::Text => formatter.write_str("string"),
            Self::Bytes => formatter.write_str("bytes"),
            Self::Duration => formatter.write_str("google.protobuf.Duration"),
            Self::Timestamp => formatter.write_str("google.protobuf.Timestamp"),
            Self::List(item) => write!(formatter, "list({item})"),
            Self::Map(key, value) => write!(formatter, "map({key}, {value})"),
            Self::Object(_) => formatter.write_str("object"),
            Self::Optional(item) => write!(formatter, "optional_type({item})"),
            Self::Meta => formatter.write_str("type"),
            Self::Named(name) => formatter.write_str(name),
        }
    }
}
