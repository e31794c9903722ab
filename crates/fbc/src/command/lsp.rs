//! `fbc lsp`: the language server, over standard input and output.

use std::io::{self, BufReader};
use std::sync::Arc;

use clap::Args;
use fbc_app::memory;
use fbc_lsp::{ServeError, transport};

use crate::failure::{CLEAN, Failure};
use crate::language_server::DiskHost;
use crate::settings::Settings;

/// Speak the Language Server Protocol with an editor, over standard input and output
///
/// Editors start it themselves; docs/guides/editors.md has the settings. Exits with 0 when the editor shuts down, and
/// with 2 if it is gone without that or does not speak the protocol.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Speak over standard input and output, which is the only way; some editors add this flag themselves
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    memory::use_small_pages();
    let (connection, threads) = transport::connect(BufReader::new(io::stdin()), io::stdout())?;
    let served = fbc_lsp::serve(&connection, Arc::new(DiskHost { settings: settings.clone() }));
    // The thread that writes ends with its queue.
    drop(connection);
    match served {
        Ok(()) => {
            threads.join()?;
            Ok(CLEAN)
        }
        Err(error) => Err(failure(&error)),
    }
}

fn failure(error: &ServeError) -> Failure {
    let failure = Failure::new(format!("the language server ends: {error}"));
    match error {
        ServeError::Protocol(_) | ServeError::Gone => failure
            .help("it speaks with editors, not with people; docs/guides/editors.md says how to set one up"),
        ServeError::Thread(_) => failure,
    }
}
