//! Descriptions field by field: custom resources, definitions, and kinds without a description of their own.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::events::events;
use super::{Look, Page};

/// Fields that stand at the top, or that nobody reads.
const LEFT_OUT: [&[&str]; 5] = [
    &["metadata", "managedFields"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "labels"],
    &["metadata", "annotations"],
];

pub(super) fn generic(page: &mut Page, object: &Value, look: &dyn Look, now: Moment) {
    page.entry(0, "Name", object.name());
    page.entry(0, "Namespace", object.namespace());
    page.object_labels(object);
    fields(page, 0, object, &mut Vec::new());
    events(page, object, look, now);
}

fn fields<'v>(page: &mut Page, level: usize, value: &'v Value, path: &mut Vec<&'v str>) {
    for (key, member) in value.as_object().into_iter().flatten() {
        path.push(key);
        if !LEFT_OUT.contains(&path.as_slice()) {
            match member {
                Value::Object(_) => {
                    page.line(level, format!("{}:", title(key)));
                    fields(page, level + 1, member, path);
                }
                Value::Array(items) => {
                    page.line(level, format!("{}:", title(key)));
                    for item in items {
                        match item {
                            Value::Object(_) => fields(page, level + 1, item, path),
                            other => page.line(level + 1, plain(other)),
                        }
                    }
                }
                other => page.entry(level, &title(key), plain(other)),
            }
        }
        path.pop();
    }
}

/// A value as Go prints it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        other => other.to_string(),
    }
}

/// A field name as a title: `resourceVersion` is `Resource Version`, `uid` is `UID`. Names with other characters than
/// letters and dashes stay as they are.
fn title(field: &str) -> String {
    const ACRONYMS: [&str; 5] = ["API", "URL", "UID", "OSB", "GUID"];
    if !field.chars().all(|c| c.is_alphabetic() || c == '-') {
        return field.to_owned();
    }
    let parts = camel_case_parts(field).into_iter().map(|part| {
        let upper = part.to_uppercase();
        if ACRONYMS.contains(&upper.as_str()) {
            return upper;
        }
        let mut chars = part.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
    });
    parts.collect::<Vec<String>>().join(" ")
}

/// Splits where small letters meet capitals, before the last of several capitals, and around dashes.
fn camel_case_parts(text: &str) -> Vec<String> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Small,
        Capital,
        Other,
    }
    let class = |c: char| match c {
        c if c.is_lowercase() => Class::Small,
        c if c.is_uppercase() => Class::Capital,
        _ => Class::Other,
    };
    let mut runs: Vec<(Class, String)> = Vec::new();
    for c in text.chars() {
        match runs.last_mut() {
            Some((last, run)) if *last == class(c) => run.push(c),
            _ => runs.push((class(c), c.to_string())),
        }
    }
    // A capital in front of small letters belongs to them.
    for index in 1..runs.len() {
        if runs[index - 1].0 == Class::Capital && runs[index].0 == Class::Small {
            let moved = runs[index - 1].1.pop();
            runs[index].1.insert_str(0, &moved.map(String::from).unwrap_or_default());
        }
    }
    runs.into_iter().map(|(_, run)| run).filter(|run| !run.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_fields() {
        for (field, expected) in [
            ("apiVersion", "API Version"),
            ("uid", "UID"),
            ("creationTimestamp", "Creation Timestamp"),
            ("lastUnpacked", "Last Unpacked"),
            ("urls", "Urls"),
            ("podIPs", "Pod I Ps"),
            ("URLPath", "URL Path"),
            ("a.b/c", "a.b/c"),
            ("x-y", "X - Y"),
            ("v1", "v1"),
        ] {
            assert_eq!(title(field), expected);
        }
    }
}
