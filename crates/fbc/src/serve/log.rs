//! What a server writes about its work, on standard error.

use clap::ValueEnum;
use tracing_subscriber::fmt;

/// How lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line of text
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// Begins to write; `debug` adds what goes wrong with single connections.
pub(crate) fn start(format: LogFormat, debug: bool) {
    let level = if debug { tracing::Level::DEBUG } else { tracing::Level::INFO };
    let builder = fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    // Only the first call of a process counts.
    let _ = match format {
        LogFormat::Text => builder.with_ansi(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
