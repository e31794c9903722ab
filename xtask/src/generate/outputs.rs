//! `docs/reference/outputs.md`: the shape of every JSON that commands write, taken from what they write.
//!
//! Each command runs on the samples in `testdata`, and the shapes of its answers are put together: a field that is not in
//! all of them may be absent. A change of a shape is a change of this page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Generated;
use crate::dist::fbc;
use crate::error::{Context as _, TaskError, TaskResult};

/// What a command writes, and command lines whose answers together show it; they run in `testdata`.
const OUTPUTS: [(&str, &[&str]); 30] = [
    (
        "bundle preauth",
        &[
            "bundle preauth harbour-bundle --service-account harbours/harbour-installer --rbac rbac/installer.yaml --extension pipes -o json",
            "bundle preauth dock-bundle -w harbours --service-account harbours/harbour-installer --rbac rbac/weak.yaml --extension harbour -o json",
        ],
    ),
    ("bundle rbac --diff", &["bundle rbac beacon-bundle --diff beacon-bundle-next -o json"]),
    (
        "bundle rbac --report",
        &["bundle rbac beacon-bundle --report -o json", "bundle rbac harbour-bundle --report -o json"],
    ),
    ("bundle ready", &["bundle ready harbour-bundle dock-bundle --ocp 4.20 -o json"]),
    ("cache info", &["cache info --cache-dir no-cache -o json"]),
    (
        "crd diff",
        &[
            "crd diff custom-resource-definitions/lamp-old.yaml custom-resource-definitions/lamp-cluster-scope.yaml -o json",
        ],
    ),
    ("diff", &["diff sample-catalog changed-catalog -o json"]),
    ("diff --index", &["diff released/catalog --index released/index -o json"]),
    ("doctor", &["doctor -o json"]),
    (
        "graph",
        &[
            "graph sample-catalog -o json",
            "graph sample-catalog -p lighthouse-operator -o json --semantics v1",
        ],
    ),
    ("images", &["images sample-catalog -o json"]),
    ("list bundles", &["list bundles sample-catalog -o json"]),
    ("list channels", &["list channels sample-catalog -o json"]),
    ("list packages", &["list packages sample-catalog -o json"]),
    (
        "paths",
        &[
            "paths sample-catalog lighthouse-operator -o json",
            "paths sample-catalog lighthouse-operator --from 1.1.0 -o json --channel stable",
        ],
    ),
    ("range", &["range ~1.2 -o json 1.2.9 1.x"]),
    ("repository", &["repository repositories/split -o json", "repository repositories/matrix -o json"]),
    (
        "release diff",
        &["release diff scenarios/updates/payload-4.18.8 scenarios/updates/payload-4.19.1 -o json"],
    ),
    ("release graph", &["release graph scenarios/updates/payload-4.19.1 -o json"]),
    ("release info", &["release info scenarios/updates/payload-4.19.1 -o json"]),
    (
        "release verify",
        &[
            "release verify scenarios/updates/payload-broken -o json",
            "release verify scenarios/updates/payload-4.19.1 -o json",
        ],
    ),
    (
        "resolve",
        &[
            "resolve -f gitops/catalogs.yaml gitops/extensions/tide.yaml --catalog sample=sample-catalog -o json --explain",
            "resolve lighthouse-operator --catalog sample=sample-catalog -o json",
        ],
    ),
    ("simulate", &["simulate scenarios/blocked-update.yaml -o json"]),
    ("simulate --seeds", &["simulate scenarios/install.yaml --seeds 2 -o json"]),
    (
        "simulate cluster-update",
        &[
            "simulate cluster-update --to 4.19.0 --from 4.18.8 --payload scenarios/updates/payload-4.18.8 --payload scenarios/updates/payload-4.19.0 -o json",
            "simulate cluster-update --to 4.19.0 --payload scenarios/updates/payload-4.19.0 --fleet updates/fleet.yaml --catalog updates/catalog -o json",
        ],
    ),
    (
        "simulate install",
        &[
            "simulate install dock-bundle scenarios/bundles/ferry-1.0.0 --target ocp-4.21 -o json",
            "simulate install beacon-bundle -o json",
        ],
    ),
    (
        "simulate upgrade",
        &[
            "simulate upgrade scenarios/catalogs/new scenarios/catalogs/newest -p ferry-operator --bundles scenarios/bundles -o json",
            "simulate upgrade sample-catalog changed-catalog -o json",
        ],
    ),
    (
        "updates",
        &[
            "updates updates/graph.json --from 4.18.8 --channel stable-4.19 --to 4.19.0 -o json",
            "updates updates/graph.json --from 4.18.8 --to 4.19.0 --catalog updates/catalog --operator ferry=1.1.0 -o json",
            "updates updates/broken.json -o json",
        ],
    ),
    (
        "validate, bundle validate",
        &[
            "validate two-findings broken-catalog sample-catalog -o json",
            "bundle validate broken-bundle -o json",
        ],
    ),
    ("version", &["version -o json"]),
];

