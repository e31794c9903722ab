//! `explain`: the fields of a kind.
//!
//! Source: `kubernetes/kubectl:pkg/explain/v2/templates/plaintext.tmpl`. Definitions bring descriptions along; those of the
//! fields of built-in kinds that are asked for most stand in `explain.words`, in words of our own.

use serde_json::Value;

use super::resolve::find_kind;
use super::{Failure, Runner, Server};
use crate::command_line::Explain;
use fbc_cluster::kind::Kind;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::types::{Type, types};

/// Descriptions by type and field, separated by a tab.
const WORDS: &str = include_str!("explain.words");
/// What stderr says where most fields have none.
const NOTE: &str = "note: most fields of built-in kinds have no description here; \
                    see https://kubernetes.io/docs/reference/kubernetes-api/\n";
/// Types may contain themselves: further down nothing is shown.
const DEEPEST: usize = 8;
/// Descriptions are wrapped to so many columns.
const WIDTH: usize = 76;

impl<S: Server> Runner<'_, S> {
    pub(super) fn explain(&mut self, explain: &Explain) -> Result<(), Failure> {
        let mut steps = explain.path.split('.');
        let word = steps.next().unwrap_or_default();
        let found = find_kind(self.server.kinds(), word).map(|(_, kind)| kind.clone());
        let Some(kind) = found else {
            return Err(Failure::Text(format!("the server doesn't have a resource type {word:?}")));
        };
        let schema = self.schema_of(&kind)?;
        let version = kind.versions.first().cloned().unwrap_or_default();
        let root = match &schema {
            Some(schema) => Place::Schema(schema),
            None => match types().of_kind(&kind.group, &version, &kind.kind) {
                Some(id) => Place::Go(Type::Struct(id), ""),
                None => return Err(Failure::Text(format!("couldn't find resource for {word:?}"))),
            },
        };
        if !kind.group.is_empty() {
            self.stdout.push_str(&format!("GROUP:      {}\n", kind.group));
        }
        self.stdout.push_str(&format!("KIND:       {}\nVERSION:    {version}\n\n", kind.kind));
        let mut place = root;
        for step in steps {
            let next = place.fields().into_iter().find(|field| field.name == step);
            let Some(next) = next else {
                return Err(Failure::Text(format!("field {step:?} does not exist")));
            };
            place = next.place;
            self.stdout.push_str(&format!("FIELD: {step} <{}>\n\n", place.type_text()));
        }
        let description = wrapped(&place.description(), "    ");
        self.stdout.push_str(&format!("DESCRIPTION:\n{description}"));
        let fields = place.fields();
        if !fields.is_empty() {
            self.stdout.push_str("FIELDS:\n");
            self.print_fields(fields, 1, explain.recursive);
        }
        self.stdout.push('\n');
        if schema.is_none() {
            self.stderr.push_str(NOTE);
        }
        Ok(())
    }

    fn print_fields(&mut self, fields: Vec<Field<'_>>, depth: usize, recursive: bool) {
        let indent = "  ".repeat(depth);
        for Field { name, place, is_required } in fields {
            let required = if is_required { " -required-" } else { "" };
            self.stdout.push_str(&format!("{indent}{name}\t<{}>{required}\n", place.type_text()));
            let values = place.values();
            if !values.is_empty() {
                self.stdout.push_str(&format!("{indent}enum: {}\n", values.join(", ")));
            }
            if recursive {
                if depth < DEEPEST {
                    self.print_fields(place.fields(), depth + 1, true);
                }
            } else {
                self.stdout.push_str(&wrapped(&place.description(), "    "));
                self.stdout.push('\n');
            }
        }
    }

    /// The schema of the preferred version of a kind that a definition brings.
    fn schema_of(&self, kind: &Kind) -> Result<Option<Value>, Failure> {
        let definitions = find_kind(self.server.kinds(), "customresourcedefinitions");
        let Some((id, _)) = definitions else { return Ok(None) };
        let all = self.server.list(&self.request, id, None)?;
        let is_its = |definition: &&Value| {
            definition.text(&["spec", "group"]) == kind.group
                && definition.text(&["spec", "names", "kind"]) == kind.kind
        };
        let Some(definition) = all.iter().find(is_its) else { return Ok(None) };
        let preferred = kind.versions.first().map_or("", String::as_str);
        let versions = definition.list(&["spec", "versions"]).iter();
        let version = versions.clone().find(|version| version["name"] == preferred);
        Ok(version.and_then(|version| version.at(&["schema", "openAPIV3Schema"])).cloned())
    }
}

/// A field of a place.
struct Field<'p> {
    name: String,
    place: Place<'p>,
    is_required: bool,
}

/// A place in a kind: by the schema of its definition, or by its Go type.
enum Place<'p> {
    Schema(&'p Value),
    /// With the description of the field.
    Go(Type, &'static str),
}

/// The description of a type, or of a field of it; empty if there is none.
fn words(of: &str, field: &str) -> &'static str {
    let found = WORDS.lines().find_map(|line| {
        let (place, text) = line.split_once('\t')?;
        let (own, own_field) = place.split_once('.').unwrap_or((place, ""));
        (own == of && own_field == field).then_some(text)
    });
    found.unwrap_or_default()
}

