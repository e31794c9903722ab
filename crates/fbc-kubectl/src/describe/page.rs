//! Text in the making: lines with tabs, and the parts that many descriptions share.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

use crate::layout::align_description;
use crate::print::NONE;

/// The longest annotation in one line.
const LONGEST_ANNOTATION: usize = 140;

/// Annotations that are machinery.
const HIDDEN_ANNOTATIONS: [&str; 1] = ["kubectl.kubernetes.io/last-applied-configuration"];

/// A description in the making.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// Adds a line, two blanks deeper for each level.
    pub(super) fn line(&mut self, level: usize, text: impl AsRef<str>) {
        self.text.extend(std::iter::repeat_n("  ", level));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Adds `Name:<tab>value`.
    pub(super) fn entry(&mut self, level: usize, name: &str, value: impl std::fmt::Display) {
        self.line(level, format!("{name}:\t{value}"));
    }

    /// Adds an entry with several lines of values, or `<none>`.
    pub(super) fn entries(&mut self, level: usize, name: &str, values: impl IntoIterator<Item = String>) {
        let mut title = format!("{name}:");
        let mut any = false;
        for value in values {
            self.line(if any { 0 } else { level }, format!("{title}\t{value}"));
            title.clear();
            any = true;
        }
        if !any {
            self.line(level, format!("{title}\t{NONE}"));
        }
    }

    /// Adds a map of texts as `key=value` lines.
    pub(super) fn labels(&mut self, level: usize, name: &str, labels: Option<&Value>) {
        let labels = labels.and_then(Value::as_object).into_iter().flatten();
        let lines = labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
        self.entries(level, name, lines);
    }

    /// Adds annotations as `key: value` lines; long ones and those of several lines begin below their key.
    pub(super) fn annotations(&mut self, level: usize, name: &str, annotations: Option<&Value>) {
        let annotations = annotations.and_then(Value::as_object).into_iter().flatten();
        let shown = annotations.filter(|(key, _)| !HIDDEN_ANNOTATIONS.contains(&key.as_str()));
        let lines = shown.flat_map(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            let value = value.strip_suffix('\n').unwrap_or(value);
            if key.len() + value.len() + 2 <= LONGEST_ANNOTATION && !value.contains('\n') {
                return vec![format!("{key}: {value}")];
            }
            let below = value.split('\n').map(|line| format!("  {}", shorten(line, LONGEST_ANNOTATION - 2)));
            std::iter::once(format!("{key}:")).chain(below).collect()
        });
        self.entries(level, name, lines);
    }

    /// Adds name and, where there is one, namespace.
    pub(super) fn names(&mut self, object: &Value) {
        self.entry(0, "Name", object.name());
        if !object.namespace().is_empty() {
            self.entry(0, "Namespace", object.namespace());
        }
    }

    /// Adds labels and annotations of an object.
    pub(super) fn object_labels(&mut self, object: &Value) {
        self.labels(0, "Labels", object.at(&["metadata", "labels"]));
        self.annotations(0, "Annotations", object.at(&["metadata", "annotations"]));
    }

    /// Adds the owner that controls an object.
    pub(super) fn controller(&mut self, object: &Value) {
        if let Some(owner) = object.controller() {
            self.entry(0, "Controlled By", format!("{}/{}", owner.text(&["kind"]), owner.text(&["name"])));
        }
    }

    /// The text, laid out.
    pub(super) fn finish(self) -> String {
        align_description(&self.text)
    }
}

fn shorten(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// A number of the object, 0 where it is absent.
pub(super) fn number(object: &Value, path: &[&str]) -> i64 {
    object.number(path).unwrap_or_default()
}

/// A number or text as it stands, or a default.
pub(super) fn scalar(value: Option<&Value>, default: &str) -> String {
    match value {
        Some(Value::String(text)) if !text.is_empty() => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => default.to_owned(),
    }
}
