//! `fbc crd`: questions about custom resource definitions.

mod view;
mod wording;

use std::path::PathBuf;

use anstream::adapter::strip_bytes;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_app::crd::definitions::{self, Definitions};
use fbc_app::crd::document;
use fbc_app::escape::Lines;
use fbc_bundle::crd_upgrade::{self, Enforcement, Target};

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::output::file::write_standard_output;
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// Compare custom resource definitions
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Diff(DiffArguments),
}

/// Report whether clusters accept the upgrade from one definition to another, and what it breaks for whom
///
/// OLD and NEW hold one or several CustomResourceDefinitions, which are paired by name. The answer is that of the
/// check that OLM v1 makes before an upgrade, in its words, and that of the API server.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 the upgrade is safe, 1 the cluster refuses it, 2 could not run.")]
struct DiffArguments {
    /// What is on the cluster: a file, a directory of manifests, a bundle directory or image, or `-` for standard
    /// input
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,
    /// What takes its place
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: DiffFormat,
    /// The release whose check and words apply
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    /// Whether the check is made; what the API server refuses is reported in any case
    #[arg(long, value_enum, ignore_case = true, default_value_t, value_name = "ENFORCEMENT")]
    enforcement: EnforcementName,
    #[command(flatten)]
    images: ImageArguments,
}

/// The formats of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// What changes, by cause
    #[default]
    Text,
    /// Everything, as a JSON object
    Json,
    /// As text, for comments on pull requests
    Markdown,
}

/// The enforcements of the check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EnforcementName {
    /// As usual
    #[default]
    #[value(name = "Strict")]
    Strict,
    /// `spec.install.preflight.crdUpgradeSafety.enforcement: None` of a ClusterExtension
    #[value(name = "None")]
    None,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.what {
        What::Diff(arguments) => diff(arguments, settings),
    }
}

fn diff(arguments: &DiffArguments, settings: &Settings) -> Result<u8, Failure> {
    let session = arguments.images.session([&arguments.old, &arguments.new], settings);
    if arguments.old.as_os_str() == "-" && arguments.new.as_os_str() == "-" {
        return Err(Failure::new("OLD and NEW are both standard input").help("give one of them as a file"));
    }
    let target: Target = arguments
        .target
        .parse()
        .map_err(|error: fbc_version::UnknownName| Failure::new(error.to_string()))?;
    let enforcement = match arguments.enforcement {
        EnforcementName::Strict => Enforcement::Strict,
        EnforcementName::None => Enforcement::None,
    };
    let (old, new) =
        (Definitions::load(&arguments.old, &session)?, Definitions::load(&arguments.new, &session)?);
    let upgrades = crd_upgrade::compare_sets(&old.objects(), &new.objects(), target, enforcement)
        .map_err(|error| definitions::failure(&error, &old, &new))?;
    write_standard_output(|out| match arguments.output {
        DiffFormat::Json => Ok(fbc_app::output::json_document::write(
            out,
            &document(&upgrades, target, &format!("{:?}", arguments.enforcement)),
        )?),
        DiffFormat::Text => {
            let mut text = Vec::new();
            view::write(&upgrades, view::Form::Text, &mut Lines::new(&mut text, true))?;
            match terminal::stdout_has_color() {
                true => Ok(out.write_all(&text)?),
                false => Ok(strip_bytes(&text).try_for_each(|part| out.write_all(part))?),
            }
        }
        DiffFormat::Markdown => Ok(view::write(&upgrades, view::Form::Markdown, out)?),
    })?;
    Ok(if upgrades.iter().all(|upgrade| upgrade.is_safe) { CLEAN } else { FINDINGS })
}
