//! Values of templates: those of Go's types that templates of image references can come by.

use fbc_go::text::push_general_number;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// No value: nil, or the result of something that has none.
    Nothing,
    Text(Vec<u8>),
    Int(i64),
    /// A byte of a text.
    Byte(u8),
    Float(f64),
    Bool(bool),
    /// The bundle.
    Bundle,
}

/// What a template is filled in with.
pub(super) struct BundleNames<'b> {
    pub(super) package: &'b str,
    pub(super) name: &'b str,
    pub(super) version: &'b str,
}

impl BundleNames<'_> {
    /// The fields of the bundle, in their order.
    pub(super) fn fields(&self) -> [(&'static str, &str); 3] {
        [("Package", self.package), ("Name", self.name), ("Version", self.version)]
    }
}

/// The name of the bundle's type in Go.
pub(super) const BUNDLE_TYPE: &str = "action.imageReferenceTemplateData";

impl Value {
    /// The type as Go prints it.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nothing => "<nil>",
            Self::Text(_) => "string",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Bool(_) => "bool",
            Self::Bundle => BUNDLE_TYPE,
        }
    }

    /// Whether conditions take it for true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Text(text) => !text.is_empty(),
            Self::Int(number) => *number != 0,
            Self::Byte(byte) => *byte != 0,
            Self::Float(number) => *number != 0.0,
            Self::Bool(value) => *value,
            Self::Bundle => true,
        }
    }

    /// The value as Go's `%v` prints it.
    pub(super) fn plain(&self, bundle: &BundleNames<'_>) -> Vec<u8> {
        match self {
            Self::Nothing => b"<nil>".to_vec(),
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string().into_bytes(),
            Self::Byte(byte) => byte.to_string().into_bytes(),
            Self::Float(number) => {
                let mut text = String::new();
                push_general_number(&mut text, *number);
                text.into_bytes()
            }
            Self::Bool(value) => value.to_string().into_bytes(),
            Self::Bundle => format!("{{{}}}", bundle.fields().map(|(_, text)| text).join(" ")).into_bytes(),
        }
    }
}
