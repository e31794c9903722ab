//! `-o`: reading it, and printing what is not a table.

use std::cmp::Ordering;
use std::fmt;

use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::ObjectFields;
use fbc_go::template::ParseError;
use serde_json::{Value, json};

use super::{ColumnsError, CustomColumns, GoTemplate, qualified_kind};
use crate::jsonpath::{JsonPathError, Template};
use crate::text;

/// How objects are printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Output {
    /// A table, or the sentence of the verb.
    #[default]
    Default,
    /// A table with all columns.
    Wide,
    /// YAML
    Yaml,
    /// JSON
    Json,
    /// `kind.group/name`
    Name,
    /// A JSONPath template.
    JsonPath(Template),
    /// What a JSONPath template finds, as JSON.
    JsonPathAsJson(Template),
    /// A table of columns that the user names.
    CustomColumns(CustomColumns),
    /// A template of Go.
    GoTemplate(GoTemplate),
    /// A template or columns in a file.
    File(TemplateFile),
}

/// What a file holds that `-o` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFile {
    format: &'static str,
    path: String,
}

/// A format whose template is in a file, the one whose template stands on the line, and what kubectl calls the file.
const IN_FILES: [(&str, &str, &str); 4] = [
    ("go-template-file", "go-template", "--template"),
    ("templatefile", "go-template", "--template"),
    ("jsonpath-file", "jsonpath", "--template"),
    ("custom-columns-file", "custom-columns", "template"),
];

/// An object that cannot be printed to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintError {
    /// What was printed nevertheless.
    pub output: String,
    /// Why there is no more.
    pub message: String,
}

impl PrintError {
    fn from_error(error: impl fmt::Display) -> Self {
        Self { output: String::new(), message: error.to_string() }
    }
}

/// A value of `-o` or `--sort-by` that cannot be used, in the words of kubectl, without `error: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// There is no such format.
    #[error("unable to match a printer suitable for the output format {0:?}, allowed formats are: {FORMATS}")]
    UnknownFormat(String),
    /// The format needs a template.
    #[error("template format specified but no template given")]
    NoTemplate,
    /// The file of a template is not there.
    #[error("error reading {what} {path}, open {path}: no such file or directory")]
    NoFile {
        /// What kubectl calls the file.
        what: &'static str,
        /// Its path.
        path: String,
    },
    /// A JSONPath template cannot be read.
    #[error("error parsing jsonpath {template}, {error}")]
    JsonPath {
        /// The template.
        template: String,
        /// Why not.
        error: JsonPathError,
    },
    /// A template of Go cannot be read.
    #[error("error parsing template {template}, {error}")]
    GoTemplate {
        /// The template.
        template: String,
        /// Why not.
        error: ParseError,
    },
    /// The columns cannot be read.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// A path to sort by cannot be read.
    #[error(transparent)]
    SortPath(#[from] JsonPathError),
    /// No object has what to sort by.
    #[error("couldn't find any field with path {0:?} in the list of objects")]
    NothingToSortBy(String),
}

const FORMATS: &str = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,\
                       jsonpath-file,name,template,templatefile,wide,yaml";

impl Output {
    /// Reads the value of `-o`, and that of `--template`.
    ///
    /// # Errors
    /// [`OutputError`]
    pub fn parse(text: &str, template: Option<&str>) -> Result<Self, OutputError> {
        let (format, argument) = text.split_once('=').unwrap_or((text, ""));
        let (format, argument) = match template {
            Some(template) if format.is_empty() => ("go-template", template),
            Some(template) => (format, template),
            None => (format, argument),
        };
        if let Some((format, ..)) = IN_FILES.iter().find(|(known, ..)| *known == format) {
            if argument.is_empty() {
                return Err(OutputError::NoTemplate);
            }
            return Ok(Self::File(TemplateFile { format, path: argument.to_owned() }));
        }
        let template = || {
            if argument.is_empty() {
                return Err(OutputError::NoTemplate);
            }
            let fault = |error| OutputError::JsonPath { template: argument.to_owned(), error };
            Template::parse(argument).map_err(fault)
        };
        match format {
            "" => Ok(Self::Default),
            "wide" => Ok(Self::Wide),
            "yaml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            "name" => Ok(Self::Name),
            "jsonpath" => template().map(Self::JsonPath),
            "jsonpath-as-json" => template().map(Self::JsonPathAsJson),
            "custom-columns" => Ok(Self::CustomColumns(CustomColumns::parse(argument)?)),
            "go-template" | "template" if argument.is_empty() => Err(OutputError::NoTemplate),
            "go-template" | "template" => {
                let fault = |error| OutputError::GoTemplate { template: argument.to_owned(), error };
                GoTemplate::parse(argument).map(Self::GoTemplate).map_err(fault)
            }
            _ => Err(OutputError::UnknownFormat(format.to_owned())),
        }
    }