const HEAD: &str = "\
# JSON outputs

What commands write with `-o json`, field by field. `[]` stands for each element of a list, `{}` for each value of an object whose
names are data. A field that is not always there is marked. [What stays as it is](../stability.md) says what you can rely on: fields
are added in any version, and neither removed nor renamed within a major one. Some outputs also have a [schema](schemas.md). `jsonl`
writes the elements of the list of findings or answers, one on each line. `verify`, `simulate --replay` and what `mirror --to-dir`
writes down need registries or recordings, and `validate -o konflux` has the shape of `TEST_OUTPUT` of Konflux: these are not shown here.
";

/// The page.
pub(super) fn page(root: &Path) -> TaskResult<Vec<Generated>> {
    let mut text = HEAD.to_owned();
    let samples = root.join("testdata");
    for (title, lines) in OUTPUTS {
        let mut shape = Shape::default();
        for line in lines {
            let printed = fbc(&samples, &line.split(' ').collect::<Vec<_>>())?;
            let value: Value = serde_json::from_slice(&printed).context(|| format!("reading fbc {line}"))?;
            if value.is_object() && !value["schemaVersion"].is_number() {
                return Err(TaskError::new(format!("fbc {line} writes an object without schemaVersion")));
            }
            shape.add(&value);
        }
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {title}\n\n| field | type |\n|---|---|\n");
        shape.rows("", &mut text);
    }
    Ok(vec![Generated { path: PathBuf::from("docs/reference/outputs.md"), content: text }])
}

/// What values look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shape {
    is_null: bool,
    is_bool: bool,
    is_number: bool,
    is_text: bool,
    /// The elements of lists.
    elements: Option<Box<Shape>>,
    /// The fields of objects, each with the number of objects that have it.
    fields: BTreeMap<String, (Shape, usize)>,
    /// The number of objects.
    objects: usize,
}

impl Shape {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => self.is_null = true,
            Value::Bool(_) => self.is_bool = true,
            Value::Number(_) => self.is_number = true,
            Value::String(_) => self.is_text = true,
            Value::Array(items) => {
                let elements = self.elements.get_or_insert_default();
                items.iter().for_each(|item| elements.add(item));
            }
            Value::Object(object) => {
                self.objects += 1;
                for (name, value) in object {
                    let (shape, count) = self.fields.entry(name.clone()).or_default();
                    shape.add(value);
                    *count += 1;
                }
            }
        }
    }

    /// The names of the types.
    fn types(&self) -> String {
        let flags = [
            (self.objects > 0, "object"),
            (self.elements.is_some(), "list"),
            (self.is_text, "text"),
            (self.is_number, "number"),
            (self.is_bool, "boolean"),
            (self.is_null, "null"),
        ];
        let names: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        if names.is_empty() { "not shown by the samples".to_owned() } else { names.join(" or ") }
    }

    /// Whether the names of the fields are data: names of objects, domains or files, which no field has.
    fn is_map(&self) -> bool {
        self.fields.keys().any(|name| !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
    }

    fn rows(&self, path: &str, text: &mut String) {
        let shown = if path.is_empty() { "the whole" } else { path };
        if path.is_empty() {
            let _ = writeln!(text, "| {shown} | {} |", self.types());
        }
        if let Some(elements) = &self.elements {
            let path = format!("{path}[]");
            let _ = writeln!(text, "| `{path}` | {} |", elements.types());
            elements.rows(&path, text);
        }
        if self.is_map() {
            let mut values = Self::default();
            self.fields.values().for_each(|(shape, _)| values.merge(shape));
            let path = format!("{path}{{}}");
            let _ = writeln!(text, "| `{path}` | {} |", values.types());
            return values.rows(&path, text);
        }
        for (name, (shape, count)) in &self.fields {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let absent = if *count < self.objects { ", may be absent" } else { "" };
            let _ = writeln!(text, "| `{path}` | {}{absent} |", shape.types());
            shape.rows(&path, text);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.is_null |= other.is_null;
        self.is_bool |= other.is_bool;
        self.is_number |= other.is_number;
        self.is_text |= other.is_text;
        if let Some(elements) = &other.elements {
            self.elements.get_or_insert_default().merge(elements);
        }
        self.objects += other.objects;
        for (name, (shape, count)) in &other.fields {
            let (known, all) = self.fields.entry(name.clone()).or_default();
            known.merge(shape);
            *all += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_of_several_answers() {
        let mut shape = Shape::default();
        shape.add(&json!({"a": [{"b": 1}, {"b": "x", "c": null}], "d": {"x.io/y": true}}));
        shape.add(&json!({"a": []}));
        let mut text = String::new();
        shape.rows("", &mut text);
        assert_eq!(
            text,
            "| the whole | object |\n| `a` | list |\n| `a[]` | object |\n| `a[].b` | text or number |\n\
             | `a[].c` | null, may be absent |\n| `d` | object, may be absent |\n| `d{}` | boolean |\n"
        );
    }
}
