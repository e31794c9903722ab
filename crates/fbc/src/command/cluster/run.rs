//! `fbc cluster run`: a cluster for the time of one command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use clap::{Args, ValueHint};

use super::{ClusterArguments, REGISTRY_VARIABLE};
use crate::failure::Failure;
use crate::serve::log::{self, LogFormat};
use crate::settings::Settings;

/// Serve a cluster for the time of one command, with KUBECONFIG set; the exit code is that of the command
///
/// With `--registry`, FBC_REGISTRY is the address to push images to.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: that of the command, or 128 and the number of the signal that ended it; 2 could not run."
)]
pub(super) struct Arguments {
    /// A scenario that the cluster starts from; its steps are played first
    #[arg(long, value_name = "SCENARIO", value_hint = ValueHint::FilePath)]
    scenario: Option<PathBuf>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    command: Vec<OsString>,
    #[command(flatten)]
    cluster: ClusterArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    log::start(LogFormat::Text, settings.verbose);
    let running = arguments.cluster.start(arguments.scenario.as_deref(), settings)?;
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err(Failure::new("there is no command to run"));
    };
    let mut command = Command::new(program);
    command.args(rest).env("KUBECONFIG", &running.kubeconfig);
    if let Some(registry) = running.registry {
        command.env(REGISTRY_VARIABLE, registry.to_string());
    }
    // What the command makes of signals decides.
    let status = fbc_staging::run(&mut command);
    let ended = running.end();
    let status = status.map_err(|error| {
        let program = program.to_string_lossy();
        Failure::new(format!("cannot run {program}: {}", crate::failure::words(&error)))
            .help("what follows `--` is a program and its arguments")
    })?;
    ended?;
    Ok(code(status))
}

/// The exit code of a command, and 128 with the number of the signal that ended it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
