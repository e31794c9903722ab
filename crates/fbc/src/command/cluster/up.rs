//! `fbc cluster up`: a cluster until a signal ends it.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::shell::quoted;
use fbc_serve::stop;
use fbc_simulation::server::REGISTRY_NAME;

use super::{ClusterArguments, REGISTRY_VARIABLE};
use crate::failure::{CLEAN, Failure};
use crate::serve::log::{self, LogFormat};
use crate::settings::Settings;

/// Serve a cluster until SIGINT or SIGTERM
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// A scenario that the cluster starts from; its steps are played first
    #[arg(value_name = "SCENARIO", value_hint = ValueHint::FilePath)]
    scenario: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    log::start(LogFormat::Text, settings.verbose);
    let running = arguments.cluster.start(arguments.scenario.as_deref(), settings)?;
    let asked = stop::asked();
    {
        let mut out = anstream::stdout().lock();
        writeln!(out, "# the cluster is at https://{}; Ctrl-C ends it", running.address)?;
        writeln!(out, "export KUBECONFIG={}", quoted(&running.kubeconfig.display().to_string()))?;
        if let Some(registry) = running.registry {
            writeln!(out, "# push images here; the cluster also knows this registry as {REGISTRY_NAME}")?;
            writeln!(out, "export {REGISTRY_VARIABLE}={registry}")?;
        }
        out.flush()?;
    }
    running.wait_for(stop::wait(asked));
    running.end()?;
    Ok(CLEAN)
}
