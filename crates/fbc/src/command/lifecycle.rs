//! `fbc lifecycle`: until when versions are supported, in catalogs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use fbc_app::lifecycle::{self, Order};
use fbc_app::output::file::edit_files;
use fbc_version::OpenShiftRelease;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::policy_arguments::ocp_version;
use crate::settings::Settings;
use crate::terminal;

/// Work with the lifecycles of operators: until when each version is supported
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Inject(InjectArguments),
}

/// Put lifecycles into catalogs, as `lifecycle.json` in the directory of the package
///
/// What pipelines do before they build images for OpenShift 5.0 and later, without asking anybody: the lifecycles come from a
/// file, or a directory with PACKAGE/lifecycle.json in it. Of a repository, the catalogs for OpenShift 5.0 and later get them.
/// Of several packages in one directory, each gets `lifecycle-PACKAGE.json`.
/// A lifecycle that has a finding of the rules LFC is refused, and nothing is written.
#[derive(Args, Debug)]
struct InjectArguments {
    /// The lifecycles: a file with blobs of the schema io.openshift.operators.lifecycles.v1alpha1, or a directory
    #[arg(value_name = "LIFECYCLES", value_hint = ValueHint::AnyPath)]
    lifecycles: PathBuf,
    /// The directory of a catalog, or the root of a repository
    #[arg(value_name = "CATALOG", default_value = ".", value_hint = ValueHint::DirPath)]
    catalog: PathBuf,
    /// Of a repository, the catalogs for these versions of OpenShift
    #[arg(long, value_name = "VERSION", value_delimiter = ',', value_parser = ocp_version)]
    ocp: Vec<OpenShiftRelease>,
    /// Replace a lifecycle.json that is there and says something else
    #[arg(long)]
    replace: bool,
    /// Write nothing; exit with 1 if something would be written
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let Command::Inject(arguments) = &arguments.command;
    inject(arguments, settings)
}

fn inject(arguments: &InjectArguments, settings: &Settings) -> Result<u8, Failure> {
    let order = Order {
        lifecycles: &arguments.lifecycles,
        catalog: &arguments.catalog,
        releases: &arguments.ocp,
        replaces: arguments.replace,
    };
    let Some(files) = lifecycle::files(&order, settings)? else { return Ok(FINDINGS) };
    if !arguments.check {
        edit_files(
            &arguments.catalog,
            settings,
            files.iter().map(|(path, bytes)| (path.as_path(), bytes.as_deref())),
        )?;
    }
    if !settings.quiet {
        let word = if arguments.check { "would write" } else { "wrote" };
        files.keys().for_each(|path| terminal::tell(format_args!("{word} {}", path.display())));
        if files.is_empty() {
            terminal::tell(format_args!("every lifecycle is up to date"));
        }
    }
    Ok(if arguments.check && !files.is_empty() { FINDINGS } else { CLEAN })
}
