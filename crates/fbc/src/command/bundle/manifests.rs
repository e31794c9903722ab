//! `fbc bundle manifests`: the objects that OLM v1 makes of a bundle.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fbc_app::bundle_objects::{differences, yaml_within};
use fbc_app::input::bundle::{namespace, objects, read};
use fbc_bundle::manifests::Object;
use fbc_yaml::json_writer;
use fbc_yaml::layout::LayoutRoom;

use super::manifest_diff;
use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::input::bundle::InstallationArguments;
use crate::output::file::write_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal::stdout_has_color;

/// Show the objects that OLM v1 creates for a bundle
///
/// The bundle is checked and rendered as operator-controller does it: service accounts, roles, custom
/// resource definitions, deployments, webhooks with their certificates. Nothing needs a cluster.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 rendered, 1 refused as operator-controller would refuse it (the reasons are on \
standard error), or with --exit-code different, 2 could not run."
)]
pub(crate) struct Arguments {
    /// The bundle: a directory with `manifests` and `metadata` in it, or an image
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    bundle: PathBuf,
    /// The namespace that the operator is installed in
    #[arg(short, long, value_name = "NAMESPACE", value_parser = namespace)]
    namespace: String,
    #[command(flatten)]
    installation: InstallationArguments,
    /// The format to write
    #[arg(
        short,
        long,
        alias = "format",
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        conflicts_with = "diff"
    )]
    output: Format,
    /// Show what changes from the bundle in DIR to this one, as a unified diff for each object
    #[arg(long, value_name = "OTHER", value_hint = ValueHint::DirPath)]
    diff: Option<PathBuf>,
    /// With --diff: exit with 1 if the objects differ
    #[arg(long, requires = "diff")]
    exit_code: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output_file: Option<PathBuf>,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// YAML documents, one for each object
    #[default]
    Yaml,
    /// One JSON list of all objects
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.bundle].into_iter().chain(&arguments.diff), settings);
    let installation = arguments.installation.installation_in(&arguments.namespace)?;
    let objects = objects(&read(&arguments.bundle, &session)?, &arguments.bundle, &installation)?;
    let Some(other) = &arguments.diff else {
        write_output(settings, arguments.output_file.as_deref(), |out| match arguments.output {
            Format::Yaml => write_yaml(&objects, out),
            Format::Json => Ok(write_json(&objects, out)?),
        })?;
        return Ok(CLEAN);
    };
    let changed = self::objects(&read(other, &session)?, other, &installation)?;
    let differences = differences(&objects, &changed)?;
    write_output(settings, arguments.output_file.as_deref(), |out| {
        let has_color = arguments.output_file.is_none() && stdout_has_color();
        manifest_diff::write(&differences, &arguments.bundle, other, has_color, out)
    })?;
    Ok(if arguments.exit_code && !differences.is_empty() { FINDINGS } else { CLEAN })
}

fn write_json(objects: &[Object], out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::from("[");
    for (index, object) in objects.iter().enumerate() {
        text.push_str(if index > 0 { ",\n" } else { "\n" });
        text.push_str("    ");
        json_writer::write_indented(&mut text, object.value.root(), 4, 1);
    }
    text.push_str(if objects.is_empty() { "]\n" } else { "\n]\n" });
    out.write_all(text.as_bytes())
}

fn write_yaml(objects: &[Object], out: &mut dyn Write) -> Result<(), Failure> {
    let mut room = LayoutRoom::default();
    for object in objects {
        out.write_all(b"---\n")?;
        out.write_all(yaml_within(object, &mut room)?.as_bytes())?;
    }
    Ok(())
}
