//! Literal paths into objects, such as `.text(&["spec", "nodeName"])`: every step is a field of some type.
//!
//! Objects are JSON values, and an absent field reads as empty, so the compiler sees no misspelt step. What may stand
//! below what comes from the Go types of the built-in kinds, from the definitions of all others, and from the JSON
//! Schemas of our own files. `fields.txt` adds what none of these declares.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_cluster::types::{StructId, Type, types};
use serde_json::Value;

use super::{rust_text, sources};
use crate::error::{Context as _, TaskResult};

/// What no type declares, with its source.
const UNDECLARED: &str = include_str!("fields.txt");

/// The crates whose paths lead into objects of a cluster.
const CRATES: [&str; 6] =
    ["fbc-cluster", "fbc-olm", "fbc-openshift", "fbc-kubectl", "fbc-scenario", "fbc-apiserver"];

/// Parts of a path of a source file that read recorded cases or traces of sessions instead of objects.
const RECORDED_CASES: [&str; 3] = ["/replay/", "/recorded", "/record.rs"];

/// What may stand below what.
#[derive(Debug, Default)]
pub(super) struct Fields {
    names: BTreeSet<String>,
    below: BTreeSet<(String, String)>,
    /// Fields whose keys are free: maps, and objects of any shape.
    open: BTreeSet<String>,
}

impl Fields {
    /// Everything that the workspace declares.
    ///
    /// # Errors
    ///
    /// If a schema cannot be read.
    pub(super) fn of_workspace(root: &Path) -> TaskResult<Self> {
        let mut fields = Self::default();
        fields.add_types();
        let definitions = [
            fbc_openshift::definitions::of_updates(),
            fbc_openshift::definitions::machine_api(),
            fbc_openshift::definitions::machine_config(),
            fbc_olm::definitions::definitions(fbc_olm::definitions::Edition::LATEST_EXPERIMENTAL),
        ];
        for definition in definitions.iter().flatten() {
            for version in definition["spec"]["versions"].as_array().into_iter().flatten() {
                fields.add_schema(&version["schema"]["openAPIV3Schema"], None);
            }
        }
        for name in ["scenario.json"] {
            let path = root.join("schemas").join(name);
            let text = std::fs::read(&path).context(|| format!("reading {}", path.display()))?;
            let schema: Value =
                serde_json::from_slice(&text).context(|| format!("reading {}", path.display()))?;
            fields.add_schema(&schema, None);
            for definition in schema["$defs"].as_object().into_iter().flat_map(|all| all.values()) {
                fields.add_schema(definition, None);
            }
        }
        fields.add_lines(UNDECLARED);
        Ok(fields)
    }

    fn add_types(&mut self) {
        for (_, declared) in types().structs() {
            for field in &declared.fields {
                self.names.insert(field.name.to_owned());
                match shape(&field.of) {
                    Shape::Struct(id) => {
                        let names = types().get(id).fields.iter().map(|below| below.name);
                        self.below.extend(names.map(|below| (field.name.to_owned(), below.to_owned())));
                    }
                    Shape::Open => drop(self.open.insert(field.name.to_owned())),
                    Shape::Scalar => {}
                }
            }
        }
    }

    /// The properties of a JSON Schema, with what stands above them.
    fn add_schema(&mut self, schema: &Value, above: Option<&str>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.names.insert(name.clone());
            if let Some(above) = above {
                self.below.insert((above.to_owned(), name.clone()));
            }
            self.add_schema(property, Some(name));
        }
        for below in ["items", "additionalProperties"].iter().filter_map(|part| schema.get(part)) {
            self.add_schema(below, above);
        }
        for member in ["allOf", "anyOf", "oneOf"].iter().filter_map(|list| schema[list].as_array()).flatten()
        {
            self.add_schema(member, above);
        }
        let is_open = schema["additionalProperties"].is_object()
            || schema["x-kubernetes-preserve-unknown-fields"] == true;
        if let Some(above) = above.filter(|_| is_open) {
            self.open.insert(above.to_owned());
        }
    }

    /// A path to a line, its steps divided by dots; `*` as the last step says that the keys are free.
    fn add_lines(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let steps: Vec<&str> = line.split('.').collect();
            for pair in steps.windows(2) {
                if pair[1] == "*" {
                    self.open.insert(pair[0].to_owned());
                } else {
                    self.below.insert((pair[0].to_owned(), pair[1].to_owned()));
                }
            }
            self.names.extend(steps.iter().filter(|step| **step != "*").map(|&step| step.to_owned()));
        }
    }

    /// The first step of a path that no type has there; a step that is no literal may be anything.
    fn unknown<'s>(&self, steps: &[Option<&'s str>]) -> Option<&'s str> {
        let mut above: Option<&str> = None;
        for (index, step) in steps.iter().enumerate() {
            if let Some(step) = step {
                let known = match above {
                    Some(above) => {
                        self.open.contains(above)
                            || self.below.contains(&(above.to_owned(), (*step).to_owned()))
                    }
                    // A slash belongs to the key of a label or an annotation.
                    None => index > 0 || step.contains('/') || self.names.contains(*step),
                };
                if !known {
                    return Some(step);
                }
            }
            above = *step;
        }
        None
    }

    /// The paths of a source file that no type has, one message each.
    pub(super) fn check(&self, crate_name: &str, path: &str, text: &str) -> Vec<String> {
        let reads_recordings = RECORDED_CASES.iter().any(|part| path.contains(part));
        if !CRATES.contains(&crate_name) || reads_recordings || sources::holds_only_tests(path) {
            return Vec::new();
        }
        let literals = literal_paths(text);
        let unknown = literals.iter().filter_map(|(line, steps)| {
            let steps: Vec<Option<&str>> = steps.iter().map(Option::as_deref).collect();
            let step = self.unknown(&steps)?;
            Some(format!("{path}:{line}: no type has a field `{step}` at this place of the path"))
        });
        unknown.collect()
    }
}

