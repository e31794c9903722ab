//! Specifications of definitions, worked out once however often they are written and however many clusters serve them.
//!
//! Checking and compiling the schemas of a definition takes far longer than finding out that they are known already.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use super::check;
use super::definition::Version;
use crate::apply::Shape;
use crate::error::FieldError;
use crate::object::ObjectFields;

/// The specification of a definition with what follows from it alone.
#[derive(Debug)]
pub(crate) struct Specification {
    spec: Value,
    versions: OnceLock<Arc<[Version]>>,
    shapes: OnceLock<Arc<[Shape]>>,
    errors: OnceLock<Vec<FieldError>>,
}

impl Specification {
    fn new(spec: Value) -> Self {
        Self { spec, versions: OnceLock::new(), shapes: OnceLock::new(), errors: OnceLock::new() }
    }

    /// What was written.
    pub(crate) fn spec(&self) -> &Value {
        &self.spec
    }

    /// The versions with their schemas compiled.
    pub(crate) fn versions(&self) -> &Arc<[Version]> {
        self.versions.get_or_init(|| self.spec.list(&["versions"]).iter().map(Version::read).collect())
    }

    /// How objects of each version merge.
    pub(crate) fn shapes(&self) -> &Arc<[Shape]> {
        let shape = |version: &Value| match version.at(&["schema", "openAPIV3Schema"]) {
            Some(schema) => Shape::of_schema(schema),
            None => Shape::untyped(),
        };
        self.shapes.get_or_init(|| self.spec.list(&["versions"]).iter().map(shape).collect())
    }

    /// What the API server refuses in it.
    pub(crate) fn errors(&self) -> &[FieldError] {
        self.errors.get_or_init(|| check::specification_errors(self))
    }
}

/// Specifications that are known. Clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct Specifications(Arc<Mutex<Known>>);

#[derive(Debug)]
struct Known {
    /// By what the definition is named after, the one that was asked for last first.
    by_name: HashMap<String, Vec<Arc<Specification>>>,
    count: usize,
    /// How many there may be before those go that nobody uses.
    limit: usize,
}

/// How many specifications are kept at least.
const KEPT: usize = 256;

impl Default for Known {
    fn default() -> Self {
        Self { by_name: HashMap::new(), count: 0, limit: KEPT }
    }
}

impl Specifications {
    /// The specification of this text, which is the same for the same text.
    pub(crate) fn specification(&self, spec: &Value) -> Arc<Specification> {
        // Nothing that panics runs while the lock is held.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A digest of the whole text would take longer than to compare it with the few of its name.
        let name = format!("{}.{}", spec.text(&["names", "plural"]), spec.text(&["group"]));
        let same_name = known.by_name.entry(name).or_default();
        if let Some(place) = same_name.iter().position(|other| other.spec() == spec) {
            let found = Arc::clone(&same_name[place]);
            same_name[..=place].rotate_right(1);
            return found;
        }
        let new = Arc::new(Specification::new(spec.clone()));
        same_name.insert(0, Arc::clone(&new));
        known.count += 1;
        if known.count > known.limit {
            known.forget_unused();
        }
        new
    }
}

impl Known {
    fn forget_unused(&mut self) {
        for same_name in self.by_name.values_mut() {
            same_name.retain(|known| Arc::strong_count(known) > 1);
        }
        self.by_name.retain(|_, same_name| !same_name.is_empty());
        self.count = self.by_name.values().map(Vec::len).sum();
        self.limit = KEPT.max(2 * self.count);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(number: usize) -> Value {
        json!({"group": format!("g{number}.example"), "versions": [{"name": "v1"}]})
    }

    #[test]
    fn equal_specifications_are_one() {
        let known = Specifications::default();
        let first = known.clone().specification(&spec(1));
        assert!(Arc::ptr_eq(&first, &known.specification(&spec(1))));
        assert!(!Arc::ptr_eq(&first, &known.specification(&spec(2))));
        assert_eq!(first.spec(), &spec(1));
        assert_eq!(first.versions().len(), 1);
    }

    #[test]
    fn those_of_one_name_are_told_apart_in_any_order() {
        let known = Specifications::default();
        let variant =
            |number: usize| json!({"group": "a.example", "versions": [{"name": format!("v{number}")}]});
        let all: Vec<_> = (0..5).map(|number| known.specification(&variant(number))).collect();
        for number in [3, 0, 4, 4, 1, 2, 0] {
            assert!(Arc::ptr_eq(&all[number], &known.specification(&variant(number))), "{number}");
        }
        assert_eq!(known.0.lock().unwrap().count, 5);
    }

    #[test]
    fn what_follows_from_a_specification_stays() {
        let known = Specifications::default();
        let refused = known.specification(&spec(1)).errors().to_vec();
        assert!(refused.iter().any(|error| error.field == "spec.scope"), "{refused:?}");
        assert_eq!(known.specification(&spec(1)).errors(), refused);
        assert_eq!(known.specification(&spec(1)).shapes().len(), 1);
        let other = json!({"group": "g1.example", "scope": "Cluster", "versions": []});
        assert!(known.specification(&other).errors().iter().all(|error| error.field != "spec.scope"));
    }

    #[test]
    fn those_that_nobody_uses_go_when_there_are_many() {
        let known = Specifications::default();
        let used: Vec<_> = (0..10).map(|number| known.specification(&spec(number))).collect();
        for number in 10..10 * KEPT {
            known.specification(&spec(number));
            assert!(known.0.lock().unwrap().count <= KEPT + 1);
        }
        for (number, used) in used.iter().enumerate() {
            assert!(Arc::ptr_eq(used, &known.specification(&spec(number))));
        }
    }
}
