//! Registries on the command line: flags, environment and progress.
//!
//! A command that may name images flattens [`ImageArguments`], [`RegistryArguments`] or [`TransferArguments`], makes one
//! [`fbc_source::Session`] of them, and passes it to what opens images deep below, so that connections, tokens and the cache are
//! shared.

mod arguments;
mod connection;
mod environment;
mod logins;
mod places;
mod progress;
mod tokio_clock;

pub(crate) use arguments::{
    CopyLogins, ImageArguments, PlainHttp, RegistryArguments, SignatureArguments, TransferArguments,
    parse_duration,
};
pub(crate) use connection::usual_connection;
pub(crate) use logins::Named;
pub(crate) use places::Places;
