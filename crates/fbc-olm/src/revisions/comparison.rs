//! How an object in the cluster differs from the one that a revision wants, and who made the difference.
//!
//! Source: `package-operator/boxcutter:machinery/comparator.go`.

use std::fmt::Write as _;

use fbc_cluster::apply::{self, FieldSet, Shape, display_path, field_set, unpack};
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use crate::names;

/// Fields that are not compared.
const IGNORED: [&[&str]; 11] = [
    &["apiVersion"],
    &["kind"],
    &["status"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

/// Fields with the manager that owns them.
type Managed = (String, FieldSet);

/// How an object differs from the one that is wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Comparison {
    /// Managers of fields that are wanted here and that somebody else took.
    conflicts: Vec<Managed>,
    /// Managers of all other fields.
    others: Vec<Managed>,
    /// The fields; `added` are those that only the object in the cluster has. Nothing where revisions never wrote.
    fields: Option<apply::Comparison>,
}

impl Comparison {
    /// Compares the object that is wanted with the one in the cluster.
    pub(super) fn of(wanted: &Object, actual: &Object, shape: &Shape) -> Self {
        let mut actual = actual.clone();
        unpack(&mut actual);
        let (wanted, compared) = (stripped(wanted), stripped(&actual));
        let fields = field_set(&wanted, shape);
        let entries = actual.list(&["metadata", "managedFields"]);
        let is_own = |entry: &Value| {
            entry["manager"] == names::OBJECT_MANAGER
                && entry["operation"] == "Apply"
                && entry.text(&["subresource"]).is_empty()
        };
        let of_entry = |entry: &Value| FieldSet::from_json(entry["fieldsV1"].clone());
        let named = |entry: &Value, fields: FieldSet| {
            (!fields.is_empty()).then(|| (entry.text(&["manager"]).to_owned(), fields))
        };
        let Some(own) = entries.iter().find(|entry| is_own(entry)) else {
            let conflicts =
                entries.iter().filter_map(|entry| named(entry, fields.intersection(&of_entry(entry))));
            return Self { conflicts: conflicts.collect(), ..Self::default() };
        };
        let mut lost = fields;
        lost.subtract(&of_entry(own));
        let lost = leaves(&lost);
        let foreign = || entries.iter().filter(|entry| entry["manager"] != names::OBJECT_MANAGER);
        let conflicts = foreign().filter_map(|entry| named(entry, of_entry(entry).intersection(&lost)));
        let others = foreign().filter_map(|entry| {
            let mut rest = of_entry(entry);
            rest.subtract(&lost);
            named(entry, rest)
        });
        Self {
            conflicts: conflicts.collect(),
            others: others.collect(),
            fields: Some(apply::compare(Some(&wanted), Some(&compared), shape)),
        }
    }

    /// True if somebody else took fields.
    pub(super) fn is_conflict(&self) -> bool {
        !self.conflicts.is_empty()
    }

    /// True if a field is not as it is wanted.
    pub(super) fn is_modified(&self) -> bool {
        self.fields.as_ref().is_some_and(|fields| !fields.modified.is_empty() || !fields.removed.is_empty())
    }

    /// The differences, as reports show them.
    pub(super) fn report(&self) -> String {
        let mut report = String::new();
        for (title, managed) in [("Conflicts", &self.conflicts), ("Other", &self.others)] {
            if managed.is_empty() {
                continue;
            }
            let _ = writeln!(report, "{title}:");
            for (manager, fields) in managed {
                let _ = writeln!(report, "- {manager:?}");
                list(&mut report, &fields.paths());
            }
        }
        let Some(fields) = &self.fields else { return report };
        let blocks = [("Added", &fields.added), ("Modified", &fields.modified), ("Removed", &fields.removed)];
        if blocks.iter().any(|(_, fields)| !fields.is_empty()) {
            report.push_str("Comparison:\n");
        }
        for (title, fields) in blocks.into_iter().filter(|(_, fields)| !fields.is_empty()) {
            let _ = writeln!(report, "- {title}:");
            list(&mut report, &leaves(fields).paths());
        }
        report
    }
}

/// Writes places, those of a level before those below it.
fn list(report: &mut String, paths: &[Vec<&str>]) {
    level(report, paths, 0);
}

fn level(report: &mut String, paths: &[Vec<&str>], depth: usize) {
    for path in paths.iter().filter(|path| path.len() == depth + 1) {
        let _ = writeln!(report, "  {}", display_path(path));
    }
    let mut rest = paths;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|path| path.get(depth) == first.get(depth)).count();
        let (below, others) = rest.split_at(same);
        let deeper: Vec<Vec<&str>> = below.iter().filter(|path| path.len() > depth + 1).cloned().collect();
        if !deeper.is_empty() {
            level(report, &deeper, depth + 1);
        }
        rest = others;
    }
}

