//! `fbc doctor`: what is found on this machine and in this directory, and what is wrong with it.
//!
//! What is found is known to `fbc_app::doctor`; this module writes it.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use fbc_app::count::counted;
use fbc_app::doctor::item::Level;
use fbc_app::doctor::{Machine, Section, count, document, sections};
use fbc_source::image_source::ImageName;

use crate::clock::Moment;
use crate::failure::{CLEAN, ERROR, FINDINGS, Failure, HELP, STRONG, WARNING};
use crate::output::file::write_output;
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;
use crate::terminal;

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

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let registry = &arguments.registry;
    let named = Named::images(arguments.images.iter().cloned().map(ImageName::Registry));
    let machine = Machine {
        version: env!("CARGO_PKG_VERSION"),
        program: std::env::current_exe().ok(),
        path: std::env::var_os("PATH"),
        now: Moment::now().seconds(),
        places: registry.places(),
        cache: registry.cache.images(),
    };
    let sections = sections(
        &machine,
        &arguments.images,
        || registry.session(named.clone(), settings),
        |registries| registry.credentials(named.clone(), registries),
        settings,
    );
    write_output(settings, None, |out| match arguments.output {
        Format::Json => {
            Ok(fbc_app::output::json_document::write(out, &document(&sections, machine.version))?)
        }
        Format::Text => {
            let has_color = terminal::stdout_has_color();
            Ok(write_text(&mut terminal::text_to(out, None), &sections, has_color)?)
        }
    })?;
    Ok(if count(&sections, Level::Error) == 0 { CLEAN } else { FINDINGS })
}

fn write_text(out: &mut dyn Write, sections: &[Section], has_color: bool) -> std::io::Result<()> {
    let shown = |style: Style| if has_color { style } else { Style::new() };
    let (strong, help_style) = (shown(STRONG), shown(HELP));
    for section in sections {
        writeln!(out, "{strong}{}{strong:#}", section.name)?;
        for item in &section.items {
            let (name, style) = (item.level.name(), shown(style_of(item.level)));
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

/// How a level is shown.
fn style_of(level: Level) -> Style {
    match level {
        Level::Good => AnsiColor::Green.on_default(),
        Level::Note => Style::new(),
        Level::Warning => WARNING,
        Level::Error => ERROR,
    }
}
