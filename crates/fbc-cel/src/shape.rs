//! What is known of a place of an object before anything lies there, such as its schema.

use std::fmt;

use super::types::Type;

/// What is known of a place of an object.
pub trait Shape: fmt::Debug {
    /// The type of what lies there; nothing if expressions cannot see it.
    fn value_type(&self) -> Option<Type<'_>>;

    /// What text and numbers mean there.
    fn scalar(&self) -> Scalar;

    /// True if expressions see the fields of an object there, and not the entries of a map.
    fn has_fields(&self) -> bool;

    /// The shape of a field by the name that it has in the object.
    fn field(&self, name: &str) -> Option<&dyn Shape>;

    /// The shape of the values of a map; nothing where there is no map, or any value will do.
    fn map_value(&self) -> Option<&dyn Shape>;

    /// The shape of the elements of a list.
    fn element(&self) -> Option<&dyn Shape>;

    /// Of a list whose order does not count: the fields that tell elements apart, none for a set.
    fn list_keys(&self) -> Option<&[String]>;

    /// Of how many characters, bytes, elements or entries a value is at most.
    fn most_elements(&self) -> u64;
}

/// What text and numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Text is text, whole numbers are whole.
    Plain,
    /// Text or a whole number, of which nothing is known.
    Either,
    /// Numbers are whole.
    Integer,
    /// Numbers are fractions.
    Double,
    /// Text is base64.
    Bytes,
    /// Text is a duration.
    Duration,
    /// Text is a day.
    Date,
    /// Text is a moment.
    DateTime,
}

/// How large a request can be, in bytes.
///
/// Source: `kubernetes/apiserver:pkg/apis/cel/config.go` (`MaxRequestSizeBytes`).
pub const LARGEST_REQUEST: u64 = 3 << 20;
