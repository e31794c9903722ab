//! Kubernetes' Go types as data, and the conversion that makes any value a value of such a type.
//!
//! The reference decodes manifests into structs with apimachinery's converter and encodes the structs
//! again: unknown fields vanish, quantities take their canonical form, empty structs appear. All of that
//! follows from the types, so the types are tables ([`types`]) and [`convert`] is the one algorithm over
//! them. It differs from `encoding/json` ([`fbc_model::go_type`]): keys count only as they are spelt,
//! numbers convert, and the errors are others.

mod convert;
pub mod json;
pub mod types;

pub use convert::{KeyOrder, TypeMismatch, convert};

/// The shape of a Go value.
#[derive(Debug)]
pub enum Shape {
    /// `string`, or a named type of that kind (the name as Go prints it).
    Text(&'static str),
    /// `bool`
    Flag,
    /// `int32` or `int64`, as named.
    Whole(&'static str),
    /// `float64`
    Float,
    /// `[]byte`: base64 text.
    Bytes,
    /// JSON of any shape, kept as it is.
    Any,
    /// `metav1.Time`: null where it is zero.
    Time,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrText,
    /// `version.OperatorVersion`: a version as text.
    OperatorVersion,
    /// `release.OperatorRelease`: identifiers with dots between them.
    OperatorRelease,
    /// `[]T`
    List(&'static Shape),
    /// `map[string]T`
    Map(&'static Shape),
    /// `*T`: nil where there is no value.
    Optional(&'static Shape),
    /// A struct.
    Struct(&'static Struct),
    /// `JSONSchemaPropsOrBool`
    SchemaOrFlag,
    /// `JSONSchemaPropsOrArray`
    SchemaOrList,
    /// `JSONSchemaPropsOrStringArray`
    SchemaOrTexts,
}

/// Plain `string`.
pub const TEXT: Shape = Shape::Text("string");

/// A Go struct; inlined structs are part of its fields.
#[derive(Debug)]
pub struct Struct {
    /// The name in Go with its package, such as `v1.Container`. That of custom resource definitions is
    /// `apiextensions`, which Go prints as the version.
    pub name: &'static str,
    /// The fields in the order in which Go writes them.
    pub fields: &'static [Field],
}

/// A field of a struct.
#[derive(Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// When it is left out.
    pub omit: Omit,
}

/// When Go leaves a field out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omit {
    /// Never.
    Never,
    /// `omitempty`: nil, zero, or without items; a struct is never empty.
    Empty,
    /// `omitzero`: nothing was given.
    Zero,
}

const fn always(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, omit: Omit::Never }
}

pub(crate) const fn omit(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, omit: Omit::Empty }
}

const fn omit_zero(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, omit: Omit::Zero }
}
