//! `fbc bundle`: bundle directories, the manifests of one version of an operator.

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::settings::Settings;

mod manifest_diff;
pub(crate) mod manifests;
mod preauth;
mod rbac;
mod rbac_report;
pub(crate) mod ready;
mod render;
pub(crate) mod validate;

/// Check and render bundle directories, and show what they make of a cluster
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Validate(validate::Arguments),
    Render(render::Arguments),
    Manifests(manifests::Arguments),
    Rbac(rbac::Arguments),
    Preauth(preauth::Arguments),
    Ready(ready::Arguments),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Validate(arguments) => validate::run(arguments, settings),
        Command::Render(arguments) => render::run(arguments, settings),
        Command::Manifests(arguments) => manifests::run(arguments, settings),
        Command::Rbac(arguments) => rbac::run(arguments, settings),
        Command::Preauth(arguments) => preauth::run(arguments, settings),
        Command::Ready(arguments) => ready::run(arguments, settings),
    }
}
