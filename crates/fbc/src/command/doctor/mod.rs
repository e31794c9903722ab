//! `fbc doctor`: what is found on this machine and in this directory, and what is wrong with it.
//!
//! Each section is a function in a file of its own that returns items; this module orders and writes them.

mod cache;
mod certificates;
mod credentials;
mod directory;
mod images;
mod item;
mod programs;
mod registries;

use std::io::Write;

use anstyle::Style;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::item::{Item, Level};
use crate::failure::{CLEAN, FINDINGS, Failure, HELP, STRONG};
use crate::output;
use crate::output::file::write_output;
use crate::registry::RegistryArguments;
use crate::settings::Settings;
use crate::terminal;
use fbc_app::count::counted;

/// Show what fbc finds on this machine, and what is wrong with it
///
/// Shows the programs, configuration, catalogs, credentials, certificates, mirrors, proxies and cache that other commands
/// use with the same flags. It shows where credentials are and what they are for, and never a user or a secret. No
/// registry is asked unless an image is named. The exit code is 1 if something is wrong; a warning leaves it at 0.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 no errors, 1 errors.")]
pub(crate) struct Arguments {
    /// Also ask for these images: from which registries and mirrors, with which credentials, and whether they answer
    #[arg(value_name = "IMAGE")]
    images: Vec<String>,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    registry: RegistryArguments,
}

/// The formats of what is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// What belongs together, with its name.
struct Section {
    name: &'static str,
    items: Vec<Item>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let places = arguments.registry.places();
    let mut sections = vec![
        Section { name: "programs", items: programs::items() },
        Section { name: "directory", items: directory::items(settings) },
        Section { name: "credentials", items: credentials::items(&places.credentials) },
        Section { name: "certificates", items: certificates::items(&places.trust) },
        Section { name: "registries", items: registries::items(&places) },
        Section { name: "cache", items: cache::items(&arguments.registry.cache) },
    ];
    if !arguments.images.is_empty() {
        let items = images::items(&arguments.images, &arguments.registry, settings);
        sections.push(Section { name: "images", items });
    }
    write_output(settings, None, |out| match arguments.output {
        Format::Json => Ok(fbc_app::output::json_document::write(out, &document(&sections))?),
        Format::Text => {
            let has_color = terminal::stdout_has_color();
            Ok(write_text(&mut terminal::text_to(out, None), &sections, has_color)?)
        }
    })?;
    Ok(if count(&sections, Level::Error) == 0 { CLEAN } else { FINDINGS })
}

fn count(sections: &[Section], level: Level) -> usize {
    sections.iter().flat_map(|section| &section.items).filter(|item| item.level == level).count()
}

fn write_text(out: &mut dyn Write, sections: &[Section], has_color: bool) -> std::io::Result<()> {
    let shown = |style: Style| if has_color { style } else { Style::new() };
    let (strong, help_style) = (shown(STRONG), shown(HELP));
    for section in sections {
        writeln!(out, "{strong}{}{strong:#}", section.name)?;
        for item in &section.items {
            let (name, style) = (item.level.name(), shown(item.level.style()));
            writeln!(out, "  {style}{name:7}{style:#}  {}", item.text)?;
            if let Some(help) = &item.help {
                writeln!(out, "           {help_style}help{help_style:#}: {help}")?;
            }
        }
    }
    let (errors, warnings) = (count(sections, Level::Error), count(sections, Level::Warning));
    match (errors, warnings) {
        (0, 0) => writeln!(out, "\nnothing is wrong"),
        _ => writeln!(out, "\n{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    }
}

fn document(sections: &[Section]) -> Value {
    let item = |item: &Item| json!({"level": item.level.name(), "text": item.text, "help": item.help});
    let sections_value: Vec<Value> = sections
        .iter()
        .map(|section| {
            let items: Vec<Value> = section.items.iter().map(item).collect();
            json!({"name": section.name, "items": items})
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "errors": count(sections, Level::Error),
        "warnings": count(sections, Level::Warning),
        "sections": sections_value,
    })
}