/// The places of a set that have no places of the set below them.
fn leaves(fields: &FieldSet) -> FieldSet {
    let paths = fields.paths();
    let mut leaves = FieldSet::default();
    for path in &paths {
        if !paths.iter().any(|other| other.len() > path.len() && other.starts_with(path)) {
            leaves.insert(path);
        }
    }
    leaves
}

fn stripped(object: &Object) -> Object {
    let mut object = object.clone();
    for path in IGNORED {
        object.remove(path);
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config_map(data: Value, owner: &str, managed: Value) -> Object {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "a", "uid": "x", "managedFields": managed,
                "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": owner}],
            },
            "data": data,
        })
    }

    fn compare(actual: &Object) -> Comparison {
        let wanted = config_map(json!({"a": "1", "b": "2"}), "one", Value::Null);
        Comparison::of(&wanted, actual, &Shape::built_in("", "v1", "ConfigMap").expect("a shape"))
    }

    fn own(data: Value) -> Value {
        let owner = json!({"k:{\"uid\":\"one\"}": {}});
        json!({"manager": names::OBJECT_MANAGER, "operation": "Apply", "fieldsV1": {"f:data": data, "f:metadata": {"f:ownerReferences": owner}}})
    }

    #[test]
    fn objects_that_revisions_never_wrote_are_told_by_their_managers() {
        let foreign = |key: &str| json!([{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:data": {".": {}, key: {}}}}]);
        let stranger = compare(&config_map(json!({"c": "3"}), "two", foreign("f:c")));
        assert_eq!(stranger.report(), "");
        let taken = compare(&config_map(json!({"a": "3"}), "two", foreign("f:a")));
        assert_eq!(taken.report(), "Conflicts:\n- \"kubectl\"\n  .data.a\n");
        assert!(taken.is_conflict() && !taken.is_modified());
    }

    #[test]
    fn differences_are_listed() {
        let managed = json!([
            own(json!({"f:a": {}, "f:b": {}})),
            {"manager": "edit", "operation": "Update", "fieldsV1": {"f:data": {"f:c": {}}}},
        ]);
        let comparison = compare(&config_map(json!({"a": "9", "c": "3"}), "two", managed));
        let report = "Other:\n- \"edit\"\n  .data.c\nComparison:\n- Added:\n  .data.c\n  \
                      .metadata.ownerReferences[uid=\"two\"]\n- Modified:\n  .data.a\n- Removed:\n  .data.b\n  \
                      .metadata.ownerReferences[uid=\"one\"]\n";
        assert_eq!(comparison.report(), report);
        assert!(!comparison.is_conflict() && comparison.is_modified());
    }

    #[test]
    fn fields_that_somebody_took_are_conflicts() {
        let managed = json!([
            own(json!({"f:b": {}})),
            {"manager": "edit", "operation": "Update", "fieldsV1": {"f:data": {"f:a": {}}}},
        ]);
        let comparison = compare(&config_map(json!({"a": "9", "b": "2"}), "one", managed));
        assert!(comparison.is_conflict() && comparison.is_modified());
        assert_eq!(
            comparison.report(),
            "Conflicts:\n- \"edit\"\n  .data.a\nComparison:\n- Modified:\n  .data.a\n"
        );
        let same = compare(&config_map(
            json!({"a": "1", "b": "2"}),
            "one",
            json!([own(json!({"f:a": {}, "f:b": {}}))]),
        ));
        assert!(!same.is_conflict() && !same.is_modified());
    }
}
