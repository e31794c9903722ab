//! Validating values against a schema, with the texts and the order of the API server.

use fbc_go::json;
use fbc_go::text::quote;
use serde_json::{Number, Value};

use super::earlier::EarlierItems;
use super::format::Format;
use super::go_value::{go_float, go_number, go_value};
use super::path::Path;
use super::structural::{Checks, MapType, Schema, ValueType};
use super::work::Work;
use crate::distinct::distinct;
use crate::error::{FieldError, FieldReason};

/// Validates a value and all below it. Errors of parts that are the same in `old` are left out.
///
/// It takes the work that it needs. Once that is used up nothing is checked, which the caller has to report.
///
/// Returns how many checks passed, which decides which alternative of `anyOf` and `oneOf` is reported.
///
/// Source: `kubernetes/kube-openapi:pkg/validation/validate`,
/// `kubernetes/apiextensions-apiserver:pkg/apiserver/validation`.
pub(crate) fn validate(
    value: &Value,
    old: Option<&Value>,
    schema: &Schema,
    path: &Path<'_>,
    work: &Work,
    errors: &mut Vec<FieldError>,
) -> u32 {
    let before = errors.len();
    let passed = Validation { schema, checks: &schema.checks, path, old, work }.run(value, errors);
    if errors.len() > before && old == Some(value) {
        errors.truncate(before);
    }
    passed
}

pub(super) struct Validation<'v> {
    pub(super) schema: &'v Schema,
    pub(super) checks: &'v Checks,
    pub(super) path: &'v Path<'v>,
    pub(super) old: Option<&'v Value>,
    pub(super) work: &'v Work,
}

