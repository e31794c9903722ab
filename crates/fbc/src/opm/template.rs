//! `opm alpha render-template` and `opm alpha convert-template`.

use std::fs;
use std::io::{self, Read as _};

use fbc_go::text::quote;
use fbc_graph::mermaid::{MermaidOptions, draw};
use fbc_model::render::MigrateLevel;
use fbc_model::writer::Format;
use fbc_source::template_bundles::{TemplateBundles, TemplateFolders};
use fbc_source::template_error::opm_error;
use fbc_template::{ConversionTarget, Renderer, TemplateError, TemplateKind};

use super::arguments::Invocation;
use super::error::OpmError;
use super::{catalog, print};
use crate::failure::words;
use crate::image_map;
use crate::settings::Settings;

pub(super) fn render(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let is_kind = |name: &str| TemplateKind::NAMES.contains(&name);
    let (name, path) = match invocation.positionals.as_slice() {
        [] => (None, "-"),
        [name] if is_kind(name) => (Some(name), "-"),
        [path] => (None, path.as_str()),
        [name, path, ..] if is_kind(name) => (Some(name), path.as_str()),
        [name, ..] => {
            return Err(OpmError::Usage(format!(
                "invalid template type {}, must be one of: [{}]",
                quote(name),
                TemplateKind::NAMES.join(" ")
            )));
        }
    };
    let input = open(path).map_err(|(source, error)| {
        OpmError::Usage(format!("unable to open {}: open {source}: {}", quote(&source), error))
    })?;
    let output = invocation.text("output");
    if !["json", "yaml", "mermaid"].contains(&output) {
        let value = quote(output);
        return Err(OpmError::Usage(format!("invalid --output value {value}, expected (json|yaml|mermaid)")));
    }
    let session = invocation
        .session(|text| OpmError::Usage(format!("creating containerd registry: {text}")), settings)?;
    let level = match invocation.text("migrate-level") {
        "" => MigrateLevel::None,
        name => MigrateLevel::from_name(name)
            .ok_or_else(|| OpmError::Usage(format!("unknown migration level {}", quote(name))))?,
    };
    let text = match input {
        Input::Text(text) => text,
        Input::Folder(error) => {
            return Err(OpmError::Usage(format!("{}: {error}", decoding(name.map(String::as_str)))));
        }
    };
    let kind = match name {
        Some(name) => TemplateKind::from_name(name),
        None => fbc_template::detect(&text),
    };
    let kind = kind.map_err(|error| OpmError::Usage(error.to_string()))?;
    let images = image_map::of_environment()?;
    let renderer = Renderer {
        source: &TemplateBundles { images: &images, folders: TemplateFolders::Refused, session: &session },
        validate: &opm_error,
        migrate: level,
        semantics: super::version::semantics(),
    };
    let refuse = |error: TemplateError| OpmError::Usage(format!("rendering template: {error}"));
    let catalog = fbc_template::render(kind, &text, &renderer).map_err(refuse)?;
    if output == "mermaid" {
        let options = MermaidOptions { draw_v0_semantics: true, ..MermaidOptions::default() };
        let chart =
            draw(&catalog, &options).map_err(|error| OpmError::Usage(format!("writing output: {error}")))?;
        return print(&chart.text);
    }
    catalog::write(&catalog, output, |text| OpmError::Usage(format!("writing output: {text}")))
}

pub(super) fn convert(invocation: &Invocation, target: ConversionTarget) -> Result<(), OpmError> {
    let output = invocation.text("output");
    catalog::check_output(output).map_err(|error| OpmError::Log(error.to_string()))?;
    let path = invocation.positionals.first().map_or("-", String::as_str);
    let input = open(path)
        .map_err(|(source, _)| OpmError::Usage(format!("unable to open input: {}", quote(&source))))?;
    let text = match input {
        Input::Text(text) => text,
        Input::Folder(error) => return Err(OpmError::Usage(format!("converting: {error}"))),
    };
    let format = if output == "yaml" { Format::Yaml } else { Format::Json };
    let converted = fbc_template::convert(target, &text, format)
        .map_err(|error| OpmError::Usage(format!("converting: {error}")))?;
    print(&converted)
}

/// What a path or standard input holds.
enum Input {
    Text(Vec<u8>),
    /// A folder, which opens like a file, and fails only when it is read.
    Folder(String),
}

/// Opens a file or standard input; the error is the name and the words of the system.
fn open(path: &str) -> Result<Input, (String, String)> {
    if path == "-" {
        let mut text = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut text);
        return read
            .map(|_| Input::Text(text))
            .map_err(|error| ("stdin".to_owned(), words(&error).to_lowercase()));
    }
    match fs::read(path) {
        Ok(text) => Ok(Input::Text(text)),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            Ok(Input::Folder(format!("read {path}: is a directory")))
        }
        Err(error) => Err((path.to_owned(), words(&error).to_lowercase())),
    }
}

/// What the reference is doing when it first reads a template of that type.
fn decoding(name: Option<&str>) -> &'static str {
    match name {
        None => "auto-detecting template type: decoding template input",
        Some("semver") => "rendering template: render: unable to read file",
        Some("substitutes") => {
            "rendering template: render: unable to parse template: decoding template schema"
        }
        Some(_) => "rendering template: decoding template schema",
    }
}
