//! `anyOf`, `oneOf`, `allOf` and `not`.
//!
//! Source: `kubernetes/kube-openapi:pkg/validation/validate/schema_props.go`.

use fbc_go::text::quote;
use serde_json::Value;

use super::structural::{Checks, Schema};
use super::validate::Validation;
use crate::error::{FieldError, FieldReason};

impl Validation<'_> {
    /// Checks all combinators; returns how many checks passed.
    pub(super) fn combinators(&self, value: &Value, errors: &mut Vec<FieldError>) -> u32 {
        let Checks { any_of, all_of, one_of, not, .. } = self.checks;
        let mut passed = 1;
        let try_one = |schema: &Schema| {
            let mut errors = Vec::new();
            let passed = Validation { schema, checks: &schema.checks, ..*self }.run(value, &mut errors);
            (errors, passed)
        };
        let nameless = |text: String| FieldError::new(self.path.root(), FieldReason::Invalid, "\"\"", text);
        let place = || quote(&self.path.dotted());
        for (schemas, words, exactly_one) in [
            (any_of, "must validate at least one schema (anyOf)", false),
            (one_of, "must validate one and only one schema (oneOf). ", true),
        ] {
            if schemas.is_empty() {
                continue;
            }
            let (mut valid, mut best): (usize, Option<(Vec<FieldError>, u32)>) = (0, None);
            for schema in schemas {
                let (found, count) = try_one(schema);
                if found.is_empty() {
                    valid += 1;
                    passed += if valid == 1 { count } else { 0 };
                } else if best.as_ref().is_none_or(|(_, most)| count > *most) {
                    best = Some((found, count));
                }
            }
            if valid == 1 || !exactly_one && valid > 1 {
                continue;
            }
            let found = match (exactly_one, valid) {
                (false, _) => String::new(),
                (true, 0) => "Found none valid".to_owned(),
                (true, valid) => format!("Found {valid} valid alternatives"),
            };
            self.work.report(errors, nameless(format!("{} {words}{found}", place())));
            if valid == 0 {
                errors.extend(best.into_iter().flat_map(|(found, _)| found));
            }
        }
        if !all_of.is_empty() {
            let mut valid = 0;
            for schema in all_of {
                let (found, count) = try_one(schema);
                valid += usize::from(found.is_empty());
                passed += count;
                errors.extend(found);
            }
            if valid < all_of.len() {
                let none = if valid == 0 { ". None validated" } else { "" };
                self.work.report(
                    errors,
                    nameless(format!("{} must validate all the schemas (allOf){none}", place())),
                );
            }
        }
        if let Some(not) = not
            && try_one(not).0.is_empty()
        {
            self.work.report(errors, nameless(format!("{} must not validate the schema (not)", place())));
        }
        passed
    }
}
