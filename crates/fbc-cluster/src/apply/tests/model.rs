//! Server-side apply of small objects against a model so slow and simple that it can be read.
//!
//! The model knows maps of scalars only: an object is a map from paths to values, an owner a set of paths.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::apply::{ApplyError, FieldSet, Shape, Write, apply, record_update, unpack};
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

type Fields = BTreeMap<String, String>;

/// Something that somebody does with the labels of an object.
#[derive(Debug, Clone)]
enum Step {
    Apply { manager: u8, labels: Fields, force: bool },
    Update { manager: u8, labels: Fields },
}

#[derive(Debug, Default, Clone, PartialEq)]
struct Model {
    labels: Fields,
    appliers: BTreeMap<u8, BTreeSet<String>>,
    updaters: BTreeMap<u8, BTreeSet<String>>,
}

impl Model {
    fn owners(&mut self) -> impl Iterator<Item = &mut BTreeSet<String>> {
        self.appliers.values_mut().chain(self.updaters.values_mut())
    }

    /// The fields that a write would take from others, and what becomes of the object.
    fn apply(&mut self, manager: u8, labels: &Fields, force: bool) -> Result<(), BTreeSet<String>> {
        let mut next = self.clone();
        let last = next.appliers.remove(&manager).unwrap_or_default();
        let changed: BTreeSet<String> = labels
            .iter()
            .filter(|(key, value)| self.labels.get(*key) != Some(value))
            .map(|(key, _)| key.clone())
            .collect();
        let mut conflicts = BTreeSet::new();
        for owned in next.owners() {
            conflicts.extend(owned.intersection(&changed).cloned());
            owned.retain(|key| !changed.contains(key));
        }
        if !force && !conflicts.is_empty() {
            return Err(conflicts);
        }
        next.labels.extend(labels.clone());
        for key in last.iter().filter(|key| !labels.contains_key(*key)) {
            // Owners are counted as they were before anything was taken from them.
            let is_owned = self
                .appliers
                .iter()
                .filter(|(other, _)| **other != manager)
                .any(|(_, set)| set.contains(key))
                || self.updaters.values().any(|set| set.contains(key));
            if !is_owned {
                next.labels.remove(key);
            }
        }
        next.appliers.insert(manager, labels.keys().cloned().collect());
        *self = next;
        Ok(())
    }

    fn update(&mut self, manager: u8, labels: &Fields) {
        let keys = self.labels.keys().chain(labels.keys());
        let touched: BTreeSet<String> =
            keys.filter(|key| self.labels.get(*key) != labels.get(*key)).cloned().collect();
        for owned in self.owners() {
            owned.retain(|key| !touched.contains(key));
        }
        let set = touched.into_iter().filter(|key| labels.contains_key(key));
        self.updaters.entry(manager).or_default().extend(set);
        self.labels.clone_from(labels);
    }
}

fn object(labels: &Fields) -> Object {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "n", "labels": labels},
    })
}

/// Who owns which label, without entries that own none.
fn owners(object: &Object, operation: &str) -> BTreeMap<u8, BTreeSet<String>> {
    let mut object = object.clone();
    unpack(&mut object);
    let entries = object.list(&["metadata", "managedFields"]).iter();
    let of_operation = entries.filter(|entry| entry.text(&["operation"]) == operation);
    of_operation
        .map(|entry| {
            let fields = FieldSet::from_json(entry["fieldsV1"].clone());
            let labels = fields.paths().into_iter().filter_map(|path| match path.as_slice() {
                ["f:metadata", "f:labels", label] => Some(label.trim_start_matches("f:").to_owned()),
                _ => None,
            });
            (entry.text(&["manager"]).parse().unwrap(), labels.collect())
        })
        .filter(|(_, labels): &(u8, BTreeSet<String>)| !labels.is_empty())
        .collect()
}

fn without_empty(sets: &BTreeMap<u8, BTreeSet<String>>) -> BTreeMap<u8, BTreeSet<String>> {
    sets.iter().filter(|(_, set)| !set.is_empty()).map(|(key, set)| (*key, set.clone())).collect()
}

fn labels_of(object: &Object) -> Fields {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_object).into_iter().flatten();
    labels.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
}

fn fields() -> impl Strategy<Value = Fields> {
    // At least one label: an object that sets an empty map owns the map, which the model does not know.
    proptest::collection::btree_map("[a-d]", "[12]", 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..3_u8, fields(), any::<bool>()).prop_map(|(manager, labels, force)| Step::Apply {
            manager,
            labels,
            force
        }),
        (0..2_u8, fields()).prop_map(|(manager, labels)| Step::Update { manager, labels }),
    ]
}

proptest! {
    #[test]
    fn ownership_is_that_of_the_model(steps in proptest::collection::vec(step(), 1..12)) {
        let shape = Shape::built_in("", "v1", "ConfigMap").unwrap();
        let mut model = Model::default();
        let mut live: Option<Object> = None;
        for step in steps {
            match step {
                Step::Apply { manager, labels, force } => {
                    let name = manager.to_string();
                    let write = Write { manager: &name, subresource: "", time: Moment::START, ignored: &[] };
                    let expected = model.apply(manager, &labels, force);
                    match apply(live.as_ref(), &object(&labels), &write, force, &shape) {
                        Ok(applied) => {
                            prop_assert_eq!(expected, Ok(()));
                            live = Some(applied);
                        }
                        Err(ApplyError::Conflicts(conflicts)) => {
                            let fields: BTreeSet<String> = conflicts
                                .iter()
                                .map(|conflict| conflict.field.trim_start_matches(".metadata.labels.").to_owned())
                                .collect();
                            prop_assert_eq!(expected, Err(fields));
                        }
                        Err(ApplyError::TypeMismatch(text)) => prop_assert!(false, "{text}"),
                    }
                }
                Step::Update { manager, labels } => {
                    let name = manager.to_string();
                    let write = Write { manager: &name, subresource: "", time: Moment::START, ignored: &[] };
                    let mut new = object(&labels);
                    record_update(live.as_ref(), &mut new, &write, &shape);
                    model.update(manager, &labels);
                    live = Some(new);
                }
            }
            if let Some(live) = &live {
                prop_assert_eq!(&labels_of(live), &model.labels);
                prop_assert_eq!(owners(live, "Apply"), without_empty(&model.appliers));
                prop_assert_eq!(owners(live, "Update"), without_empty(&model.updaters));
            }
        }
    }

    #[test]
    fn sets_behave_as_sets(
        one in proptest::collection::btree_set(proptest::collection::vec("f:[ab]", 1..4), 0..6),
        other in proptest::collection::btree_set(proptest::collection::vec("f:[ab]", 1..4), 0..6),
    ) {
        type Paths = BTreeSet<Vec<String>>;
        let set = |paths: &Paths| {
            let mut set = FieldSet::default();
            paths.iter().for_each(|path| set.insert(path));
            set
        };
        let paths = |set: &FieldSet| -> Paths {
            set.paths().into_iter().map(|path| path.into_iter().map(str::to_owned).collect()).collect()
        };
        let (first, second) = (set(&one), set(&other));
        prop_assert_eq!(&paths(&first), &one);
        prop_assert_eq!(paths(&first.intersection(&second)), &one & &other);
        let mut sum = first.clone();
        sum.add(&second);
        prop_assert_eq!(paths(&sum), &one | &other);
        let mut rest = first.clone();
        prop_assert_eq!(rest.subtract(&second), !one.is_disjoint(&other));
        prop_assert_eq!(paths(&rest), &one - &other);
    }
}