/// What lies below a field.
enum Shape {
    Struct(StructId),
    Open,
    Scalar,
}

fn shape(of: &Type) -> Shape {
    match of {
        Type::Optional(inner) | Type::List(inner) => shape(inner),
        Type::Map(_) | Type::Raw | Type::Any | Type::Special(_) | Type::Fields => Shape::Open,
        Type::Struct(id) => Shape::Struct(*id),
        _ => Shape::Scalar,
    }
}

/// The steps of a path; `None` for one that is computed.
type Steps = Vec<Option<String>>;

/// How objects are read and written (`fbc_cluster::object::ObjectFields`), with the beginning of the path.
const ACCESSES: [&str; 8] =
    [".at(&[", ".given(&[", ".text(&[", ".number(&[", ".list(&[", ".place(&[", ".set(&[", ".remove(&["];

/// The paths of all accesses with their lines, outside of tests.
fn literal_paths(text: &str) -> Vec<(usize, Steps)> {
    let code: Vec<char> = rust_text::without_tests(&rust_text::code_only(text)).chars().collect();
    let source: Vec<char> = text.chars().collect();
    let accesses: Vec<Vec<char>> = ACCESSES.iter().map(|access| access.chars().collect()).collect();
    let mut found = Vec::new();
    let mut line = 1;
    for index in 0..code.len() {
        line += usize::from(code[index] == '\n');
        let access = accesses.iter().find(|access| code[index..].starts_with(access));
        let Some(access) = access else { continue };
        let first = index + access.len();
        let Some(length) = code[first..].iter().position(|&c| c == ']') else { continue };
        let written: String = source[first..first + length].iter().collect();
        let steps: Steps = written
            .split(',')
            .map(str::trim)
            .filter(|step| !step.is_empty())
            .map(|step| step.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map(str::to_owned))
            .collect();
        if steps.iter().any(Option::is_some) {
            found.push((line, steps));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let mut fields = Fields::default();
        fields.add_types();
        fields.add_lines("status.desired.version\nstatus.free.*");
        fields.check("fbc-cluster", "crates/fbc-cluster/src/x.rs", text)
    }

    #[test]
    fn misspelt_steps_are_found() {
        let cases = [
            (r#"o.text(&["spec", "nodeName"])"#, None),
            (r#"o.text(&["spec", "nodename"])"#, Some("nodename")),
            (r#"o.text(&["status", "desired", "version"])"#, None),
            (r#"o.text(&["status", "desired", "versoin"])"#, Some("versoin")),
            (r#"o.text(&["status", "free", "any.thing/else"])"#, None),
            (r#"o.text(&["metadata", "labels", "a.b/c"])"#, None),
            (r#"o.text(&["spec", field, "whatever"])"#, None),
            (r#"o.text(&[list, "name"])"#, None),
            (r#"o.text(&["statsu"])"#, Some("statsu")),
            (r#"// o.text(&["statsu"])"#, None),
            (r#"#[cfg(test)] mod tests { fn f() { o.text(&["statsu"]) } }"#, None),
        ];
        for (text, step) in cases {
            let expected = step.map(|step| {
                format!(
                    "crates/fbc-cluster/src/x.rs:1: no type has a field `{step}` at this place of the path"
                )
            });
            assert_eq!(messages(text), Vec::from_iter(expected), "{text}");
        }
    }

    #[test]
    fn recorded_cases_and_other_crates_are_left_out() {
        let fields = Fields::default();
        let text = r#"case.text(&["transitions"])"#;
        assert!(fields.check("fbc-scenario", "crates/fbc-scenario/src/replay/x.rs", text).is_empty());
        assert!(fields.check("fbc-lint", "crates/fbc-lint/src/x.rs", text).is_empty());
        assert_eq!(fields.check("fbc-scenario", "crates/fbc-scenario/src/x.rs", text).len(), 1);
    }
}
