//! Changes that no check understands, in few words.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/rukpak/preflights/crdupgradesafety/
//! crdupgradesafety.go`, which picks names and values from the lines that go-cmp prints.

use fbc_yaml::Node;

use super::go_diff;
use super::schema_type::{A_SCHEMA, SCHEMA, Type};
use super::value::{Value, raw_json};

/// What changed in one field of the printed difference.
#[derive(Default)]
struct Detail {
    field: String,
    before: String,
    after: String,
    before_raw: String,
    after_raw: String,
}

/// The message about what is left of two schemas.
pub(super) fn message(old: &Value, new: &Value) -> String {
    let lines = go_diff::lines(Type::Pointer(&A_SCHEMA), &pointer(old), &pointer(new));
    let details: Vec<String> = details(&lines).into_iter().filter_map(told).collect();
    if details.is_empty() {
        return "unhandled changes found".to_owned();
    }
    format!("unhandled changes found ({})", details.join("; "))
}

fn pointer(value: &Value) -> Value {
    Value::Pointer(Some(Box::new(value.clone())))
}

fn details(lines: &[String]) -> Vec<Detail> {
    let mut details: Vec<Detail> = Vec::new();
    for line in lines {
        let line = line.trim();
        let Some(sign) = line.chars().next().filter(|sign| matches!(sign, '-' | '+') && line.len() > 1)
        else {
            continue;
        };
        let Some((field, raw)) = line.get(1..).and_then(field_and_value) else { continue };
        let index = details.iter().position(|detail| detail.field == field).unwrap_or_else(|| {
            details.push(Detail { field: field.to_owned(), ..Detail::default() });
            details.len() - 1
        });
        let Some(detail) = details.get_mut(index) else { continue };
        let (value, raw) = (shortened(raw), raw.to_owned());
        if sign == '-' {
            (detail.before, detail.before_raw) = (value, raw);
        } else {
            (detail.after, detail.after_raw) = (value, raw);
        }
    }
    details
}

fn field_and_value(fragment: &str) -> Option<(&str, &str)> {
    let fragment = fragment.trim();
    let fragment = fragment.strip_suffix(',').unwrap_or(fragment);
    let (field, value) = fragment.split_once(':')?;
    let (field, value) = (field.trim(), value.trim());
    (!field.is_empty()).then_some((field, value))
}

fn shortened(value: &str) -> String {
    let value = value.strip_suffix(',').unwrap_or(value).trim();
    if value.is_empty() {
        return "<empty>".to_owned();
    }
    let value = value.replace("v1.", "");
    if value.contains("JSONSchemaProps") { "<complex value>".to_owned() } else { value }
}

fn told(detail: Detail) -> Option<String> {
    let Detail { field, before, after, before_raw, after_raw } = detail;
    if before == after && before_raw == after_raw {
        return None;
    }
    let shown = |text: &str| if text.is_empty() { "<empty>".to_owned() } else { text.to_owned() };
    let changed = if before == after { " (changed)" } else { "" };
    Some(format!("{field} {} -> {}{changed}", shown(&before), shown(&after)))
}

/// The attributes that differ as they are written, `attribute=JSON`, on the old and on the new side.
pub(super) fn written(
    (old, old_schema): (&Value, Node<'_>),
    (new, new_schema): (&Value, Option<Node<'_>>),
) -> (String, String) {
    let (Value::Struct(old), Value::Struct(new)) = (old, new) else { return Default::default() };
    let differing = SCHEMA.fields.iter().zip(old.iter().zip(new)).filter(|(_, (old, new))| old != new);
    let mut texts = (Vec::new(), Vec::new());
    for (field, _) in differing {
        let text = |schema: Node<'_>| Some(format!("{}={}", field.key, raw_json(schema.get(field.key)?)));
        texts.0.extend(text(old_schema));
        texts.1.extend(new_schema.and_then(text));
    }
    (texts.0.join(" "), texts.1.join(" "))
}
