//! `docs/reference/configuration.md` and `docs/reference/scenarios.md`: the fields of the files that people write, from
//! their JSON Schemas.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Generated;
use crate::error::{Context as _, TaskResult};

/// The schema, the page, its heading, and what stands above the fields.
const PAGES: [(&str, &str, &str, &str); 2] = [
    (
        "config",
        "configuration",
        "Configuration",
        "The fields of `fbc.toml`. [The guide](../guides/policy.md) leads through them, and `fbc validate --show-config` shows which \
         counts and why. `fbc schema config` prints the schema.",
    ),
    (
        "scenario",
        "scenarios",
        "Scenarios",
        "The fields of scenarios of `fbc simulate` and `fbc cluster`: catalogs, behaviours, steps and expectations. \
         [The guide](../guides/simulate.md) leads through them. `fbc schema scenario` prints the schema.",
    ),
];

/// The pages.
pub(super) fn pages(root: &Path) -> TaskResult<Vec<Generated>> {
    PAGES
        .iter()
        .map(|(schema, page, heading, about)| {
            let path = root.join("schemas").join(format!("{schema}.json"));
            let reading = || format!("reading {}", path.display());
            let schema: Value =
                serde_json::from_str(&fs::read_to_string(&path).context(reading)?).context(reading)?;
            let path = PathBuf::from(format!("docs/reference/{page}.md"));
            Ok(Generated { path, content: format!("# {heading}\n\n{about}\n{}", tables(&schema)) })
        })
        .collect()
}

fn tables(schema: &Value) -> String {
    let mut text = String::new();
    table(schema, &mut text);
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n## {name}");
        let about = sentence(&part["description"]);
        if !about.is_empty() {
            let _ = writeln!(text, "\n{about}");
        }
        if part["properties"].is_object() || part["oneOf"].is_array() {
            table(part, &mut text);
        } else {
            let _ = writeln!(text, "\nA value: {}.", kind(part));
        }
    }
    text
}

fn table(schema: &Value, text: &mut String) {
    text.push_str("\n| field | value | meaning |\n|---|---|---|\n");
    rows(schema, "", text);
}

/// The fields of an object, those of objects within it behind their own.
fn rows(schema: &Value, path: &str, text: &mut String) {
    let choices = ["oneOf", "allOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let is_required =
            schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name));
        let path = format!("{path}{name}");
        let mark = if is_required { ", required" } else { "" };
        let _ = writeln!(text, "| `{path}` | {}{mark} | {} |", kind(field), sentence(&field["description"]));
        rows(field, &format!("{path}."), text);
        rows(&field["items"], &format!("{path}[]."), text);
        rows(&field["additionalProperties"], &format!("{path}.NAME."), text);
    }
    choices.filter(|choice| choice["properties"].is_object()).for_each(|choice| rows(choice, path, text));
}

/// What a value is: a type, one of some texts, or another part.
fn kind(schema: &Value) -> String {
    if let Some(part) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return format!("[{part}](#{})", part.to_lowercase());
    }
    let quoted = |value: &Value| format!("`{}`", value.as_str().map_or(value.to_string(), str::to_owned));
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(quoted).collect::<Vec<_>>().join(", ").replace('|', "\\|");
    }
    if !schema["const"].is_null() {
        return quoted(&schema["const"]);
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"].is_object() => match kind(&schema["items"]).as_str() {
            "any" | "object" => "list".to_owned(),
            items => format!("list of {items}"),
        },
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("{} by name", kind(&schema["additionalProperties"]))
        }
        Some("string") => "text".to_owned(),
        Some("array") => "list".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some(kind) => kind.to_owned(),
        None => match ["oneOf", "anyOf"].iter().find_map(|key| schema[key].as_array()) {
            Some(choices) => {
                let mut kinds: Vec<String> = choices.iter().map(kind).collect();
                kinds.dedup();
                kinds.join(" or ")
            }
            None => "any".to_owned(),
        },
    }
}

fn sentence(description: &Value) -> String {
    let words: Vec<&str> = description.as_str().unwrap_or_default().split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_with_their_values() {
        let schema = json!({
            "required": ["a"],
            "properties": {
                "a": {"type": "string", "description": "One | two."},
                "b": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
                "c": {"type": "object", "properties": {"d": {"enum": ["x", 1]}}},
            },
            "$defs": {"Step": {"description": "A step.", "oneOf": [{"properties": {"e": {"type": "boolean"}}}]}},
        });
        assert_eq!(
            tables(&schema),
            "\n| field | value | meaning |\n|---|---|---|\n| `a` | text, required | One \\| two. |\n\
             | `b` | list of [Step](#step) |  |\n| `c` | object |  |\n| `c.d` | `x`, `1` |  |\n\n## Step\n\nA step.\n\n\
             | field | value | meaning |\n|---|---|---|\n| `e` | boolean |  |\n"
        );
    }
}
