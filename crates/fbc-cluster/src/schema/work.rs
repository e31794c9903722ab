//! What the validation of an object may take: the values of a request and the checks of its definition multiply.

use std::cell::Cell;

use fbc_go::regexp::{Steps, TooManySteps};

use crate::error::FieldError;

/// The units of work of validating an object: one for each schema that a value is compared with, for each value of an `enum` or
/// name of a required field there, for each byte of a text with a format and each 64 bytes of another, 50 for each error, and one
/// for four bytes of it.
pub const VALIDATION_WORK: u64 = 5_000_000;

const WORK_OF_AN_ERROR: usize = 50;

/// What is left for an object. Once it is used up nothing more is checked or reported, which the caller has to say.
pub(crate) struct Work {
    /// What is left for matching regular expressions.
    pub(crate) steps: Steps,
    left: Cell<u64>,
    most: u64,
}

impl Work {
    /// That of a request.
    pub(crate) fn of_request() -> Self {
        Self::new(VALIDATION_WORK)
    }

    /// So many units.
    pub(crate) fn new(most: u64) -> Self {
        Self { steps: Steps::default(), left: Cell::new(most), most }
    }

    /// Takes what is about to be done; false if that is more than was left, now and ever after.
    pub(crate) fn take(&self, units: usize) -> bool {
        let left = self.left.get().saturating_sub(units as u64);
        self.left.set(left);
        left > 0
    }

    /// True once more was to be done than may be.
    pub(crate) fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }

    /// Adds an error, if there is room for it.
    pub(crate) fn report(&self, errors: &mut Vec<FieldError>, error: FieldError) {
        let bytes = error.field.len() + error.value.len() + error.detail.len();
        if self.take(WORK_OF_AN_ERROR + bytes / 4) {
            errors.push(error);
        }
    }

    /// What is said in place of all errors if there were too many, or if it took too much to find them. A real API server would
    /// go on.
    pub(crate) fn excess(&self, field: &str) -> Option<FieldError> {
        let text = || {
            let most = self.most;
            format!(
                "checking the object and saying what is wrong takes more than {most} units of work (limit validation-work)"
            )
        };
        self.is_used_up().then(|| FieldError::forbidden(field, text()))
    }

    /// What is said in addition if some regular expressions were not matched.
    pub(crate) fn excess_of_steps(&self, field: &str) -> Option<FieldError> {
        self.steps.are_used_up().then(|| FieldError::forbidden(field, TooManySteps.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::Schema;
    use crate::schema::path::Path;
    use crate::schema::validate::validate;

    /// The work of validating a value, and how many errors there are.
    fn taken(schema: &Value, value: &Value, most: u64) -> (u64, usize) {
        let work = Work::new(most);
        let mut errors = Vec::new();
        validate(value, None, &Schema::of_part(schema), &Path::Root, &work, &mut errors);
        assert_eq!(work.excess("spec").is_some(), work.left.get() == 0);
        (most - work.left.get(), errors.len())
    }

    #[test]
    fn what_multiplies_is_counted() {
        let list = |items: Value| json!({"type": "array", "items": items});
        let texts = json!(vec!["x"; 100]);
        let values: Vec<String> = (0..50).map(|number| number.to_string()).chain(["x".to_owned()]).collect();
        for (items, least) in [
            (json!({"type": "string", "enum": values}), 100 * 51),
            (json!({"anyOf": vec![json!({"type": "string"}); 40]}), 100 * 40),
            (json!({"type": "string", "format": "date"}), 100),
        ] {
            let (work, _) = taken(&list(items.clone()), &texts, u64::MAX);
            assert!(work >= least && work < 100 * least, "{items}: {work}");
            let (most, errors) = taken(&list(items), &texts, 60);
            assert!(most == 60 && errors == 0, "{most} {errors}");
        }
    }

    #[test]
    fn errors_have_an_end() {
        let names: Vec<String> = (0..100).map(|number| format!("r{number}")).collect();
        let schema = json!({"type": "array", "items": {"type": "object", "required": names}});
        let value = json!(vec![json!({}); 1_000]);
        assert_eq!(taken(&schema, &value, u64::MAX).1, 100_000);
        let (work, errors) = taken(&schema, &value, 10_000);
        assert_eq!(work, 10_000);
        assert!((100..200).contains(&errors), "{errors}");
        // A text that is shown counts with its length.
        let schema = json!({"type": "array", "items": {"type": "string", "enum": ["a".repeat(10_000)]}});
        let (_, errors) = taken(&schema, &json!(vec!["b"; 1_000]), 10_000);
        assert_eq!(errors, 3);
    }
}