impl Validation<'_> {
    pub(super) fn run(&self, value: &Value, errors: &mut Vec<FieldError>) -> u32 {
        if !self.work.take(self.effort(value)) {
            return 0;
        }
        let mut passed = self.value_type(value, errors);
        if value.is_null() {
            return passed + self.values(value, errors);
        }
        if self.checks.has_combinators() {
            passed += self.combinators(value, errors);
        }
        passed += match value {
            Value::String(text) => self.text(text, errors),
            Value::Number(number) => self.number(number, errors),
            Value::Array(items) => self.list(items, errors),
            _ => 0,
        };
        passed += self.values(value, errors);
        if let Value::Object(fields) = value {
            passed += self.object(fields, errors);
        }
        passed + 4
    }

    /// What the checks of this place alone take.
    fn effort(&self, value: &Value) -> usize {
        let of_value = match value {
            Value::String(text) if self.checks.format.is_some() => text.len(),
            Value::String(text) => text.len() / 64,
            Value::Array(items) if self.checks.unique_items => items.len(),
            Value::Object(fields) => fields.len() + self.checks.required.len(),
            _ => 0,
        };
        1 + self.checks.values.len() + of_value
    }

    fn value_type(&self, value: &Value, errors: &mut Vec<FieldError>) -> u32 {
        let format = self.format();
        if !self.schema.int_or_string && self.schema.value_type.is_none() && format.is_none() {
            return 0;
        }
        let allows = |wanted: ValueType| {
            if self.schema.int_or_string {
                matches!(wanted, ValueType::Integer | ValueType::String)
            } else {
                self.schema.value_type == Some(wanted)
            }
        };
        let wanted = || match self.schema.value_type {
            _ if self.schema.int_or_string => "integer,string",
            Some(value_type) => value_type.name(),
            None => "",
        };
        let (is, own_format, fits) = match value {
            Value::Null => {
                let typed = self.schema.int_or_string || self.schema.value_type.is_some();
                ("null", "", !typed || self.schema.nullable)
            }
            Value::Bool(_) => ("boolean", "", allows(ValueType::Boolean)),
            Value::String(_) => ("string", "", allows(ValueType::String)),
            Value::Array(_) => ("array", "", allows(ValueType::Array)),
            Value::Object(_) => ("object", "", allows(ValueType::Object)),
            Value::Number(number) if number.is_f64() => {
                let whole = number.as_f64().is_some_and(is_whole) && allows(ValueType::Integer);
                ("number", "float64", whole || allows(ValueType::Number))
            }
            Value::Number(_) => ("integer", "int64", allows(ValueType::Integer) || allows(ValueType::Number)),
        };
        let numeric = allows(ValueType::Integer) || allows(ValueType::Number);
        let is_text_or_list = matches!(value, Value::String(_) | Value::Array(_));
        match format {
            Some(_) if value.is_null() && fits => 1,
            Some(format) if !is_text_or_list && !value.is_null() && !fits => {
                self.report(errors, self.mistyped(format.name, own_format));
                0
            }
            Some(_) if !numeric && is_text_or_list => 1,
            _ if fits => 1,
            _ => {
                self.report(errors, self.mistyped(wanted(), is));
                0
            }
        }
    }

    fn mistyped(&self, wanted: &str, is: &str) -> FieldError {
        let text = quote(is);
        let detail = format!("{} in body must be of type {wanted}: {text}", self.path.dotted());
        self.error(FieldReason::TypeInvalid, text, detail)
    }

    /// Formats of other types are ignored.
    fn format(&self) -> Option<Format> {
        self.checks.format.filter(|format| match self.schema.value_type {
            _ if self.schema.int_or_string => format.is_of_text(),
            Some(ValueType::Integer) => format.is_of_whole_numbers(),
            Some(ValueType::Number) => format.is_of_numbers(),
            Some(ValueType::String) | None => format.is_of_text(),
            Some(_) => false,
        })
    }

    fn text(&self, text: &str, errors: &mut Vec<FieldError>) -> u32 {
        if let Some(error) = self.text_fault(text) {
            self.report(errors, error);
        }
        if let Some(format) = self.format()
            && !format.fits(text)
        {
            let detail =
                format!("{} in body must be of type {}: {}", self.path.dotted(), format.name, quote(text));
            self.report(errors, self.error(FieldReason::TypeInvalid, quote(text), detail));
        }
        0
    }

    fn text_fault(&self, text: &str) -> Option<FieldError> {
        let Checks { min_length, max_length, pattern, .. } = self.checks;
        if min_length.is_some() || max_length.is_some() {
            // Most texts are shorter in bytes than they may be in characters.
            let length = if max_length.is_some_and(|most| length_of(text) <= most) && min_length.is_none() {
                0
            } else {
                length_of_characters(text)
            };
            if let Some(most) = max_length.filter(|&most| length > most) {
                return Some(self.error(
                    FieldReason::TooLong,
                    "",
                    format!("may not be more than {most} bytes"),
                ));
            }
            if let Some(least) = min_length.filter(|&least| length < least) {
                return Some(self.invalid(quote(text), &format!("should be at least {least} chars long")));
            }
        }
        let pattern =
            pattern.as_ref().filter(|pattern| pattern.is_match(text, &self.work.steps) == Ok(false))?;
        Some(self.invalid(quote(text), &format!("should match '{}'", pattern.source())))
    }

    fn number(&self, number: &Number, errors: &mut Vec<FieldError>) -> u32 {
        let value = number.as_f64().unwrap_or_default();
        self.in_range(value, number.is_f64(), "Checked", errors);
        let whole = if number.is_f64() { None } else { number.as_i64() };
        let limit = |limit: f64| if whole.is_some() { go_float(limit.trunc()) } else { go_float(limit) };
        let mut report = |limit_value: f64, prefix: &str, fails: bool, words: String| {
            self.in_range(limit_value, limit_value.fract() != 0.0, prefix, errors);
            if fails {
                self.report(errors, self.invalid(go_number(number), &words));
            }
        };
        let Checks { multiple_of, minimum, exclusive_minimum, maximum, exclusive_maximum, .. } = *self.checks;
        if let Some(factor) = multiple_of {
            report(
                factor,
                "MultipleOf",
                !is_multiple(whole, value, factor),
                format!("should be a multiple of {}", limit(factor)),
            );
        }
        if let Some(least) = minimum {
            let below = compare(whole, value, least);
            let fails = below.is_lt() || exclusive_minimum && below.is_eq();
            let than = if exclusive_minimum { "greater than" } else { "greater than or equal to" };
            report(least, "Minimum boundary", fails, format!("should be {than} {}", limit(least)));
        }
        if let Some(most) = maximum {
            let above = compare(whole, value, most);
            let fails = above.is_gt() || exclusive_maximum && above.is_eq();
            let than = if exclusive_maximum { "less than" } else { "less than or equal to" };
            report(most, "Maximum boundary", fails, format!("should be {than} {}", limit(most)));
        }
        1
    }

    /// Whether a number fits into the type and format; the error has no field.
    fn in_range(&self, value: f64, is_fractional: bool, prefix: &str, errors: &mut Vec<FieldError>) {
        let format = self.format();
        let format_name = format.map(|format| format.name);
        let fits = match self.schema.value_type {
            Some(ValueType::Integer) if !self.schema.int_or_string => {
                let fits_whole = !is_fractional || value.fract() == 0.0;
                fits_whole
                    && (format_name != Some("int32") || (-2_147_483_648.0..=2_147_483_647.0).contains(&value))
            }
            Some(ValueType::Number) => format_name != Some("float") || value.abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if !fits {
            let kind = self.schema.value_type.map_or("", ValueType::name);
            let format =
                format_name.map_or("(default format)".to_owned(), |format| format!("with format {format}"));
            let detail = format!("{prefix} value must be of type {kind} {format} in {}", self.path.dotted());
            self.report(errors, FieldError::new(self.path.root(), FieldReason::Invalid, "\"\"", detail));
        }
    }

    fn list(&self, items: &[Value], errors: &mut Vec<FieldError>) -> u32 {
        let mut passed = 1;
        if let Some(schema) = &self.schema.items {
            let earlier = EarlierItems::of(self.schema, self.old);
            for (index, item) in items.iter().enumerate() {
                let old = earlier.same_as(item);
                passed += validate(item, old, schema, &Path::Index(self.path, index), self.work, errors);
            }
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        if let Some(least) = self.checks.min_items.filter(|&least| count < least) {
            self.report(
                errors,
                self.invalid(count.to_string(), &format!("should have at least {least} items")),
            );
        }
        if let Some(most) = self.checks.max_items.filter(|&most| count > most) {
            self.report(errors, self.too_many(count, most));
        }
        let repeats = || distinct(items.iter()).len() < items.len();
        if self.checks.unique_items && repeats() {
            self.report(errors, self.invalid("\"\"", "shouldn't contain duplicates"));
        }
        passed
    }

    /// Go's text for both kinds is `must have at most N items`.
    fn too_many(&self, count: i64, most: i64) -> FieldError {
        self.error(FieldReason::TooMany, count.to_string(), format!("must have at most {most} items"))
    }

    fn values(&self, value: &Value, errors: &mut Vec<FieldError>) -> u32 {
        let allowed = &self.checks.values;
        if allowed.is_empty() || allowed.iter().any(|allowed| same_value(allowed, value)) {
            return 0;
        }
        let written =
            |value: &Value| quote(&value.as_str().map_or_else(|| json::encode(value), str::to_owned));
        let supported: Vec<String> = allowed.iter().map(written).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.report(errors, self.error(FieldReason::NotSupported, go_value(value), detail));
        0
    }

    fn object(&self, fields: &serde_json::Map<String, Value>, errors: &mut Vec<FieldError>) -> u32 {
        let mut passed = 0;
        let count = i64::try_from(fields.len()).unwrap_or(i64::MAX);
        if let Some(least) = self.checks.min_properties.filter(|&least| count < least) {
            self.report(
                errors,
                self.invalid(count.to_string(), &format!("should have at least {least} properties")),
            );
        }
        if let Some(most) = self.checks.max_properties.filter(|&most| count > most) {
            self.report(errors, self.too_many(count, most));
        }
        let old = self.old.filter(|_| self.schema.map_type != Some(MapType::Atomic));
        let mut part = |name: &str, value: &Value, schema: &Schema, errors: &mut Vec<FieldError>| {
            passed += validate(
                value,
                old.and_then(|old| old.get(name)),
                schema,
                &Path::Field(self.path, name),
                self.work,
                errors,
            );
        };
        if let Some(additional) = &self.schema.additional {
            for (name, value) in fields.iter().filter(|(name, _)| !self.schema.properties.contains_key(*name))
            {
                part(name, value, additional, errors);
            }
        }
        for (name, value) in fields {
            if let Some(schema) = self.schema.properties.get(name) {
                part(name, value, schema, errors);
            }
        }
        for name in self.checks.required.iter().filter(|name| !fields.contains_key(*name)) {
            self.report(errors, FieldError::required(Path::Field(self.path, name).dotted_field(), ""));
        }
        passed
    }

    fn report(&self, errors: &mut Vec<FieldError>, error: FieldError) {
        self.work.report(errors, error);
    }

    fn invalid(&self, value: impl Into<String>, words: &str) -> FieldError {
        self.error(FieldReason::Invalid, value, format!("{} in body {words}", self.path.dotted()))
    }

    fn error(&self, reason: FieldReason, value: impl Into<String>, detail: String) -> FieldError {
        FieldError::new(self.path.dotted_field(), reason, value, detail)
    }
}

/// Numbers are equal whatever way they are written.
fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Null, Value::Null) => false,
        _ => left == right,
    }
}

fn length_of(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

fn length_of_characters(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

/// Within the range in which every whole number is a float.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0
}

/// Whole numbers are compared with whole limits, as Go does after it cut the fraction off.
fn compare(whole: Option<i64>, value: f64, limit: f64) -> std::cmp::Ordering {
    #[expect(clippy::cast_possible_truncation, reason = "Go cuts the fraction off as well")]
    match whole {
        Some(whole) => whole.cmp(&(limit as i64)),
        None => value.partial_cmp(&limit).unwrap_or(std::cmp::Ordering::Equal),
    }
}

fn is_multiple(whole: Option<i64>, value: f64, factor: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "Go cuts the fraction off as well")]
    match whole {
        Some(whole) if factor >= 1.0 => whole.checked_rem(factor as i64).is_none_or(|rest| rest == 0),
        _ if factor <= 0.0 => true,
        _ if factor < 1.0 => is_whole(1.0 / factor * value),
        _ => is_whole(value / factor),
    }
}