impl<'p> Place<'p> {
    fn type_text(&self) -> String {
        match self {
            Self::Schema(schema) => schema_text(schema),
            Self::Go(of, _) => go_text(of),
        }
    }

    fn description(&self) -> String {
        let text = match self {
            Self::Schema(schema) => schema.text(&["description"]).to_owned(),
            Self::Go(of, own) => {
                let of_type = || struct_of(of).map_or("", |id| words(types().get(id).name, ""));
                if own.is_empty() { of_type() } else { own }.to_owned()
            }
        };
        if text.is_empty() { "<empty>".to_owned() } else { text }
    }

    fn values(&self) -> Vec<String> {
        match self {
            Self::Schema(schema) => schema
                .list(&["enum"])
                .iter()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect(),
            Self::Go(..) => Vec::new(),
        }
    }

    fn fields(&self) -> Vec<Field<'p>> {
        match self {
            Self::Schema(schema) => {
                let schema = items_of(schema);
                let required = schema.list(&["required"]);
                let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                properties
                    .map(|(name, schema)| Field {
                        name: name.clone(),
                        place: Place::Schema(schema),
                        is_required: required.iter().any(|one| one == name),
                    })
                    .collect()
            }
            Self::Go(of, _) => {
                let Some(id) = struct_of(of) else { return Vec::new() };
                let mut fields: Vec<Field<'p>> = types()
                    .get(id)
                    .fields
                    .iter()
                    .map(|field| Field {
                        name: field.name.to_owned(),
                        place: Place::Go(field.of.clone(), words(types().get(id).name, field.name)),
                        is_required: false,
                    })
                    .collect();
                fields.sort_by(|one, other| one.name.cmp(&other.name));
                fields
            }
        }
    }
}

fn items_of(schema: &Value) -> &Value {
    match schema.get("items").or_else(|| schema.get("additionalProperties")).filter(|items| items.is_object())
    {
        Some(items) => items_of(items),
        None => schema,
    }
}

fn struct_of(of: &Type) -> Option<fbc_cluster::types::StructId> {
    match of {
        Type::Struct(id) => Some(*id),
        Type::Optional(of) | Type::List(of) | Type::Map(of) => struct_of(of),
        _ => None,
    }
}

fn schema_text(schema: &Value) -> String {
    match schema.text(&["type"]) {
        "array" => format!("[]{}", schema.get("items").map_or("Object".to_owned(), schema_text)),
        "object" => match schema.get("additionalProperties").filter(|of| of.is_object()) {
            Some(of) => format!("map[string]{}", schema_text(of)),
            None => "Object".to_owned(),
        },
        "" => "Object".to_owned(),
        other => other.to_owned(),
    }
}

fn go_text(of: &Type) -> String {
    match of {
        Type::Text(_) | Type::Bytes | Type::Time | Type::MicroTime | Type::Duration | Type::Quantity => {
            "string".to_owned()
        }
        Type::Flag => "boolean".to_owned(),
        Type::Whole(_) => "integer".to_owned(),
        Type::Float => "number".to_owned(),
        Type::IntOrText => "IntOrString".to_owned(),
        Type::Raw | Type::Fields | Type::Any | Type::Special(_) => "Object".to_owned(),
        Type::Optional(of) => go_text(of),
        Type::List(of) => format!("[]{}", go_text(of)),
        Type::Map(of) => format!("map[string]{}", go_text(of)),
        Type::Struct(id) => types().get(*id).name.to_owned(),
    }
}

/// A text in lines of a limited width, each behind an indent.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines.push_str(&format!("{indent}{line}\n"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push_str(&format!("{indent}{line}\n"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The types below a kind with the names of their fields.
    fn fields(id: fbc_cluster::types::StructId, found: &mut BTreeMap<&'static str, Vec<&'static str>>) {
        let of = types().get(id);
        if found.insert(of.name, of.fields.iter().map(|field| field.name).collect()).is_none() {
            of.fields.iter().filter_map(|field| struct_of(&field.of)).for_each(|id| fields(id, found));
        }
    }

    #[test]
    fn words_are_of_fields_that_there_are() {
        let mut found = BTreeMap::new();
        for (group, kind) in [("", "Node"), ("", "Pod"), ("policy", "PodDisruptionBudget")] {
            fields(types().of_kind(group, "v1", kind).expect("a kind"), &mut found);
        }
        for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
            let (place, text) = line.split_once('\t').expect("a tab");
            let (of, field) = place.split_once('.').unwrap_or((place, ""));
            let known = found.get(of).unwrap_or_else(|| panic!("no type {of}"));
            assert!(field.is_empty() || known.contains(&field), "no field {place}");
            assert!(text.ends_with('.'), "{line}");
        }
        assert_eq!(words("Taint", "key"), "The name of the taint, with an optional prefix before a slash.");
        assert_eq!(words("Taint", "nothing"), "");
    }
}