    /// The same with what is in a file at hand; `files` gives what they hold by their paths.
    ///
    /// # Errors
    /// The file is not there, or does not hold what it should.
    pub fn loaded(&self, files: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Self, OutputError> {
        let Self::File(TemplateFile { format, path }) = self else { return Ok(self.clone()) };
        let known = IN_FILES.iter().find(|(known, ..)| known == format);
        let (_, inline, what) = known.ok_or_else(|| OutputError::UnknownFormat((*format).to_owned()))?;
        let text = files(path).ok_or_else(|| OutputError::NoFile { what, path: path.clone() })?;
        let text = String::from_utf8_lossy(&text);
        match *inline {
            "custom-columns" => Ok(Self::CustomColumns(CustomColumns::parse_lines(&text)?)),
            inline => Self::parse(inline, Some(&text)),
        }
    }

    /// Whether `managedFields` are left out where nobody asks for them: templates see them.
    pub fn hides_managed_fields(&self) -> bool {
        matches!(self, Self::Json | Self::Yaml | Self::Name)
    }

    /// True if the objects themselves are printed, false for tables and sentences.
    pub fn prints_objects(&self) -> bool {
        !matches!(self, Self::Default | Self::Wide)
    }

    /// Prints one object: YAML, JSON, names, paths and templates. Tables are empty here.
    ///
    /// # Errors
    /// A template that does not fit the object, or text that YAML cannot hold.
    pub fn print(&self, object: &Value, no_headers: bool) -> Result<String, PrintError> {
        let fault = |template: &Template, error: JsonPathError| {
            let source = template.source();
            PrintError::from_error(format!(
                "error executing jsonpath {source:?}: Error executing template: {error}"
            ))
        };
        match self {
            Self::Default | Self::Wide | Self::File(_) => Ok(String::new()),
            Self::Yaml => text::yaml(object).map_err(PrintError::from_error),
            Self::Json => {
                text::indented_json(object, 4).map(|text| text + "\n").map_err(PrintError::from_error)
            }
            Self::Name => Ok(items(object).iter().map(|object| full_name(object) + "\n").collect()),
            Self::JsonPath(template) => template.render(object).map_err(|error| fault(template, error)),
            Self::JsonPathAsJson(template) => {
                template.render_as_json(object).map_err(|error| fault(template, error))
            }
            Self::CustomColumns(columns) => {
                columns.print(&items(object), no_headers).map_err(PrintError::from_error)
            }
            Self::GoTemplate(template) => template.print(object),
        }
    }
}

/// The items of a list, or the object itself.
fn items(object: &Value) -> Vec<&Value> {
    match object.get("items") {
        Some(Value::Array(items)) if object.kind().ends_with("List") => items.iter().collect(),
        _ => vec![object],
    }
}

/// `deployment.apps/web`: the name of an object as verbs print it.
pub(crate) fn full_name(object: &Value) -> String {
    let kind = GroupVersionKind::of(object.api_version(), object.kind());
    format!("{}/{}", qualified_kind(&kind.group, &kind.kind), object.name())
}

/// A copy for printing: without `managedFields`, which hide what people look for.
pub fn without_managed_fields(object: &Value) -> Value {
    let mut copy = object.clone();
    copy.remove(&["metadata", "managedFields"]);
    copy
}

/// Objects as the list that kubectl prints for several of them.
pub fn list_of(objects: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}})
}

/// Sorts objects by the first value at a path (`--sort-by`); objects without it come first.
///
/// # Errors
/// A path that cannot be read, or that no object has.
pub fn sort_by(objects: &mut [&Value], path: &str) -> Result<(), OutputError> {
    let template = Template::relaxed(path)?;
    let keys: Vec<Option<Value>> = objects
        .iter()
        .map(|object| {
            template.find(object).ok()?.first().filter(|value| !value.is_null()).map(|value| (*value).clone())
        })
        .collect();
    if !objects.is_empty() && keys.iter().all(Option::is_none) {
        return Err(OutputError::NothingToSortBy(format!("{{{path}}}")));
    }
    let mut keyed: Vec<(Option<Value>, &Value)> = keys.into_iter().zip(objects.iter().copied()).collect();
    keyed.sort_by(|a, b| order(a.0.as_ref(), b.0.as_ref()));
    for (place, (_, object)) in objects.iter_mut().zip(keyed) {
        *place = object;
    }
    Ok(())
}

fn order(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal)
        }
        (Some(Value::String(a)), Some(Value::String(b))) => a.cmp(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}
