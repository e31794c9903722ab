//! Fields that are wrong, and how Go joins what is said of several.

use std::fmt;

use crate::distinct::distinct;

/// Joins field errors as Go's aggregate error does: one alone, several in brackets, equal texts once.
///
/// Source: `kubernetes/apimachinery:pkg/util/errors/errors.go`.
pub fn aggregate(causes: &[FieldError]) -> String {
    let texts: Vec<String> = causes.iter().map(ToString::to_string).collect();
    match distinct(texts.iter().map(String::as_str)).as_slice() {
        [only] => (*only).to_owned(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// A field that is wrong.
///
/// Source: `kubernetes/apimachinery:pkg/util/validation/field/errors.go`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field, such as `spec.containers[0].name`, or `<nil>` for none.
    pub field: String,
    /// What is wrong.
    pub reason: FieldReason,
    /// The value as Go prints it there, for reasons that show it; empty if it is left out.
    pub value: String,
    /// What is wrong in words; may be empty.
    pub detail: String,
}

/// What is wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldReason {
    /// `Required value`
    Required,
    /// `Invalid value`
    Invalid,
    /// `Unsupported value`
    NotSupported,
    /// `Duplicate value`
    Duplicate,
    /// `Forbidden`
    Forbidden,
    /// `Too long`
    TooLong,
    /// `Too many`
    TooMany,
    /// `Not found`
    NotFound,
    /// `Internal error`
    Internal,
    /// `Invalid value` with a type that is wrong
    TypeInvalid,
}

impl FieldReason {
    /// The reason of a cause in a `Status`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::NotFound => "FieldValueNotFound",
            Self::Internal => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    /// The words in front of value and detail.
    pub fn words(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::NotFound => "Not found",
            Self::Internal => "Internal error",
        }
    }

    /// True if the value belongs into the text.
    fn shows_value(self) -> bool {
        !matches!(self, Self::Required | Self::Forbidden | Self::TooLong | Self::Internal)
    }
}

impl FieldError {
    /// A field that is wrong, with its value as Go prints it: text quoted, objects as JSON or as Go prints structs.
    pub fn new(
        field: impl Into<String>,
        reason: FieldReason,
        value: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { field: field.into(), reason, value: value.into(), detail: detail.into() }
    }

    /// `Required value: …`
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, FieldReason::Required, "", detail)
    }

    /// `Invalid value: "text": …`
    pub fn invalid_text(field: impl Into<String>, value: &str, detail: impl Into<String>) -> Self {
        Self::new(field, FieldReason::Invalid, format!("{value:?}"), detail)
    }

    /// `Invalid value: 1: …`
    pub fn invalid_number(field: impl Into<String>, number: i64, detail: impl Into<String>) -> Self {
        Self::new(field, FieldReason::Invalid, number.to_string(), detail)
    }

    /// `Forbidden: …`
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(field, FieldReason::Forbidden, "", detail)
    }

    /// The text without the field.
    pub fn message(&self) -> String {
        let mut text = self.reason.words().to_owned();
        if self.reason.shows_value() && !self.value.is_empty() {
            text.push_str(": ");
            text.push_str(&self.value);
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.message())
    }
}
